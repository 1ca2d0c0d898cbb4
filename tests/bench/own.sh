#!/bin/bash
# What a program's own regions, recordings, labels and stops cost, in ns: medians of RUNS runs (7), alone and measured with
# whole walks, remembered frames and marked ones. Goals: 2 alone, 60 for a region, 1000 for a recording.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"

out=$BUILD/bench
mkdir -p "$out"
"${CC:-gcc}" -std=gnu11 -I"$top" -O2 -g -fno-optimize-sibling-calls -o "$out/own" "$top/tests/bench/own.c"

# median COLUMN FILE
median() {
	cut -d' ' -f"$1" "$2" | sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}
printf '%-10s%12s%16s%28s%12s%18s\n' '' 'a region' 'one in two' 'a recording, 50 frames deep' 'a label' 'a stop or start'
for way in alone whole memo marks; do
	before=("$hpcrun" -q --mark $way -o "own-$way")
	[ $way != alone ] || before=()
	for _ in $(seq "${RUNS:-7}"); do
		"${before[@]}" "$out/own"
	done >"$way.txt"
	printf '%-10s%12s%16s%28s%12s%18s\n' $way "$(median 1 $way.txt)" "$(median 2 $way.txt)" "$(median 3 $way.txt)" \
		"$(median 4 $way.txt)" "$(median 5 $way.txt)"
done
