#!/bin/bash
# Right names: functions that differ only in an unnamed or local type are told apart, and
# llvm-symbolizer sees the same frames in builds of many kinds.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"
. "$top/tests/lib/shell/builds.sh"

for compiler in g++ clang++-14; do
	for level in -O0 -O2; do
		name=$compiler$level
		if ! command -v "$compiler" >/dev/null; then
			skip "$name: each function has its own share" "$compiler is not installed"
			continue
		fi
		$compiler -std=c++17 -w -g "$level" -o "$name" "$top/tests/programs/unnamed.cc" &&
			"$hpcrun" -q -e CPUTIME@f2000 -o "out$name" "./$name" 1.5 >"$name.truth"
		check "$name: each function has its own share" \
			lib unnamed.py "$hpcprof" "out$name" "$name.truth"
	done
done

# One of them has main().
for program in data/symbolize/templates programs/exceptions; do
	sed "s/^int main(/int main_of_${program##*/}(/" "$top/tests/$program.cc" >"${program##*/}.cc"
done
cp "$top/tests/programs/unnamed.cc" .
all_builds 5000 unnamed.cc templates.cc exceptions.cc
done_testing
