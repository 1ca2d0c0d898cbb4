#!/bin/bash
# Measuring is stopped and started: by the program (runtime/hpcrun.h), by options of hpcrun, and from
# outside (hpcrun control). What is recorded so far is written while the program runs.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"

control=$BUILD/programs/control

# values DATA...: "SHOWN HIDDEN", ms of CPUTIME in the functions of these names; "STOPPED", ms of the account.
values() {
	"$hpcprof" export -q --format folded -m CPUTIME "$@" 2>export.err |
		awk '/;hidden/ { h += $NF; next } { s += $NF } END { printf "%.0f %.0f ", s / 1e6, h / 1e6 }'
	for file in "$@"; do "$hpcprof" dump "$file"/*.csp; done |
		awk '/disposition "stopped"/ { if (match($0, /weight [0-9]+/)) w += substr($0, RSTART + 7, RLENGTH - 7) } END { printf "%.0f\n", w / 1e6 }'
}
# near NAME GOT WANT [TIMES]: three numbers each, within 3% and 4 ms. What it takes to stop and to start, TIMES
# times, also counts as stopped, up to 50 us each: it is cold code, beside others.
near() {
	check "$1" awk -v got="$2" -v want="$3" -v more="${4:-0}" 'BEGIN { n = split(want, w, " "); split(got, g, " ")
		for (i = 1; i <= n; i++) { d = g[i] - w[i]; most = 0.03 * w[i] + (w[i] ? 4 : 0)
			if (d < -most || d > most + (i == 3 ? more / 20 : 0)) exit 1 } }'
	note "$2, truly $3"
}
# stops WHAT DATA [OPTIONS]: measure it; `truth` is what it says: ms shown and hidden.
stops() {
	local what=$1 data=$2
	shift 2
	timeout 60 "$hpcrun" -q -e CPUTIME@f2000 "$@" -o "$data" "$control" $what >said 2>said.err || true
	truth=$(awk '{ printf "%.0f %.0f\n", $1 / 1e6, $2 / 1e6 }' said)
}
agrees() { # DATA...
	is "$1: the accounts agree" "$("$hpcprof" "$@" 2>&1 | grep -c 'does not agree')" 0
}

# ---- by the program
is 'alone it runs as if there were nothing' "$("$control" | wc -w)" 2
for mark in whole memo marks; do
	stops once once-$mark --mark $mark
	near "once, --mark $mark" "$(values once-$mark)" "${truth% *} 0 ${truth#* }"
done
agrees once-whole
stops end end
near 'until the end' "$(values end)" "${truth% *} 0 ${truth#* }"
stops often often
near 'often, and for less than a period' "$(values often)" "${truth% *} 0 ${truth#* }" 1000
stops often often-libunwind --unwinder libunwind -t all
near 'with one tree for all threads' "$(values often-libunwind)" "${truth% *} 0 ${truth#* }" 1000
stops threads threads
near 'threads: each for itself, and those that begin meanwhile' "$(values threads)" "${truth% *} 0 ${truth#* }"
"$hpcprof" export -q --join-threads --format folded -m CPUTIME threads >joined
check 'and it is known which call created a thread that began meanwhile' says joined 'run_thread;.*begins_stopped;shown'
stops forks forks
near 'a forked child is as its parent was' "$(values forks)" '200 0 400'
stops start started --stop-at-start
near '--stop-at-start, and the program starts it' "$(values started)" "${truth#* } 0 ${truth#* }"
stops records records
is 'what is recorded meanwhile is not counted' "$("$hpcprof" query -q --format csv "SELECT m.name, sum(v.events) FROM exclusive v
	JOIN metric m ON m.id = v.metric WHERE m.name IN ('BYTES', 'ENTRIES') GROUP BY 1 ORDER BY 1" records | tail -2 | paste -sd' ')" 'BYTES,35 ENTRIES,5'
stops regions regions
check 'regions begin and end all the same' bash -c '"$1" export -q --format folded -m CPUTIME regions |
	awk "/region. late;/ { l += \$NF } /region. early;/ { e += \$NF } { t += \$NF } END { exit !(l > 0.97 * t && e > 0.28 * t && e < 0.39 * t) }"' - "$hpcprof"
timeout 60 "$hpcrun" -q -e REALTIME -o waits "$control" waits >said 2>said.err
near 'waits have what they lasted while it was measured' "$("$hpcprof" export -q --format folded -m BLOCKED waits |
	awk '/waits_through/ { t += $NF } /waits_beyond/ { b += $NF } END { printf "%.0f %.0f", t / 1e6, b / 1e6 }')" '1000 500'
agrees waits threads forks

# As an ordinary user: timers instead of events.
if [ "$(id -u)" = 0 ]; then
	mkdir -m 777 ordinary
	timeout 60 setpriv --reuid=65534 --regid=65534 --clear-groups env XDG_CACHE_HOME="$PWD/ordinary" \
		"$hpcrun" -q -e CPUTIME@f1000 -o ordinary/often "$control" often >said 2>said.err
	truth=$(awk '{ printf "%.0f %.0f\n", $1 / 1e6, $2 / 1e6 }' said)
	near 'an ordinary user: often' "$(values ordinary/often)" "${truth% *} 0 ${truth#* }" 1000
else
	skip 'not root' 1
fi

# ---- from outside
# samples DATA: recorded, of CPUTIME.
samples() {
	"$hpcprof" dump "$1"/*.csp | awk '/disposition "(recorded|partial)"/ { if (match($0, /samples [0-9]+/)) n += substr($0, RSTART + 8, RLENGTH - 8) } END { print n + 0 }'
}
# until_there FILE...: they are there.
until_there() {
	for _ in $(seq 600); do
		# shellcheck disable=SC2144
		[ ! -e "$1" ] || return 0
		sleep 0.05
	done
	return 1
}
begin() { # DATA WHAT [OPTIONS]
	local data=$1 what=$2
	shift 2
	rm -f over
	timeout 100 "$hpcrun" -q "$@" -o "$data" "$control" "$what" over >run.out 2>run.err &
	for _ in $(seq 600); do
		"$hpcrun" control "$data" snapshot -q probe 2>/dev/null && [ "$(ls "$data"/probe/*.csp 2>/dev/null)" ] && break
		rm -rf "$data/probe"
		sleep 0.05
	done
	rm -rf "$data/probe"
}
begin outside runs --stop-at-start
"$hpcrun" control outside snapshot >said 2>&1
is 'a snapshot says what it has' "$(cat said)" 'hpcrun: outside/snapshot-1: datafiles of 1 running and 0 ended program images'
is '--stop-at-start: nothing is sampled' "$(samples outside/snapshot-1)" 0
is 'start' "$("$hpcrun" control outside start)" 'hpcrun: outside: 1 process measured from now on'
sleep 0.5
is 'stop' "$("$hpcrun" control outside stop)" 'hpcrun: outside: 1 process stopped'
"$hpcrun" control -q outside snapshot first
sleep 0.3
"$hpcrun" control -q outside snapshot second
check 'started, there are samples' test "$(samples outside/first)" -gt 0
is 'stopped, there are no more' "$(samples outside/second)" "$(samples outside/first)"
is 'to stop what is stopped is no error' "$("$hpcrun" control outside stop)" 'hpcrun: outside: 1 process stopped'
"$hpcrun" control -q outside start --for 200ms
"$hpcrun" control -q outside snapshot third
sleep 0.3
"$hpcrun" control -q outside snapshot fourth
check 'for a time: there are more, and then no more' test "$(samples outside/third)" -gt "$(samples outside/second)" \
	-a "$(samples outside/third)" = "$(samples outside/fourth)"
touch over
wait
is 'the program did not notice' "$(wc -w <run.out) $(cat run.err)" '2 '
is 'what only said that it is stopped is gone' "$(ls outside/stopped 2>/dev/null)" ''
"$hpcprof" export -q --format folded -m CPUTIME outside >alone.folded
"$hpcprof" export --format folded -m CPUTIME outside outside/first outside/third >together.folded 2>together.err
check 'snapshots count once with what came later' cmp alone.folded together.folded
is 'and it is said' "$(grep 'not read' together.err)" 'hpcprof: not read: 2 snapshots of processes of which a later datafile is read'
"$hpcprof" merge -q -o both.csp outside/first outside
"$hpcprof" export -q --format folded -m CPUTIME both.csp >merged.folded
check 'also merged' cmp alone.folded merged.folded
check 'two snapshots can be compared' bash -c '"$1" diff outside/first outside/third | grep -q "^  change "' - "$hpcprof"
is 'a snapshot is not overwritten' "$("$hpcrun" control outside snapshot first 2>&1)" \
	'hpcrun control: outside/first: it exists already, or is being written'

cat >children.sh <<'END'
"$1" once >/dev/null
(exit 0)
"$1" start >/dev/null
END
timeout 60 "$hpcrun" -q --stop-at-start -o children bash children.sh "$control"
near 'processes that begin are stopped, until one of them starts it' "$(values children)" '200 0'
begin mixed runs
"$hpcrun" control mixed snapshot >said
touch over
wait
timeout 60 "$hpcrun" -q -o mixed "$control" end >/dev/null 2>&1
"$hpcrun" control mixed snapshot >said
is 'a snapshot has ended processes, too' "$(cat said)" 'hpcrun: mixed/snapshot-2: datafiles of 0 running and 2 ended program images'
"$hpcprof" export -q --format folded -m CPUTIME mixed >one
"$hpcprof" export -q --format folded -m CPUTIME mixed/snapshot-2 >two
check 'exactly as they are' cmp one two

timeout 60 "$hpcrun" --delay 200ms --for 300ms -o timed "$control" often >said 2>said.err
check '--delay and --for: a part of it' awk -v got="$(values timed)" 'BEGIN { split(got, g, " "); exit !(g[1] + g[2] > 10 && g[1] + g[2] < 900 && g[3] > 100) }'
check 'the summary says so' says said.err 's without samples \(measuring was stopped\)'
for when in '--delay 100s' '--for 100s'; do
	begun=$SECONDS
	# shellcheck disable=SC2086
	timeout 60 "$hpcrun" -q $when -o "timed-${when%% *}" "$control" once >said 2>&1
	check "a program that ends before $when" test $((SECONDS - begun)) -lt 50
done

begin polling polls
for _ in 1 2 3; do
	"$hpcrun" control -q polling stop
	"$hpcrun" control -q polling start
done
touch over
wait
is 'calls are not interrupted' "$(head -1 run.out)" 'interrupted: 0'

began=$(date +%s%N)
begin killed polls -e REALTIME
"$hpcrun" control -q killed stop
ended=$(date +%s%N)
sleep 1
pkill -KILL -f "^$control polls over"
wait
blocked=$("$hpcprof" export -q --format folded -m BLOCKED killed | awk '{ n += $NF } END { printf "%.0f", n / 1e6 }')
check 'killed while it is stopped: the wait lasted until then' test "$blocked" -gt 0 -a "$blocked" -le $(((ended - began) / 1000000))
note "$blocked ms, of $(((ended - began) / 1000000)) ms"

begin frozen runs
pid=$(basename frozen/*.stores .stores >/dev/null; pgrep -n -f "^$control runs over")
kill -STOP "$pid"
"$hpcrun" control frozen stop >said 2>&1 &
sleep 0.3
kill -CONT "$pid"
wait $!
is 'a process that is stopped by a signal answers when it runs again' "$? $(cat said)" '0 hpcrun: frozen: 1 process stopped'
"$hpcrun" control -q frozen start
is 'flush' "$("$hpcrun" control frozen flush)" 'hpcrun: frozen: what 1 program image has recorded is on disk'
is 'a running process counts once all the same' "$("$hpcprof" frozen 2>&1 | grep -c 'flushed before')" 0
store=$(readlink frozen/*.stores)
pkill -KILL -f "^[^ ]*hpcrun .*-o frozen" || true
kill -KILL "$pid"
wait
rm -rf "$store" frozen/*.stores frozen/*.csp
"$hpcprof" frozen >said 2>said.err
is 'if the machine goes down, what was flushed is read' "$(grep -c 'samples; measuring' said) $(cat said.err)" \
	'1 hpcprof: frozen: 1 program image left nothing but what was flushed before (hpcrun control DIR flush)'
begin flushed runs
"$hpcrun" control -q flushed flush
touch over
wait
is 'at the end it is not needed any more' "$(ls flushed/flushed 2>/dev/null)" ''

# ---- wrong use
refused() { # TEXT ARGUMENT...
	local text=$1
	shift
	"$hpcrun" control "$@" >said 2>&1
	is "refused: control $*" "$? $(cat said)" "125 hpcrun control: $text"
}
mkdir empty
refused 'nowhere: No such file or directory' nowhere stop
refused 'empty: no measurement is here whose processes can be reached (name the directory that hpcrun -o was given; with --store private they cannot)' empty stop
refused 'which directory, and what is to be done? (see hpcrun control --help)' outside
refused 'unknown word stpo; did you mean stop? (expected stop, start, snapshot or flush)' outside stpo
refused '--for goes with stop and start, not with flush (see hpcrun control --help)' outside flush --for 1s
refused '--for expects a time such as 10s or 500ms, not soon (see hpcrun control --help)' outside stop --for soon
refused 'outside: this measurement has ended' outside stop
is 'which leaves nothing there' "$(ls outside/stopped 2>/dev/null)" ''
refused 'a snapshot cannot have the name stopped (see hpcrun control --help)' outside snapshot stopped
refused 'a snapshot cannot have the name x.csp (see hpcrun control --help)' outside snapshot x.csp
refused "the name of a snapshot is one word without '/', not ../x (see hpcrun control --help)" outside snapshot ../x
for wrong in '--delay x' '--for 0' '--stop-at-start --delay 1s' '--stop-at-start --for 1s' '--store private --delay 1s'; do
	# shellcheck disable=SC2086
	"$hpcrun" $wrong true >said 2>&1
	is "refused: $wrong" "$?" 125
done
done_testing
