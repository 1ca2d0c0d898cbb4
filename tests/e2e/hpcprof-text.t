#!/bin/bash
# The text view of programs that were really measured.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"

export TZ=UTC
export COLUMNS=160
cat >spin.c <<'END'
#include <stdlib.h>
volatile unsigned long sink;
static inline __attribute__((always_inline)) unsigned long mix(unsigned long x)
{
	/* in one line: which instruction of a loop a sample names is up to the CPU */
	for (int i = 0; i < 100; i++) x = x * 6364136223846793005u + 1442695040888963407u; /* the hot line */
	return x;
}
__attribute__((noinline)) void spin(long n)
{
	for (long i = 0; i < n; i++)
		sink = mix(sink);
}
__attribute__((noinline)) void recurse(int depth, long n)
{
	if (depth)
		recurse(depth - 1, n);
	else
		spin(n);
	sink++;
}
int main(int argc, char **argv)
{
	recurse(argc > 2 ? atoi(argv[2]) : 10, atol(argv[1]));
	return 0;
}
END
cc -O1 -g -o spin spin.c
check "a program is measured" "$hpcrun" -q -o data ./spin 4000000
check "and shown" bash -c '"$1" --all data >text' - "$hpcprof"

# row TITLE PATTERN: the percentages, self and total, of the first row of a table.
row() {
	awk -v title="^$1 " -v pattern="$2" '$0 ~ title { in_table = 1 } /^$/ { in_table = 0 }
		in_table && $0 ~ pattern { print $1, $4; exit }' text
}

# at_least DESCRIPTION PERCENT MINIMUM
at_least() {
	awk -v a="${2%\%}" -v b="$3" 'BEGIN { exit !(a + 0 >= b) }' && ok "$1" || not_ok "$1" "$2"
}

at_least "the program has the time" "$(row 'Load modules' /spin | cut -d' ' -f1)" 90
at_least "its file has it" "$(row Files /spin.c | cut -d' ' -f1)" 90
at_least "an inlined function has it, marked" "$(row Functions 'mix .inlined.' | cut -d' ' -f1)" 90
at_least "the line has it" "$(row Lines "spin.c:$(grep -n 'hot line' spin.c | cut -d: -f1)" |
	cut -d' ' -f1)" 50
"$hpcprof" --all -s total data >text
recursive=$(row Functions ' recurse ' | cut -d' ' -f2)
at_least "a recursive function's inclusive time" "$recursive" 90
check "is counted once" awk -v a="${recursive%\%}" 'BEGIN { exit !(a <= 100) }'
check "the recursion is one line of the paths" says text ' recurse x 11$'
check "which begin at main" bash -c "sed -n '/^Calls/,\$p' text | sed -n 3p | grep -qE '^ *(100|9[0-9]).[0-9]% .* main\$'"
check "as everybody knows what comes before" bash -c "! sed -n '/^Calls/,\$p' text | grep -qE '_start|libc_start'"
check "all paths are complete" says text 'Call paths: 100\.0% '
check "no row is all zeros" bash -c "! grep -E ' 0 +0\.0% +0 ns ' text"
"$hpcprof" data >text
is "in short the run comes first" "$(head -n 1 text)" "./spin 4000000"
check "with its time" says text '^  CPU time +[0-9.]+ m?s( \([^)]*\))? in [0-9.]+ m?s of wall time \([0-9.]+'
check "and samples" says text '^  recorded +[0-9.]+ m?s CPUTIME in [0-9,]+ samples; measuring took [0-9.]+%$'
is "then functions, calls and the quality" "$(grep -oE '^[A-Z][a-z]+' text | paste -sd' ')" "Functions Calls Quality"
check "in one screen" test "$(wc -l <text)" -le 40
"$hpcprof" text --all --no-inline data >text
check "--no-inline marks nothing" bash -c '! grep -q inlined text'
at_least "and counts to the function around" "$(row Functions ' spin ' | cut -d' ' -f1)" 90
"$hpcprof" text --all --samples data >text
check "--samples counts samples" bash -c "grep -A2 '^Functions' text | tail -1 |
	grep -qE '^ *[0-9.]+% +[0-9,]+ +[0-9.]+% +[0-9,]+ +mix'"

