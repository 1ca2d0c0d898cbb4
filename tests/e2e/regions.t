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
# The same of the samples.
share_of_samples() {
	"$hpcprof" tree -q --json --all --min 0 --samples -m CPUTIME "$1" | "$python" -c 'import json, sys
inside, sums = {None: False}, [0, 0]
for node in json.load(sys.stdin)["tree"]["nodes"]:
    inside[node["id"]] = inside[node["parent"]] or node["function"] == "[region] " + sys.argv[1]
    sums[inside[node["id"]]] += node["self"][0]
print(1000 * sums[True] // (sum(sums) or 1))' "$2"
}
# is_share NAME DATA REGION PER MILLE: within 40. Where a machine's host takes a CPU away, one sample may
# have more time than that: then it is of the samples.
is_share() {
	local got
	got=$(share "$2" "$3")
	if [ "$got" -lt $(($4 - 40)) ] || [ "$got" -gt $(($4 + 40)) ]; then
		note "$got"
		got=$(share_of_samples "$2" "$3")
	fi
	check "$1: $3 has $4 per mille of the time" test "$got" -ge $(($4 - 40)) -a "$got" -le $(($4 + 40))
	note "$got"
}
measure() { # DATA ARGUMENTS
	timeout 60 "$hpcrun" -q -e CPUTIME@f5000 -o "$@" >said 2>said.err
	echo "$* $? $(cat said said.err)" >>printed
}

is 'alone it runs as if there were no regions' "$("$regions") $("$regions" threads) $("$regions" unbalanced)" 'done done done'
for mark in whole memo marks; do
	[ $mark != marks ] || [ "$(uname -m)" = x86_64 ] || continue
	for what in nested deep; do
		measure "$what-$mark" --mark $mark "$regions" $what
		is "$what, --mark $mark: entries" "$(entries $what-$mark)" 'inner 10 outer 1'
		is_share "$what, --mark $mark" $what-$mark outer 666
		is_share "$what, --mark $mark" $what-$mark inner 333
		"$hpcprof" text --regions "$what-$mark" >text
		is "$what, --mark $mark: a table of them" "$(sed -n '/^Regions (CPUTIME)/,/^$/p' text | awk '$1 ~ /%/ { print $4, $7 }')" '1 outer
10 inner'
		# in samples: one may have more time than the others, as above
		is "$what, --mark $mark: as JSON" "$("$hpcprof" text --json --regions --samples "$what-$mark" | "$python" -c 'import json, sys
for row in json.load(sys.stdin)["regions"]["rows"]:
    print(row["region"], row["entered"], row["function"] in ("spin", "[kernel] clock_gettime"), row["total"] >= row["in_function"] > row["total"] / 4)')" \
			'outer 1 True True
inner 10 True True'
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
for region in 'outer 400' 'inner 200' 'direct 200' 'far 200' 'none 200'; do
	# shellcheck disable=SC2086
	is_share 'begun by functions that have returned' wrapped $region
done

"$hpcprof" export -q --format folded -m CPUTIME wrapped | sed 's/ [0-9]*$//' >paths
check 'they are regions of the function that called those' says paths ';wrapped;\[region\] outer;spin'
check 'and so is one in the other' says paths ';wrapped;\[region\] outer;\[region\] inner;spin'
check 'and one of which this was not told' says paths ';wrapped;\[region\] direct;spin'
check 'all is in a region of which nobody knows whose it is' says paths '^\[region\] far;_start.*;wrapped;spin'
check 'and in one of more callers than there are' says paths '^\[region\] none;_start.*;wrapped;spin'

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

# The function that begins a region is found whatever the compiler makes of it.
for compiler in gcc clang-14; do
	for level in -O0 -O1 -O3; do
		if ! command -v $compiler >/dev/null; then
			skip "$compiler is not installed" 5
			continue
		fi
		$compiler -D_GNU_SOURCE -I"$top" -g $level -o compiled "$top/tests/programs/regions.c" -lpthread
		rm -rf compiled-data compiled-jumps
		measure compiled-data ./compiled nested
		"$hpcprof" export -q --format folded -m CPUTIME compiled-data | sed 's/ [0-9]*$//' >paths
		is_share "$compiler $level" compiled-data inner 333
		check "$compiler $level: in it" says paths ';nested;\[region\] outer;\[region\] inner;spin'
		check "$compiler $level: outside of it" says paths ';nested;spin'
		measure compiled-jumps ./compiled longjmp
		is "$compiler $level: three are left by longjmp" "$(entries compiled-jumps UNBALANCED)" 'left 3'
		is_share "$compiler $level" compiled-jumps left 500
	done
done

# A library of the program's that is loaded later, and one process's main part without regions.
cat >plugin.c <<'END'
#include <hpcrun.h>
#include <time.h>
static volatile unsigned sink;
void in_plugin(void)
{
	struct timespec t;
	hpcrun_region_begin("plugged");
	do
		for (int i = 0; i < 1000; i++)
			sink = sink + 1;
	while (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t), t.tv_sec == 0 && t.tv_nsec < 100000000);
	hpcrun_region_end("plugged");
}
END
cat >loads.c <<'END'
#include <dlfcn.h>
int main(int argc, char **argv)
{
	void *plugin = dlopen(argv[argc - 1], RTLD_NOW);
	((void (*)(void))dlsym(plugin, "in_plugin"))();
	return dlclose(plugin);
}
END
# shellcheck disable=SC2086
{
	"${CC:-gcc}" -g -O2 -shared -fPIC $include -o plugin.so plugin.c
	"${CC:-gcc}" -g -O2 -o loads loads.c
}
measure plugged ./loads "$PWD/plugin.so"
is 'a library that is loaded later: entries' "$(entries plugged)" 'plugged 1'
is_share 'a library that is loaded later' plugged plugged 990

