#!/bin/bash
# System calls that a sample cuts short are continued, whatever the source is; the long
# run, as an ordinary user, is tests/soak/spine-user.t.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"

# At the second rate a period is as long as a sleep lasts, and longer than all that the
# sleeper runs: whatever ends a sleep is not its own. At the last one the next sample is soon
# to come while the handler of the last goes on with the call.
n=0
for wrapper in "" "$(program noperf)"; do
	source=$([ -n "$wrapper" ] && echo "perf refused" || echo "the best source")
	for run in "5000 2" "20 1" "9000 1"; do
		$wrapper timeout 100 "$hpcrun" -q -e CPUTIME@f${run% *} -o "data-$((++n))" "$(program eintr)" ${run#* } >calls
		is "$source, ${run% *} Hz: read, futex, poll and nanosleep never return EINTR, no sleeper is woken" "$?" 0
		note "call, made, cut short:"
		note "$(cat calls)"
	done
done
# Who begins and at once waits for a signal may find that a sample comes first. The signal may
# have our number, and be blocked but for the wait.
for kind in pause sigsuspend ppoll pselect epoll nanosleep; do
	for signal in "" urg; do
		check "$kind in a new process ends with the program's signal${signal:+ $signal}, and with no other" \
			timeout 100 "$hpcrun" -q -o "waits-$kind$signal" "$(program waits)" $kind 50 $signal
		check "$kind: nor by timers" timeout 100 "$(program noperf)" "$hpcrun" -q \
			-o "timed-$kind$signal" "$(program waits)" $kind 50 $signal
	done
done
# A sample that is pending when the handler of the last one ends could be the program's signal, if the
# program handles that number, too: the call is left to it, and must not end for a sample.
for handler in "" urg; do
	# shellcheck disable=SC2086 # words
	FAULT_LATE=400000 timeout 100 "$BUILD/faulty/bin/hpcrun" -q -e CPUTIME@f5000 -o "late$handler" \
		"$(program eintr)" 2 $handler >calls
	is "two samples in a row end no call${handler:+ of a program with a handler for their signal}" "$?" 0
	note "call, made, cut short:"
	note "$(cat calls)"
done
timeout 100 "$hpcrun" -q -e CPUTIME@f5000 -o data "$(program interrupted)" 1000
is "a signal of the program's own ends a call all the same, when it comes with a sample" "$?" 0

# A handler that ends a wait and runs for longer than a period: a sample comes with its end.
# A small alternate stack keeps all samples away until then.
for stack in 0 16384 65536; do
	for rate in 1000 9000; do
		timeout 100 "$hpcrun" -q -e CPUTIME@f$rate -o "ended-$stack-$rate" "$(program ended)" 40 $stack >calls
		is "a handler ends a wait, and nothing else does: $rate Hz, $stack bytes of alternate stack" "$?" 0
		note "call, ended, went on all the same, ended without a handler:"
		note "$(cat calls)"
	done
done
done_testing
