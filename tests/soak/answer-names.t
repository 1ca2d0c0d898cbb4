#!/bin/bash
# Right names: perf gives every function of programs with unnamed types the same share, within 2
# points, and llvm-symbolizer has the same frames in builds of a large program.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"
. "$top/tests/lib/shell/builds.sh"

shares_as_perf() {
	"$hpcrun" -q -o "out$1" "./$1" 30 >/dev/null
	perf record -q -e cpu-clock -F 1000 -g -o perf.data "./$1" 30 >/dev/null 2>&1
	perf script -i perf.data --no-inline -F comm,ip,sym,dso >script 2>/dev/null
	check "$1: perf gives every function the same share" \
		lib agreement.py 2 "$hpcprof" "out$1" script "$(program mkframes)"
}
if perf record -q -e cpu-clock -F 1000 -g -o perf.data true 2>/dev/null; then
	unnamed_builds shares_as_perf
else
	skip "perf gives every function the same share" "perf cannot measure here"
fi

cp "$top/tests/bench/symbolize-part.cc" .
echo 'namespace part1 { long run(int); } int main(int argc, char **) { return part1::run(argc) == 0; }' \
	>main.cc
all_builds '.*' 5000 -DPART=1 main.cc symbolize-part.cc

# One of them has main().
for program in data/symbolize/templates programs/exceptions; do
	sed "s/^int main(/int main_of_${program##*/}(/" "$top/tests/$program.cc" >"${program##*/}.cc"
done
cp "$top/tests/programs/unnamed.cc" .
all_builds '.*' 5000 unnamed.cc templates.cc exceptions.cc
done_testing
