#!/bin/bash
# The size of the output: bytes of datafiles and per distinct context, compared with perf.data with
# only frame pointers and with copies of the stack.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"
. "$top/tests/lib/shell/workloads.sh"

# perf_bytes COMMAND...: of perf.data, or "-".
perf_bytes() {
	"$@" >/dev/null 2>&1
	stat -c %s perf.data 2>/dev/null || echo -
	rm -f perf.data
}

printf '%-10s %12s %10s %10s %12s %12s %12s\n' program "datafiles" contexts "bytes each" \
	samples "perf -g" "perf dwarf"
for name in $workloads; do
	workload "$name" short
	from=/dev/null
	[ ! -e input ] || from=input
	rm -rf data
	"$hpcrun" -q -o data "${command[@]}" <"$from" >/dev/null 2>&1
	frames=$(perf_bytes perf record -q -e cpu-clock -F 1000 -g -o perf.data "${command[@]}" <"$from")
	stacks=$(perf_bytes perf record -q -e cpu-clock -F 1000 --call-graph dwarf -o perf.data \
		"${command[@]}" <"$from")
	lib sizes.py "$name" data "$frames" "$stacks"
done
