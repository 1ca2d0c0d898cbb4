#!/bin/bash
# Metrics of a program's own (runtime/hpcrun.h): the amounts are at the paths where they were
# recorded, however stacks are walked, and alone the program does nothing more.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"

include=-I$top/runtime
for compiler in "gcc -std=c99" "gcc -std=gnu11" "g++ -std=c++11 -x c++" "clang-14 -std=c99" "clang-14 -std=c++17 -x c++"; do
	if command -v "${compiler%% *}" >/dev/null; then
		# shellcheck disable=SC2086
		check "$compiler takes the header without a warning" bash -c \
			'printf "%s\n" "#include <hpcrun.h>" | $1 -Wall -Wextra -pedantic -Werror -O2 $2 -c -o head.o ${3:-} -' \
			- "$compiler" "$include" "$([[ $compiler = *-x* ]] || echo '-x c')"
	else
		skip "${compiler%% *} is not installed" 1
	fi
done

cat >own.c <<'END'
#include <hpcrun.h>
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#define APART __attribute__((noinline, noclone))
static int bytes, calls;
static volatile unsigned sink;
APART static void after(void)
{
	sink = sink + 1;
}
APART void note(unsigned n)
{
	hpcrun_record_for_caller(bytes, n, 1);
	after();
}
APART void parse(unsigned n)
{
	hpcrun_record(bytes, n);
	hpcrun_record(calls, 1);
	after();
}
APART void wrapped(unsigned n)
{
	note(n);
	after();
}
/* Other paths each time. */
APART void down(int depth, unsigned n)
{
	if (depth > 0)
		down(depth - 1, n);
	else
		parse(n);
	after();
}
APART static void all(int times)
{
	for (int i = 0; i < times; i++) {
		down(i % 50, 3);
		wrapped(5);
	}
	after();
}
static void *thread(void *arg)
{
	all(1000);
	after();
	return arg;
}
int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	pthread_t t[4];
	char name[80];
	bytes = hpcrun_metric_new("PARSED", "bytes");
	calls = hpcrun_metric_new("PARSES", "count");
	if (strcmp(what, "threads") == 0) {
		for (int i = 0; i < 4; i++)
			pthread_create(&t[i], NULL, thread, NULL);
		for (int i = 0; i < 4; i++)
			pthread_join(t[i], NULL);
	} else if (strcmp(what, "fork") == 0) {
		all(100);
		if (fork() == 0) {
			bytes = hpcrun_metric_new("PARSED", "bytes");
			all(10);
			return 0;
		}
		wait(NULL);
	} else if (strcmp(what, "killed") == 0) {
		all(100);
		raise(SIGKILL);
	} else if (strcmp(what, "names") == 0) {
		int made = 2;
		snprintf(name, sizeof name, "%060d", 1);
		printf("%d", hpcrun_metric_new("PARSED", "bytes") == bytes);
		printf(" %d", hpcrun_metric_new("CPUTIME", "ns"));
		printf(" %d", hpcrun_metric_new("PARSED # samples", "count"));
		printf(" %d", hpcrun_metric_new("", ""));
		printf(" %d", hpcrun_metric_new(NULL, ""));
		printf(" %d", hpcrun_metric_new(name, ""));
		printf(" %d %d %d", hpcrun_record(bytes + 1, 1), hpcrun_record(-1, 1), hpcrun_record(0, 1));
		for (int i = 0; i < 100; i++) {
			snprintf(name, sizeof name, "M%d", i);
			int id = hpcrun_metric_new(name, "");
			made += id >= 0 && hpcrun_record(id, (uint64_t)i) == 0;
		}
		printf(" %s\n", made >= 9 && made < 24 ? "some" : "none");
	} else if (*what == '/') {
		void *plugin = dlopen(what, RTLD_NOW);
		int (*in_plugin)(void) = (int (*)(void))dlsym(plugin, "in_plugin");
		printf("%d\n", in_plugin());
	} else {
		all(1000);
	}
	printf("%s\n", bytes < 0 ? "alone" : "measured");
	return 0;
}
END
cat >plugin.c <<'END'
#include <hpcrun.h>
int in_plugin(void)
{
	return hpcrun_record(hpcrun_metric_new("PLUGGED", "count"), 7);
}
END
# shellcheck disable=SC2086
{
	"${CC:-gcc}" -g -O2 $include -o own own.c -lpthread || exit 1
	"${CC:-gcc}" -g -O2 -fno-pie -no-pie $include -o own-fixed own.c -lpthread || exit 1
	"${CC:-gcc}" -g -O2 -shared -fPIC $include -o plugin.so plugin.c || exit 1
}
is 'alone it runs as if nothing were recorded' "$(./own) $(./own-fixed) $(./own threads) $(./own "$PWD/plugin.so" | paste -sd' ')" \
	'alone alone alone -1 alone'

