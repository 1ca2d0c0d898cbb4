#!/bin/bash
# Regions of a program's own (runtime/hpcrun.h): how often they were entered is exact, and the time in
# them is what the program spent there, however they are left.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"

include=-I$top/runtime
regions=$BUILD/programs/regions

# entries DATA [METRIC]: "NAME COUNT" of the regions.
entries() {
	"$hpcprof" query -q --format csv "SELECT substr(f.name, 10), sum(v.events) FROM exclusive v
		JOIN metric m ON m.id = v.metric JOIN context c ON c.id = v.context JOIN function f ON f.id = c.function
		WHERE m.name = '${2:-ENTRIES}' GROUP BY f.name ORDER BY f.name" "$1" | tail -n +2 | tr ',' ' ' |
		paste -sd' '
}
# share DATA REGION: per mille of the time that is in the region.
share() {
	"$hpcprof" export -q --format folded -m CPUTIME "$1" |
		awk -v of="[region] $2" '{ t += $NF; s = ";" $0; sub(/ [0-9]+$/, "", s); s = s ";"
			if (index(s, ";" of ";")) in_it += $NF }
			END { printf "%d\n", t ? 1000 * in_it / t : 0 }'
}
# is_share NAME DATA REGION PER MILLE: within 40.
is_share() {
	local got
	got=$(share "$2" "$3")
	check "$1: $3 has $4 per mille of the time" test "$got" -ge $(($4 - 40)) -a "$got" -le $(($4 + 40))
	note "$got"
}
measure() { # DATA ARGUMENTS
	timeout 60 "$hpcrun" -q -e CPUTIME@f2000 -o "$@" >said 2>said.err || true
}

is 'alone it runs as if there were no regions' "$("$regions") $("$regions" threads) $("$regions" unbalanced)" 'done done done'
for mark in whole memo marks; do
	[ $mark != marks ] || [ "$(uname -m)" = x86_64 ] || continue
	for what in nested deep; do
		measure "$what-$mark" --mark $mark "$regions" $what
		is "$what, --mark $mark: entries" "$(entries $what-$mark)" 'inner 10 outer 1'
		is_share "$what, --mark $mark" $what-$mark outer 666
		is_share "$what, --mark $mark" $what-$mark inner 333
		is "$what, --mark $mark: none is unbalanced" "$(entries $what-$mark UNBALANCED)" ''
	done
done
"$hpcprof" export -q --format folded -m CPUTIME nested-memo | sed 's/ [0-9]*$//' >paths
check 'a region is below the function that began it' says paths ';nested;\[region\] outer;\[region\] inner;spin'
check 'and not in it is the rest of that function' says paths ';nested;spin'
check 'nothing remains of how it is stored' bash -c '! grep -E "region\].*(0x|\+)" paths'

for trees in each all; do
	measure "threads-$trees" -t $trees "$regions" threads
	is "threads, -t $trees: entries" "$(entries threads-$trees)" 'inner 40 open 1 outer 4 step 400'
	is "threads, -t $trees: one ended in a region" "$(entries threads-$trees UNBALANCED)" 'open 1'
	is_share "threads, -t $trees" threads-$trees outer 666
done

measure forked "$regions" fork
is 'fork in a region: the child did not enter it' "$(entries forked)" 'inner 1 outer 1'
is_share 'fork in a region' forked outer 750
is_share 'fork in a region' forked inner 500
is 'fork in a region: balanced' "$(entries forked UNBALANCED)" ''

measure jumped "$regions" longjmp
is 'longjmp: entries' "$(entries jumped)" 'after 1 left 3'
is 'longjmp: three did not end' "$(entries jumped UNBALANCED)" 'left 3'
is_share 'longjmp' jumped left 500
is_share 'longjmp' jumped after 166

measure unbalanced "$regions" unbalanced
is 'unbalanced: entries' "$(entries unbalanced)" 'inner 1 outer 1'
is 'unbalanced: counted where they are' "$(entries unbalanced UNBALANCED)" '(none) 1 inner 1 never 1 outer 1'
is_share 'unbalanced' unbalanced outer 500

measure wrapped "$regions" wrapped
is_share 'begun by functions that have returned' wrapped outer 666
is_share 'begun by functions that have returned' wrapped inner 333

measure many "$regions" many
# names that are cut may be alike
is 'very many in each other: those that are kept are counted, and the one after them' \
	"$(entries many | wc -w) $(entries many | grep -o 'after 1')" '52 after 1'
is_share 'very many in each other' many r000 500
is_share 'very many in each other' many after 500

measure killed "$regions" killed
is 'killed: entries' "$(entries killed)" 'inner 10 open 1 outer 1'
is_share 'killed' killed inner 333

"$hpcprof" merge -q -o merged.csp nested-memo threads-each forked jumped
is 'merged files add them up' "$(entries merged.csp)" 'after 1 inner 51 left 3 open 1 outer 6 step 400'
"$hpcprof" merge -q -o once.csp nested-memo jumped
"$hpcprof" merge -q -o twice.csp once.csp threads-each forked
is 'merged twice, too' "$(entries twice.csp)" 'after 1 inner 51 left 3 open 1 outer 6 step 400'
"$hpcprof" export -q --format folded -m CPUTIME nested-memo >one
"$hpcprof" merge -q -o one.csp nested-memo && "$hpcprof" export -q --format folded -m CPUTIME one.csp >merged
check 'a merged file has the same paths' cmp one merged
"$hpcprof" db -q -o one.db nested-memo && "$hpcprof" export -q --format folded -m CPUTIME one.db >from-db
check 'and so does a database' cmp one from-db
is 'the accounts agree with the trees' "$("$hpcprof" nested-memo threads-all forked jumped many killed 2>&1 | grep -c 'does not agree')" 0

cat >raii.cc <<'END'
#include <hpcrun.h>
#include <cstdio>
#include <ctime>
static volatile unsigned sink;
static double cpu()
{
	timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1e3 + t.tv_nsec * 1e-6;
}
__attribute__((noinline)) static void spin(double ms)
{
	double end = cpu() + ms;
	while (cpu() < end)
		for (int i = 0; i < 1000; i++)
			sink = sink + 1;
}
__attribute__((noinline)) static void throws(int i)
{
	hpcrun::region inner("inner");
	spin(10);
	if (i % 2)
		throw i;
	spin(10);
}
int main()
{
	for (int i = 0; i < 10; i++) {
		hpcrun::region outer("outer");
		try {
			throws(i);
		} catch (int) {
			spin(10);
		}
	}
	spin(100);
	std::puts("done");
}
END
for compiler in g++ clang++-14; do
	for level in -O0 -O2; do
		if ! command -v $compiler >/dev/null; then
			skip "$compiler is not installed" 4
			continue
		fi
		$compiler -std=c++11 -Wall -Wextra -Werror -g $level $include -o raii raii.cc
		rm -rf raii-data
		is "$compiler $level: alone" "$(./raii)" 'done'
		measure raii-data ./raii
		is "$compiler $level: regions are left by exceptions" "$(entries raii-data) $(entries raii-data UNBALANCED)" 'inner 10 outer 10 '
		is_share "$compiler $level" raii-data outer 666
		is_share "$compiler $level" raii-data inner 500
	done
done
done_testing
