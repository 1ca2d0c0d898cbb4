#!/bin/bash
# Threads that start processes at the same time, in a program that ignores faults: after the last
# start a fault in our handler is caught again.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"

"$(program spawns)" 10 >alone
is "alone, the kernel ignores the signal" "$(cat alone)" "10 of 10"
timeout 1200 "$hpcrun" -q -o data "$(program spawns)" 300000 >calls
is "measured, it does not" "$?" 0
note "still ignored: $(cat calls)"
done_testing
