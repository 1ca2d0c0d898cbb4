#!/bin/bash
# Real programs, inputs of a size that people have.
. "$(dirname "$0")/../lib/tap.sh"
. "$top/tests/lib/measure.sh"
. "$top/tests/lib/workloads.sh"
. "$top/tests/lib/real-programs.sh"

real_programs full
done_testing
