#!/bin/bash
# Load maps: modules that take each other's place, modules that merely come, threads'
# creators, and the vdso.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"

# Plugins of one layout, so that the loader puts each where the one before stood.
for name in first second third; do
	gcc -O1 -g -shared -fPIC -o $name.so -x c - <<END
#include <time.h>
static volatile unsigned sink;
__attribute__((noinline)) static void burn_$name(long ms)
{
	struct timespec t;
	long until;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	until = t.tv_sec * 1000 + t.tv_nsec / 1000000 + ms;
	do {
		for (int i = 0; i < 1000; i++)
			sink += i;
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	} while (t.tv_sec * 1000 + t.tv_nsec / 1000000 < until);
}
void work(int ms) { burn_$name(ms); sink++; }
END
done

check "plugins in each other's place can be measured" \
	sh -c "'$hpcrun' -q -o data '$(program epochs)' 100 ./first.so ./second.so ./third.so >addresses"
"$hpcprof" text --all --no-inline -n 1000 data >report 2>errors
same=$(sort -u addresses | wc -l)
note "$same distinct addresses of 8"
for name in first second third; do
	check "burn_$name has its own share" awk -v f=burn_$name '
		/^Functions/ { on = 1 } /^Lines/ { on = 0 }
		on && $0 ~ f { n = 0; for (i = 1; i <= NF; i++) if ($i ~ /%$/ && ++n == 2) total = $i + 0 }
		END { low = (f == "burn_third") ? 18 : 30; exit !(total > low && total < low + 15) }' report
done
"$hpcprof" dump data/*.csp >dump
epochs=$(awk '/num_epochs/ { print $NF; exit }' dump)
note "$epochs epochs"
if [ "$same" -lt 8 ]; then
	check "an address that changes its meaning makes an epoch, and the same maps make no more" \
		test "$epochs" -ge 2 -a "$epochs" -le 6
else
	skip "an address that changes its meaning makes an epoch" "the loader gave each plugin a place of its own"
fi
check "threads know the call that made them" awk '/tree [0-9]+:  thread [12] / && /creator_tree 4294967295/ { bad = 1 }
	/tree [0-9]+:  thread [12] / { seen = 1 } END { exit bad || !seen }' dump
creator=$(awk '/tree [0-9]+:  thread 1 / { for (i = 1; i < NF; i++) { if ($i == "creator_tree") t = $(i+1); if ($i == "creator_node") n = $(i+1) } print t, n; exit }' dump)
check "which is a node of begin_threads" lib recorded.py "$hpcprof" data "$(program epochs)" node $creator begin_threads
check "the vdso is saved beside" sh -c "ls data/vdso-* && file=\$(ls data/vdso-*) &&
	readelf -h \$file | grep -q 'DYN' && readelf -n \$file | grep -q \$(basename \$file | cut -d- -f2)"
# The code is gone by the end: it must have been noticed while it ran. The rest is the start of the
# process, which takes much of 300 ms where memory is slow to get.
check "code that a program makes can be measured" sh -c "'$hpcrun' -q -o made '$(program jit)' 300 >/dev/null"
check "and is [anonymous]" sh -c "'$hpcprof' --all made | awk '/^[A-Z]/ { on = /^Load modules/ } on && /\\[anonymous\\]/ { good = \$1 + 0 > 75 } END { exit !good }'"
check "and its paths come to main by frame pointers" sh -c "'$hpcprof' --all made | awk '/samples are complete/ { good = \$3 + 0 >= 99 } END { exit !good }'"
check "the accounts add up" lib account.py data made

# A dlopen that is not left as it was entered: by a child, which returns from its parent's,
# by longjmp, or by the thread's end. It is not thought to go on for ever: what runs where a
# module was is in doubt only while a dlopen does go on.
cat >left.c <<'END'
#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
enum { PAGE = 4096 };
static char way;
static jmp_buf back;
static pid_t child;
static void *code;
static void run_code(void)
{
	struct timespec t;
	do {
		for (int i = 0; i < 1000; i++)
			((void (*)(void))code)();
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	} while (t.tv_sec == 0 && t.tv_nsec < 300000000);
}
void in_constructor(void)
{
	if (way == 'f')
		child = fork();
	else if (way == 'j')
		longjmp(back, 1);
	else if (way == 't')
		pthread_exit(NULL);
	else
		run_code();
}
static void *load(void *arg)
{
	dlopen("./left.so", RTLD_NOW);
	return arg;
}
/* Where a module was is code that counts down and returns. */
static void *make_code(void)
{
	static const unsigned char code[] = {
#if defined(__x86_64__)
	    0xb9, 0xe8, 0x03, 0x00, 0x00, 0xff, 0xc9, 0x75, 0xfc, 0xc3
#elif defined(__aarch64__)
	    0x00, 0x7d, 0x80, 0xd2, 0x00, 0x04, 0x00, 0xf1,
	    0xe1, 0xff, 0xff, 0x54, 0xc0, 0x03, 0x5f, 0xd6
#endif
	};
	void *library = dlopen("./first.so", RTLD_NOW);
	char *p = library ? dlsym(library, "work") : NULL;
	if (!p)
		_exit(9);
	p -= (unsigned long)p % PAGE;
	dlclose(library);
	if (mmap(p, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != p)
		_exit(8);
	memcpy(p, code, sizeof code);
	__builtin___clear_cache(p, p + sizeof code);
	return p;
}
int main(int argc, char **argv)
{
	pthread_t thread;
	way = argc == 2 ? *argv[1] : 0;
	if (way == 'f')
		load(NULL);
	if (child > 0) {
		waitpid(child, NULL, 0);
		return 0;
	}
	code = make_code();
	if (way == 'j' && !setjmp(back))
		load(NULL);
	if (way == 't' && pthread_create(&thread, NULL, load, NULL) == 0)
		pthread_join(thread, NULL);
	if (way == 's')
		load(NULL);
	run_code();
	_exit(0); /* the loader's lock may be held for ever */
}
END
printf 'void in_constructor(void);\n__attribute__((constructor)) static void begin(void) { in_constructor(); }\n' |
	gcc -shared -fPIC -o left.so -x c - && gcc -O1 -rdynamic -o left left.c -ldl -pthread
for way in fork jump thread stay; do
	check "dlopen, $way: can be measured" timeout 60 "$hpcrun" -q -o "left-$way" ./left $way
done
# doubtful WAY: percent of the samples that were in doubt
doubtful() {
	lib account.py "left-$1" | awk '/ recorded / { n = $2 } /load map changing/ { doubt = $4 }
		END { print (n + doubt > 50 ? int(100 * doubt / (n + doubt)) : "too few") }'
}
for way in fork jump thread; do
	check "after $way next to nothing is in doubt" test "$(doubtful $way)" -lt 10
done
check "while a constructor runs, it is" test "$(doubtful stay)" -gt 75

# A synchronous metric, through a wrapper that only the test build has.
check "a wrapper can record" "$BUILD/oracle/bin/hpcrun" -q -o recorded "$(program record)"
check "at the caller with 2 unwinds" lib recorded.py "$hpcprof" recorded "$(program record)" amount 123457 blamed_callee
check "at the caller's caller with 3" lib recorded.py "$hpcprof" recorded "$(program record)" amount 765433 blamed_caller
done_testing
