#!/bin/bash
# What profiles make of programs: the user CPU time of builds without a profile, with ours (1 kHz and 4 kHz,
# 10 s; for clang also by contexts), and with that of an instrumented build, in medians of RUNS (40) rounds,
# each with all builds in another order; and the instructions that Valgrind counts. The programs are built
# from Debian's sources. Where code lies changes times by some percent, whatever is in it; so each build is made
# LAYOUTS (4) times, with unlike gaps before the code of each file, and rounds take them in turn.
# Goals: 60% of what instrumentation gains, on the median program; never more than 1% slower than without.
#
# PROGRAMS=...   of lua mawk zstd sqlite3 cxx python (python takes half an hour)
# COMPILERS=...  of clang gcc
# LAYOUTS=...    how many of each build (of python always one)
# KEPT=...       a folder for sources and builds (build/bench/pgo)
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"

unset HPCRUN_BUDGET # what it is for users
work=$top/tests/bench/pgo
kept=${KEPT:-$BUILD/bench/pgo}
mkdir -p "$kept"
cd "$kept" || exit 1

# ---- sources --------------------------------------------------------------------------
# sources PACKAGE: its folder. The packages are those of the archive that this machine uses.
sources() {
	local found version
	found=$(find . -maxdepth 1 -type d -name "*$1-[0-9]*" | head -1)
	if [ -z "$found" ]; then
		mkdir -p apt/parts apt/lists
		for list in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
			[ ! -e "$list" ] || sed -n 's/^deb /deb-src /p' "$list"
		done >apt/parts/own.list
		for list in /etc/apt/sources.list.d/*.sources; do
			[ ! -e "$list" ] || sed 's/^Types:.*/Types: deb-src/' "$list" >"apt/parts/$(basename "$list")"
		done
		local own=(-o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts="$PWD/apt/parts"
			-o Dir::State::Lists="$PWD/apt/lists" -o APT::Sandbox::User=root)
		[ -e apt/updated ] || apt-get "${own[@]}" update >&2 && touch apt/updated
		# An archive can lack the newest version.
		for version in '' $(apt-cache "${own[@]}" showsrc "$1" | sed -n 's/^Version: /=/p'); do
			apt-get "${own[@]}" source --download-only "$1$version" >&2 && break
		done
		for list in *.dsc; do
			[ -d "$list.d" ] || dpkg-source --no-check -x "$list" >/dev/null && mkdir -p "$list.d"
		done
		found=$(find . -maxdepth 1 -type d -name "*$1-[0-9]*" ! -name '*.d' | head -1)
	fi
	[ -n "$found" ] && echo "$PWD/$found"
}

