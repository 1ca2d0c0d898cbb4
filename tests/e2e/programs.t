#!/bin/bash
# Real programs, short inputs.
. "$(dirname "$0")/../lib/tap.sh"
. "$top/tests/lib/measure.sh"
. "$top/tests/lib/workloads.sh"
. "$top/tests/lib/real-programs.sh"

real_programs short
done_testing
