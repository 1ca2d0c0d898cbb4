/*
 * The unwinder's parts: rules that few programs use, code without rules, calls before a return
 * address, interrupted system calls, and libunwind loaded together with libgcc.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "runtime/cpu/cpu.h"
#include "runtime/os/os.h"
#include "runtime/sample/unwind_libunwind.h"
#include "tests/lib/unit/cmocka_all.h"
#include "tests/lib/unit/walk.h"

/*
 * Functions with unusual frames. Each calls the function that its argument names, and
 * returns what that returns.
 *
 * by_rbx        CFA in rbx, the stack pointer aligned to 64 (as the loader's resolver)
 * by_r12        CFA in r12, and rbx saved farther than a recipe can say
 * by_expression CFA by an expression through rbp (as functions of gcc that realign)
 * without_rules no unwind information, aligned stack
 * with_rbp      no unwind information, a frame pointer
 */
__asm__(".text\n"
	"by_rbx:\n"
	"	.cfi_startproc\n"
	"	push %rbx\n"
	"	.cfi_def_cfa_offset 16\n"
	"	.cfi_offset %rbx, -16\n"
	"	mov %rsp, %rbx\n"
	"	.cfi_def_cfa_register %rbx\n"
	"	and $-64, %rsp\n"
	"	call *%rdi\n"
	"	mov %rbx, %rsp\n"
	"	.cfi_def_cfa_register %rsp\n"
	"	pop %rbx\n"
	"	.cfi_def_cfa_offset 8\n"
	"	.cfi_restore %rbx\n"
	"	ret\n"
	"	.cfi_endproc\n"
	"by_r12:\n"
	"	.cfi_startproc\n"
	"	push %r12\n"
	"	.cfi_def_cfa_offset 16\n"
	"	.cfi_offset %r12, -16\n"
	"	mov %rsp, %r12\n"
	"	.cfi_def_cfa_register %r12\n"
	"	sub $4096, %rsp\n"
	"	mov %rbx, (%rsp)\n"
	"	.cfi_offset %rbx, -4112\n"
	"	and $-16, %rsp\n"
	"	mov $1, %ebx\n"
	"	call *%rdi\n"
	"	mov -4096(%r12), %rbx\n"
	"	.cfi_restore %rbx\n"
	"	mov %r12, %rsp\n"
	"	.cfi_def_cfa_register %rsp\n"
	"	pop %r12\n"
	"	.cfi_def_cfa_offset 8\n"
	"	ret\n"
	"	.cfi_endproc\n"
	"by_expression:\n"
	"	.cfi_startproc\n"
	"	lea 8(%rsp), %r10\n"
	"	.cfi_def_cfa %r10, 0\n"
	"	and $-32, %rsp\n"
	"	push -8(%r10)\n"
	"	push %rbp\n"
	"	mov %rsp, %rbp\n"
	"	.cfi_escape 0x10,0x6,0x2,0x76,0\n"
	"	push %r10\n"
	"	.cfi_escape 0xf,0x3,0x76,0x78,0x6\n"
	"	sub $24, %rsp\n"
	"	call *%rdi\n"
	"	mov -8(%rbp), %r10\n"
	"	.cfi_def_cfa %r10, 0\n"
	"	leave\n"
	"	lea -8(%r10), %rsp\n"
	"	.cfi_def_cfa %rsp, 8\n"
	"	ret\n"
	"	.cfi_endproc\n"
	"without_rules:\n"
	"	sub $8, %rsp\n"
	"	call *%rdi\n"
	"	add $8, %rsp\n"
	"	ret\n"
	"with_rbp:\n"
	"	push %rbp\n"
	"	mov %rsp, %rbp\n"
	"	sub $64, %rsp\n"
	"	call *%rdi\n"
	"	leave\n"
	"	ret\n"
	"calls_nothing:\n"
	"	mov $39, %eax\n"
	"	syscall\n"
	"after_constant:\n"
	"	ret\n"
	"	.byte 0x48, 0xc7, 0xc0, 0xca, 0, 0, 0\n"
	"	syscall\n"
	"after_long_constant:\n"
	"	ret\n"
	"	mov $326, %eax\n"
	"	mov 16(%rsp), %rsi\n"
	"	mov 8(%rsp), %edi\n"
	"	syscall\n"
	"after_loads:\n"
	"	ret\n"
	"	nop; nop; nop; nop; nop\n"
	"	xor %eax, %eax\n"
	"	syscall\n"
	"after_zero:\n"
	"	ret\n"
	"	nop; nop; nop; nop; nop; nop; nop\n"
	"	syscall\n"
	"after_unknown:\n"
	"	ret\n"
	"	nop\n"
	"ends_in_call:\n"
	"	xor %rdi, %rdi\n"
	"	call calls_nothing\n"
	"	hlt\n"
	"ends_in_pointer:\n"
	"	xor %edi, %edi\n"
	"	.byte 0xff, 0x15, 0, 0, 0, 0\n"
	"ends_at_once:\n"
	"	hlt\n"
	"goes_on:\n"
	"	xor %edi, %edi\n"
	"	call calls_nothing\n"
	"	ret\n");

