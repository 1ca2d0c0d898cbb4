#!/bin/bash
# The cost of a sample by depth, and by how many frames have changed since the last one: whole walks,
# remembered frames, marked ones (hpcrun --mark), and libunwind's steps, which are a walk without a
# tree. Beside them what perf copies for each sample with --call-graph dwarf, if it can be had: at
# most 64 KB of the stack, which are to be walked later.
. "$(dirname "$0")/../lib/shell/tap.sh"

out=$BUILD/bench
mkdir -p "$out"
"${CC:-gcc}" -std=gnu11 -I"$top" -O2 -g -fno-optimize-sibling-calls -fno-ipa-cp -o "$out/changed" "$top/tests/bench/changed.c" -DWITH_LIBUNWIND -lunwind
"${CC:-gcc}" -std=gnu11 -I"$top" -O2 -g -fno-optimize-sibling-calls -fno-ipa-cp -o "$out/changed-plain" \
	"$top/tests/bench/changed.c"
ulimit -s unlimited 2>/dev/null || ulimit -s "$(ulimit -H -s)"

# of WAY DEPTH CHANGED: ns, less those of the calls.
of() {
	local calls took
	calls=$("$out/changed-plain" "$2" "$3")
	case $1 in
	libunwind) took=$("$out/changed" "$2" "$3" libunwind) ;;
	*)
		rm -rf data
		took=$("$hpcrun" -q -e CPUTIME@f1 --mark "$1" -o data "$out/changed-plain" "$2" "$3")
		;;
	esac
	echo $((took - calls))
}
# perf_copies DEPTH: what a sample of perf's adds to the time of a program.
perf_copies() {
	local alone sampled
	alone=$("$out/changed-plain" "$1" 0 spin)
	sampled=$(perf record -q -e cpu-clock -c 1000000 --call-graph dwarf,65528 -o perf.data \
		"$out/changed-plain" "$1" 0 spin 2>/dev/null) && [ -n "$sampled" ] ||
		{ echo -; return; }
	echo $(((sampled - alone) * 1000 / (sampled / 1000)))
}
printf '%-8s%8s%12s%12s%12s%14s%14s\n' 'ns, at' changed whole memo marks libunwind 'perf copies'
for depth in 10 100 1000 5000 20000; do
	for changed in 0 10 40 100 1000; do
		[ "$changed" -le "$depth" ] || continue
		printf '%-8d%8d%12d%12d%12d%14d%14s\n' "$depth" "$changed" "$(of whole "$depth" "$changed")" \
			"$(of memo "$depth" "$changed")" "$(of marks "$depth" "$changed")" "$(of libunwind "$depth" "$changed")" \
			"$([ "$changed" != 0 ] || perf_copies "$depth")"
	done
done
