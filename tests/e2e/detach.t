#!/bin/bash
# hpcrun detach, and the ends of hpcrun attach: the measurement ends, and the program goes on as if
# alone. It can be measured again.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"

detached=$(program detached)
as_alone='begun
0 calls ended otherwise, 0 signals are lost'

# start COMMAND...: it goes on until finish; $pid is its process, which is the one that executes
# `detached`, and $child the one that was started.
start() {
	rm -f fifo out
	mkfifo fifo
	"$@" <fifo >out 2>err &
	child=$!
	exec 3>fifo
	until_true grep -q begun out
	pid=$child
	[ "$(cat "/proc/$child/comm")" = detached ] || pid=$(pgrep -P "$child" -x detached)
}
# finish NAME: it must have noticed nothing.
finish() {
	exec 3>&-
	wait "$child"
	is "$1: it goes on as alone" "$? $(cat out)" "0 $as_alone"
	note "$(cat err)"
}
files() {
	find "$1" -maxdepth 1 -name "$2*.csp" | wc -l
}
ends() { # DATA: of all its datafiles
	"$hpcprof" text -q "$1" 2>/dev/null | sed -n 's/^  end  *//p' | sort -u
}
own() { # DATA METRIC
	"$hpcprof" export -q --format folded -m "$2" "$1" | awk '{ s += $NF } END { print s + 0 }'
}
agrees() { # NAME DATA
	is "$1: the accounts agree" "$("$hpcprof" "$2" 2>&1 | grep -c 'does not agree')" 0
}
# no_more DATA: in half a second no program more was measured that it has started. One that it had
# started before may still be running.
no_more() {
	local before
	before=$(files "$1" true)
	sleep 0.5
	[ "$(files "$1" true)" = "$before" ]
}
# What a process has of ours: its timers, the stores that it maps, its descriptors.
held() {
	cat "/proc/$pid/timers"
	grep hpcstore "/proc/$pid/maps"
	find "/proc/$pid/fd" -type l | wc -l
}

is 'alone' "$("$detached" </dev/null)" "$as_alone"

