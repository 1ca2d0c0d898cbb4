#!/bin/bash
# The program's own signals while its elapsed time is measured, at several rates and with more programs
# than CPUs: no call sees an EINTR that it would not see alone, and none waits on after a signal.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"

ROUNDS=${ROUNDS:-20}
programs=$(($(nproc) * 2))

# beside NAME COMMAND...: as many at once as programs, ROUNDS times; what they exited with.
beside() {
	local name=$1 i
	shift
	for i in $(seq "$programs"); do
		(for _ in $(seq "$ROUNDS"); do
			timeout 100 "$@" -o "$name-$i" >"$name-$i.out" 2>&1
			echo $?
			rm -rf "$name-$i"
		done >"$name-$i.status") &
	done
	wait
	cat "$name"-*.status | sort | uniq -c | awk '{ print $2 }' | xargs
}
measured() { # measured RATE PROGRAM [ARGUMENT]... -o DIR: hpcrun's options first
	local rate=$1 directory="${*: -1}"
	shift
	"$hpcrun" -q -e REALTIME@f"$rate" -o "$directory" "${@:1:$#-2}"
}
export -f measured
export hpcrun

for rate in 200 1000 9000; do
	is "$rate Hz: a signal of the program's own ends a read" \
		"$(beside "read-$rate" bash -c 'measured "$@"' _ "$rate" "$(program interrupted)" 500)" 0
	for stack in 0 16384; do
		is "$rate Hz: a handler ends a wait, and nothing else does, $stack bytes of alternate stack" \
			"$(beside "ended-$rate-$stack" bash -c 'measured "$@"' _ "$rate" "$(program ended)" 20 $stack)" 0
	done
	timeout 100 "$hpcrun" -q -e REALTIME@f$rate -o "calls-$rate" "$(program eintr)" 1 >calls
	status=$?
	# 2: the sleeper was woken, once for a look at it
	is "$rate Hz: no call returns EINTR" "$((status == 1))" 0
	note "$(cat calls)"
done
done_testing
