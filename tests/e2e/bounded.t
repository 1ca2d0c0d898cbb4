#!/bin/bash
# Measuring has a bounded price: no program stands still for it, whatever rate is asked for,
# however deep its stacks are, and whatever runs beside it.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"

work=$(program work)
norefresh=$(program norefresh)
measure_cost

# Two processes that wake each other have one CPU: with two, the scheduler decides whether they share
# one, and alone they take 0.2 s or 2.5.
cpu=$(taskset -cp $$ | sed 's/.*: //; s/[,-].*//')
for kind in loop nine coroutine deep short pingpong; do
	case $kind in pingpong) on=(taskset -c "$cpu") ;; *) on=() ;; esac
	check "$kind: it takes no more than half as long again at 100, 1000 and 5000 a second" \
		lib bounded.py 100,1000,5000 "$hpcrun" "${on[@]}" "$work" $kind 1000
	# The first path of 50,000 frames has its price, which is twice as long beside hogs.
	case $kind in deep) beside=3000 ;; *) beside=250 ;; esac
	check "$kind: beside a hog on each CPU" \
		lib bounded.py --hogs --rounds 25 5000 "$hpcrun" "${on[@]}" "$work" $kind $beside
done
check "pingpong: on all CPUs, too" lib bounded.py 100,1000,5000 "$hpcrun" "$work" pingpong 200

# Nor is a path cut short for its price.
for kind in "coroutine 301" "deep 50001"; do
	"$hpcrun" -q -o "path-${kind% *}" "$work" ${kind% *} 1000
	check "${kind% *}: all ${kind#* } frames are in its paths" \
		grep -E " descend x ${kind#* }\$" <("$hpcprof" "path-${kind% *}")
done

# No event that disables itself, which freezes machines.
is "the test of that sees such a call" "$({ "$norefresh" --try; echo $?; } 2>/dev/null)" $((128 + 31))
check "none is made by threads, and at the best rate" \
	"$norefresh" "$hpcrun" -q -e CPUTIME@f5000 -o refresh-nine "$work" nine 1000
check "nor by short threads" "$norefresh" "$hpcrun" -q -o refresh-short "$work" short 500
check "nor by forks and execs" "$norefresh" "$hpcrun" -q -o refresh-sh sh -c '(true); /bin/true; exec /bin/true'
check "nor by timers" "$norefresh" "$(program noperf)" "$hpcrun" -q -o refresh-timers "$work" loop 1000
check "and all of them were measured" lib account.py refresh-*
is "no source of the product names it" \
	"$(grep -rlE 'IOC_REFRESH|event_limit' "$top/runtime" "$top/formats" "$top/share")" ""
done_testing
