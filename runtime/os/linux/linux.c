/* The OS contract on Linux with glibc. System calls are made directly if the libc wrapper would
 * set errno, take a lock or be a cancellation point. Files and load modules have files of their
 * own. */
#include "runtime/os/linux/call.h"
#include "runtime/os/linux/vdso.h"
#include "runtime/os/os.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

void *os_map(size_t bytes)
{
	return mapped(CALL(SYS_mmap, NULL, bytes, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
}

void *os_map_shared(size_t bytes)
{
	return mapped(
	    CALL(SYS_mmap, NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
}

void os_unmap(void *p, size_t bytes)
{
	CALL(SYS_munmap, p, bytes);
}

void *os_map_cleared_in_copies(size_t bytes)
{
	void *p = os_map(bytes);
	if (p && CALL(SYS_madvise, p, bytes, MADV_WIPEONFORK) < 0) { /* before Linux 4.14 */
		os_unmap(p, bytes);
		return NULL;
	}
	return p;
}

void os_touch(void *low, void *high)
{
	uintptr_t from = (uintptr_t)low & -(uintptr_t)PAGE;
	uintptr_t to = ((uintptr_t)high + PAGE - 1) & -(uintptr_t)PAGE;
	if (from < to)
		CALL(SYS_madvise, from, to - from, OS_POPULATE_WRITE);
}

bool os_readable(uintptr_t p)
{
	char byte;
	struct iovec to = {&byte, 1}, from = {(void *)p, 1};
	return CALL(SYS_process_vm_readv, os_pid(), &to, 1, &from, 1, 0) == 1;
}

/* Reads a byte of each page: the kernel copies piece by piece, up to the first that it cannot. */
uint32_t os_readable_pages(uintptr_t p)
{
	char bytes[OS_PAGES_AT_ONCE];
	struct iovec to = {bytes, sizeof bytes}, from[OS_PAGES_AT_ONCE];
	for (int i = 0; i < OS_PAGES_AT_ONCE; i++)
		from[i] = (struct iovec){(void *)(p + (uintptr_t)i * PAGE), 1};
	long n = CALL(SYS_process_vm_readv, os_pid(), &to, 1, from, OS_PAGES_AT_ONCE, 0);
	return n > 0 ? (uint32_t)n : 0;
}

static uint64_t read_clock(clockid_t clock)
{
	struct timespec t = {0, 0};
	if (os_vdso_clock(clock, &t) != 0)
		t = (struct timespec){0, 0};
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

uint64_t os_clock_real(void)
{
	return read_clock(CLOCK_REALTIME);
}

uint64_t os_clock_mono(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

uint64_t os_clock_ticks(void)
{
	enum { NS_PER_TICK = 1000000000 / 100 }; /* USER_HZ is 100 */
	return read_clock(CLOCK_BOOTTIME) / NS_PER_TICK;
}

uint64_t os_clock_self(void)
{
	return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

uint64_t os_clock_process(void)
{
	return read_clock(CLOCK_PROCESS_CPUTIME_ID);
}

uint64_t os_clock_thread(uint32_t tid)
{
	/* the kernel's encoding of a thread's scheduler clock (posix-timers.h:
	 * CPUCLOCK_PERTHREAD_MASK | CPUCLOCK_SCHED), as in pthread_getcpuclockid */
	return read_clock((clockid_t)(~tid << 3 | 6));
}

uint32_t os_pid(void)
{
	return (uint32_t)CALL(SYS_getpid);
}

uint32_t os_ppid(void)
{
	return (uint32_t)CALL(SYS_getppid);
}

uint64_t os_pid_space(void)
{
	struct stat st;
	return CALL(SYS_newfstatat, AT_FDCWD, "/proc/self/ns/pid", &st, 0) == 0 ? st.st_ino : 0;
}

bool os_is_privileged(void)
{
	return getauxval(AT_SECURE) != 0;
}

/* ARCH_SHSTK_STATUS and ARCH_SHSTK_SHSTK of asm/prctl.h, which it has since Linux 6.6. */
bool os_has_shadow_stack(void)
{
#ifdef SYS_arch_prctl
	enum { STATUS = 0x5005, SHADOW_STACK = 1 };
	uint64_t features = 0;
	return CALL(SYS_arch_prctl, STATUS, &features) == 0 && features & SHADOW_STACK;
#else
	return false;
#endif
}

uint32_t os_tid(void)
{
	return (uint32_t)CALL(SYS_gettid);
}

/* Without /proc: the path with which the program was executed, in this directory if it is
 * relative. */
static long executed_path(char *out, size_t size)
{
	const char *path = (const char *)getauxval(AT_EXECFN);
	size_t n = 0, more = path ? strlen(path) : 0;
	if (more && path[0] != '/') {
		long r = CALL(SYS_getcwd, out, size);
		if (r < 0)
			return 0;
		n = (size_t)r;
		out[n - 1] = '/';
	}
	if (!more || n + more >= size)
		return 0;
	memcpy(out + n, path, more + 1);
	return (long)(n + more);
}

int os_executable(char *out, size_t size)
{
	static const char deleted[] = " (deleted)";
	long n = CALL(SYS_readlinkat, AT_FDCWD, "/proc/self/exe", out, size - 1);
	if (n < 0)
		n = executed_path(out, size);
	size_t tail = sizeof deleted - 1;
	if ((size_t)n > tail && memcmp(out + n - tail, deleted, tail) == 0)
		n -= (long)tail;
	out[n] = '\0';
	return (int)n;
}

int os_hostname(char *out, size_t size)
{
	struct utsname u;
	size_t n;
	if (CALL(SYS_uname, &u) != 0)
		memcpy(u.nodename, "localhost", sizeof "localhost");
	n = strnlen(u.nodename, size - 1);
	memcpy(out, u.nodename, n);
	out[n] = '\0';
	return (int)n;
}

int os_task_open(uint32_t tid, const char *name)
{
	enum { MOST = 12 };
	char path[48], digits[MOST];
	const char *where = tid ? "/proc/self/task/" : "/proc/thread-self";
	size_t n = strlen(where), d = 0, length = strnlen(name, MOST);
	memcpy(path, where, n);
	for (; tid; tid /= 10)
		digits[d++] = (char)('0' + tid % 10);
	while (d)
		path[n++] = digits[--d];
	path[n++] = '/';
	memcpy(path + n, name, length);
	path[n + length] = '\0';
	return os_open_read(path);
}

int os_task_file(uint32_t tid, const char *name, char *out, size_t size)
{
	memset(out, 0, size);
	int fd = os_task_open(tid, name);
	if (fd < 0)
		return fd;
	int got = os_read(fd, out, size - 1);
	os_close(fd);
	return got;
}

int os_thread_name(uint32_t tid, char *out, size_t size)
{
	if (tid == 0) {
		memset(out, 0, size);
		return (int)CALL(SYS_prctl, PR_GET_NAME, out, 0, 0, 0);
	}
	int got = os_task_file(tid, "comm", out, size);
	if (got > 0 && out[got - 1] == '\n')
		out[--got] = '\0';
	return got;
}

extern void *__libc_stack_end; /* from the dynamic linker: the stack pointer at the entry */

void os_main_stack(uintptr_t *low, uintptr_t *high)
{
	/* the kernel's mmap_base() leaves at least 128 MB below the stack's top, or the stack's
	 * limit if that is more */
	uint64_t size = 128u << 20;
	struct rlimit64 limit;
	if (CALL(SYS_prlimit64, 0, RLIMIT_STACK, NULL, &limit) == 0 && limit.rlim_cur > size)
		size = limit.rlim_cur < (1ull << 44) ? limit.rlim_cur : 1ull << 44;
	*high = (uintptr_t)__libc_stack_end + 2 * sizeof(void *); /* argc and argv[0] */
	*low = *high > size ? *high - size : PAGE;
}

bool os_at_start(void)
{
	enum { LITTLE = 1 << 20 };
	uintptr_t sp = (uintptr_t)__builtin_frame_address(0);
	return (uintptr_t)__libc_stack_end - sp < LITTLE;
}

uint64_t os_random(void)
{
	uint64_t v = 0;
	if (CALL(SYS_getrandom, &v, sizeof v, 1 /* GRND_NONBLOCK */) != sizeof v)
		v = os_clock_mono() * 0x9E3779B97F4A7C15ull ^ os_tid();
	return v;
}

uint32_t os_cpus(void)
{
	uint64_t mask[128]; /* 8192 CPUs, the maximum of Linux */
	long bytes = CALL(SYS_sched_getaffinity, 0, sizeof mask, mask);
	uint32_t n = 0;
	for (long i = 0; i < bytes / (long)sizeof *mask; i++)
		n += (uint32_t)__builtin_popcountll(mask[i]);
	return n ? n : 1;
}

/* ---- signals ---- */

/* libc's own sigaction: the name sigaction refers to the wrapper of the preloaded library. */
extern int __sigaction(int, const struct sigaction *, struct sigaction *);

int os_sigaction(int sig, const struct sigaction *act, struct sigaction *old)
{
	int saved = errno;
	int r = __sigaction(sig, act, old) == 0 ? 0 : -errno;
	errno = saved;
	return r;
}

static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS};

static uint64_t all_but_faults(void)
{
	uint64_t set = ~0ull;
	for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
		set &= ~bit_of(faults[i]);
	return set;
}

int os_handle(int sig, os_handler *handler, struct sigaction *old)
{
	struct sigaction act;
	uint64_t mask = all_but_faults();
	memset(&act, 0, sizeof act);
	act.sa_sigaction = handler;
	act.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
	memcpy(&act.sa_mask, &mask, sizeof mask);
	return os_sigaction(sig, &act, old);
}

uint64_t os_handled(uint64_t set, bool restarting)
{
	uint64_t handled = 0;
	for (int sig = 1; sig <= 64; sig++) {
		struct sigaction act;
		if (!(set & bit_of(sig)) || os_sigaction(sig, NULL, &act) < 0 ||
		    act.sa_handler == SIG_DFL || act.sa_handler == SIG_IGN)
			continue;
		if (restarting || !(act.sa_flags & SA_RESTART))
			handled |= bit_of(sig);
	}
	return handled;
}

bool os_other_signal(const void *context, bool restarting, int but)
{
	uint64_t waiting = os_pending() & ~os_context_mask(context);
	return os_handled(but ? waiting & ~bit_of(but) : waiting, restarting) != 0;
}

void os_default_action(int sig)
{
	struct sigaction act;
	if (sig == SIGURG || sig == SIGCHLD || sig == SIGWINCH)
		return;
	memset(&act, 0, sizeof act);
	act.sa_handler = SIG_DFL;
	os_sigaction(sig, &act, NULL);
	CALL(SYS_tgkill, os_pid(), os_tid(), sig);
	uint64_t mask = change_mask(SIG_UNBLOCK, bit_of(sig));
	/* the process continues: the signal is ignored, or the process was stopped and continued */
	change_mask(SIG_SETMASK, mask);
}

uint64_t os_hold_signals(uint64_t but)
{
	return change_mask(SIG_BLOCK, all_but_faults() & ~but);
}

void os_block_signal(int sig)
{
	change_mask(SIG_BLOCK, bit_of(sig));
}

void os_unblock_signal(int sig)
{
	change_mask(SIG_UNBLOCK, bit_of(sig));
}

void os_release_signals(uint64_t mask)
{
	change_mask(SIG_SETMASK, mask);
}

bool os_restartable(int call, const long *args)
{
	/* the calls that return -ERESTART_RESTARTBLOCK in the kernel: but not a sleep until a time
	 * (hrtimer_nanosleep), which is the same when it is made again */
	return call == SYS_poll || call == SYS_nanosleep || call == SYS_futex ||
	       (call == SYS_clock_nanosleep && !(args[1] & TIMER_ABSTIME));
}

void os_yield(void)
{
	CALL(SYS_sched_yield);
}

/* nanosleep makes the kernel forget how the call of the program that a handler has interrupted is
 * restarted (kernel/time/hrtimer.c); this does not. */
void os_sleep_ns(uint64_t ns)
{
	static const _Atomic(uint32_t) never;
	os_wait_while(&never, 0, ns);
}

void os_wait_while(const _Atomic(uint32_t) *word, uint32_t value, uint64_t ns)
{
	static const struct timespec pause = {0, 50 * 1000};
	struct timespec t = {(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)};
	long r = CALL(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, &t);
	if (r < 0 && r != -EAGAIN && r != -EINTR && r != -ETIMEDOUT)
		CALL(SYS_nanosleep, &pause, NULL); /* a seccomp filter forbids it */
}

void os_wake_one(const _Atomic(uint32_t) *word)
{
	CALL(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1);
}

/* ---- timers and performance events ---- */

int os_timer_create(enum os_clock clock, int sig, void *value)
{
	struct sigevent e;
	memset(&e, 0, sizeof e);
	e.sigev_notify = SIGEV_THREAD_ID;
	e.sigev_signo = sig;
	e.sigev_value.sival_ptr = value;
	e._sigev_un._tid = (int)os_tid();
	int timer = -1;
	clockid_t id = clock == OS_CLOCK_MONOTONIC ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID;
	long r = CALL(SYS_timer_create, id, &e, &timer);
	return r < 0 ? (int)r : timer;
}

int os_timer_arm(int timer, uint64_t ns)
{
	struct itimerspec t = {{0, 0}, {(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)}};
	return (int)CALL(SYS_timer_settime, timer, 0, &t, NULL);
}

int os_timer_delete(int timer)
{
	return (int)CALL(SYS_timer_delete, timer);
}

bool os_timer_sent(const siginfo_t *info, const void *value)
{
	return info->si_code == SI_TIMER && info->si_value.sival_ptr == value;
}

void os_timer_again(const siginfo_t *info, uint64_t ns)
{
	if (info->si_code == SI_TIMER)
		os_timer_arm(info->si_timerid, ns);
}

int os_profile_timer(uint64_t ns)
{
	struct timeval each = {(time_t)(ns / 1000000000u), (suseconds_t)(ns % 1000000000u / 1000)};
	struct itimerval t = {each, each};
	return (int)CALL(SYS_setitimer, ITIMER_PROF, &t, NULL);
}
