#!/bin/bash
# Databases: numbers stored per second of CPU time, compared with plain loops over SQLite, bytes per
# value row, peak memory, and the time of each shipped query on 1 M contexts with three metrics. A
# number is a stored column of a row, for both (see db.c). The best of RUNS runs counts; ours and
# the loops are run in turn. Queries run in one thread on a file in memory; of a view the first rows
# are read.
#
# CONTEXTS=...  call sites of the profile (730000: a million contexts)
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
BUILD=${BUILD:-$top/build}
cd "$top"
out=$BUILD/bench/db
runs=${RUNS:-3}
make -s BUILD="$BUILD" "$BUILD/bin/hpcprof" "$BUILD/lib/libhpcoffline.a"
mkdir -p "$out"
trap 'rm -rf "$out"' EXIT
${CC:-gcc} -std=gnu11 -D_GNU_SOURCE -I. -O2 -g -o "$out/db" tests/bench/db.c "$BUILD/lib/libhpcoffline.a" \
	$(pkg-config --libs libdw libelf sqlite3 expat capstone) -liberty -lm -pthread
python3 tests/bench/db-profile.py "${CONTEXTS:-730000}" >"$out/profile.xml"

for _ in $(seq "$runs"); do
	"$out/db" plain 4000000 "$out/plain.db" >>"$out/plain"
	"$out/db" sorted 4000000 "$out/sorted.db" >>"$out/sorted"
	"$out/db" ours "$out/profile.xml" "$out/ours.db" >>"$out/ours"
done
best() { # best FILE: the line with most numbers per second
	awk '{ print $1 / $2, $0 }' "$1" | sort -gr | head -n 1
}
read -r plain _ < <(best "$out/plain")
read -r sorted _ < <(best "$out/sorted")
read -r rate _ seconds bytes rows value_bytes mb < <(best "$out/ours")
awk -v p="$plain" -v s="$sorted" -v r="$rate" 'BEGIN {
	printf "%-48s %8.2f M numbers/s\n", "plain loop, rowid table, 50 rows an INSERT", p / 1e6
	printf "%-48s %8.2f M numbers/s\n", "plain loop, clustered, 50 rows an INSERT", s / 1e6
	printf "%-48s %8.2f M numbers/s: %.2f and %.2f of these\n", "hpcprof db, indexes included", r / 1e6, r / p, r / s }'
awk -v s="$seconds" -v b="$bytes" -v n="$rows" -v v="$value_bytes" -v m="$mb" 'BEGIN {
	printf "%d value rows in %.2f s: %.1f bytes each, %.1f with all of the file; peak memory %d MB\n", n, s, v / n, b / n, m }'

TIMEFORMAT='%3U %3S'
# A second, small measurement, for queries that compare two.
python3 tests/bench/db-profile.py 10000 >"$out/profile.xml"
"$BUILD/bin/hpcprof" db -q --append -o "$out/ours.db" "$out/profile.xml"
query() { # query NAME WORD...: the time of hpcprof query
	for _ in $(seq "$runs"); do
		{ time "$BUILD/bin/hpcprof" query "${@:2}" "$out/ours.db" >"$out/rows" 2>"$out/errors"; } 2>&1
	done | sort -g | awk -v n="$1" 'NR == 1 { printf "%-24s %.3f\n", n, $1 + $2 }'
	[ ! -s "$out/errors" ] || { cat "$out/errors" >&2; exit 1; }
}
printf '\n%-24s %s\n' query 'seconds of CPU time'
for name in $("$BUILD/bin/hpcprof" query --list | awk '{ print $1 }'); do
	case $name in
	callers | callees | over-time | only-beneath) arguments=function_7 ;;
	beneath | path) arguments=5000 ;;
	difference | grew) arguments='1 2' ;;
	ranks) arguments=CPUTIME ;;
	matching) arguments='^function_77$' ;;
	deep) arguments=30 ;;
	*) arguments= ;;
	esac
	# shellcheck disable=SC2086 # words
	query "$name" "$name" $arguments
done
printf '\n%-24s %s\n' view 'seconds of CPU time'
for name in $("$BUILD/bin/hpcprof" query --format csv -n 0 "SELECT name FROM sqlite_schema WHERE type = 'view'" \
	"$out/ours.db" | tail -n +2); do
	query "$name" "SELECT * FROM $name LIMIT 50"
done
