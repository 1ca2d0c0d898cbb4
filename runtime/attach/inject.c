#include "runtime/attach/inject.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

/* What a call is restarted by when no handler of a signal runs (the kernel's linux/errno.h). */
enum { RESTART_SYS = 512, RESTART_NO_HAND = 514, RESTART_BLOCK = 516 };

/* ---- memory ----------------------------------------------------------------------------- */

static int open_memory(pid_t pid, int flags)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/%d/mem", (int)pid);
	return open(path, flags | O_CLOEXEC);
}

bool attach_read(pid_t pid, uintptr_t at, void *out, size_t n)
{
	int fd = open_memory(pid, O_RDONLY);
	bool ok = fd >= 0 && pread(fd, out, n, (off_t)at) == (ssize_t)n;
	if (fd >= 0)
		close(fd);
	return ok;
}

bool attach_write(pid_t pid, uintptr_t at, const void *bytes, size_t n)
{
	int fd = open_memory(pid, O_RDWR);
	bool ok = fd >= 0 && pwrite(fd, bytes, n, (off_t)at) == (ssize_t)n;
	if (fd >= 0)
		close(fd);
	return ok;
}

/* ---- stopping --------------------------------------------------------------------------- */

static uint64_t now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void nothing(int sig)
{
	(void)sig;
}

/* From ns on, a signal ends waits again and again: the first may come just before one. 0: no more.
 */
static void end_waits(uint64_t ns)
{
	enum { AGAIN_US = 10 * 1000, NS_PER_US = 1000, US_PER_S = 1000 * 1000 };
	struct sigaction act = {.sa_handler = nothing};
	uint64_t us = ns / NS_PER_US;
	struct itimerval when = {.it_value = {(time_t)(us / US_PER_S), (long)(us % US_PER_S)},
				 .it_interval = {0, ns ? AGAIN_US : 0}};
	sigaction(SIGALRM, &act, NULL);
	setitimer(ITIMER_REAL, &when, NULL);
}

/* Wait for the thread's next stop, for at most ns. Returns its status, -ETIMEDOUT or -ESRCH. A
 * thread is stopped hundreds of times: nobody sleeps meanwhile. */
static int wait_stop(pid_t tid, uint64_t ns, int *status)
{
	uint64_t until = now_ns() + ns;
	pid_t r;
	end_waits(ns);
	do
		r = waitpid(tid, status, __WALL | (ns ? 0 : WNOHANG));
	while (r < 0 && errno == EINTR && now_ns() < until);
	int error = errno;
	end_waits(0);
	if (r == tid)
		return WIFSTOPPED(*status) ? 0 : -ESRCH;
	return r == 0 || error == EINTR ? -ETIMEDOUT : -ESRCH;
}

static bool is_interrupt(int status)
{
	return status >> 16 == PTRACE_EVENT_STOP;
}

/* Wait until it has stopped because it was interrupted. Signals of the program that come first are
 * passed on. */
static int wait_interrupt(pid_t tid, uint64_t ns)
{
	int status, r;
	while ((r = wait_stop(tid, ns, &status)) == 0) {
		if (is_interrupt(status))
			return WSTOPSIG(status) == SIGTRAP ? 0 : -EAGAIN;
		int sig = WSTOPSIG(status);
		bool is_signal = !(sig & 0x80) && status >> 16 == 0;
		ptrace(PTRACE_CONT, tid, NULL, (void *)(long)(is_signal ? sig : 0));
	}
	return r;
}

static int get_state(struct attach_thread *t)
{
	struct iovec fp = {t->fp, sizeof t->fp};
	if (ptrace(PTRACE_GETREGS, t->tid, NULL, &t->regs) != 0 ||
	    ptrace(PTRACE_GETSIGMASK, t->tid, sizeof t->mask, &t->mask) != 0 ||
	    ptrace(PTRACE_GETREGSET, t->tid, NT_X86_XSTATE, &fp) != 0)
		return -errno;
	t->fp_bytes = fp.iov_len;
	return 0;
}

