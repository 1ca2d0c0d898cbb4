#!/bin/bash
# Counts of activations, returns and what was left in another way (--mark marks, --returns).
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"
. "$top/tests/lib/shell/stepping.sh"

[ "$(uname -m)" = x86_64 ] || skip_all 'return addresses are marked on x86-64 only'

# rows DATA PATTERN EXPRESSION: what the expression is of the functions of the program, by name.
rows() {
	"$hpcprof" --activations -n 0 --json "$1" 2>/dev/null | "$python" -c '
import json, re, sys
class Row: pass
found = []
for values in json.load(sys.stdin)["activations"]["rows"]:
    row = Row()
    row.__dict__ = values
    row.function = row.function.split("::")[-1]
    if re.search(sys.argv[1], row.function) and not re.search("/lib|^\\[", row.module):
        found.append(eval(sys.argv[2]))
print("\n".join(sorted(found)))' "$2" "$3"
}
# counts DATA PATTERN: "FUNCTION ACTIVATIONS RETURNED ABANDONED".
counts() {
	rows "$1" "$2" 'f"{row.function} {row.activations} {row.returned} {row.abandoned}"'
}

# ---- with a sample after each instruction -----------------------------------------------
STEPPING_GAP=1 timeout 600 "$BUILD/stepping/bin/hpcrun" -q -e CPUTIME@f1 --returns all -o stepped \
	"$(program stepped)" activations >said
is 'every call, return and other end is counted: three times what the operation does' \
	"$(counts stepped counts_)" 'counts_calls 75 75 0
counts_catcher 6 6 0
counts_jumper 12 0 12
counts_long 3 3 0
counts_recursive 15 15 0
counts_setter 12 12 0
counts_tail 18 18 0
counts_through 3 0 3
counts_thrower 6 0 6
counts_traced 3 3 0'
is 'its own result is right, and the paths are those of whole walks' \
	"$(awk '{ print $1, $5, $6 }' said)" 'activations 0 '

# ---- in a sampled program ---------------------------------------------------------------
cat >calls.c <<'END'
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
static __thread jmp_buf back;
static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}
#define APART __attribute__((noinline))
static inline __attribute__((always_inline)) unsigned inlined(unsigned n)
{
	static volatile unsigned sink;
	for (unsigned i = 0; i < n; i++)
		sink += i;
	return sink;
}
APART void leaf(double s)
{
	for (double until = now() + s; now() < until;)
		inlined(3000);
}
/* Its call is in code that was inlined. */
static inline __attribute__((always_inline)) void through(double s)
{
	leaf(s);
	__asm__ volatile("");
}
APART void long_call(double s)
{
	through(s);
	__asm__ volatile("");
}
APART void short_call(double s)
{
	through(s);
	__asm__ volatile("");
}
APART void jumper(double s)
{
	leaf(s);
	longjmp(back, 1);
}
APART int recursive(int depth)
{
	leaf(0.02);
	int r = depth ? recursive(depth - 1) + 1 : 0;
	__asm__ volatile("");
	return r;
}
APART void part(unsigned n)
{
	inlined(n);
	__asm__ volatile("");
}
/* Short, and nine tenths of its time are its own, in which it is not counted. */
APART void short_own(void)
{
	inlined(45000);
	part(5000);
	__asm__ volatile("");
}
/* Half of its time is its own, but each call meets samples enough. */
APART void long_own(void)
{
	for (int i = 0; i < 20; i++) {
		inlined(600000);
		part(600000);
	}
	__asm__ volatile("");
}
APART void all(void)
{
	for (double until = now() + 0.4; now() < until;)
		short_own();
	for (int i = 0; i < 5; i++)
		long_own();
	for (int i = 0; i < 20; i++)
		long_call(0.02);
	for (int i = 0; i < 4000; i++)
		short_call(0.0001);
	for (volatile int i = 0; i < 15; i++)
		if (setjmp(back) == 0)
			jumper(0.02);
	recursive(9);
	__asm__ volatile("");
}
static void *thread(void *arg)
{
	all();
	__asm__ volatile("");
	return arg;
}
APART void around(const char *what)
{
	leaf(0.05);
	fflush(stdout);
	pid_t child = fork();
	if (child == 0) {
		for (int i = 0; i < 5; i++)
			long_call(0.02);
		if (strcmp(what, "killed") == 0)
			raise(SIGKILL);
		return;
	}
	waitpid(child, NULL, 0);
	leaf(0.02);
	__asm__ volatile("");
}
int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	pthread_t t[3];
	if (strcmp(what, "threads") == 0) {
		for (int i = 0; i < 3; i++)
			pthread_create(&t[i], NULL, thread, NULL);
		for (int i = 0; i < 3; i++)
			pthread_join(t[i], NULL);
	} else if (strcmp(what, "") != 0) {
		around(what);
		leaf(0.02);
	} else {
		all();
	}
	return 0;
}
END
"${CC:-gcc}" -g -O2 -o calls calls.c -lpthread || exit 1
"$hpcrun" -q --returns all -o data ./calls
is 'calls longer than the interval are all counted, and how they end' \
	"$(counts data '^(long_call|jumper|recursive)$')" 'jumper 15 0 15
