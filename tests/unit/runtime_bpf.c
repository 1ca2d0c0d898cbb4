/* Compares the interpreter of filters with the kernel's: random programs are installed, each in a
 * child, which makes a system call whose result is what the program returns. */
#include "runtime/sandboxes/bpf.h"

#include "tests/lib/unit/cmocka_all.h"

#include <errno.h>
#include <linux/audit.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST = 40, PROGRAMS = 1500, ASKED = SYS_getpriority };

static const uint64_t args[6] = {0x1234567890abcdef, 7, 0xffffffff80000000, 3, 0, 42};

#define RUN(call, ...)                                                                             \
	csprof_bpf_run(                                                                            \
	    (const struct sock_filter[]){__VA_ARGS__},                                             \
	    sizeof((const struct sock_filter[]){__VA_ARGS__}) / sizeof(struct sock_filter), call)

static struct seccomp_data asked(void)
{
	struct seccomp_data call = {.nr = ASKED, .arch = AUDIT_ARCH_X86_64};
	memcpy(call.args, args, sizeof args);
	return call;
}

static void test_allow_list(void **state)
{
	(void)state;
	struct seccomp_data call = asked();
	for (int nr = 0; nr < 4; nr++) {
		call.nr = nr;
		uint32_t r = RUN(&call, BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
				 BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 1, 1, 0),
				 BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, 2, 0, 1),
				 BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
				 BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP));
		assert_int_equal(r, nr == 1 || nr == 3 ? SECCOMP_RET_ALLOW : SECCOMP_RET_TRAP);
	}
}

/* An invalid program, which the kernel refuses, kills, and never reads out of bounds. */
static void test_bad_programs(void **state)
{
	(void)state;
	struct seccomp_data call = asked();
	const uint32_t kill = SECCOMP_RET_KILL_PROCESS;
	assert_int_equal(RUN(&call, BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0)), kill);
	assert_int_equal(RUN(&call, BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 2)), kill);
	assert_int_equal(RUN(&call, BPF_STMT(BPF_LD | BPF_W | BPF_ABS, sizeof call)), kill);
	assert_int_equal(RUN(&call, BPF_STMT(BPF_LD | BPF_W | BPF_ABS, UINT32_MAX - 3)), kill);
	assert_int_equal(RUN(&call, BPF_STMT(BPF_LD | BPF_B | BPF_ABS, 0)), kill);
	assert_int_equal(RUN(&call, BPF_STMT(BPF_ST, BPF_MEMWORDS)), kill);
	assert_int_equal(RUN(&call, BPF_STMT(BPF_LDX | BPF_MEM, UINT32_MAX)), kill);
	assert_int_equal(RUN(&call, BPF_STMT(BPF_JMP | BPF_JA, UINT32_MAX)), kill);
	assert_int_equal(RUN(&call, BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 255, 255)), kill);
	assert_int_equal(RUN(&call, BPF_STMT(BPF_ALU | BPF_DIV | BPF_K, 0)), kill);
	assert_int_equal(RUN(&call, BPF_STMT(0xffff, 0)), kill);
	assert_int_equal(csprof_bpf_run(NULL, 0, &call), kill);
}

static uint32_t any(void)
{
	return (uint32_t)random() << 16 ^ (uint32_t)random();
}