bool attach_in_call(const struct attach_thread *t)
{
	return (long)t->regs.orig_rax >= 0;
}

/* Some calls end with EINTR when a thread is stopped (signal(7)). They are made again instead,
 * unless a handler of the program runs. */
static void mend_call(struct attach_thread *t)
{
	if (!attach_in_call(t) || (long)t->regs.rax != -EINTR)
		return;
	t->regs.rax = (unsigned long long)-RESTART_NO_HAND;
	ptrace(PTRACE_SETREGS, t->tid, NULL, &t->regs);
}

/* Threads that are to stop, when they can. */
enum { MOST_LATE = 64 };
static pid_t late[MOST_LATE];
static size_t num_late;

bool attach_is_late(pid_t tid)
{
	for (size_t i = 0; i < num_late; i++)
		if (late[i] == tid)
			return true;
	return false;
}

static void let_go(pid_t tid)
{
	struct attach_thread t = {.tid = tid};
	if (ptrace(PTRACE_GETREGS, tid, NULL, &t.regs) == 0)
		mend_call(&t);
	ptrace(PTRACE_DETACH, tid, NULL, NULL);
}

void attach_go_late(void)
{
	size_t kept = 0;
	for (size_t i = 0; i < num_late; i++) {
		int r = wait_interrupt(late[i], 0);
		if (r == -ETIMEDOUT)
			late[kept++] = late[i];
		else if (r != -ESRCH)
			let_go(late[i]);
	}
	num_late = kept;
}

int attach_stop(struct attach_thread *t, pid_t tid)
{
	enum { WAIT_NS = 200 * 1000 * 1000 };
	memset(t, 0, sizeof *t);
	t->tid = tid;
	if (ptrace(PTRACE_SEIZE, tid, NULL, (void *)PTRACE_O_TRACESYSGOOD) != 0 ||
	    ptrace(PTRACE_INTERRUPT, tid, NULL, NULL) != 0)
		return -errno;
	int r = wait_interrupt(tid, WAIT_NS);
	if (r == 0)
		r = get_state(t);
	if (r == 0)
		mend_call(t);
	else if (r != -ETIMEDOUT)
		ptrace(PTRACE_DETACH, tid, NULL, NULL);
	else if (num_late < MOST_LATE)
		late[num_late++] = tid;
	return r;
}

/* Each step leaves the thread so that it would go on as before if there were no other. */
static void restore(struct attach_thread *t)
{
	struct iovec fp = {t->fp, t->fp_bytes};
	ptrace(PTRACE_SETSIGMASK, t->tid, sizeof t->mask, &t->mask);
	ptrace(PTRACE_SETREGSET, t->tid, NT_X86_XSTATE, &fp);
	ptrace(PTRACE_SETREGS, t->tid, NULL, &t->regs);
}

void attach_go(struct attach_thread *t)
{
	restore(t);
	ptrace(PTRACE_DETACH, t->tid, NULL, NULL);
}

/* ---- the frame of a signal handler ---------------------------------------------------------- */

/* What the kernel finds in the area of the vector registers (asm/sigcontext.h). */
struct fp_head {
	uint32_t magic, all_bytes;
	uint64_t features;
	uint32_t bytes, unused[7];
};
enum { FP_HEAD_AT = 464, FP_MAGIC_BYTES = 4 };
static const uint32_t fp_magic = 0x46505853, fp_end_magic = 0x46505845;

/* From the return address of the handler on. */
struct frame {
	uint64_t end; /* of handlers */
	struct {
		uint64_t flags, link;
		stack_t stack;
		mcontext_t registers;
		uint64_t mask;
	} context;
};

