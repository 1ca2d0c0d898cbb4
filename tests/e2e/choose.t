#!/bin/bash
# Some processes, threads or call paths only.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"

check "two programs can be measured" "$hpcrun" -q -o many sh -c \
	"'$(program modes)' reads 0.3 >numbers; '$(program truth)' 300 >>numbers; '$(program shares)' 50 >>numbers"

# same WHAT FILES OPTION...: the report on the measurement with these options is that on these files.
same() {
	local what=$1 files=$2
	shift 2
	"$hpcprof" "$files" >want
	"$hpcprof" "$@" many >got
	is "$what: the same as its datafile alone" "$(cat got)" "$(cat want)"
}
modes=$(echo many/modes.*.csp)
same "a program" "$modes" --program '^modes$'
pid=${modes%.*.csp}
same "a process" "$modes" --process "${pid##*.}"
same "a process by both" "$modes" --program modes --process "${pid##*.}" --host .
programs() {
	"$hpcprof" --processes "$@" many | sed 1d | grep -c 'modes reads\|truth 300'
}
is "two processes, one of them named twice" "$(programs --program truth --program '^mo' --program modes)" 2

# samples OPTION...: their number.
samples() {
	"$hpcprof" "$@" many/shares.* | sed -n 's/^  recorded .* in \([0-9,]*\) samples\{0,1\}.*/\1/p' | tr -d ,
}
all=$(samples)
sum=0
for name in part-1 part-2 part-3 part-4 shares; do
	n=$(samples --thread "^$name\$")
	sum=$((sum + n))
	[ "$name" = shares ] || check "$name has some" test "$n" -gt 0
done
is "the samples of the threads, one by one, add up" "$sum" "$all"
is "and all at once" "$(samples --thread .)" "$all"
n=$(samples --thread part-2)
"$hpcprof" --quality --thread part-2 many/shares.* >quality.txt
check "the account is the thread's" grep -Eq "^ +$n .* recorded with a complete path" quality.txt
"$hpcprof" --stats --by thread --functions --thread 'part-[12]' many/shares.* >stats.txt
check "statistics are over these threads" grep -q 'over 2 threads' stats.txt

# Only the name of a program is without its folder.
printf '%s\n' 'target t' 'metric CPUTIME 2 1 unit ns' 'module /m 0x1000 0x1000 ""' 'thread 1 io/3 0 1 1' \
	'tree 0 0' 'path 9 : m+0x10 m+0x20' >slash.paths
check "a datafile is made" "$(program mkcsp)" --paths slash.paths slash.csp
check "the name of a thread may have a slash" "$hpcprof" --thread '^io/3$' slash.csp
"$hpcprof" --thread '^3$' slash.csp >/dev/null 2>&1
is "what follows it is not the name" "$?" 3

# shown OPTION...: the number of samples on the paths.
shown() {
	"$hpcprof" --samples "$@" many | sed -n 's/^  shown .*% of it, \([0-9,]*\), on paths.*/\1/p' | tr -d ,
}
whole=$("$hpcprof" many | sed -n 's/^  recorded .* in \([0-9,]*\) samples\{0,1\}.*/\1/p' | tr -d ,)
is "paths through a function, and the others" $(($(shown --focus '^reads$') + $(shown --ignore '^reads$'))) "$whole"
is "through it and not through it: none" "$(shown --focus '^reads$' --ignore reads)" 0
self=$("$hpcprof" --modules --samples many | awk '$NF == "[kernel]" { gsub(",", "", $2); print $2 }')
is "paths that end in a module: its own part" "$(shown --module kernel)" "$self"
"$hpcprof" tree --focus '^reads$' many >tree.txt
check "tree: the last line has the rest" sh -c "tail -1 tree.txt | grep -q 'on other paths'"
"$hpcprof" callers compute --focus '^reads$' many >callers.txt
check "callers: only those" sh -c "grep -q ' reads ' callers.txt && ! grep -q ' touch ' callers.txt"
"$hpcprof" --functions --samples --stats --by process --focus '^reads$' many >stats.txt
check "statistics are of these paths" sh -c "awk '/everything/ { getline; print \$3 }' stats.txt | tr -d , | grep -qx $(shown --focus '^reads$')"

# --under: what a function calls. Functions are one that calls itself, one that is inlined, and ones
# that are called from several places.
cat >inner.cc <<'END'
#include <ctime>
static volatile unsigned sink;
static inline __attribute__((always_inline)) void core(unsigned n) { for (unsigned i = 0; i < n; i++) sink = sink * 3 + i; }
static inline __attribute__((always_inline)) void middle(unsigned n) { core(n); for (unsigned i = 0; i < n; i++) sink = sink + i; }
__attribute__((noinline)) static void again(int n) { middle(1000); if (n) again(n - 1); core(500); }
__attribute__((noinline)) static void left() { again(3); middle(700); }
__attribute__((noinline)) static void right() { middle(900); again(1); sink = sink + 1; }
int main() { while (clock() < 0.5 * CLOCKS_PER_SEC) { left(); right(); } }
END
g++ -O1 -g -fno-optimize-sibling-calls -o inner inner.cc && "$hpcrun" -q -e CPUTIME@f2000 -o inner-out ./inner
"$hpcprof" export -q --format folded -o whole.folded inner-out
for function in main again left middle core; do
	"$hpcprof" export -q --format folded --under $function -o part.folded inner-out
	check "what is under $function, as cut from the whole" lib exported.py under $function whole.folded part.folded
done
"$hpcprof" --samples --under again inner-out >under.txt
total=$("$hpcprof" --functions --sort total --samples --json inner-out | sed -n 's/^{"function":"again",.*"total":\[\([0-9]*\)\].*/\1/p')
is "its share is the function's total" "$(sed -n 's/^  shown .*% of it, \(.*\), on paths that begin at again$/\1/p' under.txt | tr -d ,)" "$total"
check "what called it is not shown" sh -c '! grep -qw left under.txt'
"$hpcprof" tree --under again --min 0 inner-out >under.txt
check "the tree begins there" sh -c 'sed -n 4p under.txt | grep -qE "^[*] +[0-9.]+% +[0-9.]+ m?s .*  again$" && tail -1 under.txt | grep -q "on other paths"'
"$hpcprof" export -q --format folded --under middle inner-out >named
"$hpcprof" export -q --format folded --under middle@inner.cc:4 inner-out >placed
check "a function is found by its place" cmp named placed
run 2 "$hpcprof" --under middle@inner.cc:5 inner-out
check "and by no other" grep -q "no function of this profile matches" err
run 2 "$hpcprof" --under middle@ner.cc:4 inner-out
check "whose file is a whole name" grep -q "no function of this profile matches" err
run 2 "$hpcprof" --under agian inner-out
check "a wrong name is answered with a similar one" grep -q "did you mean again" err
run 2 "$hpcprof" --stats --under again inner-out
check "statistics over profiles have no such part" grep -q "cannot be combined" err

# status WANT OPTION...
status() {
	local want=$1
	shift
	"$hpcprof" "$@" many >/dev/null 2>error
	is "$*: status $want" "$?" "$want"
}
status 3 --program nonesuch
status 3 --thread nonesuch
status 2 --focus nonesuch
status 2 --ignore '('
status 2 --process x
"$hpcprof" db -q -o all.db many
"$hpcprof" --program modes all.db >/dev/null 2>error
is "a database: status 3" "$?" 3
check "which it says" grep -q 'all.db: not a datafile: its processes cannot be chosen from' error
done_testing
