#!/bin/bash
# The zoo: foreign programs, alone, at the default rate and at 5 kHz.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"
. "$top/tests/lib/shell/zoo.sh"

all_zoo 5000
done_testing
