#!/bin/bash
# Right names: functions that differ only in an unnamed or local type are told apart, and
# llvm-symbolizer sees the same frames in builds of many kinds.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"
. "$top/tests/lib/shell/builds.sh"

own_shares() {
	"$hpcrun" -q -e CPUTIME@f2000 -o "out$1" "./$1" 1.5 >"$1.truth"
	check "$1: each function has its own share" lib unnamed.py "$hpcprof" "out$1" "$1.truth"
}
unnamed_builds own_shares

# One of them has main(). All builds, and more addresses: see tests/soak/answer-names.t.
for program in data/symbolize/templates programs/exceptions; do
	sed "s/^int main(/int main_of_${program##*/}(/" "$top/tests/$program.cc" >"${program##*/}.cc"
done
cp "$top/tests/programs/unnamed.cc" .
all_builds 'gcc-(O[02]|dwarf-4|split|lto|lld)|clang-O2' 1500 unnamed.cc templates.cc exceptions.cc
done_testing
