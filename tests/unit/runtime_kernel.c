/* Whether a sample interrupted the kernel: what the CPU shows, and what the kernel has counted. */
#include "tests/lib/unit/cmocka_all.h"

#include "formats/identity/kernel.h"
#include "runtime/cpu/cpu.h"
#include "runtime/process/state.h"
#include "runtime/sample/kernel.h"

#include <elf.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>

enum { RESUME_FLAG = 1 << 16, MS = 1000000 };

__asm__(".text\n"
	"a_call:\n"
	"	mov $39, %eax\n"
	"call_itself:\n"
	"	syscall\n"
	"after_call:\n"
	"	nop\n"
	"unknown_call:\n"
	"	mov %rdx, %rax\n"
	"	syscall\n"
	"after_unknown_call:\n"
	"	nop\n"
	"a_store:\n"
	"	movb $1, (%rdx)\n"
	"a_scalar_load:\n" /* the prefix F3, but nothing repeated */
	"	movss (%rdx), %xmm8\n"
	"a_fill:\n"
	"	rep stosb\n"
	"a_wide_copy:\n"
	"	rep movsq\n"
	"a_word_scan:\n"
	"	repne scasw\n"
	"	ret\n");
extern const char call_itself[], after_call[], after_unknown_call[], a_store[], a_scalar_load[],
    a_fill[], a_wide_copy[], a_word_scan[];

static ucontext_t context;

/* Valid until the next call. */
static const ucontext_t *at(const void *pc, const void *end_of_call, unsigned flags)
{
	memset(&context, 0, sizeof context);
	context.uc_mcontext.gregs[REG_RIP] = (greg_t)pc;
	context.uc_mcontext.gregs[REG_RCX] = (greg_t)end_of_call;
	context.uc_mcontext.gregs[REG_EFL] = flags;
	context.uc_mcontext.gregs[REG_RAX] = SYS_poll;
	return &context;
}

static int entry(const void *pc, const void *end_of_call, unsigned flags)
{
	return csprof_cpu.kernel_entry(at(pc, end_of_call, flags));
}

static void test_calls(void **state)
{
	(void)state;
	assert_int_equal(entry(after_call, after_call, 0), 39);
	assert_int_equal(entry(after_unknown_call, after_unknown_call, 0), CSPROF_ENTRY_CALL);
	assert_int_equal(entry(call_itself, after_call, 0), SYS_poll); /* restarts */
	assert_int_equal(entry(a_store, a_store + 2, 0), CSPROF_ENTRY_NONE);
	assert_int_equal(entry(after_call, after_unknown_call, 0), CSPROF_ENTRY_NONE);
}

static void test_faults(void **state)
{
	static const char *const plain[] = {a_store, a_scalar_load, after_call};
	static const char *const repeated[] = {a_fill, a_wide_copy, a_word_scan};
	uint8_t *unknown = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)state;
	assert_true(unknown != MAP_FAILED);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(entry(plain[i], NULL, RESUME_FLAG), CSPROF_ENTRY_FAULT);
		assert_int_equal(entry(plain[i], NULL, 0), CSPROF_ENTRY_NONE);
		assert_int_equal(entry(repeated[i], NULL, RESUME_FLAG), CSPROF_ENTRY_MAYBE);
		assert_int_equal(entry(repeated[i], NULL, 0), CSPROF_ENTRY_NONE);
	}
	assert_int_equal(entry(unknown, NULL, RESUME_FLAG), CSPROF_ENTRY_MAYBE);
	munmap(unknown, 4096);
}

/* ---- samples of a thread: the kernel's counts are given --------------------------------- */

static csprof_state_t thread;
static const struct csprof_sampling cpu_time;
static struct csprof_measured measured = {.by = &cpu_time};
static struct csprof_sampler sampler = {.measured = &measured};

static void begin(void)
{
	memset(&thread, 0, sizeof thread);
	sampler = (struct csprof_sampler){.measured = &measured};
}

/* A sample of `weight` after which the kernel has counted that time and that many faults more. */
static uint64_t sample(const ucontext_t *c, uint64_t weight, uint64_t kernel, uint64_t faults)
{
	sampler.source.usage_read = true;
	sampler.source.usage.kernel += kernel;
	sampler.source.usage.faults += faults;
	return csprof_kernel_sample(&thread, &sampler, c, weight);
}

