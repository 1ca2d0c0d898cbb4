# Sourced after measure.sh by the short and the long test of names.

# unnamed_builds FUNCTION: call it with the name of each build of tests/programs/unnamed.cc.
unnamed_builds() {
	local compiler level name
	for compiler in g++ clang++-14; do
		for level in -O0 -O2; do
			name=$compiler$level
			if ! command -v "$compiler" >/dev/null; then
				skip "$name: each function is apart" "$compiler is not installed"
			elif $compiler -std=c++17 -w -g "$level" -o "$name" "$top/tests/programs/unnamed.cc"; then
				"$1" "$name"
			else
				not_ok "$name: unnamed.cc is compiled"
			fi
		done
	done
}

# builds: a name and a command per line.
builds() {
	cat <<-'END'
		gcc-O0 g++ -O0
		gcc-O1-no-pie g++ -O1 -no-pie
		gcc-O2 g++ -O2
		gcc-O3 g++ -O3
		gcc-Os g++ -Os
		gcc-dwarf-4 g++ -O2 -gdwarf-4
		gcc-compressed g++ -O2 -gz
		gcc-split g++ -O2 -gsplit-dwarf
		gcc-sections g++ -O2 -ffunction-sections -Wl,--gc-sections
		gcc-lto g++ -O2 -flto=1
		gcc-gold g++ -O2 -fuse-ld=gold
		gcc-lld g++ -O2 -fuse-ld=lld -ffunction-sections -Wl,--gc-sections
		clang-O0 clang++-14 -O0
		clang-O2 clang++-14 -O2
	END
}

# all_builds WHICH COUNT SOURCE...: llvm-symbolizer has the same frames for COUNT addresses of each
# build whose name WHICH, an extended regular expression, matches.
all_builds() {
	local which=$1 count=$2 name command
	shift 2
	LLVM_SYMBOLIZER=$(command -v llvm-symbolizer-14 || command -v llvm-symbolizer) ||
		{ skip "llvm-symbolizer has the same frames" "it is not installed"; return; }
	export LLVM_SYMBOLIZER
	while read -r name command; do
		if ! $command -std=c++17 -w -g -o "$name" "$@" 2>errors; then
			if "${command%% *}" --version >/dev/null 2>&1 && [[ $command != *-fuse-ld=* ]]; then
				not_ok "$name is built" "$(cat errors)"
			else
				skip "$name: llvm-symbolizer has the same frames" "it cannot be built here"
			fi
			continue
		fi
		check "$name: llvm-symbolizer has the same frames" \
			lib frames.py "$(program mkframes)" "$count" "$name"
	done < <(builds | grep -E "^($which) ")
}
