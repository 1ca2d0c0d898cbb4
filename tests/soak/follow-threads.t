#!/bin/bash
# Threads in numbers: 100,000 that live for about a millisecond, and 1000 that live for ten
# seconds and wake often, or work all the time. Memory stays bounded, the shares are right,
# little CPU time is added. A program killed while threads are being merged loses nothing.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"
. "$top/tests/lib/shell/killed.sh"

manythreads=$(program manythreads)
printf 'heavy 3\nlight 1\n' >truth

for trees in each all; do
	dir=short-$trees
	timeout 1200 "$hpcrun" -q -t "$trees" -o "$dir" "$manythreads" run 100000 600000 4 >"$dir.out" 2>"$dir.err"
	is "$dir: the program's end" "$? $(head -3 "$dir.err")" "0 "
	"$hpcprof" dump "$dir"/manythreads.*.csp >"$dir.dump"
	is "$dir: rows" "$(grep -c '  tid [0-9]*  name ' "$dir.dump")" 4098
	check "$dir: the equations hold" lib account.py "$dir"
	check "$dir: shares of the samples" lib shares.py --samples 1 truth "$dir"
	check "$dir: shares of their time" lib shares.py 1.5 truth "$dir"
	# 100,000 rows and trees would take 40 MB
	check "$dir: memory" awk '/^after/ { n++; kb[n] = $3; print }
		END { exit !(n == 10 && kb[10] < 16384 && kb[10] - kb[2] < 1024) }' "$dir.out"
done

# little_added NAME ARGUMENT...: of a thousand threads, to CPU time and memory.
little_added() {
	local name=$1
	shift
	check "$name: less than 3% of CPU time added" \
		lib added.py 3 "$hpcrun" "$name" "$manythreads" "$@" >"$name.text"
	cat "$name.text"
	check "$name: less than 64 MB added" awk '$2 == "memory" { kb = $3; n++ }
		END { print kb " kB"; exit !(n == 1 && kb < 65536) }' "$name.text"
	check "$name: the equations hold" lib account.py "$name"
	check "$name: shares of their time" lib shares.py 3 truth "$name"
	"$hpcprof" --measured -q "$name" | grep -E '^ *(metric|samples|recorded) ' >"$name.report"
	note "$(cat "$name.report")"
}

# They wake ten times a second, each at its own time, for 50,000 steps or about 50 us: half of
# a CPU for all of them. And they work without a pause, as long as that takes.
little_added held hold 1000 50000 10
little_added busy busy 1000 50000 250

for trees in each all; do
	for pause in 1.0 1.1 1.2 1.3 1.4 1.5 1.6 1.7 1.8 1.9; do
		killed_merging $trees $pause
	done
done
done_testing
