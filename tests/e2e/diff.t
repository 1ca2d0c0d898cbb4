#!/bin/bash
# hpcprof diff on real measurements: an unchanged program shows nothing, a function that became slower
# is named, also in another build, and each side may be a database or a merged file.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"

cp "$(program fifty)" fifty
compile=(gcc -O2 -g -w -x c "$top/tests/programs/fifty.c")
check "another build, with all code elsewhere" "${compile[@]}" -DMOVED -o moved

# About 10,000 samples each, on a machine that may be busy: a third of the time, 20% slower, would then be
# missed once in 25 runs or so. How often it is found is for tests/soak/answer-diff.t. Runs that are
# compared have environments of different sizes, and different rates.
run_of() { # run_of DIR RATE PROGRAM ARGUMENT...
	PAD=$(printf "%$((${#1} * 531 % 3000))s") timeout 120 "$hpcrun" -q --budget 100 -e "CPUTIME@f$2" -o "$1" "${@:3}"
}
for name in a bb; do
	check "a run: $name" run_of "$name" 5000 ./fifty 9000
done
check "a run at another rate" run_of rate 3000 ./fifty 13000
check "a slower function" run_of slow 5000 ./fifty 9000 7 130
check "again" run_of slower 5000 ./fifty 9000 7 130
check "in another build" run_of moved-slow 5000 ./moved 9000 7 130
check "another build, not slower" run_of moved-same 5000 ./moved 9000

# names KEY CONDITION <JSON: the functions for which the condition, of the row f, holds.
names() {
	lib rows.py functions "$1"
}
beyond() { # beyond PROFILE...
	"$hpcprof" diff -q --json "$@" >json && names 'f["beyond_noise"]' <json
}
# A pair of unchanged runs may show something by chance in 1 of 200 cases.
shown=0
for pair in 'a bb' 'bb rate' 'a rate'; do
	# shellcheck disable=SC2086 # words
	[ -z "$(beyond $pair)" ] || shown=$((shown + 1))
done
check "runs of the same program show nothing: $shown of 3 did" test "$shown" -le 1
check "and are not too slow" "$hpcprof" diff -q --fail-above 3 a bb

# The slower function is in each list. By chance a comparison may show another row, too, in 1 of 200
# cases, and comparisons that share a run may show the same one; how often is for tests/soak/answer-diff.t.
others=0
named() { # named PROFILE...: is work7 beyond noise? Counts comparisons that show others
	local list
	list=$(beyond "$@")
	[ "$list" = work7 ] || others=$((others + 1))
	[[ " $list " = *" work7 "* ]] || {
		echo "shown: $list"
		return 1
	}
}
named_check() { # named_check DESCRIPTION PROFILE...: not in a subshell, which would lose the count
	if named "${@:2}" >said; then ok "$1"; else not_ok "$1" "$(cat said)"; fi
}
named_check "the slower function is named" a slow
named_check "of other runs" bb slower
named_check "of several runs" a bb -- slow slower
named_check "between different builds and programs" bb moved-slow
check "hardly anything else is: in $others of 4 comparisons" test "$others" -le 2
is "the other way round it is the same" "$(beyond slow a)" "$(beyond a slow)"
"$hpcprof" diff -q --json --all bb moved-same >json
is "all of its functions are matched" \
	"$(names 'f["module"] in ("fifty", "moved") and f["name"] != "more" and
		(not f["before_samples"] or not f["after_samples"]) and f["before_samples"] + f["after_samples"] > 30' <json)" ""
"$hpcprof" diff -q --json --all --lines a moved-same >json
is "and lines" "$(lib rows.py lines 'f["function"].startswith("work") and
	(not f["before_samples"] or not f["after_samples"]) and f["before_samples"] + f["after_samples"] > 30' <json)" ""

check "--fail-above: too slow" run 4 "$hpcprof" diff -q --fail-above 3 a slow
check "with the function" says out 'work7 '
check "and faster" run 0 "$hpcprof" diff -q --fail-above 3 slow a
check "a database" "$hpcprof" db -q -o slow.db slow
is "is as its datafile" "$(beyond a slow.db)" "$(beyond a slow)"
check "a merged file" "$hpcprof" merge -q -o a.csp a
is "is as its datafile" "$(beyond a.csp slow)" "$(beyond a slow)"
is "both, of different programs" "$("$hpcprof" db -q -o moved.db moved-slow && beyond a.csp moved.db)" "$(beyond a moved-slow)"

# Call paths: the longest one with the change is named, not its callers.
"$hpcprof" diff -q --json --calls a slow >json
is "call paths" "$(lib rows.py calls 'f["beyond_noise"] and f["name"].endswith("work7")' <json | sed 's/.*main > //')" work7
is "but not main's" "$(lib rows.py calls 'f["name"].endswith("main")' <json)" ""

# A function that is inlined now, without debug information: its time is its caller's.
cat >part.c <<-'EOF'
	#include <stdint.h>
	#include <stdlib.h>
	static volatile uint64_t result;
	#define LOOP uint64_t x = n; for (uint64_t i = 0; i < n; i++) x = x * 6364136223846793005 + i; result = x
	static MAYBE void part(uint64_t n) { LOOP; }
	__attribute__((noinline, noclone)) static void whole(uint64_t n) { part(n); result = 1; }
	__attribute__((noinline, noclone)) static void other(uint64_t n) { LOOP; }
	int main(void) { for (int i = 0; i < 12000; i++) { whole(30000); other(60000); } return 0; }
EOF
check "a program with a function" gcc -O2 '-DMAYBE=__attribute__((noinline))' -o apart part.c
check "and with the function inlined" gcc -O2 '-DMAYBE=__attribute__((always_inline)) inline' -o together part.c
check "are measured" run_of part 5000 ./apart
check "both" run_of inlined 5000 ./together
# gcc calls its copy of the function part.constprop.0.
"$hpcprof" diff -q --json part inlined >json
is "two functions made up for each other" "$(names 'f.get("moved_with")' <json | sed 's/\.constprop\.0//')" "part whole"
check "which is told" run 0 "$hpcprof" diff -q --fail-above 3 part inlined
check "with the direction" says out 'moved from part[.a-z0]* to whole, which calls it'
check "and the other way round" run 0 "$hpcprof" diff -q inlined part
check "it is a call" says out 'moved from whole to part[.a-z0]*, which it calls'

# Profiles with different metrics.
echo "main;part 5" >other.folded
check "nothing to compare" run 2 "$hpcprof" diff -q part other.folded
check "is told, not shown as gone" says err 'nothing of CPUTIME was recorded after, but something of another metric'
check "and the other way round" run 2 "$hpcprof" diff -q other.folded part
check "with the metric" says err 'nothing of CPUTIME was recorded before'

# Without names, the newest measurements are compared.
mkdir here && cp -a a here/1 && cp -a slow here/2 && cp -a bb here/3
touch here/3 && touch -d '1 minute ago' here/2 && touch -d '2 minutes ago' here/1
newest() { # newest PROFILE...: with the messages
	(cd here && "$hpcprof" diff --json "$@" 2>&1 >json) | sed 's/^hpcprof: //'
}
is "the newest" "$(newest)" "3: the newest measurement here
2: the measurement before it"
is "the newest and another" "$(newest 1)" "3: the newest measurement here"

"$hpcprof" diff -q --json a slow >one
"$hpcprof" diff -q --json -j 1 slow -- a >two
check "the factors are the inverse of each other" lib rows.py --inverse one two
done_testing
