#!/bin/bash
# The same as e2e/ordinary-user.t, with a minute for the calls that could be cut short.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"
. "$top/tests/lib/shell/ordinary-user.sh"

ordinary_user 60
done_testing
