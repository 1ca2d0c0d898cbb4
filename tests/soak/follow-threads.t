#!/bin/bash
# Threads in numbers: 100,000 that live for about a millisecond, and 1000 that live for ten
# seconds. Memory stays bounded, the shares are right, little CPU time is added.
. "$(dirname "$0")/../lib/tap.sh"
. "$top/tests/lib/measure.sh"

manythreads=$(program manythreads)
printf 'heavy 3\nlight 1\n' >truth

# field NAME FILE: a figure that the program prints of itself
field() {
	awk -v name="$1" '$1 == name { print $2 }' "$2"
}

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

# least FIELD FILE...: the smallest, as the machine has other things to do at times
least() {
	local name=$1 file
	shift
	for file; do field "$name" "$file"; done | sort -n | head -1
}

# 50,000 steps ten times a second are about 50 us: half of a CPU for all of them.
for i in 1 2 3 4 5; do
	"$manythreads" hold 1000 50000 10 >"alone.$i"
	timeout 120 "$hpcrun" -q -o "held.$i" "$manythreads" hold 1000 50000 10 >"held.$i.out"
done
check "held: the equations hold" lib account.py held.1
note "CPU time in us, alone: $(cat alone.? | grep cpu | tr -dc '0-9\n' | xargs)"
note "CPU time in us, measured: $(cat held.?.out | grep cpu | tr -dc '0-9\n' | xargs)"
alone=$(least cpu alone.?) measured=$(least cpu held.?.out)
added=$(awk -v a="$alone" -v m="$measured" 'BEGIN { printf "%.2f", 100 * (m - a) / a }')
check "held: $added% of CPU time added, less than 3" awk -v p="$added" 'BEGIN { exit !(p < 3) }'
kb=$(($(least most held.?.out) - $(least most alone.?)))
check "held: $kb kB added, less than 64 MB" test "$kb" -lt 65536
done_testing
