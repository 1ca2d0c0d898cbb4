/* A handler of the program that returns just before a call that a sample has interrupted is made
 * again, by our handler or by the program: the call must end with EINTR, as without a sample. */
#include "tests/lib/unit/cmocka_all.h"

#include "runtime/cpu/cpu.h"
#include "runtime/os/os.h"
#include "runtime/process/state.h"
#include "runtime/sample/call.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

/* here.S: csprof_cpu_call_unless has them, and ends with the second one. */
extern const char csprof_cpu_making[], csprof_cpu_made[];

static int silent[2];
static char byte;

static int begin(void **unused)
{
	(void)unused;
	csprof_calls.parked = 0;
	csprof_cpu_returned = csprof_call_handler_returns;
	return pipe2(silent, O_NONBLOCK);
}

static int end(void **unused)
{
	(void)unused;
	csprof_cpu_returned = NULL;
	return close(silent[0]) | close(silent[1]);
}

/* ---- each instruction of our handler's call ------------------------------------------------ */

/* The trap of the system call itself comes an instruction later. */
enum { TRAP_FLAG = 1 << 8, MOST = 100, SOON = 8 };

static volatile int to_go; /* traps until one stands for a signal of the program */
static volatile uintptr_t came_at;

/* Each instruction traps here; the others are as if there had been none. */
static void trap(int sig, siginfo_t *info, void *ucontext)
{
	greg_t *gregs = ((ucontext_t *)ucontext)->uc_mcontext.gregs;

	(void)sig;
	(void)info;
	csprof_cpu_returned = NULL;
	if (came_at || to_go-- > 0)
		return;
	came_at = (uintptr_t)gregs[REG_RIP];
	gregs[REG_EFL] &= ~(greg_t)TRAP_FLAG;
	csprof_cpu_returned = csprof_call_handler_returns;
}

static long read_stepped(int steps)
{
	const long args[6] = {silent[0], (long)&byte, 1};

	to_go = steps;
	came_at = 0;
	csprof_cpu_ended = 0;
	__asm__ volatile("pushfq\n\torq $0x100, (%%rsp)\n\tpopfq" ::: "memory", "cc");
	long result = csprof_cpu_call_unless(SYS_read, args);
	__asm__ volatile("pushfq\n\tandq $~0x100, (%%rsp)\n\tpopfq" ::: "memory", "cc");
	csprof_cpu_ended = 0;
	return result;
}

static void handle_traps(void (*restorer)(void))
{
	struct sigaction act = {.sa_sigaction = trap, .sa_flags = SA_SIGINFO};

	assert_int_equal(os_sigaction_returning(SIGTRAP, &act, NULL, restorer), 0);
}

/* The result of the read with a signal at each instruction before it is made. */
static void at_each_instruction(long before)
{
	for (int i = 0; i < MOST; i++) {
		long result = read_stepped(i);
		if (came_at >= (uintptr_t)csprof_cpu_made &&
		    came_at < (uintptr_t)csprof_cpu_made + SOON) {
			assert_int_equal(result, -EAGAIN);
			assert_in_range(i, 12, MOST);
			return;
		}
		assert_int_equal(result, before);
	}
	fail_msg("the call was not found");
}

static void test_unmade_call(void **unused)
{
	(void)unused;
	csprof_calls.parked = 1;
	csprof_calls.any = false;
	handle_traps(csprof_cpu_ending_restorer);
	at_each_instruction(-EINTR);
	handle_traps(csprof_cpu_restorer);
	at_each_instruction(-EAGAIN);
	csprof_calls.any = true;
	at_each_instruction(-EINTR);
	csprof_calls.parked = 0; /* it is the program that makes a call */
	at_each_instruction(-EAGAIN);
	signal(SIGTRAP, SIG_DFL);
}

/* ---- a call that the kernel, or the program, makes again ---------------------------------- */