typedef int (*through)(int (*)(void));
int by_rbx(int (*)(void));
int by_r12(int (*)(void));
int by_expression(int (*)(void));
int without_rules(int (*)(void));
int with_rbp(int (*)(void));
extern const char after_constant[], after_long_constant[], after_loads[], after_zero[],
    after_unknown[];
extern const char ends_in_call[], ends_in_pointer[], ends_at_once[], goes_on[];

#define MAX_FRAMES 64

static struct csprof_frame base[MAX_FRAMES], walked[MAX_FRAMES];
static int base_count, walked_count, last_step;

__attribute__((noinline)) static int walk_here(void)
{
	struct csprof_cursor cur;

	csprof_cpu_here(&cur);
	last_step = walk_from(&cur, walked, MAX_FRAMES, &walked_count);
	return 7;
}

/* A frame that uses callee-saved registers on both sides of the odd one. */
__attribute__((noinline)) static int between(int (*function)(void), through way)
{
	return way(function) + (int)walked[1].exact;
}

static through next_way;

static int next(void)
{
	return between(walk_here, next_way);
}

static void record_base(void)
{
	struct csprof_cursor cur;

	csprof_cpu_here(&cur);
	assert_int_equal(walk_from(&cur, base, MAX_FRAMES, &base_count), CSPROF_STEP_END);
	assert_true(base_count >= 3);
}

/* The walk through `odd` odd frames ends like the walk from the test. */
static void check_outer(int odd)
{
	assert_int_equal(last_step, CSPROF_STEP_END);
	/* walk_here, and for each odd frame itself and its caller; the rest is known */
	assert_true(walked_count >= base_count + 1 + odd);
	for (int i = 1; i < base_count; i++) {
		const struct csprof_frame *f = &walked[walked_count - base_count + i];

		if (i > 1) /* the test itself has advanced */
			assert_int_equal(f->ip, base[i].ip);
		assert_int_equal(f->sp, base[i].sp);
	}
}

static const through ways[] = {by_rbx, by_r12, by_expression, without_rules, with_rbp};
#define WAYS (sizeof(ways) / sizeof(ways[0]))

static void test_odd_frames(void **state)
{
	(void)state;
	for (size_t a = 0; a < WAYS; a++) {
		record_base();
		assert_int_equal(between(walk_here, ways[a]), 7);
		check_outer(1);
	}
}

/* Registers that one frame needs are saved by another. After a frame that was guessed from rbp the
 * other registers are unknown, so it is not in this test. */
