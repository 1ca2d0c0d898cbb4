#!/bin/bash
# The test suites of other projects come to the same, test by test, alone and while their elapsed time is
# measured.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"
. "$top/tests/lib/shell/suites.sh"

# shellcheck disable=SC2034 # suites.sh
suite_events=REALTIME@f1000
all_suites
done_testing