long_call 20 20 0
recursive 10 10 0'
is 'so are those that last all the time' "$(counts data '^(main|all)$')" 'all 1 1 0
main 1 1 0'
is 'nothing is an activation of inlined code' "$(counts data '^(through|inlined)$')" ''

# The model in the man page: of calls shorter than half the interval each sample meets another, so
# that "each" is the interval between samples, and the number that of samples.
value() { # value SQL
	"$hpcprof" query -q --format csv "$1" data | tail -n +2
}
samples=$(value "SELECT samples FROM metric WHERE name = 'CPUTIME'")
interval=$(value "SELECT events / samples FROM metric WHERE name = 'CPUTIME'")
short=$(rows data '^short_call$' 'str(row.activations)')
each() { # each FUNCTION UNIT
	rows data "^$1\$" "str(row.total / row.activations / $2)"
}
within() { # within DESCRIPTION VALUE LOW HIGH
	check "$1: $2 in $3 to $4" awk -v v="$2" -v l="$3" -v h="$4" 'BEGIN { exit !(v >= l && v <= h) }'
}
within 'each long call has its length, in ms' "$(each long_call 1e6)" 19 23
within 'each short call has the interval, as a ratio' "$(each short_call "$interval")" 0.85 1.25
is 'the named query says the same' "$("$hpcprof" query -q --format csv activations data | grep -E ',(jumper|long_call|recursive),' |
	awk -F, '{ print $2, $5, $7, $8 }' | sort)" "$(counts data '^(long_call|jumper|recursive)$')"
bounds=$(rows data '^(long_call|long_own|short_own)$' 'f"{row.function} {row.each_at_most}"')
is 'where calls were missed, that is said' "$bounds" 'long_call False
long_own False
short_own True'
is 'by the named query, too' "$("$hpcprof" query -q --format csv activations data | grep -E ',(long_call|long_own|short_own),' |
	awk -F, '{ print $2, $NF }' | sort)" 'long_call 0
long_own 0
short_own 1'
is 'and with a sign' "$("$hpcprof" --activations -n 0 data | sed '/by call/,$d' |
	awk '/(long_call|long_own|short_own) *calls$/ { print $(NF - 1), /</ }' | sort)" 'long_call 0
long_own 0
short_own 1'
is 'in the tree' "$("$hpcprof" tree --min 0 data | grep -oE '(long_call|long_own|short_own) [(][0-9]* activations of <?' |
	sed 's/ .* of */ /; s/ $//' | sort -u)" 'long_call
long_own
short_own <'
check "there are as many of them as samples: $short" test "$short" -gt 0 -a "$short" -le "$samples"

is 'threads are counted together' "$("$hpcrun" -q --returns all -o threads ./calls threads
	counts threads '^(long_call|jumper|recursive|all)$')" 'all 3 3 0
jumper 45 0 45
long_call 60 60 0
recursive 30 30 0'

