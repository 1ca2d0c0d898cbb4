#!/bin/bash
# Real programs, short inputs; many samples, since some paths cannot be complete (where an
# exception is handed over, one in 300 of a program full of them) and the shares of few
# samples say little.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"
. "$top/tests/lib/shell/workloads.sh"
. "$top/tests/lib/shell/real-programs.sh"

export HPCRUN_EVENTS=CPUTIME@f9000
real_programs short
done_testing