static struct sock_filter random_instruction(unsigned left)
{
	static const uint16_t codes[] = {
	    BPF_LD | BPF_W | BPF_ABS,
	    BPF_LD | BPF_W | BPF_ABS,
	    BPF_LD | BPF_W | BPF_LEN,
	    BPF_LDX | BPF_W | BPF_LEN,
	    BPF_LD | BPF_IMM,
	    BPF_LDX | BPF_IMM,
	    BPF_LD | BPF_MEM,
	    BPF_LDX | BPF_MEM,
	    BPF_ST,
	    BPF_STX,
	    BPF_ALU | BPF_ADD | BPF_K, /* NOLINT: both are 0, but named */
	    BPF_ALU | BPF_ADD | BPF_X,
	    BPF_ALU | BPF_SUB | BPF_K,
	    BPF_ALU | BPF_SUB | BPF_X,
	    BPF_ALU | BPF_MUL | BPF_K,
	    BPF_ALU | BPF_MUL | BPF_X,
	    BPF_ALU | BPF_DIV | BPF_K,
	    BPF_ALU | BPF_DIV | BPF_X,
	    BPF_ALU | BPF_AND | BPF_K,
	    BPF_ALU | BPF_AND | BPF_X,
	    BPF_ALU | BPF_OR | BPF_K,
	    BPF_ALU | BPF_OR | BPF_X,
	    BPF_ALU | BPF_XOR | BPF_K,
	    BPF_ALU | BPF_XOR | BPF_X,
	    BPF_ALU | BPF_LSH | BPF_K,
	    BPF_ALU | BPF_LSH | BPF_X,
	    BPF_ALU | BPF_RSH | BPF_K,
	    BPF_ALU | BPF_RSH | BPF_X,
	    BPF_ALU | BPF_NEG,
	    BPF_MISC | BPF_TAX,
	    BPF_MISC | BPF_TXA,
	    BPF_JMP | BPF_JA,
	    BPF_JMP | BPF_JEQ | BPF_K,
	    BPF_JMP | BPF_JGT | BPF_K,
	    BPF_JMP | BPF_JGE | BPF_K,
	    BPF_JMP | BPF_JSET | BPF_K,
	    BPF_JMP | BPF_JEQ | BPF_X,
	    BPF_JMP | BPF_JGT | BPF_X,
	    BPF_JMP | BPF_JGE | BPF_X,
	    BPF_JMP | BPF_JSET | BPF_X,
	};
	struct sock_filter i = {.code = codes[any() % (sizeof codes / sizeof *codes)]};
	switch (BPF_CLASS(i.code)) {
	case BPF_JMP:
		i.jt = (uint8_t)(any() % left);
		i.jf = (uint8_t)(any() % left);
		i.k = BPF_OP(i.code) == BPF_JA ? any() % left : any() % 3 ? any() : any() % 64;
		break;
	case BPF_ALU:
		i.k = BPF_OP(i.code) == BPF_LSH || BPF_OP(i.code) == BPF_RSH ? any() % 32 : any();
		break;
	default:
		/* instruction_pointer, at 8, is not known in advance */
		i.k = BPF_MODE(i.code) == BPF_ABS   ? 16 + any() % 12 * 4
		      : BPF_MODE(i.code) == BPF_IMM ? any()
						    : any() % BPF_MEMWORDS;
	}
	return i;
}

/* Only the tested call gets to the random part; its result is an errno that is not 0. */
static unsigned random_program(struct sock_filter *p)
{
	unsigned n = 0, last = 4 + any() % (MOST - 8);
	p[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0);
	p[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ASKED, 1, 0);
	p[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	for (; n < last; n++)
		p[n] = random_instruction(last - n);
	p[n++] = (struct sock_filter)BPF_STMT(BPF_ALU | BPF_AND | BPF_K, 0x7ff);
	p[n++] = (struct sock_filter)BPF_STMT(BPF_ALU | BPF_OR | BPF_K, SECCOMP_RET_ERRNO | 1);
	p[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_A, 0);
	return n;
}

enum { NOT_TAKEN = -1, KILLED = -2 };

static int by_kernel(struct sock_filter *p, unsigned n, int *answer)
{
	struct sock_fprog program = {(unsigned short)n, p};
	int status;
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		*answer = NOT_TAKEN;
		prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
		if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0) {
			*answer = KILLED;
			errno = 0;
			if (syscall(ASKED, args[0], args[1], args[2], args[3], args[4], args[5]) <
			    0)
				*answer = errno;
		}
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return *answer;
}

static void test_random_programs(void **state)
{
	(void)state;
	struct sock_filter p[MOST];
	struct seccomp_data call = asked();
	unsigned taken = 0, killed = 0;
	int *answer =
	    mmap(NULL, sizeof *answer, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(answer, MAP_FAILED);
	srandom(3);
	for (int i = 0; i < PROGRAMS; i++) {
		unsigned n = random_program(p);
		uint32_t ours = csprof_bpf_run(p, n, &call);
		int kernel = by_kernel(p, n, answer);
		if (kernel == NOT_TAKEN) /* it reads a word of memory that was not written */
			continue;
		taken++;
		if (kernel == KILLED) {
			killed++;
			assert_int_equal(ours, SECCOMP_RET_KILL_THREAD);
		} else {
			assert_int_equal(ours & SECCOMP_RET_ACTION_FULL, SECCOMP_RET_ERRNO);
			assert_int_equal(ours & SECCOMP_RET_DATA, kernel);
		}
	}
	print_message("%u programs were taken, %u killed\n", taken, killed);
	assert_true(taken > PROGRAMS / 10);
	munmap(answer, sizeof *answer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_allow_list),
	    cmocka_unit_test(test_bad_programs),
	    cmocka_unit_test(test_random_programs),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