if [ "$(uname -m)" = x86_64 ]; then
	# ---- for a time, again and again, by different events
	start "$detached"
	alone=$(held)
	i=0
	for events in CPUTIME REALTIME CPUTIME,page-faults REALTIME,CPUTIME CPUTIME; do
		i=$((i + 1))
		timeout 60 "$hpcrun" attach --for 300ms -e "$events" -o "for$i" "$pid" 2>said
		is "--for, $events: hpcrun ends" "$? $(grep -cE 'no longer measured, and goe?s? on' said)" '0 1'
		[ "$(grep -c 'no longer measured' said)" = 1 ] || note "$(cat said)"
		is "--for, $events: it writes its datafile" "$(files "for$i" detached) $(ends "for$i")" '1 detached'
		is "--for, $events: nothing of it is left" "$(held)" "$alone"
		check "--for, $events: what it started was measured" [ "$(files "for$i" true)" -ge 1 ]
		agrees "--for, $events" "for$i"
		before=$(find "for$i" -type f | wc -l)
	done
	sleep 0.6
	is 'what it starts afterwards is not measured' "$(find "for$i" -type f | wc -l)" "$before"
	check 'hpcrun says how much was recorded' says said "hpcrun: for$i: .* samples in .*; to see them: hpcprof for$i"

	# ---- into one directory, and merged
	for _ in 1 2 3; do
		timeout 60 "$hpcrun" attach -q --for 200ms -o one "$pid"
	done
	is 'three times: three datafiles' "$(files one detached)" 3
	is 'three times: nothing of it is left' "$(held)" "$alone"

	# ---- by another hpcrun, and by an interrupt
	timeout 60 "$hpcrun" attach -o other "$pid" 2>said 3>&- &
	tracer=$!
	until_true grep -q 'is measured from now on' said
	is 'detach' "$("$hpcrun" detach "$pid")" "hpcrun: process $pid is no longer measured"
	wait "$tracer"
	is 'detach: hpcrun attach ends, too' "$? $(ends other)" '0 detached'
	"$hpcrun" detach "$pid" >said 2>&1
	is 'detach: twice' "$? $(cat said)" \
		"125 hpcrun detach: process $pid is no longer measured, or cannot be reached, as with --store private"
	timeout 60 "$hpcrun" attach -o interrupted "$pid" 2>said 3>&- &
	tracer=$!
	until_true grep -q 'is measured from now on' said
	kill -INT "$(pgrep -P "$tracer")"
	wait "$tracer"
	is 'interrupted' "$? $(files interrupted detached) $(ends interrupted)" '0 1 detached'
	is 'interrupted: nothing of it is left' "$(held)" "$alone"
	timeout 60 "$hpcrun" attach --signal RTMIN "$pid" 2>said
	is 'another signal' "$? $(cat said)" \
		"125 hpcrun: process $pid was measured with another signal before: give the same --signal, or none"
	finish 'attached and detached'

	# ---- foreign programs; tests/soak/say-attach.t does more of this
	for name in bash perl python3; do
		[ "$name" != perl ] || command -v perl >/dev/null || continue
		"$top/tests/zoo/$name" prepare >/dev/null 2>&1
		"$top/tests/zoo/$name" run >alone.out 2>alone.err
		echo $? >alone.status
		done=0
		for _ in 1 2 3 4 5 6; do
			"$python" "$top/tests/lib/check/attach_often.py" "$hpcrun" "$PWD/often" $((6 - done)) often \
				"$top/tests/zoo/$name" run >rounds
			done=$((done + $(head -1 rounds)))
			[ "$done" -lt 6 ] && cmp -s alone.out often.out && cmp -s alone.err often.err || break
		done
		is "$name: attached to 6 times" "$done" 6
		check "$name: it prints what it prints alone" cmp alone.out often.out
		check "$name: and says the same" cmp alone.err often.err
		is "$name: and ends so" "$(cat often.status)" "$(cat alone.status)"
		note "$(sed 1d rounds)"
	done
	agrees 'foreign programs' often

	# ---- a thread that cannot be asked
	blocking() { # threads that block SIGURG
		grep -h '^SigBlk:' "/proc/$pid"/task/*/status | grep -cE '[4-7c-f][0-9a-f]{5}$'
	}
	start "$detached" blocks
	timeout 60 "$hpcrun" attach -o blocked "$pid" 2>said 3>&- &
	tracer=$!
	until_true grep -q 'is measured from now on' said
	check 'blocked: hpcrun says that one thread is not measured' says said \
		'1 of its threads is not measured yet'
	kill -USR1 "$pid"
	until_true eval '[ "$(blocking)" = 0 ]'
	"$hpcrun" detach -q "$pid"
	status=$?
	until_true eval '! grep -q hpcstore "/proc/$pid/maps"' # it need not have had a CPU yet
	is 'blocked: it has let go' "$status $(grep -c hpcstore "/proc/$pid/maps")" '0 0'
	wait "$tracer"
	finish 'blocked'

	# ---- a thread that is measured, and then cannot be asked
	start "$detached" holds
	timeout 60 "$hpcrun" attach -o holds "$pid" 2>said 3>&- &
	tracer=$!
	until_true grep -q 'is measured from now on' said
	is 'holds: all threads are measured' "$(grep -c 'not measured yet' said)" 0
	kill -USR1 "$pid"
	until_true eval '[ "$(blocking)" = 1 ]'
	"$hpcrun" detach "$pid" >said.detach
	is 'holds: its datafile is written' "$? $(head -1 said.detach) $(ends holds)" \
		"0 hpcrun: process $pid is no longer measured detached"
	check 'holds: what remains is said' says said.detach "^hpcrun: threads of process $pid have not let go of the memory"
	wait "$tracer"
	"$hpcrun" attach -o again "$pid" 2>said
	is 'holds: it cannot be measured again yet' "$? $(grep -c 'was detached, but threads of it have not let go yet' said)" '125 1'
	kill -USR1 "$pid"
	until_true eval '! grep -q hpcstore "/proc/$pid/maps"'
	is 'holds: it lets go when it can' "$(grep -c hpcstore "/proc/$pid/maps")" 0
	timeout 60 "$hpcrun" attach -q --for 200ms -o again "$pid"
	is 'holds: and can be measured again' "$? $(files again detached)" '0 1'
	finish 'holds'

	# ---- a thread that ends without a word
	start "$detached" leaves
	alone=$(held)
	timeout 60 "$hpcrun" attach -o left "$pid" 2>said 3>&- &
	tracer=$!
	until_true grep -q 'is measured from now on' said
	kill -USR1 "$pid"
	until_true eval '! grep -q leaver "/proc/$pid"/task/*/comm 2>/dev/null'
	is 'leaves: detach' "$("$hpcrun" detach "$pid")" "hpcrun: process $pid is no longer measured"
	wait "$tracer"
	is 'leaves: nothing of it is left' "$(held)" "$alone"
	finish 'leaves'
else
	skip 'attach' 'attach is for x86-64'
fi

# ---- programs that hpcrun began
for options in '' '--mark marks' '-e REALTIME,page-faults' '--unwinder libunwind' '--values 8'; do
	data=began${options// /}
	# shellcheck disable=SC2086
	start timeout -k 5 120 "$hpcrun" $options -o "$data" "$detached"
	pid=$(pgrep -x detached -s 0 | head -1)
	started=$(files "$data" true)
	"$hpcrun" detach "$pid" >said
	is "hpcrun $options: detach" "$? $(cat said)" "0 hpcrun: process $pid is no longer measured"
	is "hpcrun $options: it writes its datafile" "$(files "$data" detached)" 1
	check "hpcrun $options: what it starts is not measured" until_true no_more "$data"
	note "$started were"
	if [ "${options% *}" = -e ] && [ "$(uname -m)" = x86_64 ]; then
		timeout 60 "$hpcrun" attach -q --for 300ms -o anew "$pid"
		is 'it can be measured anew' "$? $(files anew detached)" '0 1'
		check 'anew: and count' [ "$(own anew TURNS)" -ge 3 ]
		check 'anew: so do its regions' [ "$(own anew ENTRIES)" -ge 3 ]
	fi
	finish "hpcrun $options"
	agrees "hpcrun $options" "$data"
done

# ---- all processes of a directory; those that cannot be
timeout 60 "$hpcrun" -q -o all bash -c 'sleep 600 & (exec sleep 600) & wait' 3>&- &
tracer=$!
until_true [ "$(find all -name '*.stores' 2>/dev/null | wc -l)" = 1 ]
until_true [ "$(pgrep -c -x sleep -s 0)" -ge 2 ]
sleep 0.3
"$hpcrun" detach all >said 2>&1
is 'of a directory' "$? $(cat said)" '0 hpcrun: all: 3 processes are no longer measured'
is 'of a directory: all have written' "$(ends all)" 'detached'
pkill -x sleep -s 0
wait "$tracer"
"$hpcrun" detach all >said 2>&1
is 'of a directory: twice' "$? $(cat said)" '125 hpcrun detach: all: this measurement has ended'

start timeout -k 5 120 "$hpcrun" -q --driver io -o driver "$detached"
pid=$(pgrep -x detached -s 0 | head -1)
"$hpcrun" detach "$pid" >said 2>&1
is 'with a driver' "$? $(cat said)" \
	"1 hpcrun: process $pid remains measured: its driver (--driver) cannot end before it"
finish 'with a driver'
is 'with a driver: all of it is there' "$(files driver detached)" 1

sleep 600 &
pid=$!
"$hpcrun" detach "$pid" >said 2>&1
is 'one that is not measured' "$? $(cat said)" "125 hpcrun detach: process $pid is not measured"
kill "$pid"
wait "$pid" 2>/dev/null
"$hpcrun" detach 4194304 >said 2>&1
is 'none' "$? $(cat said)" '125 hpcrun detach: there is no process 4194304'
"$hpcrun" detach >said 2>&1
is 'nothing' "$? $(cat said)" \
	'125 hpcrun detach: which process, or which directory? (see hpcrun detach --help)'
"$hpcrun" detach nowhere >said 2>&1
is 'no directory' "$? $(cat said)" '125 hpcrun detach: nowhere: No such file or directory'
check '--help' bash -c '"$1" detach --help | grep -q "Usage: hpcrun detach"' - "$hpcrun"
done_testing
