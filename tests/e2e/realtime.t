#!/bin/bash
# Elapsed time: CPUTIME, BLOCKED and RUNNABLE are the life of each thread, waits are where they are, and
# the program notices nothing.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"
. "$top/tests/lib/shell/ordinary-user.sh"
. "$top/tests/lib/shell/database.sh"

elapsed=$(program elapsed)

# waited NAME COMMAND...: under hpcrun -o NAME, elapsed says what the datafile has.
waited() {
	local name=$1 status
	shift
	rm -rf "$name"
	"$@" >"$name.truth"
	status=$?
	is "$name: no call is interrupted" "$status" 0
	check "$name: the time of each thread, and where it waited" lib elapsed.py "$name.truth" "$name"
	check "$name: the account adds up" lib account.py "$name"
}

waited kinds timeout 100 "$hpcrun" -q -o kinds -e REALTIME "$elapsed" kinds 3 150
# What they waited for: fsync may be done at once.
"$hpcprof" db -q -o kinds.db kinds
mostly() { # mostly DATABASE: each function that waits, and for what it waits most
	query "SELECT function || ': ' || kind FROM (SELECT function, kind,
		row_number() OVER (PARTITION BY function ORDER BY blocked DESC) AS place FROM waits)
		WHERE place = 1 ORDER BY 1" "$1"
}
is "what a call waits for" "$(mostly kinds.db | grep -E '^wait_' | grep -vE '^wait_(for_go|fsync|often)')" "\
wait_accept: socket
wait_child: child
wait_cond: condition
wait_epoll: poll
wait_flock: file lock
wait_futex: futex
wait_join: join
wait_nanosleep: sleep
wait_poll: poll
wait_read: pipe"
"$hpcprof" --waits kinds >waits
check "a table of it" says waits '^ +[0-9.]+% +[0-9.]+ m?s  pipe +[0-9.]+%  wait_read'
"$hpcprof" kinds >report
"$hpcprof" --waits --samples -m CPUTIME kinds >other.waits
is "whatever else is shown" "$(sed -n '/^Waits/,$p' other.waits)" "$(sed -n '/^Waits/,$p' waits)"
is "and as JSON" "$("$hpcprof" --waits --json kinds | python3 -c 'import json, sys
print(sum(r["blocked"] for r in json.load(sys.stdin)["waits"]["rows"]))')" "$(query "SELECT events FROM metric WHERE name = 'BLOCKED'" kinds.db)"
check "and how all threads' time was spent" says report \
	'thread time .* [0-9.]+% on a CPU, [0-9.]+% blocked, [0-9.]+% waiting for a CPU'
is "REALTIME is the sum of its parts" "$(query "SELECT total(events * (name = 'REALTIME')) - total(events * (name <> 'REALTIME'))
	FROM metric WHERE unit = 'ns' AND name <> 'BLAME'" kinds.db)" 0.0
"$hpcprof" merge -q -o merged.csp kinds
is "and of a merged file" "$(query functions merged.csp)" "$(query functions kinds)"

waited stopped timeout 100 "$hpcrun" -q -o stopped -e REALTIME "$elapsed" stopped 3 80
"$hpcprof" db -q -o stopped.db stopped
is "a thread is stopped while it computes, or in its wait" "$(mostly stopped.db | grep -E '^(computes|sleeps)')" "\
computes: stopped
sleeps: sleep"
one_cpu=$(taskset -cp $$ | sed 's/.*[ ,-]//')
waited crowd timeout 100 taskset -c "$one_cpu" "$hpcrun" -q -o crowd -e REALTIME "$elapsed" crowd 4 1
if [ "$(id -u)" = 0 ]; then
	mkdir root
	waited hidden timeout 100 taskset -c "$one_cpu" "$hpcrun" -q -o hidden -e REALTIME "$elapsed" crowd 2 1 root
else
	skip "hidden: the time of each thread, and where it waited" "only root can change the root"
fi
waited one-tree timeout 100 "$hpcrun" -q -t all -o one-tree -e REALTIME "$elapsed" crowd 2 1
mkdir -m 777 user
mkdir tool
cp -r "$BUILD/bin" "$BUILD/lib" tool/
cp "$elapsed" .
cp "$(program noperf)" .
waited user/kinds as_user timeout 100 ./noperf tool/bin/hpcrun -q -o user/kinds -e REALTIME ./elapsed kinds 3 150

# Blocked threads sleep on.
timeout 100 "$hpcrun" -q -o once -e REALTIME "$elapsed" once 5 >once.truth
is "once: no call is interrupted" "$?" 0
is "once: after two seconds no thread is woken more than once a second" \
	"$(awk '$1 == "switches" && $3 > 2' once.truth)" ""
note "$(cat once.truth)"

between() { awk -v v="$1" -v low="$2" -v high="$3" 'BEGIN { exit !(v >= low && v <= high) }'; }

# Looks are limited for a program and its forked processes together, and none of their time is lost.
naps=$(program naps)
for kind in threads processes; do
	check "many $kind that wait briefly" run 0 timeout 100 "$hpcrun" -q -o "naps-$kind" -e REALTIME@f1000 \
		"$naps" $kind 40 1500
	"$hpcprof" db -q -o "naps-$kind.db" "naps-$kind"
