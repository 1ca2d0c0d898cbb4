#!/bin/bash
# The cost of measuring a pure Python program (tests/python/work.py): CPU seconds, user + system, medians of
# RUNS rounds (5), each with all ways. BENCH_PYTHONS: interpreters (the system's).
# Goals: at most 1.3 times the cost of sampling native frames alone (what is more than alone), and less than 5%
# more than alone.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"

unset HPCRUN_BUDGET # what it is for users
export PYTHONDONTWRITEBYTECODE=1
work=$top/tests/python/work.py
waitcpu=$(program waitcpu)
"$hpcrun" -q -o first true # measures the cost of sampling

# cpu WAY COMMAND...: one run.
cpu() {
	local way=$1
	shift
	rm -rf data perf.data
	timeout 300 "$waitcpu" total "$@" >out 2>&1 || echo "$way: status $?: $(tail -1 out)" >&2
	echo "$way $(cut -d' ' -f1 total)" >>runs
}
round() { # round PYTHON
	cpu alone "$1" "$work"
	cpu "hpcrun, 1 kHz" "$hpcrun" -q -e CPUTIME@f1000 -o data "$1" "$work"
	cpu "hpcrun, 1 kHz, native frames" "$hpcrun" -q --interpreter no -e CPUTIME@f1000 -o data "$1" "$work"
	cpu "hpcrun, 1 kHz, --budget 100" "$hpcrun" -q --budget 100 -e CPUTIME@f1000 -o data "$1" "$work"
	cpu "hpcrun, 1 kHz, --budget 100, native frames" "$hpcrun" -q --interpreter no --budget 100 \
		-e CPUTIME@f1000 -o data "$1" "$work"
	cpu cProfile "$1" -m cProfile -o profile "$work"
	if command -v perf >/dev/null && perf record -q -o perf.data true >/dev/null 2>&1; then
		cpu "perf record -g" perf record -q -F 1000 -g -o perf.data "$1" "$work"
		if "$1" -X perf -c 'import sys; sys.exit(not sys.is_stack_trampoline_active())' 2>/dev/null; then
			cpu "perf record -g, -X perf" perf record -q -F 1000 -g -o perf.data "$1" -X perf "$work"
		fi
	fi
	! command -v py-spy >/dev/null || cpu "py-spy record -r 1000" py-spy record -r 1000 -o spied -- "$1" "$work"
}

for each in ${BENCH_PYTHONS:-$python}; do
	rm -f runs
	for _ in $(seq "${RUNS:-5}"); do
		round "$each"
	done
	"$python" - "$("$each" --version)" <<'EOF'
import collections, statistics, sys
runs = collections.defaultdict(list)
for line in open("runs"):
    way, us = line.rstrip().rsplit(" ", 1)
    runs[way].append(int(us) / 1e6)
median = {way: statistics.median(values) for way, values in runs.items()}
alone = median["alone"]
print("%-44s%8s%12s%18s" % (sys.argv[1], "CPU s", "of alone", "least to most"))
for way, value in median.items():
    print("%-44s%8.3f%12.3f%9.3f to %.3f" % (way, value, value / alone, min(runs[way]), max(runs[way])))
for what, of in ("medians", median), ("the least of each", {way: min(values) for way, values in runs.items()}):
    more = {way: value - of["alone"] for way, value in of.items()}
    print("%s:" % what)
    for way in "hpcrun, 1 kHz", "hpcrun, 1 kHz, --budget 100":
        print("    %s: %.1f%% more than alone (goal: 5%%)" % (way, 100 * more[way] / of["alone"]))
        native = way + ", native frames"
        if more.get(native, 0) > 0:
            print("        %.2f times what native frames alone cost (goal: 1.3)" % (more[way] / more[native]))
EOF
done
