#!/bin/bash
# Who makes other threads wait is charged with their waits, where it is meanwhile, and locks that
# nobody waits for take no longer.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"
. "$top/tests/lib/shell/database.sh"

blame=$(program blame)

total() { # total METRIC FUNCTION DATABASE: ns in the function and what it calls
	sql "$3" "SELECT total(inclusive_events) FROM function_value v JOIN metric ON metric.id = v.metric
		JOIN function ON function.id = v.function WHERE metric.name = '$1' AND function.name = '$2'"
}
# is_near GOT EXPECTED WHOLE POINTS: apart by at most that part of the whole, in percent.
is_near() {
	awk -v a="$1" -v b="$2" -v whole="$3" -v points="$4" \
		'BEGIN { if (whole <= 0) exit 1; d = (a - b) / whole * 100; exit !(d <= points && -d <= points) }'
}
near() { # near WHAT ...: as is_near
	check "$1" is_near "${@:2}"
	note "$2 ns, and $3, of $4"
}
# is_charged ALL WAITED LEAST: what others waited is charged, and at least that.
is_charged() {
	awk -v all="$1" -v waited="$2" -v least="$3" \
		'BEGIN { exit !(all > 0 && all <= waited * 1.02 && all >= (waited < least ? waited : least) * 0.98) }'
}
# The wait was seen, but is not all BLOCKED.
waits_on_the_cpu() {
	awk -v blocked="$waited" -v seen="$seen" -v all="$truth" \
		'BEGIN { exit !(blocked < 0.9 * all && seen > 0.8 * all) }'
}
# charged KIND WAITING HOLDING ALL POINTS [ROUNDS]: HOLDING is charged with the waits in WAITING; ALL is all that
# is charged (a thread that nobody waits for yet has done something else, too); and its parts are as
# long as the program says, within POINTS.
charged() {
	local kind=$1 db=$1.db part first try waited seen blamed truth least all status
	# Other programs may disturb a run, but not three.
	for try in 1 2 3; do
		rm -rf "$kind" "$db"
		timeout 60 "$hpcrun" -q -o "$kind" -e REALTIME "$blame" "$kind" "${6:-40}" 5 >"$kind.truth"
		status=$?
		"$hpcprof" db -q -o "$db" "$kind"
		waited=$(total BLOCKED "$2" "$db") blamed=$(total BLAME "$3" "$db") all=$(total BLAME "$4" "$db")
		seen=$(total REALTIME "$2" "$db")
		truth=$(awk '$1 == "waited" { print $2 }' "$kind.truth")
		if waits_on_the_cpu; then break; fi
		least=$waited
		# A thread that is joined has still to end in the kernel, which takes long beside other programs.
		[ "$2" != wait_join ] || least=$(awk '$1 == "in" { n += $3 } END { printf "%d", n }' "$kind.truth")
		if is_charged "$all" "$waited" "$least" && is_near "$blamed" "$waited" "$waited" 15; then break; fi
	done
	is "$kind: status" "$status" 0
	if waits_on_the_cpu; then
		skip "$kind: threads wait for $3" "here threads that wait for this lock use the CPU"
		return
	fi
	check "$kind: as much as others waited" is_charged "$all" "$waited" "$least"
	note "$all ns, of $waited, and at least $least"
	[ "$3" = "$4" ] || near "$kind: most of it in $3" "$blamed" "$waited" "$waited" 15
	# what passes before a thread begins is charged to where it is seen first
	first=computes_with_it
	for part in computes_with_it sleeps_with_it computes_more_with_it; do
		near "$kind: what $part has of it" "$(total BLAME $part "$db")" \
			"$(awk -v part=$part -v first="$first" '$2 == part || (part == first && $2 == "sleeps_first") {
				n += $3 } END { printf "%d", n }' "$kind.truth")" "$truth" "$5"
	done
	check "$kind: and the account adds up" lib account.py "$kind"
}
for kind in mutex recursive inherit robust; do
	charged $kind wait_mutex hold_mutex hold_mutex 15
done
charged timed wait_timed hold_mutex hold_mutex 15
charged rwlock wait_rwlock hold_rwlock hold_rwlock 15
charged join wait_join joined joined 15
charged late wait_join joined joined 15
# These waits are each charged to one place, chosen at random.
charged condition wait_condition hold_condition main 25 120
charged semaphore wait_semaphore hold_semaphore main 25 120
charged barrier wait_barrier hold_barrier main 25 120

"$hpcprof" mutex >report
check "a table of it" says report '^ +[0-9.]+% +[0-9.]+ m?s  sleeps_with_it +100.0%  .*blame.c:[0-9]+'
is "and as JSON" "$("$hpcprof" --waits --json mutex | python3 -c 'import json, sys
print(sum(r["waited_for"] for r in json.load(sys.stdin)["blame"]["rows"]))')" \
	"$(query "SELECT events FROM metric WHERE name = 'BLAME'" mutex.db)"
"$hpcprof" merge -q -o merged.csp mutex
is "and of a merged file" "$("$hpcprof" --waits merged.csp | sed -n '/^Threads that/,$p')" \
	"$("$hpcprof" --waits mutex | sed -n '/^Threads that/,$p')"

# Those who wait do not ask again and again where a thread is: its call would never end.
lasted=$(timeout 60 "$hpcrun" -q -o limit -e REALTIME "$blame" limit 400)
check "a call of the holder ends at its time limit" [ "$lasted" -ge 400 -a "$lasted" -lt 1200 ]
note "it lasted $lasted ms"

# Nothing is done in a lock: it is the same instructions that are executed. The times of two runs
# differ by more than what could be added, so they are only noted.
for run in 1 2 3 4 5; do
	"$blame" free 30000000 >>alone
	timeout 60 "$hpcrun" -q -o free -e REALTIME@f10 "$blame" free 30000000 >>measured
done
fastest() { sort -n "$1" | awk 'NR == 1 { print $1 }'; }
instructions() { awk '{ print $2 }' "$1" | sort -u; }
note "30 million locks that nobody else wants: $(fastest alone) ns alone, $(fastest measured) ns measured"
is "a lock that nobody else wants executes the same instructions" "$(instructions measured)" "$(instructions alone)"
[ "$(uname -m)" != x86_64 ] || check "which were counted" [ "$(instructions alone)" -gt 20 ]
done_testing
