#!/bin/bash
# The cost of measuring by the depth of the stack, for whole walks, remembered frames and marked ones:
# CPU seconds of a program that works at a depth, of real programs, which are shallow or not, and of
# one that does nothing, at 1000 samples per CPU second. PAIRS rounds (10). Then the cost of a return
# that is counted (returns.c), beside one after a sample that marks nothing: a sample leaves the CPU's
# stack of return addresses and its caches in another state than the program alone has.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"
. "$top/tests/lib/shell/workloads.sh"

pairs=${PAIRS:-10}
variants="alone whole memo marks"
. "$top/tests/lib/shell/variants.sh"

out=$BUILD/bench
mkdir -p "$out"
for program in deep returns; do
	"${CC:-gcc}" -std=gnu11 -I"$top" -O2 -g -fno-optimize-sibling-calls -fno-ipa-cp -o "$out/$program" \
		"$top/tests/bench/$program.c"
done
ulimit -s unlimited 2>/dev/null || ulimit -s "$(ulimit -H -s)"

echo "$pairs rounds of $variants, and back; medians"
for depth in 10 100 1000 5000 20000; do
	measure "depth $depth" whole "$out/deep" "$depth" 30000
done
for work in xz gcc; do
	workload $work short
	measure "$work" whole "${command[@]}"
done
status=3 measure "C++ program" whole "$(program cxx)" 15
workload python short
status=5 measure python whole "${command[@]}"
measure "does nothing" whole "$(program nothing)"

echo
printf '%-12s%14s%14s%14s%14s\n' 'a return, ns' alone 'after memo' counted difference
for depth in 100 1000 5000 20000; do
	rm -rf data
	read -r memo _ < <("$hpcrun" -q -e CPUTIME@f1 --mark memo -o data "$out/returns" "$depth")
	read -r marks _ < <("$hpcrun" -q -e CPUTIME@f1 --returns all -o data "$out/returns" "$depth")
	read -r alone _ < <("$out/returns" "$depth")
	printf '%-12d%14.2f%14.2f%14.2f%14.2f\n' "$depth" "$alone" "$memo" "$marks" \
		"$(awk "BEGIN { print $marks - $memo }")"
done
