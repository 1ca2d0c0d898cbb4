#!/bin/bash
# A blocking transfer of many bytes moves all of them, although samples fall into it.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"

n=0
for wrapper in "" "$(program noperf)"; do
	source=$([ -n "$wrapper" ] && echo "perf refused" || echo "the best source")
	$wrapper "$hpcrun" -q -e CPUTIME@f5000 -o "data-$((++n))" "$(program transfers)" 4 >calls 2>said
	is "$source: no transfer is cut short, but by a handler of the program's own" "$?" 0
	note "call, made, cut short:"
	note "$(cat calls said)"
done
timeout 60 "$hpcrun" -q -o data dd if=/dev/urandom of=copied bs=1M count=64 2>said
is "dd copies as many bytes as it was told to" "$(stat -c %s copied)" 67108864
check "the accounts add up" lib account.py data-1 data-2 data
done_testing
