#!/bin/bash
# The zoo while its elapsed time is measured: looks find programs in every kind of wait.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"
. "$top/tests/lib/shell/zoo.sh"

export HPCRUN_EVENTS=REALTIME@f1000
all_zoo ""
done_testing
