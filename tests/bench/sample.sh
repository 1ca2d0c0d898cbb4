#!/bin/bash
# The cost of a sample: with hpcrun, with the minimum of sampling (an empty handler, called by an
# event with a fixed period, tests/programs/empty_plugin.c), and with perf with call graphs. PAIRS
# rounds (10), each in the order alone, empty, hpcrun, perf, perf, hpcrun, empty, alone. RATE
# samples per CPU second (4000), so that the other costs of a process are small. The CPU time is
# that of the program and its children, without what hpcrun and perf do before and after, and
# without perf's writing.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"
. "$top/tests/lib/shell/workloads.sh"

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
