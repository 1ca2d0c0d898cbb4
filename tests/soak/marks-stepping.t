#!/bin/bash
# Samples between instructions, all operations of tests/programs/stepped.cc.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"
. "$top/tests/lib/shell/stepping.sh"

for gap in 1 2 5 13 40 130 400 1300; do
	stepped $gap recursion tail-calls same-size sizes saved-sizes library exceptions rethrown jumps \
		traces whole-traces handlers coroutines coroutines-within plugins
done
way=marks
if [ "$(uname -m)" = x86_64 ]; then
	for gap in 1 2 5 13 40 130; do
		stepped $gap recursion tail-calls same-size sizes saved-sizes library exceptions rethrown \
			jumps many-jumps handlers coroutines coroutines-within stacks-above plugins foreign none-out \
			threads processes processes-within guesses pushes activations records generated
		is "$gap: backtrace and _Unwind_Backtrace see no slot" \
			"$(stepping $gap '' whole-traces | awk '{ print $1, $5, $6 }')" 'whole-traces 0 '
	done
	marked_without system threads 1
fi
is "$instructions instructions: at least 10 million" "$((instructions >= 10000000))" 1
done_testing
