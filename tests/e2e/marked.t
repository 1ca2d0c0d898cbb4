#!/bin/bash
# Walks that end at marked return addresses (--mark marks): the same paths as whole walks, and programs
# that do what they do alone.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"
. "$top/tests/lib/shell/stepping.sh"

[ "$(uname -m)" = x86_64 ] || skip_all 'return addresses are marked on x86-64 only'

# ---- at every instruction, and with gaps ------------------------------------------------
way=marks
stepped 1 recursion tail-calls same-size sizes jumps many-jumps handlers coroutines \
	coroutines-within stacks-above processes processes-within guesses pushes records generated
stepped 30 recursion same-size saved-sizes library jumps many-jumps handlers coroutines \
	coroutines-within stacks-above rethrown none-out processes processes-within guesses pushes records generated
# The marks are taken away for the program's own look at its stack, and stay away until it returns.
is 'backtrace and _Unwind_Backtrace see no slot' "$(stepping 1 '' traces | awk '{ print $1, $5, $6 }')" 'traces 0 '

# ---- each rule is needed ----------------------------------------------------------------
marked_without leaf many-jumps 1
marked_without call pushes 1
marked_without guess guesses 1
marked_without restore stacks-above 9
marked_without cell rethrown 30

# ---- whole programs ---------------------------------------------------------------------
cat >deep.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
static volatile unsigned sink;
static uintptr_t low, high; /* of libhpcrun.so */
static int find(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)size, (void)arg;
	if (!strstr(info->dlpi_name, "libhpcrun"))
		return 0;
	low = info->dlpi_addr;
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_LOAD)
			high = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr + info->dlpi_phdr[i].p_memsz;
	return 0;
}
/* How many words of the stack up to its base are addresses in that library. */
static const uintptr_t *base;
static int foreign_words(void)
{
	int n = 0;
	const volatile uintptr_t here = 0;
	for (const uintptr_t *at = (const uintptr_t *)&here; at < base; at++)
		n += *at >= low && *at < high;
	return n;
}
static double cpu_time(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}
static void use(double s)
{
	for (double until = cpu_time() + s; cpu_time() < until;)
		for (int i = 0; i < 200000; i++)
			sink += (unsigned)i;
}
__attribute__((noinline)) void stop_here(void)
{
	sink++;
}
static int bottom(const char *what)
{
	int n, status;
	void *trace[64];
	use(0.1);
	n = foreign_words();
	printf("marked %d\n", n > 100);
	if (strcmp(what, "fork") == 0) {
		fflush(stdout);
		pid_t child = fork();
		if (child == 0) {
			printf("child %d\n", foreign_words() > 100);
			fflush(stdout);
			use(0.05);
			return 3;
		}
		waitpid(child, &status, 0);
		printf("ended %d\n", WEXITSTATUS(status));
		printf("parent %d\n", foreign_words() > 100);
	} else if (strcmp(what, "trace") == 0) {
		n = backtrace(trace, 64);
		for (int i = 0; i < 64 && n == 64; i++)
			n -= (uintptr_t)trace[i] >= low && (uintptr_t)trace[i] < high;
		printf("traced %d\n", n);
		use(0.05);
		printf("again %d\n", foreign_words() > 100);
	} else if (strcmp(what, "abort") == 0) {
		fflush(stdout);
		abort();
	} else if (strcmp(what, "stop") == 0) {
		fflush(stdout);
		stop_here();
	} else if (strcmp(what, "-") != 0) {
		printf("loaded %d\n", dlopen(what, RTLD_NOW) != NULL);
		printf("after %d\n", foreign_words() > 100);
		use(0.05);
		printf("later %d\n", foreign_words() > 100);
	}
	return 0;
}
static int deep(int depth, const char *what)
{
	int r = depth > 0 ? deep(depth - 1, what) : bottom(what);
	sink++;
	return r;
}
int main(int argc, char **argv)
{
	dl_iterate_phdr(find, NULL);
	base = (const uintptr_t *)(argv - 1);
	return deep(200, argc > 1 ? argv[1] : "-");
}
END
"${CC:-gcc}" -g -O1 -fno-optimize-sibling-calls -o deep deep.c || exit 1
for name in libruby-none.so libother-none.so; do
	echo 'int some;' | "${CC:-gcc}" -shared -fPIC -x c -o $name - || exit 1
done

# ran OPTION... WHAT: the program at 5 kHz; its output in one line.
ran() {
	rm -rf ran
	"$hpcrun" -q -e CPUTIME@f5000 -o ran "${@:1:$#-1}" ./deep "${@: -1}" 2>said | paste -sd' '
}
is 'with marks the return addresses are slots' "$(ran --mark marks -)" 'marked 1'
is 'otherwise they are not' "$(ran --mark memo -) $(ran --mark whole -)" 'marked 0 marked 0'
# A sample may mark the child before it looks.
for _ in 1 2 3 4 5 6; do
	forked=$(ran --mark marks fork)
	[[ $forked != *'child 0'* ]] || break
