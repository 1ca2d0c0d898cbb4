#!/bin/bash
# Events that only perf counts: by their totals and where they happen, in threads and children, user and
# kernel apart, together with others; and those that a user cannot sample here are refused with the
# reason before the program begins.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"
. "$top/tests/lib/shell/ordinary-user.sh"

events=$(program perf_events)
noperf=$(program noperf)
# page faults that an image has before main, and as it ends
PER_IMAGE=400

# can EVENT: whether this user can sample it here.
can() {
	"$hpcrun" -l | sed 's/ .*//' | grep -qxF "$1"
}

# measured DIR EVENTS ARGUMENTS...: by the program, whose exit status it is.
measured() {
	local name=$1 which=$2
	shift 2
	timeout 100 "$hpcrun" -q -o "$name" -e "$which" "$events" "$@" 2>"$name.err" ||
		note "status $?: $(cat "$name.err")"
}

# as_many NAME MORE (EVENT NUMBER)...: the totals, of which there may be that many more; and the account.
as_many() {
	local name=$1 more=$2
	shift 2
	printf '%s %s\n' "$@" >"$name.truth"
	check "$name: as many as there were" lib totals.py "$name.truth" "$more" "$name"
	check "$name: the account of each event is complete" lib account.py "$name"
}

# in_functions NAME POINTS FUNCTION SHARE...
in_functions() {
	local name=$1 points=$2
	shift 2
	printf '%s %s\n' "$@" >"$name.shares"
	check "$name: in these functions" lib shares.py "$points" "$name.shares" "$name"
}

# ---- outside the kernel, and in it
if "$hpcrun" -q -o try -e page-faults:u true 2>try.err; then
	measured user page-faults:u faults 40000 10000
	as_many user $PER_IMAGE page-faults:u 40000
	in_functions user 2 touch 1 fill 0
	check "the report says that it is of user code" run 0 "$hpcprof" --quality user
	check "which its name says" says out 'page-faults:u'
	check "and its quality" says out 'what happens in the kernel is NOT included'

	# more threads than there can be events
	(ulimit -n 64 && measured limit page-faults:u,minor-faults:u,alignment-faults:u many 50)
	check "limit: the program runs as alone" test ! -s limit.err
	check "limit: the account is complete" lib account.py limit
	check "limit: the report" run 0 "$hpcprof" limit
	check "limit: says that threads were not counted" says out 'An event could not be counted in [0-9]+ threads'
	measured unlimited page-faults:u many 50
	as_many unlimited $PER_IMAGE page-faults:u 5000
	run 0 "$hpcprof" unlimited
	check "unlimited: all are" test -z "$(grep 'could not be counted' out)"
else
	skip "user: as many as there were" "$(cat try.err)"
fi
if "$hpcrun" -q -o try -e page-faults:k true 2>try.err; then
	measured kernel faults:k faults 10000 40000
	as_many kernel $PER_IMAGE page-faults:k 40000
	in_functions kernel 2 touch 0 fill 1
	measured both page-faults:u@20,page-faults:k@20,page-faults@20,CPUTIME faults 30000 20000
	as_many both $PER_IMAGE page-faults:u 30000 page-faults:k 20000 page-faults 50000
	measured apart page-faults:k@f5000,page-faults:u@f5000 faults 30000 20000
	check "both: a table of each" run 0 "$hpcprof" both
	check "with all names" says out 'page-faults:k .*page-faults:u '
else
	skip "kernel: as many as there were" "$(cat try.err)"
fi

# ---- moves between CPUs
if ! can cpu-migrations; then
	skip "moves: as many as there were" "this user cannot count what happens in the kernel"
elif [ "$(nproc)" -lt 2 ]; then
	skip "moves: as many as there were" "there is one CPU"
else
	measured moves migrations@1 moves 3000
	as_many moves 100 cpu-migrations 3000
	in_functions moves 1 move 1 main 1
fi