static void fill_registers(mcontext_t *m, const struct user_regs_struct *r)
{
	enum { SS_SHIFT = 48, CALL_BYTES = 2 };
	const long long all[] = {[REG_R8] = (long long)r->r8,
				 [REG_R9] = (long long)r->r9,
				 [REG_R10] = (long long)r->r10,
				 [REG_R11] = (long long)r->r11,
				 [REG_R12] = (long long)r->r12,
				 [REG_R13] = (long long)r->r13,
				 [REG_R14] = (long long)r->r14,
				 [REG_R15] = (long long)r->r15,
				 [REG_RDI] = (long long)r->rdi,
				 [REG_RSI] = (long long)r->rsi,
				 [REG_RBP] = (long long)r->rbp,
				 [REG_RBX] = (long long)r->rbx,
				 [REG_RDX] = (long long)r->rdx,
				 [REG_RAX] = (long long)r->rax,
				 [REG_RCX] = (long long)r->rcx,
				 [REG_RSP] = (long long)r->rsp,
				 [REG_RIP] = (long long)r->rip,
				 [REG_EFL] = (long long)r->eflags,
				 [REG_CSGSFS] = (long long)(r->cs | r->ss << SS_SHIFT)};
	memset(m, 0, sizeof *m);
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		m->gregs[i] = all[i];
	/* no kernel restarts the call for us: it is made again */
	long result = (long)r->rax;
	if ((long)r->orig_rax >= 0 && result <= -RESTART_SYS && result >= -RESTART_BLOCK) {
		m->gregs[REG_RAX] = (long long)r->orig_rax;
		m->gregs[REG_RIP] -= CALL_BYTES;
	}
}

/* fp: where the vector registers are; 0: they are not restored. */
static struct frame make_frame(const struct attach_thread *t, uintptr_t end, uintptr_t fp)
{
	enum { HAS_FP = 1, HAS_SS = 2, RESTORE_SS = 4, NO_STACK = 0x7ffffff0 };
	struct frame f;
	memset(&f, 0, sizeof f);
	f.end = end;
	f.context.flags = (fp ? HAS_FP : 0) | HAS_SS | RESTORE_SS;
	f.context.stack.ss_flags = NO_STACK; /* invalid: that of the thread remains */
	fill_registers(&f.context.registers, &t->regs);
	f.context.registers.fpregs = (void *)fp;
	f.context.mask = t->mask;
	return f;
}

static bool write_fp(const struct attach_thread *t, uintptr_t at)
{
	uint8_t copy[ATTACH_FP_BYTES + FP_MAGIC_BYTES];
	struct fp_head head = {.magic = fp_magic,
			       .all_bytes = (uint32_t)t->fp_bytes + FP_MAGIC_BYTES,
			       .bytes = (uint32_t)t->fp_bytes};
	memcpy(copy, t->fp, t->fp_bytes);
	memcpy(&head.features, copy + FP_HEAD_AT, sizeof head.features); /* those of the CPU */
	memcpy(copy + FP_HEAD_AT, &head, sizeof head);
	memcpy(copy + t->fp_bytes, &fp_end_magic, FP_MAGIC_BYTES);
	return attach_write(t->tid, at, copy, t->fp_bytes + FP_MAGIC_BYTES);
}

/* Returns the address of the frame, which is the stack pointer on entry of a function; 0: the
 * memory cannot be written. */
static uintptr_t put_frame(const struct attach_thread *t, const struct attach_call *call)
{
	enum { RED_ZONE = 128, FP_ALIGNED = 64, STACK_ALIGNED = 16 };
	uintptr_t top = call->stack ? call->stack : t->regs.rsp - RED_ZONE, fp = 0;
	if (call->stack) {
		fp = (top - t->fp_bytes - FP_MAGIC_BYTES) & ~(uintptr_t)(FP_ALIGNED - 1);
		if (!write_fp(t, fp))
			return 0;
		top = fp;
	}
	/* a function finds the stack pointer 8 below a multiple of 16 */
	uintptr_t at =
	    ((top - sizeof(struct frame)) & ~(uintptr_t)(STACK_ALIGNED - 1)) - sizeof(uint64_t);
	struct frame f = make_frame(t, call->end, fp);
	return attach_write(t->tid, at, &f, sizeof f) ? at : 0;
}

/* ---- calls --------------------------------------------------------------------------------------
 */

enum { END_CALL_AT = 7 }; /* where the system call is in the code with which handlers end */

