#!/bin/bash
# Tests of programs of all kinds with value profiles (HPCRUN_VALUES): they do the same, and every account adds up.
# Not those that say how much of a fixed CPU time is left for a part of the program: windows take some.
. "$(dirname "$0")/../lib/shell/tap.sh"

# with STEPS TEST...
with() {
	export HPCRUN_VALUES=$1
	shift
	for t; do
		check "$t, $HPCRUN_VALUES steps" timeout 900 "$top/tests/e2e/$t.t"
	done
}
with 8 following static threads conservation stress locks eintr transfers truth epochs labels manners marked remembered \
	values-programs
with 64 following static transfers
with 2 stacks faulting # they need 100 ms of 200
done_testing