/* As the kernel leaves it: at the instruction again, and rcx after it. */
static void restarted(ucontext_t *context)
{
	greg_t *gregs = context->uc_mcontext.gregs;

	memset(context, 0, sizeof *context);
	gregs[REG_RIP] = (greg_t)csprof_cpu_making;
	gregs[REG_RCX] = gregs[REG_RIP] + 2;
	gregs[REG_RAX] = SYS_read;
	gregs[REG_RSP] = (greg_t)context;
	/* the segments of a program; the rest of the word is gs, fs and ss */
	__asm__("mov %%cs, %0" : "=r"(gregs[REG_CSGSFS]));
}

static bool is_ended(const ucontext_t *context)
{
	const greg_t *gregs = context->uc_mcontext.gregs;

	return gregs[REG_RIP] == (greg_t)csprof_cpu_made && gregs[REG_RAX] == -EINTR;
}

/* A sample has interrupted the call, and it is made again. */
static struct csprof_again after_sample(const ucontext_t *context, bool any)
{
	const greg_t *gregs = context->uc_mcontext.gregs;

	return (struct csprof_again){.sp = (uintptr_t)gregs[REG_RSP],
				     .pc = (uintptr_t)gregs[REG_RIP],
				     .number = (int)gregs[REG_RAX],
				     .any = any};
}

/* After one sample, or after more that come before the call is made again. */
static void ends_as_it_should(int more, bool any, bool restarts)
{
	ucontext_t context;

	restarted(&context);
	csprof_calls.again = after_sample(&context, any);
	while (more-- > 0)
		csprof_call_continue(NULL, SIGURG, &context);
	csprof_call_handler_returns(&context, restarts);
	assert_int_equal(is_ended(&context), any || !restarts);
}

static void test_restarted_call(void **unused)
{
	ucontext_t context;

	(void)unused;
	for (int more = 0; more < 3; more++)
		for (int kind = 0; kind < 4; kind++)
			ends_as_it_should(more, kind & 1, kind & 2);
	restarted(&context);
	csprof_calls.again = after_sample(&context, true);
	context.uc_mcontext.gregs[REG_RIP] += 2; /* the call has ended */
	csprof_call_handler_returns(&context, false);
	assert_int_equal(context.uc_mcontext.gregs[REG_RAX], SYS_read);
	csprof_calls.again.sp = 0; /* no sample was here */
	restarted(&context);
	csprof_call_handler_returns(&context, false);
	assert_false(is_ended(&context));
}

/* The call has ended, and the kernel restarts another: a handler that restarts calls does not end
 * that one. */
static void test_other_call(void **unused)
{
	ucontext_t context;
	struct csprof_again other[3];

	(void)unused;
	restarted(&context);
	for (int i = 0; i < 3; i++)
		other[i] = after_sample(&context, true);
	other[0].sp += 8;
	other[1].pc -= 2;
	other[2].number = SYS_poll;
	for (int i = 0; i < 3; i++) {
		csprof_calls.again = other[i];
		csprof_call_handler_returns(&context, true);
		assert_false(is_ended(&context));
		csprof_call_continue(NULL, SIGURG, &context);
		csprof_call_handler_returns(&context, true);
		assert_false(is_ended(&context));
	}
}

/* A sample comes in the handler of the program that returns to the call: not so if it comes after
 * that, further up the stack. */
static void test_sample_in_handler(void **unused)
{
	ucontext_t context, sampled;
	greg_t *at = sampled.uc_mcontext.gregs;

	(void)unused;
	restarted(&context);
	sampled = context;
	at[REG_RIP] = (greg_t)is_ended;
	at[REG_RCX] = 0;
	at[REG_RSP] -= 1024;
	csprof_calls.again = after_sample(&context, true);
	csprof_call_continue(NULL, SIGURG, &sampled);
	csprof_call_handler_returns(&context, true);
	assert_true(is_ended(&context));

	restarted(&context);
	at[REG_RSP] += 2048;
	csprof_calls.again = after_sample(&context, true);
	csprof_call_continue(NULL, SIGURG, &sampled);
	csprof_call_handler_returns(&context, true);
	assert_false(is_ended(&context));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(test_unmade_call, begin, end),
	    cmocka_unit_test_setup_teardown(test_restarted_call, begin, end),
	    cmocka_unit_test_setup_teardown(test_other_call, begin, end),
	    cmocka_unit_test_setup_teardown(test_sample_in_handler, begin, end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
