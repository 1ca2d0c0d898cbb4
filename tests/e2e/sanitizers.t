#!/bin/bash
# Programs built with a sanitizer, and under a library that replaces the clock: they do the same
# measured as alone, find the same errors, and their time is in the profile. Their runtimes wrap
# functions of libc, and are not ready when our constructor runs.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"

# Threads, memory and strings. With an argument it has an error for one of the sanitizers.
cat >sanitized.c <<'END'
/* Threads, memory and strings for tests/e2e/sanitizers.t, which builds it with each sanitizer. With
 * an argument it has an error for one of them: "memory" uses freed memory, "race" writes from two
 * threads, "overflow" overflows an int, "uninitialized" depends on what nobody wrote. */
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { THREADS = 4, ROUNDS = 4, STEPS = 2000000, EVERY = 100000 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long sum;
static volatile int raced, one = 1;
static volatile sig_atomic_t signals;

static void on_signal(int sig)
{
	(void)sig;
	signals++;
}

static long text_of(long x)
{
	char text[64], *copy;
	long n;

	snprintf(text, sizeof text, "%ld", x);
	copy = strdup(text);
	n = (long)strlen(copy);
	memset(copy, 'x', (size_t)n);
	n += copy[n / 2];
	free(copy);
	return n;
}

static void *work(void *arg)
{
	long s = 0, k = (long)arg;

	for (long i = 0; i < STEPS; i++) {
		s += i * k % 7;
		if (i % EVERY == 0)
			s += text_of(s);
	}
	pthread_mutex_lock(&lock);
	sum += s;
	pthread_mutex_unlock(&lock);
	return NULL;
}

static void *race(void *arg)
{
	for (int i = 0; i < EVERY; i++)
		raced++;
	return arg;
}

static void threads(void *(*what)(void *), int n)
{
	pthread_t t[THREADS];

	for (long i = 0; i < n; i++)
		pthread_create(&t[i], NULL, what, (void *)(i + 1));
	for (int i = 0; i < n; i++)
		pthread_join(t[i], NULL);
}

static int fault(const char *kind)
{
	if (strcmp(kind, "race") == 0) {
		threads(race, 2);
	} else if (strcmp(kind, "overflow") == 0) {
		raced = INT_MAX + one;
	} else if (strcmp(kind, "memory") == 0) {
		char *p = malloc(10);
		free(p);
		raced = p[one];
	} else {
		char *p = malloc(10);
		if (p[one] == 'x')
			puts("x");
		free(p);
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct sigaction act = {.sa_handler = on_signal};

	sigaction(SIGUSR1, &act, NULL);
	raise(SIGUSR1);
	for (int i = 0; i < ROUNDS; i++)
		threads(work, THREADS);
	printf("%ld %d\n", sum, (int)signals);
	return argc > 1 ? fault(argv[1]) : 3;
}
END

# The errors of one run, without what differs from run to run: addresses, numbers of processes and
# threads.
report() {
	sed -E 's/0x[0-9a-f]+/ADDRESS/g; s/==[0-9]+==/==PID==/g; s/(tid|pid|thread|finished)=[0-9]+/\1=N/g;
		s/\((pid|tid)[ =][^)]*\)/(N)/g' "$1" | grep -E 'SUMMARY|ERROR|WARNING|runtime error'
}
# same NAME PROGRAM ARGUMENT...: alone and measured, with status, output and errors.
same() {
	local name=$1 alone measured
	shift
	"$@" >alone.out 2>alone.err
	alone=$?
	rm -rf out
	timeout 120 "$hpcrun" -q -e CPUTIME@f2000 -o out "$@" >measured.out 2>measured.err
	measured=$?
	is "$name: status" "$measured" "$alone"
	check "$name: output" cmp alone.out measured.out
	is "$name: what is wrong" "$(report measured.err)" "$(report alone.err)"
}

declare -A error=([address]=memory [thread]=race [undefined]=overflow [memory]=uninitialized)
built() { # built COMPILER SANITIZER FLAG...: one program
	local name=$1-$2
	if ! echo 'int main(void) { return 0; }' | "$1" -fsanitize="$2" "${@:3}" -o probe -x c - 2>/dev/null ||
		! ./probe; then
		skip "$name" "$1 has no such sanitizer that runs here"
		return
	fi
	"$1" -O1 -g -w -pthread -fsanitize="$2" "${@:3}" -o "$name" sanitized.c || exit 1
	same "$name ${*:3}" "./$name"
	check "$name: its time is in it" test -n "$("$hpcprof" -q --json out | lib rows.py functions 'f["function"] == "work"')"
	same "$name ${*:3}, an error" "./$name" "${error[$2]}"
	check "$name: which was found" test -n "$(report alone.err)"
}
for sanitizer in address thread undefined; do
	built gcc $sanitizer
	built clang-14 $sanitizer
done
built gcc address -static-libasan
built clang-14 address -shared-libasan -Wl,-rpath,"$(dirname "$(clang-14 -print-file-name=libclang_rt.asan-x86_64.so)")"
built clang-14 memory

# ---- another clock -----------------------------------------------------------------------
if command -v faketime >/dev/null; then
	"$(program waitcpu)" total "$hpcrun" -q -o fake faketime -f '+0 x10' "$(program work)" loop 5000 >/dev/null
	said=$("$hpcprof" -q --json fake | "$python" -c 'import json, sys
print(json.load(sys.stdin)["metrics"][0]["total"])')
	note "the profile has $said ns, the parent saw $(cut -d' ' -f1 total) us"
	check "a clock that runs ten times as fast is the program's alone" \
		awk -v ours="$said" '{ exit !(ours > 0.7e3 * $1 && ours <= 1e3 * $1) }' total
else
	skip "another clock" "faketime is not installed"
fi
done_testing
