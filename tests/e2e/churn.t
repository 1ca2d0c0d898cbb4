#!/bin/bash
# Processes that begin and end all the time: what measuring does in each of them, counted in
# system calls, which no machine's speed changes. tests/bench/churn.sh has the times.
. "$(dirname "$0")/../lib/tap.sh"
. "$top/tests/lib/measure.sh"

strace -f -o log true 2>/dev/null || skip_all "strace is not there, or may not trace"
churn=$(program churn)

# of_children [LOG]: the system calls of all processes but the first two: churn alone and a
# child of its, or hpcrun and churn.
of_children() {
	awk '!n[$1]++ { k++ } { if (!($1 in at)) at[$1] = k }
		at[$1] > 2 && $2 ~ /^[a-z_0-9]+\(/' "${1:-log}"
}

# calls LOG: the greatest number of them that one process made.
calls() {
	of_children "$1" | awk '++n[$1] > most { most = n[$1] } END { print most }'
}

# more KIND: the system calls that measuring adds to a child of churn's.
more() {
	strace -f -qq -o alone "$churn" "$1" 3 >out 2>&1 &&
		strace -f -qq -o log "$hpcrun" -q -e CPUTIME@f1 -o "data.$1" "$churn" "$1" 3 >out 2>&1 &&
		echo $(($(calls log) - $(calls alone)))
}

# at_most DESCRIPTION KIND LIMIT, in one run of three: a sample, or a wait for a lock, takes more
at_most() {
	local n
	for _ in 1 2 3; do
		n=$(more "$2")
		[ "${n:-$(($3 + 1))}" -gt "$3" ] || break
	done
	check "$1 ($n)" test "${n:-none}" -le "$3"
}

# A child in hundreds has a sample, at one a second.
few_events() {
	check "$1" test "$(of_children | grep -c perf_event_open)" -le 1
}

at_most "a forked child makes at most 75 system calls more" fork 75
is "and asks /proc for nothing" "$(of_children | grep /proc)" ""
few_events "nor makes an event before it has a sample"
at_most "a thread at most 30" thread 30
few_events "nor makes an event"
at_most "an image at most 120" vfork 120
at_most "a child and its image at most 190" exec 190
is "and they ask /proc for their executable alone" \
	"$(of_children | grep /proc | grep -v 'readlink("/proc/self/exe"')" ""
is "each of them has a datafile" "$(ls data.exec | grep -c '\.csp$')" 17
check "which hpcprof reads" run 0 "$hpcprof" -q data.exec
check "and that had time in the kernel included, though it has no sample" \
	says out 'Kernel: time in the kernel is included\.$'

done_testing
