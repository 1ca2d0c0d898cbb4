#!/bin/bash
# The time until the first screen stands: `hpcprof DIR` compared with `perf report --stdio`, each to
# its first 40 lines, for the same program at the same rate. perf is run with the call graphs it
# reads quickest (frame pointers), and does not look for inlined calls: both favour perf.
# Every tool is run once before it is timed, and then RUNS times in turn; the medians count.
#
# SAMPLES=...  how many samples, a list ("10000 1000000")     RATE=...  a second (4000)
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
BUILD=${BUILD:-$top/build}
cd "$top"
out=$BUILD/bench/first-screen
rate=${RATE:-4000}
runs=${RUNS:-5}
make -s BUILD="$BUILD" all
rm -rf "$out/data"
mkdir -p "$out/data"
trap 'rm -rf "$out/data"' EXIT

program=$out/program
if [ ! -e "$program" ]; then
	${CXX:-g++} -std=c++17 -O2 -g -fno-omit-frame-pointer -DPART=1 -c -o "$out/part.o" \
		tests/bench/symbolize-part.cc
	cat >"$out/main.cc" <<'END'
#include <cstdlib>
#include <ctime>
namespace part1 { long run(int); }
int main(int, char **argv)
{
	long sum = 0;
	timespec now;
	do {
		sum += part1::run(200);
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	} while (now.tv_sec < atol(argv[1]));
	return sum == 0;
}
END
	${CXX:-g++} -std=c++17 -O2 -g -fno-omit-frame-pointer -o "$program" "$out/main.cc" "$out/part.o"
fi

ours() {
	"$BUILD/bin/hpcprof" --no-pager "$out/data/ours" | head -40
}
theirs() {
	timeout 600 perf report -i "$out/data/theirs" --stdio --no-inline 2>"$out/errors" | head -40
}
seconds() { # seconds COMMAND: how long it takes
	local start=$EPOCHREALTIME
	"$1" >"$out/text"
	awk -v a="$start" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.3f\n", b - a }'
}
median() {
	sort -n "$1" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

printf '%-12s %12s %12s %12s %12s %8s\n' samples 'hpcprof s' 'perf s' 'ours kB' 'perf kB' ratio
for samples in ${SAMPLES:-10000 1000000}; do
	cpu=$((samples / rate))
	[ "$cpu" -gt 0 ] || cpu=1
	"$BUILD/bin/hpcrun" -q --budget 100 -e "CPUTIME@f$rate" -o "$out/data/ours" "$program" "$cpu"
	perf record -q -o "$out/data/theirs" -e cpu-clock -F "$rate" --call-graph fp "$program" "$cpu" \
		>/dev/null 2>"$out/errors"
	ours >"$out/text"
	theirs >"$out/text"
	rm -f "$out/ours" "$out/theirs"
	for ((n = 0; n < runs; n++)); do
		seconds ours >>"$out/ours"
		seconds theirs >>"$out/theirs"
	done
	awk -v n="$samples" -v a="$(median "$out/ours")" -v b="$(median "$out/theirs")" \
		-v x="$(du -sk "$out/data/ours" | cut -f1)" -v y="$(du -sk "$out/data/theirs" | cut -f1)" \
		'BEGIN { printf "%-12s %12.3f %12.3f %12s %12s %8.1f\n", n, a, b, x, y, b / a }'
	rm -rf "$out/data/ours" "$out/data/theirs"
done
