#!/bin/bash
# hpcprof diff on real measurements: an unchanged program shows nothing, a function that became slower
# is named, also in another build, and each side may be a database or a merged file.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"

cp "$(program fifty)" fifty
compile=(gcc -O2 -g -w -x c "$top/tests/programs/fifty.c")
check "another build, with all code elsewhere" "${compile[@]}" -DMOVED -o moved

# About 15,000 samples each. Runs that are compared have environments of different sizes, and different rates.
run_of() { # run_of DIR RATE PROGRAM ARGUMENT...
	PAD=$(printf "%$((${#1} * 531 % 3000))s") timeout 120 "$hpcrun" -q --budget 100 -e "CPUTIME@f$2" -o "$1" "${@:3}"
}
for name in a bb ccc dddd; do
	check "a run: $name" run_of "$name" 5000 ./fifty 14000
done
check "a run at another rate" run_of rate 3000 ./fifty 20000
check "a slower function" run_of slow 5000 ./fifty 14000 7 120
check "again" run_of slower 5000 ./fifty 14000 7 120
check "in another build" run_of moved-slow 5000 ./moved 14000 7 120
check "another build, not slower" run_of moved-same 5000 ./moved 14000

# names KEY CONDITION <JSON: the functions for which the condition, of the row f, holds.
names() {
	lib rows.py functions "$1"
}
beyond() { # beyond PROFILE...
	"$hpcprof" diff -q --json "$@" >json && names 'f["beyond_noise"]' <json
}
# A pair of unchanged runs may show something by chance in 1 of 200 cases, three pairs nearly never.
shown=0
for pair in 'a bb' 'ccc dddd' 'a rate'; do
	# shellcheck disable=SC2086 # words
	[ -z "$(beyond $pair)" ] || shown=$((shown + 1))
done
check "runs of the same program show nothing: $shown of 3 did" test "$shown" -le 1
check "and are not too slow" "$hpcprof" diff -q --fail-above 3 a bb

is "the slower function is named" "$(beyond a slow)" work7
is "the other way round" "$(beyond slow a)" work7
is "of several runs" "$(beyond a bb -- slow slower)" work7
is "between different builds and programs" "$(beyond bb moved-slow)" work7
"$hpcprof" diff -q --json --all ccc moved-same >json
is "all of its functions are matched" \
	"$(names 'f["module"] in ("fifty", "moved") and f["name"] != "more" and
		(not f["before_samples"] or not f["after_samples"]) and f["before_samples"] + f["after_samples"] > 30' <json)" ""
"$hpcprof" diff -q --json --all --lines a moved-same >json
is "and lines" "$(lib rows.py lines 'f["function"].startswith("work") and
	(not f["before_samples"] or not f["after_samples"]) and f["before_samples"] + f["after_samples"] > 30' <json)" ""

check "--fail-above: too slow" run 4 "$hpcprof" diff -q --fail-above 3 a slow
check "with the function" says out 'work7 '
check "and faster" run 0 "$hpcprof" diff -q --fail-above 3 slow a
check "a database" "$hpcprof" db -q -o slow.db slow
is "is as its datafile" "$(beyond a slow.db)" work7
check "a merged file" "$hpcprof" merge -q -o a.csp a
is "is as its datafile" "$(beyond a.csp slow)" work7
is "both, of different programs" "$("$hpcprof" db -q -o moved.db moved-slow && beyond a.csp moved.db)" work7
"$hpcprof" diff -q --json a slow >one
"$hpcprof" diff -q --json -j 1 slow -- a >two
check "the factors are the inverse of each other" lib rows.py --inverse one two
done_testing