# sums DATA [METRIC]: "FUNCTION AMOUNT TIMES" of the functions where it was recorded.
sums() {
	"$hpcprof" query -q --format csv "SELECT f.name, sum(v.events), sum(v.samples) FROM exclusive v
		JOIN metric m ON m.id = v.metric JOIN context c ON c.id = v.context JOIN function f ON f.id = c.function
		WHERE m.name = '${2:-PARSED}' GROUP BY f.name ORDER BY f.name" "$1" | tail -n +2 | tr ',' ' '
}
# paths DATA: the amounts by call path.
paths() {
	"$hpcprof" export -q --format folded -m PARSED "$1" | sort
}
for mark in whole memo marks; do
	[ $mark != marks ] || [ "$(uname -m)" = x86_64 ] || continue
	rm -rf "own-$mark"
	"$hpcrun" -q --mark $mark -e CPUTIME@f5000 -o "own-$mark" ./own >said
	is "--mark $mark: it is measured" "$(cat said)" measured
	is "--mark $mark: each amount is where it was recorded, and is counted once" \
		"$(sums own-$mark | sed 's/hpcrun_record_for_caller/wrapped/; s/hpcrun_record/parse/')" 'parse 3000 1000
wrapped 5000 1000'
	is "--mark $mark: another metric" "$(sums own-$mark PARSES | awk '{ a += $2; n += $3 } END { print a, n }')" '1000 1000'
	paths "own-$mark" >"paths-$mark"
	check "--mark $mark: the paths are those of whole walks" cmp paths-whole "paths-$mark"
done
is 'there are 50 different ones, and the wrapped' "$(wc -l <paths-whole)" 51
"$hpcrun" -q -o fixed ./own-fixed >/dev/null
is 'a program at a fixed address' "$(sums fixed | awk '{ a += $2; n += $3 } END { print a, n }')" '8000 2000'
for trees in each all; do
	"$hpcrun" -q -t $trees -e CPUTIME@f5000 -o "threads-$trees" ./own threads >/dev/null
	is "threads, -t $trees" "$(sums threads-$trees | awk '{ a += $2; n += $3 } END { print a, n }')" '32000 8000'
done
"$hpcrun" -q -o forked ./own fork >/dev/null
is 'a forked child records on, under the same number' "$(sums forked | awk '{ a += $2; n += $3 } END { print a, n }')
$(ls forked/*.csp | wc -l)" '880 220
2'
"$hpcrun" -q -o killed ./own killed >/dev/null 2>&1
is 'what was recorded before a kill is kept' "$(sums killed | awk '{ a += $2; n += $3 } END { print a, n }')" '800 200'
is 'names that cannot be, numbers that are none, and too many metrics' "$("$hpcrun" -q -o names ./own names | head -1)" \
	'1 -1 -1 -1 -1 -1 -1 -1 -1 some'
is 'a library that is loaded later has its own' "$("$hpcrun" -q -o plugged ./own "$PWD/plugin.so" | paste -sd' ')
$(sums plugged PLUGGED | awk '{ print $2, $3 }')" '0 measured
7 1'
check 'the report has them beside the time' bash -c '"$1" own-memo | grep -q "PARSED in 2,000 samples"' - "$hpcprof"
is 'the account of the time agrees' "$("$hpcprof" own-memo threads-all forked 2>&1 | grep -c 'does not agree')" 0
"$hpcprof" merge -q -o merged.csp own-memo threads-each forked
is 'merged files add them up' "$(sums merged.csp | awk '{ a += $2; n += $3 } END { print a, n }')" '40880 10220'

# A static program has no loader to find the library by: it is linked to it, or alone.
# shellcheck disable=SC2086
if "${CC:-gcc}" -static -O2 $include -o own-static own.c -lpthread 2>/dev/null; then
	is 'a static program, alone' "$(./own-static)" alone
	if "${CC:-gcc}" -static -O2 $include -o own-linked own.c @"$BUILD/lib/libhpcrun.link" -lpthread 2>linked.err; then
		is 'and linked with libhpcrun.a' "$("$hpcrun" -q -o linked ./own-linked)" measured
		is 'its amounts' "$(sums linked | awk '{ a += $2; n += $3 } END { print a, n }')" '8000 2000'
	else
		not_ok 'linked with libhpcrun.a' "$(head -3 linked.err)"
	fi
else
	skip 'there is no static C library' 3
fi
done_testing