# ---- programs: how to build one into $to with $compiler and flags, and how to run it -----------
build_lua() {
	cd "$(sources lua5.4)/src" || return
	echo '#define DEB_HOST_MULTIARCH ""' >lua5.4-deb-multiarch.h
	# shellcheck disable=SC2046 # names of files
	$compiler -std=gnu99 -O2 -g -DLUA_COMPAT_5_3 -DLUA_USE_LINUX "$@" -o "$to" $(ls ./*.c | grep -v luac) -lm -ldl -Wl,-E
}
run_lua() { echo "$work/work.lua" $((2 + $1 * 40)); }
build_mawk() {
	cd "$(sources mawk)" || return
	[ -e Makefile ] || { ./configure && make; } >/dev/null 2>&1
	# shellcheck disable=SC2046
	$compiler -DHAVE_CONFIG_H -I. -O2 -g -w "$@" -o "$to" $(ls ./*.o | sed 's/o$/c/') -lm
}
run_mawk() { echo -v n=$((2 + $1 * 40)) -f "$work/work.awk"; }
build_zstd() {
	cd "$(sources libzstd)" || return
	$compiler -O3 -g -w -DZSTD_DISABLE_ASM -Ilib -Ilib/common -Iprograms "$@" -o "$to" \
		lib/common/*.c lib/compress/*.c lib/decompress/*.c lib/dictBuilder/*.c programs/*.c -pthread
}
run_zstd() {
	[ -e "$kept/zstd.in" ] || cat "$kept"/*/*.c "$kept"/*/*/*.c 2>/dev/null | head -c 20000000 >"$kept/zstd.in"
	local small=$kept/zstd.small
	[ -e "$small" ] || head -c 1000000 "$kept/zstd.in" >"$small"
	[ "$1" = 1 ] || { echo --single-thread -q -c -12 "$small"; return; }
	echo --single-thread -q -c -12 "$kept/zstd.in"
}
build_sqlite3() {
	cd "$(sources sqlite3)" || return
	[ -e sqlite3.c ] || { ./configure && make sqlite3.c shell.c; } >/dev/null 2>&1
	$compiler -O2 -g -w -DSQLITE_THREADSAFE=0 "$@" -o "$to" sqlite3.c shell.c -lm -ldl
}
run_sqlite3() { echo :memory: -init "$work/work.sql" .quit; }
build_cxx() {
	${compiler/gcc/g++} -x c++ -O2 -g "$@" -o "$to" "$work/work.cc" -lstdc++ -lm
}
run_cxx() { echo $((1000 + $1 * 15000)); }
build_python() {
	local tree=$to.tree
	rm -rf "$tree"
	cp -r "$(sources python3.11)" "$tree" && cd "$tree" || return
	{ ./configure CC="$compiler" CFLAGS="-g $*" LDFLAGS="$*" && make -j"$(nproc)" python; } >"$to.log" 2>&1 || return
	printf '#!/bin/sh\nexec %s/python "$@"\n' "$tree" >"$to"
	chmod +x "$to"
}
# The next build has the same tree's name, but not the same tree.
kept_python() {
	rm -rf "$1.tree"
	mv "$dir/program.tree" "$1.tree" && sed -i "s|$dir/program.tree|$1.tree|" "$1"
}
run_python() { echo -S -E "$work/work.py" $((2 + $1 * 160)); }

# ---- builds ---------------------------------------------------------------------------
# made BUILD FLAGS...: build $program as $dir/BUILD, if it is not there.
made() {
	local to=$dir/program # one name: gcc's files of counters are named after it
	[ ! -e "$dir/$1" ] || return 0
	(build_"$program" "${@:2}") >"$dir/$1.log" 2>&1 && mv "$to" "$dir/$1" || return
	[ "$program" != python ] || kept_python "$dir/$1"
}
# laid BUILD FLAGS...: build it, and as BUILD+1, BUILD+2, ... with gaps before the code of each file.
laid() {
	local k=0 gap
	made "$@" || return
	[ "$program" != python ] || return 0
	while [ $((++k)) -lt "${LAYOUTS:-4}" ]; do
		gap=$dir/gap-$k.h
		printf '__asm__(".text; .skip %d; .section .text.hot,\\"ax\\"; .skip %d; .text");\n' \
			$((k * 112 % 1024)) $((k * 592 % 1024)) >"$gap"
		made "$1+$k" -include "$gap" "${@:2}" || return
	done
}
# profile DATA FILE BUILD OPTION...: write a profile for BUILD, which is to be built again if it is another one.
profile() {
	"$hpcprof" export "${@:4}" -o "$dir/$2.new" "$dir/$1" 2>"$dir/$2.said" || return
	cmp -s "$dir/$2.new" "$dir/$2" || rm -rf "$dir/$3" "$dir/$3".* "$dir/$3"+*
	mv "$dir/$2.new" "$dir/$2"
}
# arguments SIZE: of a run: 1 takes about a second, 0 a tenth.
arguments() {
	run_"$program" "$1"
}
# measured RATE: 10 seconds at that rate, in $dir/data-RATE.
measured() {
	local began
	rm -rf "$dir/data-$1"
	began=$(date +%s)
	while [ $(($(date +%s) - began)) -lt 10 ]; do
		# shellcheck disable=SC2046 # the arguments
		"$hpcrun" -q --budget 100 -e "CPUTIME@f$1" -o "$dir/data-$1" "$dir/plain" $(arguments 1) >/dev/null 2>&1 || return
	done
}
builds_of_clang() {
	local base=-fdebug-info-for-profiling rate
	laid plain $base || return
	for rate in 1000 4000; do
		[ -d "$dir/data-$rate" ] || measured $rate || return
		profile "data-$rate" "$rate.prof" "ours-$rate" --for clang || return
		laid "ours-$rate" $base "-fprofile-sample-use=$dir/$rate.prof" || return
	done
	profile data-1000 contexts.prof contexts-1000 --for clang --contexts || return
	laid contexts-1000 $base "-fprofile-sample-use=$dir/contexts.prof" || return
	made generate "-fprofile-instr-generate=$dir/counts-%m.profraw" || return
	# shellcheck disable=SC2046
	[ -e "$dir/counts" ] || "$dir/generate" $(arguments 1) >/dev/null 2>&1
	llvm-profdata-14 merge -o "$dir/counts" "$dir"/counts-*.profraw || return
	laid instrumented "-fprofile-instr-use=$dir/counts"
}
builds_of_gcc() {
	local rate
	laid plain || return
	for rate in 1000 4000; do
		[ -d "$dir/data-$rate" ] || measured $rate || return
		profile "data-$rate" "$rate.afdo" "ours-$rate" --for gcc || return
		laid "ours-$rate" "-fauto-profile=$dir/$rate.afdo" || return
	done
	made generate "-fprofile-generate=$dir/counts" || return
	# shellcheck disable=SC2046
	[ -d "$dir/counts" ] || "$dir/generate" $(arguments 1) >/dev/null 2>&1
	rm -f "$dir"/counts/*conftest.gcda # of what configure tries: the next one is unlike
	laid instrumented "-fprofile-use=$dir/counts" -fprofile-correction -Wno-missing-profile
}

# ---- all ------------------------------------------------------------------------------
for program in ${PROGRAMS:-lua mawk zstd sqlite3 cxx python}; do
	for family in ${COMPILERS:-clang gcc}; do
		dir=$kept/$program-$family
		compiler=$family
		[ $family = gcc ] || compiler=clang-14
		mkdir -p "$dir"
		builds_of_$family || {
			echo "$program, $family: cannot be built; see $dir" >&2
			continue
		}
		"$python" "$work/rounds.py" "$program, $family" "$dir" "${RUNS:-40}" "$(arguments 1)" "$(arguments 0)"
	done
done
"$python" "$work/rounds.py" summary "$kept"
