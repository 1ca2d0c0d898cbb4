#!/bin/bash
# Stacks: calls that go on in our handler, on an alternate stack: the program's own handlers, which
# are not meant for that stack, must not find themselves there, and no call may show EINTR
# for a sample. And stacks that are too small for a signal.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"

cat >stacks.c <<'END'
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <sys/time.h>
#include <time.h>
enum { STACK = 8192, FAR = 1 << 20, BEFORE = 64 * 1024, FRAME = 6000, PATTERN = 0x5a };
static char *stack;
static uintptr_t usual; /* an address on the thread's own stack */
static volatile sig_atomic_t handled, on_stack;
static void on(int sig)
{
	volatile char large[FRAME];
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);
	for (int i = 0; i < FRAME; i++)
		large[i] = (char)sig;
	handled++;
	if (here + FAR < usual || here > usual + FAR)
		on_stack++;
}
static double cpu_time(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}
/* How many of the calls ended with EINTR in that much CPU time. */
static long wait_often(double seconds)
{
	long cut = 0;
	struct timespec pause = {0, 50000};
	for (double until = cpu_time() + seconds; cpu_time() < until;) {
		struct timeval brief = {0, 50};
		cut += poll(NULL, 0, 1) < 0;
		cut += nanosleep(&pause, NULL) < 0;
		cut += select(0, NULL, NULL, NULL, &brief) < 0;
	}
	return cut;
}
int main(void)
{
	struct sigaction act = {.sa_handler = on};
	struct itimerval often = {{0, 300}, {0, 300}}, never = {{0, 0}, {0, 0}};
	char *memory = malloc(BEFORE + STACK);
	long spoilt = 0, cut;
	if (!memory)
		return 1;
	memset(memory, PATTERN, BEFORE);
	stack = memory + BEFORE;
	usual = (uintptr_t)__builtin_frame_address(0);
	if (sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = STACK}, NULL) != 0)
		return 1;
	sigaction(SIGALRM, &act, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	wait_often(0.2);
	setitimer(ITIMER_REAL, &never, NULL);
	cut = wait_often(0.2);
	for (int i = 0; i < BEFORE; i++)
		spoilt += memory[i] != PATTERN;
	printf("handled %s, %d on the stack, %ld bytes spoilt, %ld calls cut\n",
	       handled > 100 ? "often" : "hardly", on_stack, spoilt, cut);
	return 0;
}
END
"${CC:-gcc}" -O1 -D_GNU_SOURCE -o stacks stacks.c || exit 1
expected='handled often, 0 on the stack, 0 bytes spoilt, 0 calls cut'
is 'without us it is so' "$(timeout 60 ./stacks)" "$expected"
for rate in 1000 20000; do
	is "and at $rate samples a second" \
		"$(timeout -s KILL 100 "$hpcrun" -q -e CPUTIME@f$rate -o "d$rate" ./stacks 2>&1)" "$expected"
done

# A handler's frame leads to what it interrupted, also for those who walk the stack themselves.
unwound=$("$(program unwound)")
is "libc's backtrace goes through a handler" "$(wc -w <<<"$unwound")" 5
is "and it does when measured" "$("$hpcrun" -q -o unwound "$(program unwound)")" "$unwound"

# ---- too small --------------------------------------------------------------------------
for kind in alternate handled least given; do
	expected=$("$(program tiny)" $kind)
	is "$kind: it lives alone" "$?" 0
	for rate in 1000 5000; do
		is "$kind: and does the same at $rate samples a second" \
			"$("$hpcrun" -q -e CPUTIME@f$rate -o "$kind-$rate" "$(program tiny)" $kind)" "$expected"
		check "$kind: its time has call paths" \
			test -n "$("$hpcprof" -q --json "$kind-$rate" | lib rows.py functions 'f["function"] == "burn" and f["total"][0] > 1e8')"
	done
done

# gperftools' heap checker has a process on a stack that begins 4 KB below that of its parent.
export HEAPCHECK=normal
expected=$("$(program tiny)" below)
is 'below: it lives alone' "$?" 0
for rate in 1000 5000; do
	is "below: and does the same at $rate samples a second" \
		"$("$hpcrun" -q -e CPUTIME@f$rate -o "below-$rate" "$(program tiny)" below)" "$expected"
done
is 'and in a program that another one executes' \
	"$("$hpcrun" -q -o below-sh sh -c '"$0" below' "$(program tiny)")" "$expected"
unset HEAPCHECK
done_testing
