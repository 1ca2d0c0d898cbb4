/* Code in which a handler must take care.
 *
 *     mixed CASE [MILLISECONDS]
 *
 * code32   32-bit code in this 64-bit process, which has another segment for its threads' data, as
 *          Wine's; exits with 77 if the kernel has none
 * base     64-bit code while the base of that segment is 0 or that of other data
 * loop     a signal's frame that leads to itself
 *
 * Each computes for that long (200) of the process's CPU time, and prints that it is back. */
#include <asm/prctl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

enum { NONE = 77 };

static int64_t used_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* ---- 32-bit code ------------------------------------------------------------------------ */

/* Calls the 32-bit code at `code`, on the stack that ends at `stack`, without a segment of the C
 * library's; it comes back through the address at `stack`. */
void call32(uint32_t code, uint64_t stack, uint64_t fs);
__asm__(".text\n"
	"call32:\n"
	"	push %rbx\n"
	"	push %rbp\n"
	"	push %r12\n"
	"	push %r13\n"
	"	mov %edi, %ebx\n"
	"	mov %rsi, %rbp\n"
	"	mov %rdx, %r12\n"
	"	mov $158, %eax\n" /* arch_prctl(ARCH_SET_FS, 0) */
	"	mov $0x1002, %edi\n"
	"	xor %esi, %esi\n"
	"	syscall\n"
	"	mov %rsp, %r13\n"
	"	mov %rbp, %rsp\n"
	"	lea back64(%rip), %rax\n"
	"	mov %rax, (%rsp)\n"
	"	sub $16, %rsp\n"
	"	movl %ebx, (%rsp)\n"
	"	movl $0x23, 4(%rsp)\n"
	"	lretl\n"
	"back64:\n"
	"	mov %r13, %rsp\n"
	"	mov $158, %eax\n"
	"	mov $0x1002, %edi\n"
	"	mov %r12, %rsi\n"
	"	syscall\n"
	"	pop %r13\n"
	"	pop %r12\n"
	"	pop %rbp\n"
	"	pop %rbx\n"
	"	ret\n");

static int code32(int ms)
{
	enum { BYTES = 16384, LOOP = 20000000 };
	uint8_t *p = mmap(NULL, BYTES, PROT_READ | PROT_WRITE | PROT_EXEC,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	uint64_t fs = 0;
	if (p == MAP_FAILED || syscall(SYS_arch_prctl, ARCH_GET_FS, &fs) != 0)
		return NONE;
	uint64_t stack = (uint64_t)(uintptr_t)p + BYTES - 64;
	uint32_t after = (uint32_t)(uintptr_t)p + 32, count = LOOP;
	/* mov $LOOP,%ecx; 1: dec %ecx; jnz 1b; ljmp $0x33,$after */
	static const uint8_t head[] = {0xb9, 0, 0, 0, 0, 0x49, 0x75, 0xfd, 0xea};
	memcpy(p, head, sizeof head);
	memcpy(p + 1, &count, sizeof count);
	memcpy(p + sizeof head, &after, sizeof after);
	p[sizeof head + 4] = 0x33;
	/* movabs (stack),%rax; jmp *%rax */
	static const uint8_t jump[] = {0x48, 0xa1};
	memcpy(p + 32, jump, sizeof jump);
	memcpy(p + 32 + sizeof jump, &stack, sizeof stack);
	p[32 + sizeof jump + sizeof stack] = 0xff;
	p[32 + sizeof jump + sizeof stack + 1] = 0xe0;
	while (used_ms() < ms)
		call32((uint32_t)(uintptr_t)p, stack, fs);
	return 0;
}

/* ---- another base of FS --------------------------------------------------------------------- */

/* Counts down from `times` with that base of FS. */
void count_with(uint64_t base, uint64_t times, uint64_t fs);
__asm__(".text\n"
	"count_with:\n"
	"	mov %rsi, %r8\n"
	"	mov %rdx, %r9\n"
	"	mov %rdi, %rsi\n"
	"	mov $158, %eax\n"
	"	mov $0x1002, %edi\n"
	"	syscall\n"
	"1:	dec %r8\n"
	"	jnz 1b\n"
	"	mov %r9, %rsi\n"
	"	mov $158, %eax\n"
	"	mov $0x1002, %edi\n"
	"	syscall\n"
	"	ret\n");

static int base(int ms)
{
	static uint64_t other[512];
	uint64_t fs = 0;
	if (syscall(SYS_arch_prctl, ARCH_GET_FS, &fs) != 0)
		return NONE;
	while (used_ms() < ms) {
		count_with(0, 5000000, fs);
		count_with((uint64_t)(uintptr_t)other, 5000000, fs);
	}
	return 0;
}

/* ---- a frame that leads to itself ----------------------------------------------------------- */

/* Spins on that stack, at whose end is the address of a restorer, and behind it a frame. */
void spin_on(uint64_t *stack, uint64_t times);
extern const char a_restorer[];
__asm__(".text\n"
	"spin_on:\n"
	"	mov %rsp, %rax\n"
	"	mov %rdi, %rsp\n"
	"	lea 2f(%rip), %rdx\n"
	"	jmp spins\n"
	"2:	mov %rax, %rsp\n"
	"	ret\n"
	"	.p2align 4\n"
	"	.cfi_startproc\n"
	"spins:\n"
	"1:	dec %rsi\n"
	"	jnz 1b\n"
	"	jmp *%rdx\n"
	"	.cfi_endproc\n"
	"	.p2align 4\n"
	"	nop\n"
	"a_restorer:\n"
	"	mov $15, %rax\n"
	"	syscall\n");

static int loop(int ms)
{
	enum { WORDS = 4096, BELOW = 2048, TIMES = 20000000 };
	static _Alignas(16) uint64_t stack[WORDS];
	ucontext_t context;
	memset(&context, 0, sizeof context);
	context.uc_mcontext.gregs[REG_RIP] = (greg_t)a_restorer;
	context.uc_mcontext.gregs[REG_RSP] = (greg_t)&stack[BELOW + 1];
	stack[BELOW] = (uint64_t)a_restorer;
	memcpy(&stack[BELOW + 1], &context, sizeof context);
	while (used_ms() < ms)
		spin_on(&stack[BELOW], TIMES);
	return 0;
}

int main(int argc, char **argv)
{
	int ms = argc > 2 ? atoi(argv[2]) : 200, r = 2;
	if (argc > 1 && strcmp(argv[1], "code32") == 0)
		r = code32(ms);
	if (argc > 1 && strcmp(argv[1], "base") == 0)
		r = base(ms);
	if (argc > 1 && strcmp(argv[1], "loop") == 0)
		r = loop(ms);
	if (r == 0)
		puts("back");
	return r;
}
