#!/bin/bash
# The frames of all versions of CPython that are here: the tests of make check with each of them.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"
. "$top/tests/lib/shell/pythons.sh"

export PYTHONS
PYTHONS=$(every_python | cut -d' ' -f2 | tr '\n' ' ')
for test in python-frames python; do
	timeout 1800 "$top/tests/e2e/$test.t" >"$test.out" 2>&1
	check "$test.t, with $PYTHONS" test $? = 0
	grep -A9 '^not ok' "$test.out" | sed 's/^/# /'
done
done_testing