static void test_odd_frames_in_pairs(void **state)
{
	(void)state;
	for (size_t a = 0; a < WAYS; a++) {
		for (size_t b = 0; b < WAYS; b++) {
			if (ways[b] == with_rbp)
				continue;
			record_base();
			next_way = ways[b];
			assert_int_equal(between(next, ways[a]), 7);
			check_outer(2);
		}
	}
}

static void test_here(void **state)
{
	uintptr_t kept[2] = {0};
	struct csprof_cursor cur;

	(void)state;
	assert_int_equal(walk_learn_stack(), 0);
	memset(&cur, 0xff, sizeof(cur));
	csprof_cpu_here(&cur);
	assert_true(csprof_follows_call(cur.ip));
	assert_false(cur.exact);
	assert_null(cur.cell);
	assert_int_equal(cur.known, 0xf008);
	assert_true(cur.sp <= (uintptr_t)kept && cur.sp + 4096 > (uintptr_t)kept);
}

static void test_progress(void **state)
{
	struct csprof_cursor cur, before;

	(void)state;
	csprof_cpu_here(&cur);
	before = cur;
	/* No word of the stack may be read. */
	assert_int_equal(csprof_cpu.step(&cur, cur.sp, cur.sp), CSPROF_STEP_BAD);
	assert_memory_equal(&cur, &before, sizeof(cur));
	assert_int_equal(csprof_cpu.step(&cur, walk_stacks[0].high, walk_stacks[0].high),
			 CSPROF_STEP_BAD);
	assert_memory_equal(&cur, &before, sizeof(cur));
	assert_int_equal(csprof_cpu.step(&cur, cur.sp, walk_stacks[0].high), CSPROF_STEP_OK);
	assert_true(cur.sp > before.sp);
	assert_int_equal((uintptr_t)cur.cell, cur.sp - sizeof(uintptr_t));
	assert_int_equal(*cur.cell, cur.ip);
}

/* One step from a return address without rules, with this stack. */
static int step_from(const char *ip, const uintptr_t *stack, size_t words, size_t bp)
{
	struct csprof_cursor cur = {.ip = (uintptr_t)ip,
				    .sp = (uintptr_t)stack,
				    .bp = (uintptr_t)(stack + bp),
				    .exact = false};

	return csprof_cpu.step(&cur, (uintptr_t)stack, (uintptr_t)(stack + words));
}

/* Coroutines of Boost begin in code that ends the process when they return. */
static void test_end_of_process(void **state)
{
	static const uintptr_t stack[8];

	(void)state;
	assert_int_equal(step_from(ends_in_call, stack, 8, 4), CSPROF_STEP_END);
	assert_int_equal(step_from(ends_in_pointer, stack, 8, 4), CSPROF_STEP_END);
	assert_int_equal(step_from(ends_at_once, stack, 8, 4), CSPROF_STEP_END);
	assert_int_equal(step_from(goes_on, stack, 8, 4), CSPROF_STEP_NO_INFO);
}

/* Goroutines begin with a frame pointer of 0, and return to the second byte of a function. */
static void test_first_frame(void **state)
{
	uintptr_t stack[8] = {0};

	(void)state;
	stack[5] = (uintptr_t)after_unknown + 1;
	assert_int_equal(step_from(goes_on, stack, 8, 4), CSPROF_STEP_END);
	stack[4] = 16; /* not the first */
	assert_int_equal(step_from(goes_on, stack, 8, 4), CSPROF_STEP_NO_INFO);
	stack[4] = 0;
	stack[5] = (uintptr_t)stack; /* no code */
	assert_int_equal(step_from(goes_on, stack, 8, 4), CSPROF_STEP_NO_INFO);
	stack[5] = (uintptr_t)after_unknown + 1; /* beyond the stack */
	assert_int_equal(step_from(goes_on, stack, 5, 4), CSPROF_STEP_NO_INFO);
}

