#!/bin/bash
# Every nanosecond of a process has a row: what no thread's clock saw stands beside what wait4 says.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"

unseen=$(program unseen)

# run_fact MEMBER PROFILE: a number of the report's member `run`.
run_fact() {
	"$hpcprof" text --json -q "$2" | "$python" -c 'import json, sys; print(json.load(sys.stdin)["run"][sys.argv[1]])' "$1"
}
# near NAME NS: what was not seen is that and what starting the program takes: a few times as much as of
# one that has no other threads, and what a host may take of its CPU meanwhile.
near() {
	local found
	found=$(run_fact unseen_ns "$1")
	echo "$found ns were not seen; $2 were expected, and at most 5 * $start + 40 ms more"
	[ "$found" -ge "$2" ] && [ "$found" -le $(($2 + 5 * start + 40000000)) ]
}
"$hpcrun" -q -o none "$unseen" none 100 >none.out
start=$(run_fact unseen_ns none)
check "a program without other threads: only its start is not seen" test "$start" -gt 0
# The time of the process is that of its thread and the start: no more is added.
check "which is part of the kernel's count" test $(($(run_fact cpu_ns none) + start)) -le "$(run_fact waited_ns none)"

for kind in aio lookup clone; do
	check "$kind: runs" sh -c "'$hpcrun' -q -o $kind '$unseen' $kind 200 >$kind.out"
	check "$kind: its time is a row of its own" near $kind "$(cat $kind.out)"
done
"$hpcprof" aio >text
check "the report says it" grep -Eq \
	'^  not seen +[0-9.]+ ms besides: starts and ends, and threads that libraries hide$' text
"$hpcprof" text --all -q aio >all
check "the totals, too, beside the kernel's count" grep -Eq '^  by wait4 +[0-9.]+ ms, command and children(, [0-9.]+ [mu]s in no account)?$' all
check "and do not say that they are all" sh -c '! grep -q "of all processes" all'
for of in db merge; do
	"$hpcprof" $of -q -o "aio.$of" aio
	"$hpcprof" text --all -q "aio.$of" >again
	is "$of: the same" "$(grep -E '^  (not seen|by wait4) ' again)" "$(grep -E '^  (not seen|by wait4) ' all)"
done
is "SQL has it" "$(sqlite3 aio.db 'SELECT sum(process_ns - cpu_ns), sum(waited_ns) FROM process')" \
	"$(run_fact unseen_ns aio)|$(run_fact waited_ns aio)"

# ---- before and after -----------------------------------------------------------------
# A resolver of an indirect function runs before all constructors, a destructor after exit handlers.
cat >early.c <<'END'
#include <time.h>
static void spin(void)
{
	struct timespec t, from;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
	do
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	while ((t.tv_sec - from.tv_sec) * 1000 + (t.tv_nsec - from.tv_nsec) / 1000000 < 150);
}
static int one(void) { return 1; }
#ifdef EARLY
static void *choose(void) { spin(); return (void *)one; }
int chosen(void) __attribute__((ifunc("choose")));
#else
int chosen(void) { return one(); }
__attribute__((destructor)) static void late(void) { spin(); }
#endif
END
echo 'int chosen(void); int main(void) { return chosen() - 1; }' >main.c
for when in EARLY LATE; do
	gcc -O2 -w -shared -fPIC -D$when -o lib$when.so early.c &&
		gcc -O2 -Wl,-z,now -o $when main.c -L. -l$when -Wl,-rpath,"$PWD"
	check "$when: runs" "$hpcrun" -q -o "of-$when" ./$when
done
check "before our code: it is a row of its own" near of-EARLY 150000000
# Wherever it is: the thread's, or beyond its account.
late=$(($(run_fact waited_ns of-LATE) - $(run_fact unseen_ns of-LATE)))
check "after it: the kernel's count has it: $late ns" test $late -ge 150000000

# ---- many images --------------------------------------------------------------------
# The sum of the rows of an exec storm is part of what another parent sees, and what is beyond it is
# the ends of 400 images.
"$hpcrun" -q -o storm "$(program waitcpu)" total sh -c \
	'i=0; while [ $i -lt 200 ]; do sh -c "exec /bin/true"; i=$((i + 1)); done'
by_launcher=$(run_fact waited_ns storm)
rm -f storm/waitcpu.*
rows=$(($(run_fact cpu_ns storm) + $(run_fact unseen_ns storm)))
total=$(($(awk 'NR == 1 { print $1 }' total) * 1000))
note "an exec storm: $rows ns in the rows, $total by wait4, $by_launcher by the launcher's"
check "an exec storm: its rows are not more than the kernel's count" test $rows -le $((total + 1000000))
check "and most of it" test $((2 * rows)) -ge $total
check "the launcher's count has both" test "$by_launcher" -ge $((total - 1000000))
check "most was not seen by threads" test "$(run_fact unseen_ns storm)" -gt "$(run_fact cpu_ns storm)"
# exec: the clock of a process goes on, so each image has its part alone.
"$hpcrun" -q -o chain sh -c 'exec sh -c "exec sh -c \"exec /bin/true\""'
check "images of one process: no part is counted twice" test \
	$(($(run_fact cpu_ns chain) + $(run_fact unseen_ns chain))) -le "$(run_fact waited_ns chain)"

# ---- killed ---------------------------------------------------------------------------
"$hpcrun" -q -o killed sh -c "'$unseen' none 200 >ran; kill -9 \$\$" 2>killed.err
check "killed: the kernel's count is there" test "$(run_fact waited_ns killed)" -ge 200000000
"$hpcrun" "$unseen" none 100 >out 2>said
"$hpcrun" -o said-aio "$unseen" aio 200 >out 2>said-aio.err
check "the summary at the end says the kernel's count if it is more" \
	grep -Eq '; 1 process, which took [0-9.]+ s by the kernel.s count; ' said-aio.err
done_testing
