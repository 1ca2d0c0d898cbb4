#!/bin/bash
# What hpcprof diff calls beyond noise: of 200 pairs of runs of an unchanged program, with environments
# of different sizes and at different rates, at most 2 show anything; of 100 pairs of runs of 20 s, 95
# name the function that became 10% slower, and nothing else.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"

cp "$(program fifty)" fifty
gcc -O2 -g -w -DMOVED -x c "$top/tests/programs/fifty.c" -o moved || exit 1
jobs=$(nproc)

run_of() { # run_of DIR NUMBER RATE PROGRAM ARGUMENT...
	PAD=$(printf "%$(($2 * 531 % 5000))s") timeout 300 "$hpcrun" -q --budget 100 -e "CPUTIME@f$3" -o "$1" "${@:4}"
}
beyond() { # beyond BEFORE AFTER
	"$hpcprof" diff -q --json "$1" "$2" >"$1.json" && lib rows.py functions 'f["beyond_noise"]' <"$1.json"
}
unchanged() { # unchanged NUMBER: a pair of 5 s each; every third at different rates
	local rate=1000
	[ $(($1 % 3)) -ne 0 ] || rate=$((500 + $1 * 37 % 1500))
	run_of "u$1" "$1" 1000 ./fifty 22000 && run_of "v$1" $(($1 + 7)) $rate ./fifty 22000 &&
		echo "pair: $(beyond "u$1" "v$1")"
	rm -rf "u$1" "v$1"
}
slower() { # slower NUMBER: a pair of 20 s each
	run_of "s$1" "$1" 2000 ./fifty 88000 && run_of "t$1" $(($1 + 7)) 2000 ./fifty 88000 7 110 &&
		echo "pair: $(beyond "s$1" "t$1")"
	rm -rf "s$1" "t$1"
}
# Code that is elsewhere may run at another speed: of this program, some functions by up to 10%. They
# have changed, too. But all rows match.
moved() { # moved NUMBER: a pair of 20 s each, of two builds
	run_of "m$1" "$1" 2000 ./fifty 88000 && run_of "n$1" $(($1 + 7)) 2000 ./moved 88000 7 110 &&
		"$hpcprof" diff -q --json --all "m$1" "n$1" >"m$1.json" &&
		echo "pair: $(lib rows.py functions 'f["name"] == "work7" and f["beyond_noise"] or
			f["before_samples"] + f["after_samples"] > 30 and
			not (f["before_samples"] and f["after_samples"])' <"m$1.json")"
	rm -rf "m$1" "n$1"
}
# pairs FUNCTION COUNT: in each of $jobs processes
pairs() {
	local job i
	for ((job = 0; job < jobs; job++)); do
		for ((i = job; i < $2; i += jobs)); do
			"$1" "$i"
		done &
	done
	wait
}

pairs unchanged 200 >unchanged
is "pairs of an unchanged program" "$(grep -c '^pair:' unchanged)" 200
shown=$(grep -c '^pair: .' unchanged)
note "$shown of 200 show anything: $(grep '^pair: .' unchanged | sort | uniq -c)"
check "at most 2 show anything" test "$shown" -le 2

pairs slower 100 >slower
is "pairs with a slower function" "$(grep -c '^pair:' slower)" 100
named=$(grep -c '^pair: work7$' slower)
note "$named of 100 name it alone: $(sort slower | uniq -c)"
check "at least 95 name it, and nothing else" test "$named" -ge 95

pairs moved 20 >moved-pairs
is "pairs of two builds" "$(grep -c '^pair:' moved-pairs)" 20
named=$(grep -c '^pair: work7$' moved-pairs)
note "$named of 20 name it, and match all rows: $(sort moved-pairs | uniq -c)"
check "at least 18 name it, and match all rows" test "$named" -ge 18
done_testing