# Deeper than any C stack would bear if the analysis were recursive.
check "a deep recursion is measured" bash -c 'ulimit -s unlimited; "$1" -q -o deep ./spin 1000000 50000' - "$hpcrun"
check "and shown with a small stack" bash -c 'ulimit -s 256; "$1" deep >text' - "$hpcprof"
check "as one line" says text ' recurse x 50001$'

# The file on disk is another by now: its names would lie.
sed -i 's/100;/101;/; s/spin(long/other(long/; s/spin(n)/other(n)/' spin.c
cc -O1 -g -o spin spin.c
"$hpcprof" text --all data >text
check "a rebuilt program is noticed" grep -q 'changed on disk' text
check "and not named by" bash -c '! grep -q "other" text'

# Debug files elsewhere.
cc -O1 -g -Wl,--build-id -o spin spin.c
objcopy --only-keep-debug spin spin.debug
strip spin
"$hpcrun" -q -o stripped ./spin 4000000
"$hpcprof" text --all stripped >text
check "a stripped program has no names" bash -c '! grep -q "other" text'
check "which the report says" says text '/spin +.*(stripped|no symbols)'
id=$(readelf -n spin | awk '/Build ID/ { print $3 }')
mkdir -p "debug/.build-id/${id:0:2}"
cp spin.debug "debug/.build-id/${id:0:2}/${id:2}.debug"
"$hpcprof" text --all --debug-dir debug stripped >text
at_least "--debug-dir finds them" "$(row Functions 'mix' | cut -d' ' -f1)" 90

# The vdso is in no file but the image that was saved.
cat >clock.c <<'END'
#include <time.h>
int main(void)
{
	struct timespec t;
	for (int i = 0; i < 10000000; i++)
		clock_gettime(CLOCK_MONOTONIC, &t);
	return 0;
}
END
cc -O1 -g -o clock clock.c
"$hpcrun" -q -o vdso ./clock
"$hpcprof" text --all vdso >text
check "functions of the vdso have names" says text 'clock_gettime.* \[vdso\]$'
# It has functions without a symbol, too, which some clocks are read by.
check "not addresses, where a symbol covers them" lib uncovered.py vdso/vdso-* text
rm vdso/vdso-*
"$hpcprof" text --all vdso >text
check "without its image they have none" grep -qF "[vdso]+0x" text

# A program that waits.
"$hpcrun" -q -o sleeper sleep 0.5
"$hpcrun" -q -o sleeper2 true
"$hpcprof" sleeper >text
check "a program that waited is told so" says text '^  9[0-9]\.[0-9]% of the wall time was not on a CPU: the program waited'
"$hpcprof" --calls data >text
check "not one that ran" bash -c '! grep -q waited text'
"$hpcprof" data sleeper2 >text
check "nor two that ran at different times" bash -c '! grep -q waited text'

# ---- runs that are apart ------------------------------------------------------------------------
"$hpcrun" -q -o apart bash -c 'for i in 1 2; do (:); done; sleep 0.1'
"$hpcprof" apart >one
check "one run of several processes is one" bash -c '! grep -q "^  runs " one'
sleep 1.5
"$hpcrun" -q -o apart bash -c 'sleep 0.1'
"$hpcprof" apart >two
check "two that are apart are two" grep -qE '^  runs +2 from 20[0-9-]+ [0-9:]+ to ' two
"$hpcprof" --json apart >json
check "and the time between them is not wall time" "$python" -c 'import json
r = json.load(open("json"))["run"]
assert r["runs"] == 2 and r["wall_ns"] + 1e9 < r["end_ns"] - r["start_ns"], r'

# Several processes.
"$hpcrun" -q -o several bash -c './spin 2000000 & ./spin 1000000 & wait'
"$hpcprof" text --all several >text
check "processes are listed" grep -q '^Processes' text
check "the heaviest first" bash -c "grep -A3 '^Processes' text | sed -n 3p | grep -q 'spin 2000000'"
done_testing
