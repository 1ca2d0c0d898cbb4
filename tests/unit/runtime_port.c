/* The CPU port of this machine: a walk from here and from a handler finds the return addresses that
 * the functions on the stack noted; system calls. */
#include "tests/lib/unit/cmocka_all.h"

#include "runtime/cpu/cpu.h"
#include "runtime/os/os.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { DEEP = 40, FRAMES = 256 };

/* The return address of each level of the recursion, innermost last. */
static uintptr_t returns[DEEP];
static struct csprof_frame frames[FRAMES];
static int num_frames;
static int last_step;

static void walk(struct csprof_cursor *cur)
{
	uintptr_t low, high;

	os_main_stack(&low, &high);
	num_frames = 0;
	do {
		frames[num_frames++] =
		    (struct csprof_frame){.ip = cur->ip, .sp = cur->sp, .exact = cur->exact};
		last_step = csprof_cpu.step(cur, low, high);
	} while (last_step == CSPROF_STEP_OK && num_frames < FRAMES);
}

__attribute__((noinline)) static void walk_here(void)
{
	struct csprof_cursor cur = {0};

	csprof_cpu_here(&cur);
	walk(&cur);
}

static void handle(int sig, siginfo_t *info, void *context)
{
	struct csprof_cursor cur = {0};
	(void)sig, (void)info;

	csprof_cpu.from_context(&cur, context);
	assert_true(cur.exact);
	assert_int_equal(cur.ip, csprof_cpu.context_pc(context));
	assert_int_equal(cur.sp, csprof_cpu.context_sp(context));
	walk(&cur);
}

__attribute__((noinline)) static void raise_signal(void)
{
	raise(SIGUSR1);
	__asm__ volatile(""); /* no tail call */
}

__attribute__((noinline)) static int descend(int level, void (*at_the_end)(void))
{
	returns[level] = (uintptr_t)__builtin_return_address(0);
	if (level + 1 == DEEP)
		at_the_end();
	else
		descend(level + 1, at_the_end);
	__asm__ volatile("");
	return level;
}

/* All of them are found, next to each other, and the stack grows downwards; then the walk reached
 * the end of the stack. */
static void all_are_there(void)
{
	int at = 0;

	while (at < num_frames && frames[at].ip != returns[DEEP - 1])
		at++;
	assert_in_range(at + DEEP, DEEP, num_frames);
	for (int i = 0; i < DEEP; i++) {
		assert_int_equal(frames[at + i].ip, returns[DEEP - 1 - i]);
		assert_false(frames[at + i].exact);
		if (i)
			assert_true(frames[at + i].sp > frames[at + i - 1].sp);
	}
	assert_int_equal(last_step, CSPROF_STEP_END);
}

static void from_here(void **unused)
{
	(void)unused;
	descend(0, walk_here);
	all_are_there();
}

static void from_a_handler(void **unused)
{
	struct sigaction act = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO};
	(void)unused;

	sigaction(SIGUSR1, &act, NULL);
	descend(0, raise_signal);
	assert_true(frames[0].exact);
	all_are_there();
}

static void out_of_a_handler(void **unused)
{
	struct sigaction act = {.sa_flags = SA_SIGINFO};
	int exact = 0;
	(void)unused;

	act.sa_sigaction = (void (*)(int, siginfo_t *, void *))(void (*)(void))walk_here;
	sigaction(SIGUSR1, &act, NULL);
	descend(0, raise_signal);
	for (int i = 0; i < num_frames; i++)
		exact += frames[i].exact;
	assert_int_equal(exact, 1); /* the interrupted instruction */
	all_are_there();
}

static void calls_before_return_addresses(void **unused)
{
	(void)unused;
	descend(0, walk_here);
	for (int i = 0; i < DEEP; i++)
		assert_true(csprof_follows_call(returns[i]));
	assert_false(csprof_follows_call((uintptr_t)frames));
	assert_false(csprof_follows_call(0));
}

static void system_calls(void **unused)
{
	const long none[6] = {0}, bad[6] = {-1};
	(void)unused;

	errno = 4711;
	assert_int_equal(csprof_cpu_call(SYS_getpid, none), getpid());
	assert_int_equal(csprof_cpu_call(SYS_close, bad), -EBADF);
	assert_int_equal(csprof_raw_call(SYS_getppid, 0, 0, 0, 0, 0, 0), getppid());
	assert_int_equal(csprof_raw_call(SYS_close, -1, 0, 0, 0, 0, 0), -EBADF);
	assert_int_equal(errno, 4711);
}

/* All six arguments are passed: mmap has six. */
static void six_arguments(void **unused)
{
	static char text[] = "the port's mapped page";
	char path[] = "/tmp/hpctest.port.XXXXXX";
	int fd = mkstemp(path);
	(void)unused;

	assert_true(fd >= 0);
	unlink(path);
	assert_int_equal(ftruncate(fd, 1 << 17), 0);
	assert_int_equal(pwrite(fd, text, sizeof text, 1 << 16), sizeof text);
	const long args[6] = {0, 4096, 1 /* PROT_READ */, 2 /* MAP_PRIVATE */, fd, 1 << 16};
	long at = csprof_cpu_call(SYS_mmap, args);
	assert_string_equal((const char *)at, text);
	long again =
	    csprof_raw_call(SYS_mmap, args[0], args[1], args[2], args[3], args[4], args[5]);
	assert_string_equal((const char *)again, text);
	close(fd);
}

/* A handler of the program may return through the port's restorer. */
static volatile int handled;

static void count(int sig, siginfo_t *info, void *context)
{
	(void)sig, (void)info, (void)context;
	handled++;
}

static void restorer(void **unused)
{
	struct sigaction act = {.sa_sigaction = count, .sa_flags = SA_SIGINFO};
	(void)unused;

	handled = 0;
	assert_int_equal(os_sigaction_returning(SIGUSR2, &act, NULL, csprof_cpu_restorer), 0);
	for (int i = 0; i < 3; i++)
		raise(SIGUSR2);
	assert_int_equal(handled, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(from_here),        cmocka_unit_test(from_a_handler),
	    cmocka_unit_test(out_of_a_handler), cmocka_unit_test(calls_before_return_addresses),
	    cmocka_unit_test(system_calls),     cmocka_unit_test(six_arguments),
	    cmocka_unit_test(restorer),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
