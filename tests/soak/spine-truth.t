#!/bin/bash
# Known shares: 20 runs of at least 10,000 samples, all within 2 points; threads of
# 1:2:3:4 within 2%.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"

truth=$(program truth)
shares=$(program shares)

# one_run NUMBER
one_run() {
	timeout 120 "$hpcrun" -q -o "functions-$1" sh -c "exec '$truth' 11000 >truth.txt" &&
		lib shares.py 2 truth.txt "functions-$1"/truth.* >said &&
		cat said && awk '/ samples$/ { exit $1 < 10000 }' said
}

for run in $(seq 20); do
	check "run $run: 40, 30, 20 and 10% within 2 points, 10,000 samples" one_run "$run"
	rm -rf "functions-$run"
done
timeout 120 "$hpcrun" -q --budget 100 -o threads sh -c "exec '$shares' 2500 >shares.txt"
check "threads of 1:2:3:4 within 2%" lib shares.py --threads 2 shares.txt threads/shares.*
done_testing
