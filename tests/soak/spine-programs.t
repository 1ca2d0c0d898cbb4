#!/bin/bash
# Real programs, inputs of a size that people have.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"
. "$top/tests/lib/shell/workloads.sh"
. "$top/tests/lib/shell/real-programs.sh"

real_programs full
done_testing