# ---- tracepoints
[ -z "${HPCTEST_ALONE:-}" ] || [ -d /sys/kernel/tracing/events ] ||
	mount -t tracefs nodev /sys/kernel/tracing 2>mount.err # in a namespace of its own
call=syscalls:sys_enter_getppid
if can SYSTEM:NAME && "$hpcrun" -q -o try -e $call true 2>try.err; then
	measured calls $call@10 calls 90000 30000
	as_many calls 10 $call 120000
	in_functions calls 2 often 3 seldom 1
	measured threads $call@f2000,CPUTIME,page-faults threads 20000
	as_many threads 30 $call 60000
	timeout 100 "$hpcrun" -q --signal RTMIN -o signal -e $call@7 "$events" calls 30000 10000
	as_many signal 10 $call 40000
	check "a tracepoint that is almost one: refused" run 125 "$hpcrun" -e syscalls:sys_enter_getpid_ touch began
	check "with the nearest names" says err 'no such tracepoint.*did you mean syscalls:sys_enter_getp?pid\?'
else
	skip "calls: as many as there were" "no tracepoints for this user: $(cat try.err mount.err 2>/dev/null)"
fi

# ---- what cannot be
# refused WHY EVENTS [COMMAND...]: with status 125, before the program begins.
refused() {
	local why=$1 which=$2
	shift 2
	check "$which: refused" run 125 "$@" "$hpcrun" -q -o refused -e "$which" touch began
	check "and why" says err "$why"
}
refused "did you mean cycles" cycle
refused "did you mean PAPI_TOT_CYC" PAPI_TOT_CYK
refused "expected how many make a sample" page-faults:u@1ms
refused "expected :u, :k, or a period" page-faults:often
refused "only u and k are understood" cycles:pp
refused "times cannot be requested for user code" CPUTIME:u
refused "all of them happen in the kernel" context-switches:u
refused "all of them happen in the kernel" CPUTIME,migrations:k
refused "no PMU 'nowhere'" nowhere/event=1/
refused "expected PMU/TERM" nowhere/event
refused "no such tracepoint|not mounted|can read the list" nowhere:event
refused "'page-faults:k': the event is given twice" page-faults:k,CPUTIME,faults:k
refused "performance events are forbidden here" page-faults:u "$noperf"
refused "performance events are forbidden here" cpu-migrations "$noperf"
if ! can cycles && ! can cycles:u; then
	refused "no hardware counters|does not count it" cycles
	refused "no hardware counters|does not count it" r3c:u
fi
if [ "$(id -u)" = 0 ] && [ "$(cat /proc/sys/kernel/perf_event_paranoid)" = 2 ]; then
	mkdir -m 777 others
	mkdir tool
	cp -r "$BUILD/bin" "$BUILD/lib" tool/
	cp "$events" .
	as_user tool/bin/hpcrun -q -o others/outside -e page-faults:u@20,page-faults,CPUTIME ./perf_events faults 40000 10000
	mv others/outside .
	as_many outside $PER_IMAGE page-faults:u 40000 page-faults 50000
	as_user tool/bin/hpcrun -o others/no -e cpu-migrations touch others/began 2>refused.err
	is "an ordinary user: refused" $? 125
	check "with the reason and the remedy" says refused.err 'perf_event_paranoid is 2, .*sysctl kernel.perf_event_paranoid=1'
fi
check "and nothing began" test ! -e began -a ! -e others/began

# ---- lists
check "-l: what can be sampled" run 0 "$hpcrun" -l
check "with a line for each" says out '^REALTIME  +elapsed'
check "-L: also what cannot, and why" run 0 "$noperf" "$hpcrun" -L
check "which is said once for all" says out 'performance events are forbidden here'
check "with their names" says out 'cpu-migrations, '
check "and other names" says out 'PAPI_TOT_CYC'
check "and -l does not name them" test -z "$("$noperf" "$hpcrun" -l | grep '^cpu-migrations')"

done_testing