# ---- the first return after each sample, and none ---------------------------------------
"$hpcrun" -q --mark marks -o first ./calls
check 'the first ends are the default, and columns of their own' bash -c '
	"$1" dump first/*.csp | grep -q "FIRST RETURNS" && "$1" --activations first | grep -q "first returned"' - "$hpcprof"
first=$(counts first '^(long_call|short_call|recursive|jumper|leaf|all|main)$')
is 'activations are those of all' "$(echo "$first" | grep -E '^(long_call|jumper|recursive)' | cut -d' ' -f1,2)" 'jumper 15
long_call 20
recursive 10'
ends=$(echo "$first" | awk '{ n += $3 + $4 } END { print n }')
all_ends=$(counts data . | awk '{ n += $3 + $4 } END { print n }')
check "there is at most one end for each sample ($ends, of $all_ends)" \
	test "$ends" -gt 100 -a "$ends" -lt "$all_ends" -a "$ends" -le "$((samples * 2))"
"$hpcrun" -q --mark marks --returns none -o none ./calls
is 'none: there are no such columns' "$("$hpcprof" dump none/*.csp | grep -c 'RETURNS\|ACTIVATIONS\|ABANDONED')" 0
is 'and that is said where they are asked for' "$("$hpcprof" --activations none | grep -c 'No activations were counted')" 1
is 'tree version 01.0T with counts, 01.00 without' \
	"$("$hpcprof" dump data/*.csp | grep -o '01\.0[0T]' | sort -u | tail -1) $("$hpcprof" dump none/*.csp | grep -c '01\.0T')" '01.0T 0'

# ---- forks and kills --------------------------------------------------------------------
for what in child killed; do
	rm -rf forked
	"$hpcrun" -q --returns all -o forked ./calls $what
	# a return is counted at the next sample, which the killed one hardly has after its last call
	counted=$(counts forked '^long_call$')
	[ $what != killed ] || [ "$counted" != 'long_call 5 5 0' ] || counted='long_call 5 4 0'
	is "$what: its calls are counted in it" "$counted" "long_call 5 $([ $what = killed ] && echo 4 || echo 5) 0"
	for f in forked/*.csp; do
		check "$what: in $(basename "$f" | cut -d. -f1) no function has more ends than activations" \
			test -z "$(counts "$f" . | awk '$3 + $4 > $2')"
	done
done

# ---- with others ------------------------------------------------------------------------
"$hpcprof" merge -q -o merged.csp data threads
is 'merged, they are added up' "$(counts merged.csp '^(long_call|jumper|recursive)$')" 'jumper 60 0 60
long_call 80 80 0
recursive 40 40 0'
is 'and in a database' "$("$hpcprof" db -q -o merged.db merged.csp && counts merged.db '^(long_call|jumper)$')" \
	'jumper 60 0 60
long_call 80 80 0'
is 'in the tree, too' "$("$hpcprof" tree data | grep -oE '(jumper|long_call|recursive) \([0-9]+ activations? of (19|2[0-9])[0-9.]* ms\)' | sort -u |
	sed 's/ of .*//' | grep -v recursive)" 'jumper (15 activations
long_call (20 activations'
for of in data threads merged.csp; do
	"$hpcprof" --activations --json -n 0 "$of" >calls.json
	"$hpcprof" html -q "$of" -o page.html
	check "and in the page: $of" lib pagecalls.py page.html calls.json
done
is 'by call: the caller and its line' "$("$hpcprof" --activations -n 0 data | sed '1,/by call/d' |
	awk '$(NF - 2) == "jumper" { print $3, $(NF - 1), $NF }' | sed 's/[^ ]*calls.c/calls.c/')" \
	"15 all calls.c:$(grep -n 'jumper(0.02);' calls.c | cut -d: -f1)"

# ---- options ----------------------------------------------------------------------------
"$hpcrun" --returns all --mark memo true 2>said
is 'counts need marks' "$? $(cat said)" "125 hpcrun: --returns 'all': needs --mark marks"
"$hpcrun" --returns some true 2>said
is 'another word' "$? $(cat said)" "125 hpcrun: --returns 'some': expected first, all or none"
"$hpcrun" --mark marks --unwinder libunwind true 2>said
is 'marks need our own unwinder' "$? $(cat said)" "125 hpcrun: --mark 'marks': needs --unwinder cfi"
is 'what the environment asks for gives way' \
	"$(HPCRUN_RETURNS=all HPCRUN_MARK=marks "$hpcrun" -q --mark memo -o given true 2>&1; echo $?)" 0
done_testing
