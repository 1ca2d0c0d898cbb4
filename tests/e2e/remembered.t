#!/bin/bash
# Walks that end at remembered frames (--mark memo): the same paths as whole walks.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"
. "$top/tests/lib/shell/stepping.sh"

# ---- at every instruction, and with gaps ------------------------------------------------
is 'alone, each operation does what it should' "$("$(program stepped)" | grep -c wrong)" 0
stepped 1 recursion tail-calls same-size sizes saved-sizes jumps handlers coroutines coroutines-within
stepped 30 recursion same-size sizes saved-sizes library jumps handlers coroutines coroutines-within rethrown

# ---- each comparison is needed ----------------------------------------------------------
stepped_without cells same-size
stepped_without bp sizes
stepped_without frames saved-sizes

# ---- whole programs ---------------------------------------------------------------------
cat >deep.c <<'END'
#include <stdio.h>
#include <time.h>
static volatile unsigned sink;
static double cpu_time(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}
static void above(int depth)
{
	if (depth > 0)
		above(depth - 1);
	else
		for (int i = 0; i < 400000; i++) /* the reading of the clock is rare */
			sink += (unsigned)i;
	sink++;
}
static void deep(int depth, double until)
{
	if (depth > 0)
		deep(depth - 1, until);
	else
		while (cpu_time() < until)
			above(40);
	sink++;
}
int main(void)
{
	deep(1000, cpu_time() + 0.3);
	return 0;
}
END
"${CC:-gcc}" -O1 -fno-optimize-sibling-calls -o deep deep.c || exit 1

# continued FILE: how many walks were continued, and how many of them differed.
continued() {
	awk -F: '/walks continued/ { n += $NF } /another way/ { d += $NF } END { print n + 0, d + 0 }' "$1"
}
check 'a deep program, with -D walks' sh -c "'$hpcrun' -q -D walks -o deep-d ./deep 2>said"
read -r walks different <<<"$(continued said)"
samples=$("$hpcprof" -q --json deep-d | sed -n 's/.*"total_samples":\([0-9]*\).*/\1/p')
is "its walks end at remembered frames, which is right: $walks of $samples" \
	"$((walks > 0 && walks + 3 >= samples * 3 / 4)) $different" "1 0"
check 'python3, with -D walks' sh -c "'$hpcrun' -q -D walks -e CPUTIME@f5000 -o python-d python3 -c '
def f(n): return n if n < 2 else f(n - 1) + f(n - 2)
def g(n): return f(18) if n == 0 else g(n - 1)
for i in range(5): g(90)' 2>said"
read -r walks different <<<"$(continued said)"
is 'none of them goes on in another way' "$((walks > 0)) $different" "1 0"

# ---- the choice -------------------------------------------------------------------------
# The path that takes most of the time: its names, and how often each is in it. (A tree leaves out more or less
# of a long path, where a few samples have left it.)
for way in whole memo; do
	"$hpcrun" -q --mark $way -o "deep-$way" ./deep
	"$hpcprof" export -q --format folded -m CPUTIME "deep-$way" | awk '$NF > most { most = $NF; path = $0 }
		END { sub(/ [0-9]+$/, "", path); print path }' | tr ';' '\n' | uniq -c >"hot-$way"
done
check 'both ways find the same hot path' diff hot-whole hot-memo
check 'which has all calls' says hot-memo '^ *1001 deep$'
is 'whole walks end at no remembered frame' \
	"$("$hpcrun" -q -D walks --mark whole -o deep-w ./deep 2>&1 | awk -F: '/walks continued/ { print $NF + 0 }')" 0
is 'another word' "$("$hpcrun" --mark some true 2>&1)" "hpcrun: --mark 'some': expected whole, memo, marks or always"
is 'another check' "$("$hpcrun" -D some true 2>&1)" "hpcrun: -D 'some': no such check; -D help lists them"
"$hpcrun" -D help >out
check '-D help lists the checks' says out '^ +1 +walks '
done_testing
