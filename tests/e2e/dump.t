#!/bin/bash
# hpcprof dump, as a user types it: good, damaged and unreadable files.
. "$(dirname "$0")/../lib/shell/tap.sh"

mkcsp=$BUILD/programs/mkcsp
example=$top/tests/data/example.csp

is "the example's dump" "$("$hpcprof" dump "$example" 2>&1)" "$(cat "$top/tests/data/example.dump")"
check "JSON that Python reads" sh -c '"$1" dump --json "$2" | python3 -c "
import json, sys
d = json.load(sys.stdin)
assert d[\"trees\"][0][\"nodes\"][3] == {\"id\": 3, \"parent\": 2, \"ip\": \"0x7f1200100abc\",
    \"sp\": \"0x7ffd00000e00\", \"metrics\": [25100000, 25, 0]}
"' sh "$hpcprof" "$example"

"$mkcsp" little.csp
"$mkcsp" --big big.csp
is "both orders print alike" "$("$hpcprof" dump big.csp)" "$("$hpcprof" dump little.csp)"

# cut NAME BYTES: what the dump of the example's first bytes says and returns.
cut() {
	head -c "$2" "$example" >"$1"
	said=$("$hpcprof" dump "$1" 2>&1 >printed)
	status=$?
}
cut trailer.csp 1000
is "a cut trailer: status" "$status" 1
is "a cut trailer: the trees are shown" "$(grep -c 'node:' printed)" 9
case $said in
*trailer.csp*"offset 980: expected length of a chunk"*found*) ok "a cut trailer is told" ;;
*) not_ok "a cut trailer is told" "$said" ;;
esac
cut tree.csp 700
is "a cut tree: status" "$status" 3
is "a cut tree: nothing is shown" "$(wc -c <printed)" 0
case $said in
*tree.csp*"offset 404: expected num_nodes of at most 5"*"found 6"*) ok "a cut tree is told" ;;
*) not_ok "a cut tree is told" "$said" ;;
esac
is "each complaint is one line" "$(printf '%s\n' "$said" | wc -l)" 1
done_testing