/* Bytes that end at a return address, in memory that is a module according to a table. */
static void test_follows_call(void **state)
{
	static const struct {
		uint8_t code[8];
		unsigned length;
		bool call;
	} cases[] = {
	    {{0xe8, 1, 2, 3, 4}, 5, true},
	    {{0xff, 0xd0}, 2, true},                                /* call *%rax */
	    {{0x41, 0xff, 0xd3}, 3, true},                          /* call *%r11 */
	    {{0xff, 0x10}, 2, true},                                /* call *(%rax) */
	    {{0xff, 0x14, 0x24}, 3, true},                          /* call *(%rsp) */
	    {{0xff, 0x50, 0x08}, 3, true},                          /* call *8(%rax) */
	    {{0xff, 0x54, 0x24, 0x08}, 4, true},                    /* call *8(%rsp) */
	    {{0xff, 0x15, 0, 1, 0, 0}, 6, true},                    /* call *256(%rip) */
	    {{0xff, 0x90, 0, 1, 0, 0}, 6, true},                    /* call *256(%rax) */
	    {{0xff, 0x94, 0x24, 0, 1, 0, 0}, 7, true},              /* call *256(%rsp) */
	    {{0xff, 0x14, 0xc5, 0, 1, 0, 0}, 7, true},              /* call *256(,%rax,8) */
	    {{0xff, 0xe0}, 2, false},                               /* jmp *%rax */
	    {{0xe9, 1, 2, 3, 4}, 5, false},                         /* jmp */
	    {{0xff, 0x14}, 2, false},                               /* no SIB byte */
	    {{0xff, 0xd8}, 2, false},                               /* no such instruction */
	    {{0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90}, 7, false}, /* nop */
	};
	static union {
		struct csprof_module_table table;
		char room[sizeof(struct csprof_module_table) + sizeof(struct csprof_module_range)];
	} modules;
	uint8_t *map = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)state;
	assert_true(map != MAP_FAILED);
	modules.table.count = 1;
	modules.table.range[0].start = (uintptr_t)map;
	modules.table.range[0].end = (uintptr_t)map + 64;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		memset(map, 0x90, 64);
		memcpy(map + 32 - cases[i].length, cases[i].code, cases[i].length);
		csprof_unwind_set_modules(NULL);
		assert_false(csprof_follows_call((uintptr_t)map + 32));
		csprof_unwind_set_modules(&modules.table);
		assert_int_equal(csprof_follows_call((uintptr_t)map + 32), cases[i].call);
		assert_false(csprof_follows_call((uintptr_t)map + 31));
	}
	assert_false(csprof_follows_call((uintptr_t)map));
	assert_false(csprof_follows_call((uintptr_t)map + 3));
	assert_false(csprof_follows_call((uintptr_t)map + 65));
	csprof_unwind_set_modules(NULL);
	munmap(map, 4096);
	assert_false(csprof_follows_call(0));
	assert_false(csprof_follows_call(UINTPTR_MAX));
	assert_false(csprof_follows_call((uintptr_t)&base)); /* data of a module */
}

static int call_at(const void *pc, const void *end)
{
	ucontext_t context = {0};
	struct csprof_call call;

	context.uc_mcontext.gregs[REG_RIP] = (greg_t)pc;
	context.uc_mcontext.gregs[REG_RCX] = (greg_t)end;
	return csprof_cpu.last_call(&context, &call) ? call.number : -1;
}

static void test_last_call(void **state)
{
	ucontext_t context = {0};

	(void)state;
	assert_int_equal(call_at(after_constant, after_constant), 39);
	assert_int_equal(call_at(after_long_constant, after_long_constant), 0xca);
	assert_int_equal(call_at(after_loads, after_loads), 326);
	assert_int_equal(call_at(after_zero, after_zero), 0);
	assert_int_equal(call_at(after_unknown, after_unknown), -1);
	assert_int_equal(call_at(after_constant, after_zero), -1);
	assert_int_equal(call_at(after_constant + 1, after_constant + 1), -1);
	assert_int_equal(call_at(NULL, NULL), -1);
	assert_int_equal(call_at(walked, walked), -1);
	csprof_cpu.set_result(&context, 12);
	assert_int_equal(context.uc_mcontext.gregs[REG_RAX], 12);
}