done
is 'a forked child has none, and returns through all its frames' "$forked" 'marked 1 child 0 ended 3 parent 1'
is 'backtrace finds none, and then they are made again' "$(ran --mark marks trace)" \
	'marked 1 traced 64 again 1'
is 'a library beside which nothing is marked is loaded: they are taken away, and none are made' \
	"$(ran -v process --mark marks ./libruby-none.so)" 'marked 1 loaded 1 after 0 later 0'
check 'that is said' says said 'return addresses are not marked: Ruby copies stacks'
mv ran ruby-data
is 'unless it is asked for' "$(ran -v process --mark always ./libruby-none.so)" \
	'marked 1 loaded 1 after 1 later 1'
is 'then it is not' "$(grep -c 'not marked' said)" 0
is 'another library' "$(ran --mark marks ./libother-none.so)" 'marked 1 loaded 1 after 1 later 1'

# An unwinder that is linked into the program.
cat >linked.cc <<'END'
#include <cstdio>
#include <stdexcept>
static int f(int n)
{
	if (n == 0)
		throw std::runtime_error("bottom");
	int r = f(n - 1) + 1;
	asm volatile("");
	return r;
}
int main()
{
	int caught = 0;
	for (int i = 0; i < 30000; i++)
		try {
			f(i % 50);
		} catch (const std::exception &) {
			caught++;
		}
	std::printf("%d\n", caught);
}
END
"${CXX:-g++}" -O1 -static-libgcc -static-libstdc++ -o linked linked.cc || exit 1
is 'exceptions in a program with an unwinder of its own' \
	"$("$hpcrun" -q -e CPUTIME@f5000 --budget 100 --mark marks -o linked-data ./linked 2>&1; echo $?)" '30000
0'

# ---- code that looks at return addresses ------------------------------------------------
cat >counted.c <<'END'
static volatile unsigned sink;
__attribute__((noinline)) void third(void)
{
	sink++;
}
__attribute__((noinline)) void second(int n)
{
	for (int i = 0; i < n; i++)
		third();
	sink++;
}
__attribute__((noinline)) void first(int n)
{
	second(n);
	second(n);
	sink++;
}
int main(void)
{
	for (int i = 0; i < 400000; i++)
		first(5);
	return 0;
}
END
if "${CC:-gcc}" -g -O1 -pg -o counted counted.c 2>/dev/null && ./counted; then
	lib gmon.py gmon.out >alone
	is 'a program that was compiled for gprof counts its calls' "$(awk '{ printf "%d ", $1 }' alone)" '400000 800000 4000000 '
	"$hpcrun" -q -e CPUTIME@f10000 --budget 100 --mark marks -o counted-data ./counted
	is 'and the same while it is measured' "$(lib gmon.py gmon.out | diff alone -)" ''
	check 'and is marked' bash -c '"$1" --activations counted-data | grep -q " first *counted$"' - "$hpcprof"
else
	skip 'programs for gprof cannot be made' 3
fi
# reported PATTERN DATA...: in the report, wherever its lines break.
reported() {
	"$hpcprof" "${@:2}" | paste -sd' ' | tr -s ' ' | grep -q "$1"
}
cat >instrumented.c <<'END'
#include <stdio.h>
static void *entered;
static unsigned wrong;
__attribute__((no_instrument_function)) void __cyg_profile_func_enter(void *f, void *site)
{
	(void)f;
	entered = site;
}
__attribute__((no_instrument_function)) void __cyg_profile_func_exit(void *f, void *site)
{
	(void)f;
	wrong += site != entered;
}
__attribute__((noinline, no_instrument_function)) void work(void)
{
	for (volatile int i = 0; i < 1000; i++)
		;
}
__attribute__((noinline)) void f(void)
{
	work();
}
int __attribute__((no_instrument_function)) main(void)
{
	for (int i = 0; i < 200000; i++)
		f();
	printf("%d\n", wrong != 0);
	return 0;
}
END
"${CC:-gcc}" -g -O1 -finstrument-functions -rdynamic -o instrumented instrumented.c || exit 1
is 'functions that are instrumented are not marked' \
	"$("$hpcrun" -q -v process -e CPUTIME@f5000 --mark marks -o instrumented-data ./instrumented 2>said)" 0
check 'and that is said' says said 'not marked: instrumented functions'
check 'in the report, too' reported 'not marked.* in 1 of 1 .*: instrumented functions look at return addresses\.' instrumented-data
check 'where there are several reasons, one is given' \
	reported 'not marked.* in 2 of 2 .*: .*, or for other reasons' ruby-data instrumented-data