done
looks() { query "SELECT samples FROM metric WHERE name = 'BLOCKED'" "naps-$1.db"; }
threads=$(looks threads) processes=$(looks processes)
check "$processes looks at 40 processes, $threads at 40 threads" [ "$processes" -lt $((2 * threads + 1500)) ]
for kind in threads processes; do
	seen=$(query "SELECT round(100.0 * total(events * (position < 2)) / total(events), 1) FROM account
		WHERE metric = (SELECT id FROM metric WHERE name = 'BLOCKED')" "naps-$kind.db")
	early=$(query "SELECT round(100.0 * max((function = 'starts') * total) / max(total), 1) FROM functions
		WHERE metric = 'BLOCKED'" "naps-$kind.db")
	check "$kind: $seen% of the time they wait has a place" between "$seen" 95 100
	check "$kind: $early% of it where they are for a tenth" between "$early" 2 25
done

# The program notices nothing: as in eintr.t, but now signals come while it waits.
# More rates and programs are in tests/soak/events-signals.t.
timeout 100 "$hpcrun" -q -e REALTIME -o calls.measured "$(program eintr)" 1 >calls
status=$?
# 2: the sleeper was woken, once for a look at it
is "no call returns EINTR" "$((status == 1))" 0
note "$(cat calls)"
timeout 100 "$hpcrun" -q -e REALTIME -o interrupted "$(program interrupted)" 500
is "a signal of the program's own ends a call" "$?" 0
for kind in pause sigsuspend ppoll pselect epoll nanosleep; do
	check "$kind ends with the program's signal, and with no other" timeout 100 "$hpcrun" -q \
		-e REALTIME -o "waits-$kind" "$(program waits)" $kind 10
done
for stack in 0 16384 65536; do
	timeout 100 "$hpcrun" -q -e REALTIME -o "ended-$stack" "$(program ended)" 20 $stack >calls
	is "a handler ends a wait, and nothing else does, $stack bytes of alternate stack" "$?" 0
done
# Also if our handler has no CPU just before it continues the read: more programs than CPUs.
programs=$(($(nproc) * 2))
for i in $(seq "$programs"); do
	(timeout 100 "$hpcrun" -q -e REALTIME@f200 -o "beside-$i" "$(program interrupted)" 500; echo "$?" >"beside-$i.status") &
done
wait
is "and in $programs programs at once" "$(cat beside-*.status | sort -u)" 0
"$(program limits)" >limits.alone
timeout 100 "$hpcrun" -q -o limits -e REALTIME@f20 "$(program limits)" >limits.measured
is "no call ends before its time limit" "$?" 0
is "nor is it longer, but for one with a mask of its own" \
	"$(paste limits.alone limits.measured | awk '$4 > $2 + ($1 == "epoll_masked" ? 250 : 30)')" ""
note "$(paste limits.alone limits.measured)"
timeout 100 "$hpcrun" -q -o limits-stack -e REALTIME@f1000 "$(program limits)" stack >limits.stack
is "nor with an alternate stack" "$?" 0
is "which looks do not make longer for ever" "$(awk '$2 > 400' limits.stack)" ""

# A wait that has no end: while the program runs, and after it was killed.
timeout 60 "$hpcrun" -q -o open -e REALTIME "$(program forever)" &
measuring=$!
sleep 3
"$hpcprof" top --screens 2 -d 1 open >live
"$hpcprof" --waits open >live.text 2>/dev/null
pkill -9 -f "^$(program forever)"
wait "$measuring"
check "top shows what a wait that lasts took since the last screen" says live \
	'^ +(9[0-9.]+|100.0)% +([89][0-9][0-9] ms|1\.[0-9]+ s) .*clock_nanosleep'
check "so does the report of a running program" says live.text 'sleep +9[0-9.]+%  waits_forever|sleep +100.0%  waits_forever'
"$hpcprof" db -q -o open.db open
waited_for=$(query "SELECT round(sum(blocked) / 1e9, 2) FROM waits WHERE function = 'waits_forever'" open.db)
lived=$(query "SELECT round((end_ns - start_ns) / 1e9, 2) FROM profile" open.db | head -n 1)
check "a killed program is charged with its last wait: $waited_for s of a life of $lived" \
	between "$waited_for" "$(awk -v l="$lived" 'BEGIN { print 0.9 * l }')" "$lived"
check "top shows a metric of choice" says <("$hpcprof" top --screens 1 -m blocked open 2>/dev/null) 'BLOCKED since the start'
check "another is an error" run 2 "$hpcprof" top -m nothing --screens 1 open
check "which says that it is not measured" says err 'the metric nothing is not measured'

# As it is asked for.
check "REALTIME with a rate, CPUTIME with another" run 0 "$hpcrun" -q -o rates -e REALTIME@f100 -e CPUTIME@10ms true
check "the parts" test "$("$hpcprof" dump rates/*.csp | grep -cE 'name "(CPUTIME|BLOCKED|RUNNABLE)"')" -ge 3
check "the parts are no events" run 125 "$hpcrun" -o no -e BLOCKED true
check "and it counts as three" run 125 "$hpcrun" -o no \
	-e REALTIME,page-faults,minor-faults,major-faults,context-switches,CPUTIME,REALTIME true
done_testing
