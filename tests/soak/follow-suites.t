#!/bin/bash
# The test suites of other projects come to the same, test by test, alone and measured.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"
. "$top/tests/lib/shell/suites.sh"

all_suites
done_testing
