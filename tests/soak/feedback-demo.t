#!/bin/bash
# From a release build to a faster one, with each compiler: the script ends well, and what the compiler made
# of the profile does the same and is not slower.
. "$(dirname "$0")/../lib/shell/tap.sh"

for compiler in clang-14 gcc; do
	if ! command -v $compiler >/dev/null; then
		skip "$compiler" "it is not installed"
		continue
	fi
	CC=$compiler "$top/share/demo/faster" "$BUILD/bin" "$PWD/$compiler" >said 2>err
	is "$compiler: the demo ends well" "$?" 0
	note "$(grep '^User CPU time' said)"
	is "$compiler: both builds print the same" "$("$compiler/faster/faster" 1000)" "$("$compiler/faster/plain" 1000)"
	check "$compiler: most samples are in the profile" awk '/ samples, in .* with counts/ && $3 > $5 / 2 { found = 1 }
		END { exit !found }' err
	check "$compiler: what it made of it is not slower by more than 2%" \
		awk -F'[(%]' '/^User CPU time/ { found = $2 < 2 } END { exit !found }' said
done
done_testing
