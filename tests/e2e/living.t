#!/bin/bash
# Programs that share signals with us, lower their limits or change their identity: each
# sees what it sees alone, and its account holds.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"
. "$top/tests/lib/shell/living.sh"

living=$(program living)
waiting=$(program waiting)

# ---- signals ------------------------------------------------------------------------
for wrapper in "" "$(program noperf)"; do
	by=${wrapper:+, by timers}
	for signal in 23 34; do
		what="masks, sampled with $(kill -l $signal)$by"
		# shellcheck disable=SC2086
		lives 0 "$what" --signal="$(kill -l $signal)" $wrapper "$living" masks $signal
		all_of_it "$what"
	done
	# shellcheck disable=SC2086
	lives 0 "all signals blocked$by" $wrapper "$living" blocked
	all_of_it "all signals blocked$by"
	at_least "and sampled all the time" recorded 250
	# shellcheck disable=SC2086
	lives 0 "waiting for our signal$by" $wrapper "$waiting" waits
	all_of_it "waiting for our signal$by"
	# shellcheck disable=SC2086
	for signal in URG RTMIN; do
		what="handlers that end waits, sampled with $signal$by"
		# shellcheck disable=SC2086
		rate=CPUTIME@f9000 lives 0 "$what" --signal=$signal $wrapper "$waiting" cut_short
		all_of_it "$what"
	done
	# shellcheck disable=SC2086
	lives 0 "a signalfd for all signals$by" $wrapper "$living" descriptor
	all_of_it "a signalfd for all signals$by"
done
lives 0 "our signal is blocked around libc" "$living" raw_blocked
all_of_it "our signal is blocked around libc"
at_least "our signal is blocked around libc: that time is nobody's" 'signal taken' 250
at_least "our signal is blocked around libc: before and after" recorded 150
for signal in URG WINCH; do
	what="$signal read from a descriptor all the time"
	lives 0 "$what" --signal=$signal "$living" latch "$(kill -l $signal)"
	all_of_it "$what"
	at_least "$what: it is sampled by another one" recorded 400
done
lives 0 "its handler for our signal" "$living" handler
all_of_it "its handler for our signal"
lives 0 "it raises our signal" "$living" raises
all_of_it "it raises our signal"
lives 0 "it samples itself" "$living" profiler
all_of_it "it samples itself"
lives 0 "our signal is taken" "$living" taken
all_of_it "our signal is taken"
at_least "what came after" 'signal taken' 250
is "nothing is said meanwhile" "$(cat said)" ""
"$hpcrun" -o said-data "$living" taken >/dev/null 2>said
is "but at the end, with what to do" "$(grep -c 'hpcrun: .*--signal RTMIN' said)" 1
lives 0 "with another signal it is not" --signal=RTMIN "$living" taken
is "so nothing is said" "$(cat said)" ""
at_least "and all is sampled" recorded 350
lives 0 "signals that are ignored, over exec" "$living" ignores
all_of_it "signals that are ignored, over exec"

# ---- stacks -------------------------------------------------------------------------
lives 0 "a small alternate stack" "$living" small_stack
all_of_it "a small alternate stack"
lives 0 "coroutines" "$living" coroutines
all_of_it "coroutines"
"$hpcrun" -q -o switched "$living" coroutines >switched.out 2>&1
# But for a few: swapcontext has no unwind information for the eight instructions in which the stack
# pointer is already the other coroutine's and the return address not yet there.
"$hpcprof" dump switched/living.*.csp >switched.dump
samples_of() { # samples_of DISPOSITION
	sed -n "s/.*\"$1\"  samples \([0-9]*\) .*/\1/p" switched.dump
}
check "coroutines: $(samples_of recorded) paths are complete, $(samples_of partial) partial" \
	test "$(samples_of recorded)" -gt $((20 * $(samples_of partial)))
lives 0 "exceptions" "$(program exceptions)"
all_of_it "exceptions"

# ---- a runtime that uses our signal for itself -------------------------------------------
go=$(command -v go || ls /usr/lib/go-*/bin/go 2>/dev/null | tail -1)
export GOCACHE=$scratch/go GO111MODULE=off
if [ -z "$go" ]; then
	skip "cgo" "no Go compiler"
elif ! "$go" build -o cgo "$top/tests/programs/cgo.go" 2>go.err; then
	skip "cgo" "the Go compiler cannot build it: $(head -1 go.err)"
else
	for signal in URG RTMIN; do
		lives 0 "cgo, sampled with $signal" --signal=$signal ./cgo
		all_but_the_last "cgo, sampled with $signal" # its runtime calls exit_group itself
	done
fi

# ---- limits and identities ---------------------------------------------------------
for case in closing limits moved; do
	lives 0 $case "$living" $case
	all_of_it $case
done
if [ "$(id -u)" = 0 ]; then
	for case in jailed demoted; do
		lives 0 $case "$living" $case
		all_of_it $case
	done
else
	skip "chroot and setuid" "not root"
fi

# ---- priorities -----------------------------------------------------------------------
lives 0 "a thread of real-time priority waits for another of ours" "$living" urgent
part_of_it "real-time priority"
done_testing
