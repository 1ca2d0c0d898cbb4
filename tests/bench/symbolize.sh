#!/bin/bash
# CPU seconds and peak memory of symbolizing N distinct addresses of a large program with debug
# information, compared with addr2line and llvm-symbolizer: all inline frames, demangled names,
# files and lines, written as text.
#
# FILE=...    a program or library to use instead of the one that is compiled here
# PARTS=...   its size: units of C++ with templates, about 1.5 MB of .debug_info each
# BEFORE=...  a folder with an earlier version of the sources, to be compared, too
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
BUILD=${BUILD:-$top/build}
cd "$top"
out=$BUILD/bench/symbolize
parts=${PARTS:-12}
mkdir -p "$out"

build() { # FOLDER PROGRAM
	(shopt -s nullglob && cd "$1" && ${CC:-gcc} -std=gnu11 -D_GNU_SOURCE -I. -O2 -g -o "$2" tests/lib/builders/mkframes.c symbolize/*.c \
		formats/base/*.c formats/identity/*.c -ldw -lelf -liberty -ldeflate)
}
build . "$out/ours"
[ -z "${BEFORE:-}" ] || build "$BEFORE" "$out/before"

if [ -z "${FILE:-}" ]; then
	FILE=$out/large-$parts
	if [ ! -e "$FILE" ]; then
		seq "$parts" | xargs -P "$(nproc)" -I{} ${CXX:-g++} -std=c++17 -O2 -g -DPART={} -c \
			-o "$out/part{}.o" tests/bench/symbolize-part.cc
		{
			seq -f 'namespace part%g { long run(int); }' "$parts"
			echo 'int main(int argc, char **) { long sum = 0;'
			seq -f 'sum += part%g::run(argc);' "$parts"
			echo 'return sum == 0; }'
		} >"$out/main.cc"
		${CXX:-g++} -O2 -g -o "$FILE" "$out/main.cc" $(seq -f "$out/part%g.o" "$parts")
	fi
fi

# N different addresses in functions with a size, the same ones each time.
addresses() {
	nm -S "$FILE" | awk -v n="$1" '
		function hex(s,   i, v) {
			v = 0
			for (i = 1; i <= length(s); i++) v = v * 16 + index("0123456789abcdef", substr(s, i, 1)) - 1
			return v
		}
		NF == 4 && $3 ~ /^[tTwWi]$/ { low[++k] = hex($1); size[k] = hex($2); all += size[k] }
		END {
			step = all / n
			if (step < 1) step = 1
			for (i = 1; i <= k; i++)
				for (; at < size[i] || (at -= size[i]) < 0; at += step)
					print sprintf("0x%x", low[i] + int(at))
		}' | sort -u
}

# The best of three runs: CPU seconds, and the peak memory in MB.
measure() {
	for _ in 1 2 3; do
		{ /usr/bin/time -f '%U %S %M' "$@" >/dev/null 2>"$out/errors"; } 2>&1 || true
		tail -n 1 "$out/errors"
	done | awk '{ cpu = $1 + $2; if (!best || cpu < best) best = cpu; mb = $3 / 1024 }
		END { printf "%.2f %.0f\n", best, mb }'
}

llvm=$(command -v llvm-symbolizer llvm-symbolizer-14 | head -n 1 || true)
printf '%s: %s\n' "${FILE##*/}" "$(size -A -d "$FILE" | awk '/^.debug_(info|line) / { printf "%s %.1f MB  ", $1, $2 / 1e6 }')"
printf '%10s %-18s %8s %8s %10s\n' addresses tool 'CPU s' 'peak MB' 'of ours'
for n in 1000 10000 100000; do
	addresses "$n" >"$out/addresses"
	count=$(wc -l <"$out/addresses")
	read -r ours mb < <(measure sh -c "'$out/ours' '$FILE' <'$out/addresses'")
	printf '%10s %-18s %8s %8s\n' "$count" ours "$ours" "$mb"
	compare() {
		read -r cpu mb < <(measure "${@:2}")
		printf '%10s %-18s %8s %8s %9.1fx\n' '' "$1" "$cpu" "$mb" \
			"$(awk -v a="$cpu" -v b="$ours" 'BEGIN { print a / (b > 0 ? b : 0.01) }')"
	}
	[ -z "${BEFORE:-}" ] || compare "ours, before" sh -c "'$out/before' '$FILE' <'$out/addresses'"
	compare addr2line sh -c "addr2line -a -i -f -C -e '$FILE' <'$out/addresses'"
	[ -z "$llvm" ] || compare "${llvm##*/}" sh -c "'$llvm' -i -f -C --obj='$FILE' <'$out/addresses'"
done