# shellcheck disable=SC2086
if "${CC:-gcc}" -static -O2 $include -I"$top" -o static "$top/tests/programs/regions.c" -lpthread 2>/dev/null; then
	is 'a static program, alone' "$(./static)" 'done'
	"${CC:-gcc}" -static -O2 $include -I"$top" -o linked "$top/tests/programs/regions.c" @"$BUILD/lib/libhpcrun.link" -lpthread 2>linked.err
	measure linked-data ./linked
	is 'and linked with libhpcrun.a: entries' "$(entries linked-data)" 'inner 10 outer 1'
	is_share 'and linked with libhpcrun.a' linked-data inner 333
else
	skip 'there is no static C library' 3
fi

if command -v gfortran >/dev/null; then
	cat >solver.f90 <<'END'
program solver
  use hpcrun
  use, intrinsic :: iso_fortran_env, only: int64
  implicit none
  integer :: i, steps
  real(8) :: x
  steps = hpcrun_metric_new('STEPS', 'count')
  call hpcrun_region_begin('solve')
  do i = 1, 10
    call step(x)
  end do
  call hpcrun_region_end('solve')
  call work(x, 100)
  if (x > 0) print '(a)', 'done'
contains
  subroutine step(x)
    real(8), intent(inout) :: x
    call hpcrun_region_begin('step')
    call hpcrun_record(steps, 5_int64)
    call work(x, 10)
    call hpcrun_region_end('step')
    call work(x, 10)
  end subroutine
  subroutine work(x, n)
    real(8), intent(inout) :: x
    integer, intent(in) :: n
    integer :: k
    x = 0
    do k = 1, n * 120000
      x = x + sqrt(real(k, 8))
    end do
  end subroutine
end program
END
	for level in -O0 -O2; do
		gfortran -Wall -Wextra -Werror -std=f2008 -g $level -fno-inline -o solver "$top/runtime/hpcrun.f90" solver.f90
		rm -rf solver-data
		is "gfortran $level: alone" "$(./solver)" 'done'
		measure solver-data ./solver
		is "gfortran $level: entries" "$(entries solver-data) $(entries solver-data UNBALANCED)" 'solve 1 step 10 '
		is "gfortran $level: a metric" "$("$hpcprof" query -q --format csv \
			"SELECT sum(v.events) FROM exclusive v JOIN metric m ON m.id = v.metric WHERE m.name = 'STEPS'" solver-data | tail -1)" 50
		is_share "gfortran $level" solver-data solve 666
		is_share "gfortran $level" solver-data step 333
		"$hpcprof" export -q --format folded -m CPUTIME solver-data | sed 's/ [0-9]*$//' >paths
		check "gfortran $level: a region is of the procedure that begins it" says paths \
			'\[region\] solve;step;\[region\] step;work'
	done
else
	skip 'gfortran is not installed' 12
fi

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
	spin(4);
	if (i % 2)
		throw i;
	spin(4);
}
int main()
{
	for (int i = 0; i < 10; i++) {
		hpcrun::region outer("outer");
		try {
			throws(i);
		} catch (int) {
			spin(4);
		}
	}
	spin(40);
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

is 'each program printed and came to what it does alone' "$(grep -avE ' 0 done$| killed 137 |/plugin.so 0 $' printed)" ''
done_testing
