#!/bin/bash
# What a sample costs: of hpcrun, of the least that sampling can be (an empty handler, called
# by an event of a fixed period, tests/programs/empty_plugin.c), and of perf with call graphs.
# PAIRS rounds (10), each in the order alone, empty, hpcrun, perf, perf, hpcrun, empty, alone.
# RATE samples a CPU second (4000), so that what a process costs beside its samples is little.
# Counted is the CPU time of the program and its children: not what hpcrun and perf do before
# and after, nor perf's writing.
. "$(dirname "$0")/../lib/tap.sh"
. "$top/tests/lib/measure.sh"
. "$top/tests/lib/workloads.sh"

pairs=${PAIRS:-10}
rate=${RATE:-4000}
waitcpu=$(program waitcpu)
perf_works=$(perf record -q -e cpu-clock -F 1000 -g -o perf.data true 2>/dev/null && echo yes)
export EMPTY_PERIOD=$((1000000000 / rate)) EMPTY_COUNT=$PWD/count

# run_as VARIANT COMMAND...: microseconds of CPU and wall time, and samples.
run_as() {
	local run samples= how=$1
	shift
	rm -rf one data perf.data count
	case $how in
	alone) run=("$waitcpu" one) ;;
	empty) run=("$waitcpu" one env LD_PRELOAD="$(program empty_plugin)") ;;
	hpcrun) run=("$hpcrun" -e "CPUTIME@f$rate" -o data "$waitcpu" one) ;;
	perf) run=(perf record -e cpu-clock -F "$rate" -g -o perf.data "$waitcpu" one) ;;
	esac
	"${run[@]}" "$@" >/dev/null 2>said
	case $how in
	empty) samples=$(awk '{ n += $1 } END { print n }' count) ;;
	hpcrun) samples=$(sed -n 's/^hpcrun: .*: \([0-9]*\) samples\{0,1\} in .*/\1/p' said) ;;
	perf) samples=$(sed -n 's/.*(\([0-9]*\) samples).*/\1/p' said) ;;
	esac
	echo "$(cat one) $samples"
}

# measure NAME COMMAND...
measure() {
	local round how
	: >runs
	for round in $(seq "$pairs"); do
		for how in alone empty hpcrun perf perf hpcrun empty alone; do
			[ "$how" != perf ] || [ -n "$perf_works" ] || continue
			echo "$how $(run_as "$how" "${@:2}")" >>runs
		done
	done
	lib overhead.py "$1" runs
}

echo "$pairs rounds, $rate samples a second; medians"
for work in "xz short" "python full" "gcc short" "cxx full"; do
	workload $work
	measure "${work% *}" "${command[@]}"
done
