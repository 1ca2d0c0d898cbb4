#!/bin/bash
# Merging: nodes per second from the page cache to the finished tree with its metrics, with one
# thread and with two, compared with a plain hash; peak memory by number of datafiles; and 10,000
# datafiles of 5,000 nodes. The best of RUNS runs counts.
#
# FILES=...  datafiles of 20,000 nodes (1000)     MANY=...  datafiles of 5,000 nodes (10000)
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
BUILD=${BUILD:-$top/build}
cd "$top"
out=$BUILD/bench/merge
files=${FILES:-1000}
many=${MANY:-10000}
runs=${RUNS:-5}
make -s BUILD="$BUILD" "$BUILD/bin/hpcprof" "$BUILD/lib/libhpcoffline.a" "$BUILD/programs/mkprofiles"
mkdir -p "$out"
trap 'rm -rf "$out/data"' EXIT
${CC:-gcc} -std=gnu11 -D_GNU_SOURCE -I. -O2 -g -pthread -o "$out/merge" tests/bench/merge.c \
	"$BUILD/lib/libhpcoffline.a" $(pkg-config --libs libdw libelf sqlite3 expat) -liberty -lm

# make_data COUNT NODES SHARED [own]
make_data() {
	rm -rf "$out/data"
	mkdir -p "$out/data"
	"$BUILD/programs/mkprofiles" "$out/data" "$@"
}

# best MODE THREADS NODES: seconds, M nodes/s, CPU seconds, contexts, peak MB of the fastest run.
best() {
	for _ in $(seq "$runs"); do
		"$out/merge" "$1" "$out/data" "$2" "$3"
	done | sort -n | head -n 1
}

# Both are run in turn, so that other load on the machine affects both equally.
printf '%-34s %-6s %7s %8s %10s %6s %9s %8s\n' "$files datafiles of 20,000 nodes" merger threads seconds 'M nodes/s' 'CPU s' contexts 'peak MB'
for others in pool own; do
	make_data "$files" 20000 80 "$others"
	for threads in 1 2; do
		for merger in ours plain; do
			read -r seconds rate cpu contexts mb < <(best "$merger" "$threads" 20000)
			printf '%-34s %-6s %7s %8s %10s %6s %9s %8s\n' "  80% in common, 20% $others" "$merger" \
				"$threads" "$seconds" "$rate" "$cpu" "$contexts" "$mb"
		done
	done
done

echo
printf '%-34s %8s %8s %6s %10s %8s %16s\n' 'peak memory, the same contexts' threads seconds 'CPU s' contexts 'peak MB' 'hpcprof, peak MB'
for count in 100 "$many"; do
	make_data "$count" 5000 100
	for threads in 1 2; do
		read -r seconds _ cpu contexts mb < <(runs=1 best ours "$threads" 5000)
		hpcprof=$({ /usr/bin/time -f %M "$BUILD/bin/hpcprof" -j "$threads" "$out/data" >/dev/null; } 2>&1 | tail -n 1)
		printf '%-34s %8s %8s %6s %10s %8s %16s\n' "  $count datafiles of 5,000 nodes" "$threads" "$seconds" "$cpu" "$contexts" "$mb" \
			"$(awk -v kb="$hpcprof" 'BEGIN { printf "%.1f", kb / 1024 }')"
	done
done
