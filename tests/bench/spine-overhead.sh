#!/bin/bash
# The cost of measuring: CPU seconds (user + system, children included) of a program alone, under
# hpcrun at 1000 samples per CPU second, and under perf with call graphs. PAIRS rounds (20), each in
# the order alone, hpcrun, perf, perf, hpcrun, alone, so that a drift of the machine's speed affects
# all equally. Then a process that does nothing.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"
. "$top/tests/lib/shell/workloads.sh"

pairs=${PAIRS:-20}
. "$top/tests/lib/shell/variants.sh"

echo "$pairs rounds of alone, hpcrun, perf, perf, hpcrun, alone; medians"
workload xz short
measure "xz -9" whole "${command[@]}"
status=3 measure "C++ program" whole "$(program cxx)" 15
measure "does nothing" whole "$(program nothing)"
