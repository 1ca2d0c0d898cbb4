#!/bin/bash
# Samples between instructions, all operations of tests/programs/stepped.cc.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"
. "$top/tests/lib/shell/stepping.sh"

for gap in 1 2 5 13 40 130 400 1300; do
	stepped $gap recursion tail-calls same-size sizes saved-sizes library exceptions jumps traces \
		handlers coroutines coroutines-within plugins
done
is "$instructions instructions: at least 10 million" "$((instructions >= 10000000))" 1
done_testing
