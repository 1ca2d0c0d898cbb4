#!/bin/bash
# The zoo with marks, at the default rate and at 10 kHz.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"
. "$top/tests/lib/shell/zoo.sh"

export HPCRUN_MARK=marks
all_zoo 10000
done_testing