/* The number of n such samples, of 1 ms each, that were in the kernel; all there did what. */
static unsigned samples(unsigned n, const ucontext_t *c, uint64_t kernel, uint64_t faults,
			uint64_t what)
{
	unsigned in_kernel = 0;

	begin();
	for (unsigned i = 0; i < n; i++) {
		uint64_t ip = sample(c, MS, kernel, faults);
		if (ip)
			assert_int_equal(ip,
					 CSP_KERNEL_BASE + (EM_X86_64 << CSP_KERNEL_SHIFT) + what);
		in_kernel += ip != 0;
	}
	return in_kernel;
}

/* Where a fault has not been seen to show in the flags, it may be that it never does. */
static void test_cpu_that_shows_no_faults(void **state)
{
	const ucontext_t *c = at(a_store, NULL, 0);
	unsigned n;

	(void)state;
	n = samples(1000, c, MS / 2, 1, CSP_KERNEL_FAULT);
	assert_in_range(n, 475, 500);
	assert_int_equal(samples(1000, c, MS / 2, 0, 0), 0);
	assert_int_equal(samples(1000, c, 0, 1, 0), 0);
}

static void test_sums(void **state)
{
	const ucontext_t *c = at(a_store, NULL, RESUME_FLAG);
	unsigned n;

	(void)state;
	assert_int_equal(samples(1000, c, MS, 1, CSP_KERNEL_FAULT), 1000);
	c = at(a_store, NULL, 0); /* this CPU does show them */
	assert_int_equal(samples(1000, c, MS / 2, 1, 0), 0);
	c = at(after_call, after_call, 0);
	assert_int_equal(samples(1000, c, MS, 0, 39), 1000);
	n = samples(1000, c, MS / 4 * 3, 0, 39);
	assert_in_range(n, 750, 780);
	n = samples(1000, c, 0, 0, 39);
	assert_in_range(n, 10, 30);
	c = at(after_unknown_call, after_unknown_call, 0);
	assert_int_equal(samples(10, c, MS, 0, CSP_KERNEL_CALL), 10);
	c = at(a_fill, NULL, RESUME_FLAG);
	n = samples(1000, c, MS / 4, 1, CSP_KERNEL_FAULT);
	assert_in_range(n, 230, 250);
	assert_int_equal(samples(1000, c, MS / 4, 0, 0), 0);
}

/* Time that no sample has shown is not kept for ever. */
static void test_interrupts(void **state)
{
	unsigned n = 0;

	(void)state;
	assert_int_equal(samples(5000, at(a_store, NULL, 0), MS / 2, 0, 0), 0);
	for (int i = 0; i < 1000; i++)
		n += sample(at(a_fill, NULL, RESUME_FLAG), MS, 0, 1) != 0;
	assert_in_range(n, 30, 50);
}

static void test_odd_counts(void **state)
{
	const ucontext_t *c = at(after_call, after_call, 0);

	(void)state;
	begin();
	sampler.source.usage = (struct os_usage){.faults = OS_NOT_KNOWN, .kernel = OS_NOT_KNOWN};
	for (int i = 0; i < 1000; i++) /* no counts: the CPU decides */
		assert_true(sample(c, MS, 0, 0) != 0);
	assert_int_equal(sample(at(a_fill, NULL, RESUME_FLAG), MS, 0, 0), 0);
	c = at(after_call, after_call, 0);
	begin();
	sampler.source.usage.kernel = sampler.source.usage.faults = 1ull << 40;
	assert_true(sample(c, MS, MS, 1) != 0);
	sampler.source.usage.kernel = sampler.source.usage.faults = 0; /* a child after fork */
	assert_true(sample(c, MS, MS, 1) != 0);
	assert_int_equal(sample(at(a_fill, NULL, RESUME_FLAG), MS, 0, 0), 0);
	c = at(after_call, after_call, 0);
	begin();
	sample(c, UINT64_MAX, UINT64_MAX / 2, 1); /* no overflow: UBSan */
	sample(c, UINT64_MAX, UINT64_MAX / 2, 1);
	assert_true(sample(c, 1, 0, 1) != 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_calls),      cmocka_unit_test(test_cpu_that_shows_no_faults),
	    cmocka_unit_test(test_faults),     cmocka_unit_test(test_sums),
	    cmocka_unit_test(test_interrupts), cmocka_unit_test(test_odd_counts),
	};

	return cmocka_run_group_tests_name("runtime_kernel", tests, NULL, NULL);
}