static void set_arguments(struct user_regs_struct *r, const uint64_t *a)
{
	r->rdi = a[0];
	r->rsi = a[1];
	r->rdx = a[2];
	r->rcx = a[3];
	r->r8 = a[4];
	r->r9 = a[5];
}

/* All but those by which a fault of the function is seen. */
static uint64_t blocked(void)
{
	static const int faults[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGSYS};
	uint64_t set = ~0ull;
	for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
		set &= ~(1ull << (faults[i] - 1));
	return set;
}

static int enter(const struct attach_thread *t, const struct attach_call *call, uintptr_t frame)
{
	enum { TRAP_FLAG = 0x100, DIRECTION_FLAG = 0x400 };
	struct user_regs_struct r = t->regs;
	uint64_t mask = blocked();
	set_arguments(&r, call->arguments);
	r.rax = 0;
	r.rip = call->function;
	r.rsp = frame;
	r.orig_rax = (unsigned long long)-1;
	r.eflags &= ~(unsigned long long)(TRAP_FLAG | DIRECTION_FLAG);
	if (ptrace(PTRACE_SETREGS, t->tid, NULL, &r) != 0 ||
	    ptrace(PTRACE_SETSIGMASK, t->tid, sizeof mask, &mask) != 0)
		return -errno;
	return 0;
}

/* The thread is about to make the call that ends a handler: let it make the call only if we are
 * gone, and stop it outside of system calls. */
static int stop_at_end(const struct attach_thread *t, struct user_regs_struct *r,
		       const struct attach_call *call)
{
	enum { WAIT_NS = 1000 * 1000 * 1000 };
	r->rip = call->end + END_CALL_AT;
	r->rax = SYS_rt_sigreturn;
	r->orig_rax = (unsigned long long)-1;
	if (ptrace(PTRACE_SETREGS, t->tid, NULL, r) != 0 ||
	    ptrace(PTRACE_INTERRUPT, t->tid, NULL, NULL) != 0 ||
	    ptrace(PTRACE_CONT, t->tid, NULL, NULL) != 0)
		return -errno;
	int status, k;
	do
		k = wait_stop(t->tid, WAIT_NS, &status);
	while (k == 0 && !is_interrupt(status) && ptrace(PTRACE_CONT, t->tid, NULL, NULL) == 0);
	return k;
}

/* How the thread is doing, at a stop. */
enum progress { RUNS, RETURNED, RAISED };

static enum progress look(const struct attach_thread *t, int status, uintptr_t frame,
			  const struct attach_call *call, struct user_regs_struct *r)
{
	enum { CALL_STOP = SIGTRAP | 0x80, CALL_BYTES = 2 };
	int sig = WSTOPSIG(status);
	if (is_interrupt(status) || status >> 16)
		return RUNS;
	if (sig != CALL_STOP)
		return RAISED;
	if (ptrace(PTRACE_GETREGS, t->tid, NULL, r) != 0)
		return RUNS;
	return r->orig_rax == SYS_rt_sigreturn && r->rsp == frame + sizeof(uint64_t) &&
		       r->rip == call->end + END_CALL_AT + CALL_BYTES
		   ? RETURNED
		   : RUNS;
}

int attach_call(struct attach_thread *t, const struct attach_call *call)
{
	static const uint64_t often = 10ull * 1000 * 1000 * 1000;
	struct user_regs_struct r;
	uintptr_t frame = put_frame(t, call);
	int status, k = frame ? enter(t, call, frame) : -EFAULT;
	enum progress is = RUNS;
	while (k == 0 && is == RUNS) {
		if (ptrace(PTRACE_SYSCALL, t->tid, NULL, NULL) != 0)
			return -errno;
		while ((k = wait_stop(t->tid, often, &status)) == -ETIMEDOUT)
			fprintf(stderr, "hpcrun: %s takes long in the process; still waiting\n",
				call->what);
		if (k == 0)
			is = look(t, status, frame, call, &r);
	}
	if (k == 0 && is == RETURNED)
		return stop_at_end(t, &r, call);
	if (k == 0 || k == -EFAULT)
		restore(t);
	return k == 0 ? -EPROTO : k;
}
