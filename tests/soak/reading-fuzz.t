#!/bin/bash
# All fuzz targets, with libdw, libelf and SQLite built from Debian's sources with AddressSanitizer
# and with what the fuzzer counts by, so that it searches in them, too. They share FUZZ_MINUTES (70,
# of elapsed time); FUZZ_TARGETS chooses some. What they keep, in $BUILD/fuzz/corpus, is where the
# next run begins.
#
# An input has limits of its own: time and memory for each byte (tests/fuzz/limits.h), 10 s, 256 MiB
# for an allocation, and 1 GiB in all.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"
. "$top/tests/lib/shell/sources.sh"

minutes=${FUZZ_MINUTES:-70} jobs=${JOBS:-$(nproc)} cc=${FUZZ_CC:-clang-14}
command -v "$cc" >/dev/null || skip_all "$cc is not installed"
fetch_sources elfutils sqlite3 || skip_all "no sources: $(tail -1 fetched)"
flags=(-O1 -gline-tables-only -fno-omit-frame-pointer -fsanitize=address,fuzzer-no-link -w)

# libdw.a has libdwfl, libdwelf, libebl and the backends in it.
elfutils() {
	cd sources/elfutils || return
	# Its test of __thread links a shared library without what the sanitizer defines.
	ac_cv_tls=yes CC=$cc CFLAGS="${flags[*]}" ./configure --disable-debuginfod --disable-libdebuginfod --disable-nls \
		--disable-symbol-versioning --without-bzlib --without-lzma --without-zstd &&
		make -C config && make -C lib -j"$jobs" && make -C libelf -j"$jobs" libelf.a &&
		make -C libcpu -j"$jobs" && make -C libebl -j"$jobs" libebl.a &&
		make -C backends -j"$jobs" && make -C libdwelf -j"$jobs" libdwelf.a &&
		make -C libdwfl -j"$jobs" libdwfl.a && make -C libdw -j"$jobs" libdw.a &&
		cp libelf/libelf.a libdw/libdw.a "$scratch/libs"
}

# With what Debian's build adds and our databases can reach.
sqlite() {
	cd sources/sqlite3 || return
	CC=$cc ./configure --disable-shared && make sqlite3.c &&
		"$cc" "${flags[@]}" -DSQLITE_ENABLE_FTS3 -DSQLITE_ENABLE_FTS5 -DSQLITE_ENABLE_RTREE \
			-DSQLITE_ENABLE_DBSTAT_VTAB -DSQLITE_ENABLE_COLUMN_METADATA \
			-DSQLITE_ENABLE_LOAD_EXTENSION -DSQLITE_SOUNDEX -c sqlite3.c &&
		ar rcs "$scratch/libs/libsqlite3.a" sqlite3.o
}

targets() {
	make -C "$top" -j"$jobs" BUILD="$scratch/build" FUZZ_CC="$cc" FUZZ_LDFLAGS="-L$scratch/libs" build-fuzz
}

# logged NAME COMMAND: its output is shown if it fails.
logged() {
	("$2") >"$1.log" 2>&1 && return
	tail -5 "$1.log" >&2
	return 1
}
mkdir libs
check "libdw and libelf are built with sanitizers" logged elfutils elfutils
check "SQLite is built with sanitizers" logged sqlite sqlite
check "the targets are built with them" logged targets targets
if [ "$tap_failed" != 0 ]; then
	done_testing
	exit
fi
counts() { # FUNCTION TARGET: the function is in it, and is counted
	nm "build/fuzz/$2" | grep -q " [Tt] $1\$"
}
check "libdw is in a target" counts dwarf_getlocation fuzz_dwarf
check "SQLite is in a target" counts sqlite3_step fuzz_database

export corpus=$BUILD/fuzz/corpus findings=$BUILD/fuzz/findings seeds=$PWD/build/fuzz/seeds top
export TAP_DATA=$top/tests/data
mapfile -t names < <(printf '%s\n' ${FUZZ_TARGETS:-$(find build/fuzz -maxdepth 1 -name 'fuzz_*' -type f -printf '%f\n')})
export seconds=$((minutes * 60 * jobs / ${#names[@]}))

# seeds_of TARGET: the folders of its inputs, the first of which gets more.
seeds_of() {
	mkdir -p "$corpus/$1"
	ls -d "$corpus/$1" "$seeds/$1" "$top/tests/fuzz/seeds/$1" 2>/dev/null
}
words_of() {
	[ ! -e "$top/tests/fuzz/words/$1" ] || echo "-dict=$top/tests/fuzz/words/$1"
}
# search TARGET: for its share of the time; a finding does not end it.
search() {
	local until=$((SECONDS + seconds)) left try
	local limits=(-timeout=10 -malloc_limit_mb=256 -rss_limit_mb=1024 -max_len=16384)
	for try in $(seq 50); do
		left=$((until - SECONDS))
		[ $left -gt 0 ] || break
		# shellcheck disable=SC2046 # words
		timeout -k 10 $((left + 60)) "build/fuzz/$1" "${limits[@]}" -max_total_time=$left -verbosity=0 \
			-print_final_stats=1 -artifact_prefix="$findings/$1-" $(words_of "$1") $(seeds_of "$1") >>"$1.out" 2>&1
	done
	# What covers the same is left out.
	mkdir "$1.small"
	timeout -k 10 60 "build/fuzz/$1" "${limits[@]}" -merge=1 -verbosity=0 "$1.small" "$corpus/$1" >>"$1.out" 2>&1 &&
		rm -rf "${corpus:?}/$1" && mv "$1.small" "$corpus/$1"
	# shellcheck disable=SC2046
	"build/fuzz/$1" -runs=0 $(seeds_of "$1") 2>&1 | sed -n 's/.*INITED *cov: \([0-9]*\).*/\1/p' >"$1.edges"
}
export -f search seeds_of words_of
mkdir -p "$findings"
touch begun
printf '%s\n' "${names[@]}" | xargs -P "$jobs" -I{} bash -c 'search {}'

for name in "${names[@]}"; do
	runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$name.out" | awk '{ n += $1 } END { print n + 0 }')
	note "$name: $seconds s, $runs inputs, $(cat "$name.edges") edges, $(find "$corpus/$name" -type f | wc -l) inputs kept"
	check "$name: it has run" [ "$runs" -gt 100 ]
	is "$name: nothing is found" "$(find "$findings" -name "$name-*" -newer begun)" ""
	[ -z "$(find "$findings" -name "$name-*" -newer begun)" ] ||
		note "$(grep -aE 'limits:|ERROR: |SUMMARY|Assertion|runtime error' "$name.out" | sort | uniq -c | head -20)"
done
done_testing