/* A restart that a handler interrupts: labels of x86_64_here.S. */
extern const char csprof_cpu_restarts[], csprof_cpu_restarted[], csprof_cpu_call_instead[];

static void test_restarted_call(void **state)
{
	const long args[6] = {1, 2, 3, 4, 5, 6};
	ucontext_t context = {0};
	greg_t *gregs = context.uc_mcontext.gregs;
	struct csprof_call call;

	(void)state;
	gregs[REG_RIP] = gregs[REG_RCX] = (greg_t)csprof_cpu_restarted;
	gregs[REG_RAX] = -EINTR;
	gregs[REG_R8] = SYS_poll;
	gregs[REG_R9] = (greg_t)args;
	csprof_cpu.forget_restart(&context); /* it was made: nothing to forget */
	assert_true(csprof_cpu.last_call(&context, &call));
	assert_int_equal(call.number, SYS_poll);
	assert_memory_equal(call.args, args, sizeof(args));
	assert_int_equal(call.result, -EINTR);
	csprof_cpu.forget_call(&context);
	assert_false(csprof_cpu.last_call(&context, &call));
	csprof_cpu.repeat_call(&context, SYS_poll);
	assert_ptr_equal((void *)gregs[REG_RIP], csprof_cpu_call_instead);
	for (const char *at = csprof_cpu_restarts - 5; at <= csprof_cpu_restarts; at += 5) {
		gregs[REG_RIP] = (greg_t)at;
		csprof_cpu.forget_restart(&context);
		assert_ptr_equal((void *)gregs[REG_RIP], csprof_cpu_call_instead);
	}
}

static struct csprof_call seen_call;

static void note_call(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)info;
	if (!csprof_cpu.last_call(context, &seen_call))
		seen_call.number = -1;
}

static void test_interrupted_read(void **state)
{
	struct sigaction action = {.sa_sigaction = note_call, .sa_flags = SA_SIGINFO};
	int pipes[2];
	char byte;

	(void)state;
	assert_int_equal(pipe(pipes), 0);
	assert_int_equal(sigaction(SIGALRM, &action, NULL), 0);
	seen_call.number = -2;
	alarm(1);
	assert_int_equal(read(pipes[0], &byte, 1), -1);
	assert_int_equal(errno, EINTR);
	assert_int_equal(seen_call.number, SYS_read);
	assert_int_equal(seen_call.result, -EINTR);
	assert_int_equal(seen_call.args[0], pipes[0]);
	assert_ptr_equal(seen_call.args[1], &byte);
	assert_int_equal(seen_call.args[2], 1);
	close(pipes[0]);
	close(pipes[1]);
}

/* The kernel still knows how to restart the interrupted call after the handler has slept. */
static void sleep_and_restart(int sig, siginfo_t *info, void *context)
{
	uint64_t mask = 0;

	note_call(sig, info, context);
	os_sleep_ns(2 * 1000 * 1000);
	csprof_cpu.set_result(context, csprof_cpu_restart(seen_call.number, seen_call.args, &mask));
}

static void test_interrupted_sleep(void **state)
{
	struct sigaction action = {.sa_sigaction = sleep_and_restart, .sa_flags = SA_SIGINFO};
	const struct itimerval soon = {.it_value = {0, 20 * 1000}};
	const struct timespec longer = {0, 60 * 1000 * 1000};

	(void)state;
	sigfillset(&action.sa_mask);
	assert_int_equal(sigaction(SIGALRM, &action, NULL), 0);
	seen_call.number = -2;
	setitimer(ITIMER_REAL, &soon, NULL);
	assert_int_equal(nanosleep(&longer, NULL), 0);
	assert_int_equal(seen_call.number, SYS_clock_nanosleep);
	seen_call.number = -2;
	setitimer(ITIMER_REAL, &soon, NULL);
	assert_int_equal(poll(NULL, 0, 60), 0);
	assert_int_equal(seen_call.number, SYS_poll);
}

