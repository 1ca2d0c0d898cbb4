#!/bin/bash
# perf sees the same: the share of every function with at least 1%, within 3 points.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"
. "$top/tests/lib/shell/workloads.sh"

perf record -q -e cpu-clock -F 1000 -g -o perf.data true 2>/dev/null ||
	skip_all "perf cannot measure here"

# agree NAME COMMAND...
agree() {
	local name=$1
	shift
	timeout 300 "$hpcrun" -q -o "$name" "$@" >/dev/null 2>&1
	timeout 300 perf record -q -e cpu-clock -F 1000 -g -o perf.data "$@" >/dev/null 2>&1
	perf script -i perf.data --no-inline -F comm,ip,sym,dso >script 2>/dev/null
	check "$name: perf gives every function the same share" \
		lib agreement.py 3 "$hpcprof" "$name" script "$(program mkframes)"
	rm -f perf.data script
}

workload cxx full
agree "C++ program" "${command[@]}"
workload xz short
agree "xz" "${command[@]}"
done_testing
