#!/bin/bash
# Samples after each instruction of a small Python program: no path has a call that the program does not make.
# PYTHONS: interpreters to test, by path, besides those that are found.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"
. "$top/tests/lib/shell/pythons.sh"

instructions=0
while read -r version python; do
	STEPPING_ALONE=1 timeout 1200 "$BUILD/stepping/bin/hpcrun" -q -e CPUTIME@f1 -o "stepped-$version" \
		"$python" "$top/tests/python/stepped.py" 20 >counts 2>errors
	is "Python $version: the program ends as without samples" "$?" 0
	read -r steps complete <counts
	is "Python $version: at least 99% of $steps samples have a complete path" \
		"$((${complete:-0} * 100 >= ${steps:-1} * 99))" 1
	read -r paths calls functions wrong < <("$python" "$top/tests/lib/check/stepped_paths.py" \
		"stepped-$version" "$top/tests/python/stepped.py")
	is "Python $version: of $calls calls in $paths paths none is wrong" "${wrong:-unknown}" 0
	is "Python $version: at least 20 functions were seen" "$((${functions:-0} >= 20))" 1
	instructions=$((instructions + ${steps:-0}))
	rm -rf "stepped-$version"
done < <(every_python)
is "$instructions instructions: at least a million" "$((instructions >= 1000000))" 1
done_testing
