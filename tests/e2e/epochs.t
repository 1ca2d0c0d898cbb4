#!/bin/bash
# Load maps: modules that take each other's place, modules that merely come, threads'
# creators, and the vdso.
. "$(dirname "$0")/../lib/tap.sh"
. "$top/tests/lib/measure.sh"

# Plugins of one layout, so that the loader puts each where the one before stood.
for name in first second third; do
	gcc -O1 -g -shared -fPIC -o $name.so -x c - <<END
#include <time.h>
static volatile unsigned sink;
__attribute__((noinline)) static void burn_$name(long ms)
{
	struct timespec t;
	long until;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	until = t.tv_sec * 1000 + t.tv_nsec / 1000000 + ms;
	do {
		for (int i = 0; i < 1000; i++)
			sink += i;
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	} while (t.tv_sec * 1000 + t.tv_nsec / 1000000 < until);
}
void work(int ms) { burn_$name(ms); sink++; }
END
done

check "plugins in each other's place can be measured" \
	sh -c "'$hpcrun' -q -o data '$(program epochs)' 100 ./first.so ./second.so ./third.so >addresses"
"$hpcprof" text --no-inline -n 1000 data >report 2>errors
same=$(sort -u addresses | wc -l)
note "$same distinct addresses of 8"
for name in first second third; do
	check "burn_$name has its own share" awk -v f=burn_$name '
		/^Functions/ { on = 1 } /^Lines/ { on = 0 }
		on && $0 ~ f { share = $0; sub(/%.*/, "", share)
			for (i = 1; i <= NF; i++) if ($i ~ /%$/) last = $i + 0 }
		END { low = (f == "burn_third") ? 18 : 30; exit !(last > low && last < low + 15) }' report
done
"$hpcprof" dump data/*.csp >dump
epochs=$(awk '/num_epochs/ { print $NF; exit }' dump)
note "$epochs epochs"
if [ "$same" -lt 8 ]; then
	check "an address that changes its meaning makes an epoch, and the same maps make no more" \
		test "$epochs" -ge 2 -a "$epochs" -le 6
else
	skip "an address that changes its meaning makes an epoch" "the loader gave each plugin a place of its own"
fi
check "threads know the call that made them" awk '/tree [0-9]+:  thread [12] / && /creator_tree 4294967295/ { bad = 1 }
	/tree [0-9]+:  thread [12] / { seen = 1 } END { exit bad || !seen }' dump
creator=$(awk '/tree [0-9]+:  thread 1 / { for (i = 1; i < NF; i++) { if ($i == "creator_tree") t = $(i+1); if ($i == "creator_node") n = $(i+1) } print t, n; exit }' dump)
check "which is a node of begin_threads" lib recorded.py "$hpcprof" data "$(program epochs)" node $creator begin_threads
check "the vdso is saved beside" sh -c "ls data/vdso-* && file=\$(ls data/vdso-*) &&
	readelf -h \$file | grep -q 'DYN' && readelf -n \$file | grep -q \$(basename \$file | cut -d- -f2)"
# The code is gone by the end: it must have been noticed while it ran.
check "code that a program makes can be measured" sh -c "'$hpcrun' -q -o made '$(program jit)' 300 >/dev/null"
check "and is [anonymous]" sh -c "'$hpcprof' made | awk '/^Load modules/ { on = 1 } on && /\\[anonymous\\]/ { exit !(\$1 + 0 > 90) } /^Files/ { exit 1 }'"
check "and its paths come to main by frame pointers" sh -c "'$hpcprof' made | awk '/samples are complete/ { exit !(\$3 + 0 >= 99) }'"
check "the accounts add up" lib account.py data made

# A synchronous metric, through a wrapper that only the test build has.
check "a wrapper can record" "$BUILD/oracle/bin/hpcrun" -q -o recorded "$(program record)"
check "at the caller with 2 unwinds" lib recorded.py "$hpcprof" recorded "$(program record)" amount 123457 blamed_callee
check "at the caller's caller with 3" lib recorded.py "$hpcprof" recorded "$(program record)" amount 765433 blamed_caller
done_testing
