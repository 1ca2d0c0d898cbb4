#!/bin/bash
# Reporting: samples per second of hpcprof text compared with perf report, for the same program,
# rate and time, with call paths and inlined functions. Every tool is run once before it is timed,
# so that files and debug information are in the page cache; the best of RUNS runs counts. With
# frame pointers perf (6.1) shows no inlined calls, even with --inline, and so reads only symbols.
# Only with -g dwarf does it do the same work. The number of lines with inlined calls is printed.
#
# SECONDS_CPU=...  how long the program runs (10)     RATE=...  samples a second (2000)
# PARTS=...        its size: units of C++ with templates, about 1.5 MB of .debug_info each (2)
# BEFORE=...       the hpcprof of an earlier version, to be compared, too
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
BUILD=${BUILD:-$top/build}
cd "$top"
out=$BUILD/bench/report
parts=${PARTS:-2}
cpu=${SECONDS_CPU:-10}
rate=${RATE:-2000}
runs=${RUNS:-2}
program=$out/program-$parts
make -s BUILD="$BUILD" all
mkdir -p "$out"
trap 'rm -rf "$out/data"' EXIT
rm -rf "$out/data"
mkdir "$out/data"

if [ ! -e "$program" ]; then
	flags="-std=c++17 -O2 -g -fno-omit-frame-pointer"
	seq "$parts" | xargs -P "$(nproc)" -I{} ${CXX:-g++} $flags -DPART={} -c \
		-o "$out/part{}.o" tests/bench/symbolize-part.cc
	{
		echo '#include <cstdlib>'
		echo '#include <ctime>'
		seq -f 'namespace part%g { long run(int); }' "$parts"
		echo 'int main(int, char **argv) { long sum = 0;'
		echo 'while (clock() < atof(argv[1]) * CLOCKS_PER_SEC) {'
		seq -f 'sum += part%g::run(200);' "$parts"
		echo '} return sum == 0; }'
	} >"$out/main.cc"
	${CXX:-g++} $flags -o "$program" "$out/main.cc" $(seq -f "$out/part%g.o" "$parts")
fi

# The seconds and CPU seconds of the fastest run of a command.
quickest() {
	local n
	"$@" >"$out/text" 2>"$out/errors"
	for ((n = 0; n < runs; n++)); do
		{ /usr/bin/time -f '%e %U %S' "$@" >/dev/null 2>"$out/errors"; } 2>&1 || true
		tail -n 1 "$out/errors"
	done | awk '!best || $1 < best { best = $1 ? $1 : .01; cpu = $2 + $3 } END { print best, cpu }'
}

# row NAME SAMPLES COMMAND...: sets $speed to the samples per second
row() {
	local seconds used name=$1 samples=$2
	shift 2
	read -r seconds used < <(quickest "$@")
	speed=$(awk -v n="$samples" -v s="$seconds" 'BEGIN { printf "%.0f", n / s }')
	printf '%-34s %9s %9s %9s %12s\n' "$name" "$samples" "$seconds" "$used" "$speed"
}

# perf_samples FILE COMMAND...: measure, and print the number of samples
perf_samples() {
	perf record -q -o "$@" >/dev/null 2>"$out/errors"
	perf report -i "$1" --stats 2>"$out/errors" | awk '/SAMPLE events:/ { print $3; exit }'
}

"$BUILD/bin/hpcrun" -q -e "CPUTIME@f$rate" -o "$out/data/ours" "$program" "$cpu"
ours=$("$BUILD/bin/hpcprof" dump "$out"/data/ours/*.csp | awk '/disposition "(recorded|partial)"/ {
	for (i = 1; i < NF; i++) if ($i == "samples") n += $(i + 1) } END { print n }')
fp=$(perf_samples "$out/data/fp" -e cpu-clock -F "$rate" --call-graph fp "$program" "$cpu")
dwarf=$(perf_samples "$out/data/dwarf" -e cpu-clock -F "$rate" --call-graph dwarf "$program" "$cpu")

printf '%-34s %9s %9s %9s %12s\n' "$cpu s of CPU at $rate a second" samples seconds 'CPU s' samples/s
row 'hpcprof text' "$ours" "$BUILD/bin/hpcprof" text "$out/data/ours"
best=$speed
row 'hpcprof text -j1' "$ours" "$BUILD/bin/hpcprof" text -j 1 "$out/data/ours"
one=$speed
if [ -n "${BEFORE:-}" ]; then
	row 'hpcprof text, before' "$ours" "$BEFORE" text "$out/data/ours"
	row 'hpcprof text -j1, before' "$ours" "$BEFORE" text -j 1 "$out/data/ours"
fi
for way in fp dwarf; do
	row "perf report --stdio, -g $way" "${!way}" timeout 600 perf report -i "$out/data/$way" --stdio --inline
	awk -v a="$best" -v b="$one" -v p="$speed" -v n="$(grep -c "(inlined)" "$out/text")" 'BEGIN {
		printf "    %d lines name inlined calls; ", n
		printf "hpcprof is %.1f times as fast, with one thread %.1f times\n", a / p, b / p }'
done
