#!/bin/bash
# In the machine: whatever rate is asked for, and whatever it costs here, programs end in time.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"

work=$(program work)
measure_cost
note "$(uname -r), $(cat "$XDG_CACHE_HOME/hpcrun/cost")"
for budget in 5 100; do
	export HPCRUN_BUDGET=$budget
	for kind in loop nine coroutine deep short pingpong; do
		# a thread of 0.1 ms takes 0.5 here, half of it for its beginning and end
		# the first walks of 50,000 frames, and writing them, take half a second to a second here
		# before the pace is learnt (60 ms on a fast machine); the program is long beside that
		factor=1.5 amount=4000
		case $kind in short) factor=2 amount=1000 ;; deep) amount=12000 ;; esac
		check "$kind: at most $factor times as long at 20,000 and 100,000 a second, budget $budget%" \
			lib bounded.py --rounds 5 --factor $factor 20000,100000 "$hpcrun" "$work" $kind $amount
	done
	if command -v sbcl >/dev/null; then
		check "SBCL, budget $budget%" lib bounded.py --rounds 5 20000,100000 "$hpcrun" sbcl --noinform \
			--eval '(progn (labels ((f (n) (if (< n 2) n (+ (f (- n 1)) (f (- n 2)))))) (print (f 27))) (sb-ext:exit))'
	else
		skip "SBCL, budget $budget%" "sbcl is not installed"
	fi
done
unset HPCRUN_BUDGET
check "loop beside a hog on each CPU" lib bounded.py --hogs --rounds 5 20000,100000 "$hpcrun" "$work" loop 2000
done_testing
