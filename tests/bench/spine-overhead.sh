#!/bin/bash
# What measuring costs: CPU seconds (user + system, children included) of a program
# alone, under hpcrun at 1000 samples per CPU second, and under perf with call graphs.
# PAIRS rounds (20), each in the order alone, hpcrun, perf, perf, hpcrun, alone, so that
# a drift of the machine's speed falls on all alike. Then a process that does nothing.
. "$(dirname "$0")/../lib/tap.sh"
. "$top/tests/lib/measure.sh"
. "$top/tests/lib/workloads.sh"

pairs=${PAIRS:-20}
waitcpu=$(program waitcpu)
perf_works=$(perf record -q -e cpu-clock -F 1000 -g -o perf.data true 2>/dev/null && echo yes)

# run_variant VARIANT COMMAND...
run_variant() {
	local variant=$1
	shift
	case $variant in
	hpcrun) set -- "$hpcrun" -q -e CPUTIME@f1000 -o data "$@" ;;
	perf) set -- perf record -q -e cpu-clock -F 1000 -g -o perf.data "$@" ;;
	esac
	rm -f one
	"$waitcpu" one "$@" >/dev/null 2>said
	[ -s one ] || { cat said; exit 1; }
}

# measure NAME COMMAND...: all rounds of one program.
measure() {
	local name=$1 variant round
	shift
	: >runs
	for round in $(seq "$pairs"); do
		for variant in alone hpcrun perf perf hpcrun alone; do
			[ "$variant" != perf ] || [ -n "$perf_works" ] || continue
			run_variant "$variant" "$@"
			echo "$variant $(cat one)" >>runs
			rm -rf data perf.data
		done
	done
	lib overhead.py "$name" runs
}

echo "$pairs rounds of alone, hpcrun, perf, perf, hpcrun, alone; medians"
workload xz short
measure "xz -9" "${command[@]}"
measure "C++ program" "$(program cxx)" 15
measure "does nothing" "$(program nothing)"
