#!/bin/bash
# A user without rights, with perf as the kernel grants it, without perf, and in a user
# namespace: samples enough, kernel time included, and no call cut short.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"
. "$top/tests/lib/shell/ordinary-user.sh"

ordinary_user 3
done_testing