if "$python" -c 'import greenlet' 2>/dev/null; then
	cat >switching.py <<'END'
import greenlet
def other():
    n = 0
    while True:
        n += sum(i for i in range(300))
        main.switch(n)
main = greenlet.getcurrent()
def deep(n, g):
    return g.switch() if n == 0 else deep(n - 1, g)
gs = [greenlet.greenlet(other) for i in range(20)]
print(sum(deep(i % 30, gs[i % 20]) for i in range(20000)))
END
	is 'greenlets, which copy stacks' \
		"$("$hpcrun" -q -e CPUTIME@f5000 --mark marks -o greenlets "$python" switching.py)" "$("$python" switching.py)"
	check 'are not marked, as the report says' reported 'not marked.*: greenlets copy stacks' greenlets
else
	skip 'python3-greenlet is not installed' 2
fi

# ---- debuggers --------------------------------------------------------------------------
# frames GDB-OPTION...: what bt prints, but for addresses and what is outside of main.
frames() {
	gdb -nx -batch "$@" 2>&1 | sed -n '/^#/ { s/0x[0-9a-f]*//g; p; / main (/q; }'
}
if command -v gdb >/dev/null; then
	frames -ex 'break stop_here' -ex run -ex bt --args ./deep stop >alone
	is 'alone, gdb shows all frames' "$(grep -c ' deep (' alone)" 201
	"$hpcrun" -q --only deep -e CPUTIME@f5000 --mark marks -o gdb gdb -nx -batch -x "$top/share/gdb/hpcrun.py" \
		-ex 'break stop_here' -ex run -ex 'p foreign_words() > 100' -ex bt --args ./deep stop >said 2>&1
	is 'with share/gdb/hpcrun.py it shows the same of a marked program' \
		"$(sed -n '/^#/ { s/0x[0-9a-f]*//g; p; / main (/q; }' said | diff alone -)" ''
	check 'which was marked' says said '^marked 1'
	# the command calls a function of the program: gdb 13 cannot where the CPU has AMX
	if gdb -nx -batch -ex 'break stop_here' -ex run -ex 'p foreign_words()' --args ./deep stop 2>&1 |
		grep -q '^.1 = '; then
		check 'and is no more' says said '^.1 = 0'
	else
		skip 'and is no more' 'gdb cannot call functions of a program on this machine'
	fi
	if ulimit -S -c unlimited 2>/dev/null && [ "$(cat /proc/sys/kernel/core_pattern)" = core ]; then
		(mkdir -p cores && cd cores && "$hpcrun" -q -e CPUTIME@f5000 --mark marks -o ../core ../deep abort >../said 2>&1)
		frames -ex bt ./deep cores/core* >of-core
		is 'a core dump shows all frames, and nothing else' \
			"$(cat said | head -1) $(grep -c ' deep (' of-core) $(grep -c 'csprof' of-core)" 'marked 1 201 0'
	else
		skip 'core dumps are not written to where the program runs' 1
	fi
else
	skip 'gdb is not installed' 5
fi

# The names of what takes most of the time.
for mark in whole marks; do
	"$hpcrun" -q --mark $mark -o "deep-$mark" ./deep - >/dev/null
	"$hpcprof" tree "deep-$mark" | sed 's/ ([0-9,]* activations* of .*//' | awk '$1 == "*" { print $NF }' |
		sort -u >"hot-$mark"
done
check 'whole and marked walks find the same hot path' diff hot-whole hot-marks

# continued FILE: how many walks were continued, and how many of them differed.
continued() {
	awk -F: '/walks continued/ { n += $NF } /another way/ { d += $NF } END { print (n > 0), d + 0 }' "$1"
}
# compared NAME COMMAND...: with -D walks no walk goes on in another way.
compared() {
	"$hpcrun" -q -D walks --mark marks -e CPUTIME@f5000 -o compared "${@:2}" >/dev/null 2>said
	is "$1: its status, and no walk goes on in another way" "$? $(continued said)" '0 1 0'
	rm -rf compared
}
compared python3 python3 -c '
def f(n): return n if n < 2 else f(n - 1) + f(n - 2)
def g(n): return f(18) if n == 0 else g(n - 1)
for i in range(5): g(90)'
compared 'perl' perl -e 'sub f { my $n = shift; $n < 2 ? $n : f($n - 1) + f($n - 2) } f(21)'
compared 'the compiler' "${CC:-gcc}" -O2 -c -o deep.o deep.c
compared 'a shell that forks' bash -c 'f() { local i; for ((i = 0; i < 3000; i++)); do :; done; (: | cat); }
	g() { if (($1)); then g $(($1 - 1)); else f; fi; }
	for i in 1 2 3 4 5; do g 40; done'
done_testing
