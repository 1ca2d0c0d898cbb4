#!/bin/bash
# Known shares, one short run; the soak test has the narrow bounds.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"

truth=$(program truth)
shares=$(program shares)

check "a program of known shares can be measured" \
	timeout 60 "$hpcrun" -q -o functions sh -c "exec '$truth' 3000 >truth.txt"
check "functions of 40, 30, 20 and 10% are shown so, but for chance" \
	lib shares.py chance truth.txt functions/truth.*
for rate in 100 5000; do
	"$hpcrun" -q -e CPUTIME@f$rate -o "at-$rate" sh -c "exec '$truth' 2000 >truth-$rate.txt"
	check "at $rate a second, too: within 2 points, or what chance leaves of so few samples" \
		lib shares.py --or-chance 2 "truth-$rate.txt" "at-$rate"/truth.*
done
# With the usual budget a thread that is disturbed in its samples gets fewer.
check "threads of 1:2:3:4 can be measured" \
	timeout 60 "$hpcrun" -q --budget 100 -o threads sh -c "exec '$shares' 200 >shares.txt"
check "threads of 1:2:3:4 are shown so within 2%, their samples but for chance" \
	lib shares.py --threads 2 shares.txt threads/shares.*
check "the accounts add up" lib account.py functions threads at-*
done_testing
