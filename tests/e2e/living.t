#!/bin/bash
# Programs that share signals with us, lower their limits, change their identity, confine
# themselves, or fault: each sees what it sees alone, and its account holds.
. "$(dirname "$0")/../lib/tap.sh"
. "$top/tests/lib/measure.sh"

living=$(program living)
waitcpu=$(program waitcpu)
rate=CPUTIME@f5000
ulimit -c 0

# lives STATUS WHAT [OPTION...] COMMAND...: alone and measured it writes the same and ends
# with STATUS. What hpcrun says of it is in said; datafiles are in data.
lives() {
	local expected=$1 what=$2 options=()
	shift 2
	while [[ $1 = -* ]]; do
		options+=("$1")
		shift
	done
	rm -rf data alone measured said
	timeout 100 "$@" >alone 2>alone.err
	is "$what alone" $? "$expected"
	timeout 100 "$hpcrun" -q -e $rate "${options[@]}" -o data "$waitcpu" total "$@" >measured 2>said
	is "$what measured" $? "$expected"
	is "$what: sees the same" "$(cat measured)" "$(cat alone)"
	rm -f data/waitcpu.*
}

# all_of_it WHAT: the weights are all the CPU time that the parent saw.
all_of_it() {
	check "$1: the account is the parent's" lib account.py --total total data
}

# part_of_it WHAT: the account holds, for the time until we had to stop.
part_of_it() {
	check "$1: the account holds" lib account.py data
}

# weight DISPOSITION: milliseconds, in all of data.
weight() {
	lib account.py data | awk -v d="$1" 'index($0, d " ") { printf "%d\n", $(NF - 1) * 1000 + 0.5; n = 1 }
		END { if (!n) print 0 }'
}

# between WHAT VALUE LOW HIGH
between() {
	if [ "$2" -ge "$3" ] && [ "$2" -le "$4" ]; then
		ok "$1: $2"
	else
		not_ok "$1: $2, not $3 to $4"
	fi
}

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
	between "and sampled all the time, in ms" "$(weight recorded)" 280 400
	# shellcheck disable=SC2086
	lives 0 "waiting for our signal$by" $wrapper "$living" waits
	all_of_it "waiting for our signal$by"
	# shellcheck disable=SC2086
	lives 0 "a signalfd for all signals$by" $wrapper "$living" descriptor
	all_of_it "a signalfd for all signals$by"
done
lives 0 "its handler for our signal" "$living" handler
all_of_it "its handler for our signal"
lives 0 "it samples itself" "$living" profiler
all_of_it "it samples itself"
lives 0 "our signal is taken" "$living" taken
all_of_it "our signal is taken"
between "what came after, in ms" "$(weight 'signal taken')" 280 320
is "and it is said, with what to do" "$(grep -c 'hpcrun: .*--signal RTMIN' said)" 1
lives 0 "with another signal it is not" --signal=RTMIN "$living" taken
is "so nothing is said" "$(cat said)" ""
between "and all is sampled, in ms" "$(weight recorded)" 380 440
lives 0 "signals that are ignored, over exec" "$living" ignores
all_of_it "signals that are ignored, over exec"

# ---- stacks -------------------------------------------------------------------------
lives 0 "a small alternate stack" "$living" small_stack
all_of_it "a small alternate stack"
lives 0 "coroutines" "$living" coroutines
all_of_it "coroutines"
"$hpcrun" -q -o switched "$living" coroutines >switched.out 2>&1
check "coroutines: their paths are complete" grep -E '"partial"  samples 0 ' <("$hpcprof" dump switched/living.*.csp)
check "and there are some" grep -E '"recorded"  samples [1-9]' <("$hpcprof" dump switched/living.*.csp)
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
		all_of_it "cgo, sampled with $signal"
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

# ---- restrictions -------------------------------------------------------------------
lives 7 "strict mode" "$living" strict
part_of_it "strict mode"
between "until it began, in ms" "$(weight recorded)" 180 240
lives 0 "a filter that allows next to nothing" "$living" confined
part_of_it "a filter that allows next to nothing"
between "until it began, in ms" "$(weight recorded)" 90 140
is "which is said" "$(grep -c 'hpcrun: .*no samples from here on' said)" 1
lives 3 "a filter that stops the end" "$living" no_files
all_of_it "a filter that stops the end"
between "samples to the end, in ms" "$(weight recorded)" 280 340
lives 4 "a filter that answers with an errno" "$living" refused
all_of_it "a filter that answers with an errno"
between "samples to the end, in ms" "$(weight recorded)" 280 340
lives 5 "a filter that stops the handler" "$living" no_samples
all_of_it "a filter that stops the handler"
between "what came after, in ms" "$(weight 'measuring off')" 180 240
lives 0 "a filter that is refused" "$living" no_filter
all_of_it "a filter that is refused"
between "samples to the end, in ms" "$(weight recorded)" 280 340
lives 7 "strict mode, and a store that dies with it" --store=private "$living" strict
part_of_it "strict mode, and a store that dies with it"
between "until it began, in ms" "$(weight recorded)" 180 240

# ---- priorities -----------------------------------------------------------------------
lives 0 "a thread of real-time priority waits for another of ours" "$living" urgent
part_of_it "real-time priority"

# ---- faults ----------------------------------------------------------------------------
lives 0 "its own faults" "$living" faults
all_of_it "its own faults"
lives 139 "dying of a fault" "$living" dies
part_of_it "dying of a fault"
lives 139 "killed by SIGSEGV" "$living" killed
lives 139 "a fault while SIGSEGV is ignored" "$living" dies_ignoring
hpcrun=$BUILD/faulty/bin/hpcrun
for by in segv bus lockedsegv lockedbus; do
	for at in 1 40 400; do
		lives 0 "our handler faults ($by, walk $at)" env FAULT_AT=$at FAULT_BY=$by "$living" crew
		all_of_it "our handler faults ($by, walk $at)"
		is "that is said" "$(grep -c 'hpcrun: .*a fault in our handler' said)" 1
		between "one sample is lost" "$(lib account.py data | awk '/ fault / { print $2 }')" 1 1
		between "its thread is not measured on, in ms" "$(weight 'measuring off')" 1 210
		between "the others are, in ms" "$(weight recorded)" 80 320
	done
done
lives 0 "our handler faults, and the program does" env FAULT_AT=100 FAULT_BY=segv "$living" faults
all_of_it "our handler faults, and the program does"
done_testing
