#!/bin/bash
# What value profiles cost: 1000 samples per CPU second with windows of 8 steps, by medians of RUNS runs (5), beside
# the same samples without values. Unbounded: with a budget that does not hold windows back. The CPU time is that of
# the program and its children.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"
. "$top/tests/lib/shell/workloads.sh"

waitcpu=$(program waitcpu)
runs=${RUNS:-5}

# run_as WAY COMMAND...: ms of CPU, and of the windows: their number, steps and ns.
run_as() {
	local way=$1 before=()
	shift
	rm -rf one data
	case $way in
	samples) before=("$hpcrun" -q --budget 90 -o data) ;;
	unbounded) before=("$hpcrun" -q --budget 90 --values 8 -o data) ;;
	bounded) before=("$hpcrun" -q --budget 5 --values 8 -o data) ;;
	esac
	"${before[@]}" "$waitcpu" one "$@" >/dev/null 2>&1 <"$([ -e input ] && echo input || echo /dev/null)"
	[ $way = alone ] || "$hpcprof" dump data/*.csp 2>/dev/null >dumped
	[ $way != alone ] || : >dumped
	echo "$(awk '{ print $1 / 1000 }' one)" "$(awk '/tag 6/ { for (i = 1; i < NF; i++) {
		if ($i == "windows") w += $(i + 1); if ($i == "steps") s += $(i + 1); if ($i == "ns") n += $(i + 1) } }
		END { print w + 0, s + 0, n + 0 }' dumped)"
}
# median COLUMN FILE
median() {
	cut -d' ' -f"$1" "$2" | sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}
printf '%-10s%12s%12s%12s%12s%12s%14s%14s\n' program alone samples unbounded 'windows/s' 'us a step' 'their share' 'in 5%: share'
for name in python sqlite xz gcc; do
	workload $name short
	for way in alone samples unbounded bounded; do
		for _ in $(seq "$runs"); do run_as $way "${command[@]}"; done >"$way.txt"
	done
	awk -v name=$name -v alone="$(median 1 alone.txt)" -v samples="$(median 1 samples.txt)" \
		-v all="$(median 1 unbounded.txt)" -v windows="$(median 2 unbounded.txt)" \
		-v steps="$(median 3 unbounded.txt)" -v ns="$(median 4 unbounded.txt)" \
		-v bounded="$(median 1 bounded.txt)" -v bounded_ns="$(median 4 bounded.txt)" 'BEGIN {
		printf "%-10s%9.0f ms%9.0f ms%9.0f ms%12.0f%12.1f%13.1f%%%13.1f%%\n", name, alone, samples, all,
			windows * 1000 / all, ns / 1000 / (steps + 1), 100 * ns / 1e6 / all, 100 * bounded_ns / 1e6 / bounded }'
done