/* What finishes a call can be interrupted by the next sample, which has to find that call. */
static void check_finished(int call, int fd, const long *args, long result)
{
	seen_call.number = -2;
	alarm(1);
	assert_int_equal(os_finish_transfer(call, args, result), result);
	assert_int_not_equal(seen_call.number, -2);
	assert_int_equal(seen_call.number, call == SYS_writev ? SYS_write : call);
	assert_int_equal(seen_call.args[0], fd);
	assert_int_equal(seen_call.result, -EINTR);
}

static void test_interrupted_finish(void **state)
{
	struct sigaction action = {.sa_sigaction = note_call, .sa_flags = SA_SIGINFO};
	static char bytes[1 << 20];
	int pipes[2], sockets[2];

	(void)state;
	assert_int_equal(sigaction(SIGALRM, &action, NULL), 0);
	assert_int_equal(pipe(pipes), 0);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), 0);

	assert_int_equal(fcntl(pipes[1], F_SETFL, O_NONBLOCK), 0);
	ssize_t written = write(pipes[1], bytes, sizeof(bytes)); /* what it has room for */
	assert_true(written > 0);
	assert_int_equal(fcntl(pipes[1], F_SETFL, 0), 0);
	check_finished(SYS_write, pipes[1], (long[6]){pipes[1], (long)bytes, sizeof(bytes)},
		       written);
	struct iovec all = {bytes, sizeof(bytes)};
	check_finished(SYS_writev, pipes[1], (long[6]){pipes[1], (long)&all, 1}, written);
	check_finished(SYS_recvfrom, sockets[0], (long[6]){sockets[0], (long)bytes, 2, MSG_WAITALL},
		       1);
	struct io_uring_params ring_parameters = {0};
	int ring = (int)syscall(SYS_io_uring_setup, 4, &ring_parameters);
	if (ring >= 0)
		check_finished(SYS_io_uring_enter, ring,
			       (long[6]){ring, 1, 1, IORING_ENTER_GETEVENTS}, 1);
	close(ring);
	for (int i = 0; i < 2; i++) {
		close(pipes[i]);
		close(sockets[i]);
	}
}

/* libunwind also exports _Unwind_*; if it is loaded privately, these must not be used. */
static void test_libgcc_stays(void **state)
{
	static const char *const names[] = {"_Unwind_RaiseException", "_Unwind_Resume",
					    "_Unwind_ForcedUnwind", "_Unwind_Backtrace"};
	void *libgcc = dlopen("libgcc_s.so.1", RTLD_NOW | RTLD_GLOBAL);

	(void)state;
	assert_non_null(libgcc);
	if (csprof_libunwind_load() != 0)
		skip();
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		assert_non_null(dlsym(libgcc, names[i]));
		assert_ptr_equal(dlsym(RTLD_DEFAULT, names[i]), dlsym(libgcc, names[i]));
	}
	assert_null(dlsym(RTLD_DEFAULT, "_ULx86_64_step"));
	dlclose(libgcc);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_here),
	    cmocka_unit_test(test_progress),
	    cmocka_unit_test(test_odd_frames),
	    cmocka_unit_test(test_odd_frames_in_pairs),
	    cmocka_unit_test(test_end_of_process),
	    cmocka_unit_test(test_first_frame),
	    cmocka_unit_test(test_follows_call),
	    cmocka_unit_test(test_last_call),
	    cmocka_unit_test(test_restarted_call),
	    cmocka_unit_test(test_interrupted_read),
	    cmocka_unit_test(test_interrupted_sleep),
	    cmocka_unit_test(test_interrupted_finish),
	    cmocka_unit_test(test_libgcc_stays),
	};

	return cmocka_run_group_tests_name("runtime_unwind", tests, NULL, NULL);
}
