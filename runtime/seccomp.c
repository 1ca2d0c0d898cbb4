#include "runtime/seccomp.h"

#include "runtime/bpf.h"
#include "runtime/csprof.h"
#include "runtime/mem.h"
#include "runtime/message.h"
#include "runtime/os/os.h"
#include "runtime/process.h"
#include "runtime/state.h"
#include "runtime/thread.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/futex.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>

/* A system call of ours. Addresses and the like, which no filter can depend on, are 0. */
struct need {
	int number;
	bool must; /* it has to work; else it may fail with an errno */
	uint64_t args[6];
};

enum { MAP_OURS = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, ANY_FD = 512 };

/* What the handler makes, whatever the source (driver/), and to get memory. */
static const struct need in_handler[] = {
    {SYS_clock_gettime, true, {CLOCK_THREAD_CPUTIME_ID}},
    {SYS_rt_sigreturn, true, {0}},
    {SYS_restart_syscall, true, {0}},
    {SYS_rt_sigprocmask, true, {SIG_BLOCK, 0, 0, 8}},
    {SYS_rt_sigprocmask, true, {SIG_SETMASK, 0, 0, 8}},
    {SYS_getpid, true, {0}},
    {SYS_process_vm_readv, false, {0, 0, 1, 0, 1, 0}},
    {SYS_process_vm_readv, false, {0, 0, 1, 0, OS_PAGES_AT_ONCE, 0}},
    {SYS_sched_yield, false, {0}},
    {SYS_mmap, false, {0, 4096, PROT_READ | PROT_WRITE, MAP_OURS, UINT64_MAX, 0}},
    {SYS_mmap, false, {0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, ANY_FD, 0}},
    {SYS_munmap, false, {0, 4096}},
    {SYS_openat, false, {(uint32_t)AT_FDCWD, 0, O_RDONLY | O_CLOEXEC}},
    {SYS_openat, false, {(uint32_t)AT_FDCWD, 0, O_RDWR | O_NOFOLLOW | O_CLOEXEC}},
    {SYS_newfstatat, false, {ANY_FD, 0, 0, AT_EMPTY_PATH}},
    {SYS_fallocate, false, {ANY_FD}},
    {SYS_pwrite64, false, {ANY_FD}},
    {SYS_read, false, {ANY_FD}},
    {SYS_close, false, {ANY_FD}},
};
static const struct need by_performance_event[] = {
    {SYS_ioctl, true, {ANY_FD, PERF_EVENT_IOC_ID}},
    {SYS_ioctl, true, {ANY_FD, PERF_EVENT_IOC_PERIOD}},
};
static const struct need by_timers[] = {
    {SYS_timer_settime, true, {0}},
    {SYS_getrusage, true, {RUSAGE_THREAD}},
    {SYS_timer_create, false, {CLOCK_MONOTONIC}},
};

/* What begins, silences and ends the sources; a handler may, too, where one is closed. */
static const struct need of_sources[] = {
    {SYS_perf_event_open, false, {0}},
    {SYS_ioctl, false, {ANY_FD, PERF_EVENT_IOC_ENABLE}},
    {SYS_ioctl, false, {ANY_FD, PERF_EVENT_IOC_DISABLE}},
    {SYS_ioctl, false, {ANY_FD, PERF_EVENT_IOC_ID}},
    {SYS_fcntl, false, {ANY_FD, F_SETSIG}},
    {SYS_fcntl, false, {ANY_FD, F_SETOWN_EX}},
    {SYS_fcntl, false, {ANY_FD, F_SETFL}},
    {SYS_gettid, false, {0}},
    {SYS_timer_create, false, {CLOCK_THREAD_CPUTIME_ID}},
    {SYS_timer_create, false, {CLOCK_MONOTONIC}},
    {SYS_timer_settime, false, {0}},
    {SYS_timer_delete, false, {0}},
    {SYS_getrusage, false, {RUSAGE_THREAD}},
    {SYS_setitimer, false, {0}},
};
/* What else a handler makes that makes an event. */
static const struct need to_make_events[] = {
    {SYS_prlimit64, false, {0, RLIMIT_NOFILE}},
    {SYS_fcntl, false, {ANY_FD, F_DUPFD_CLOEXEC}},
    {SYS_mmap, false, {0, 4096, PROT_READ, MAP_SHARED, ANY_FD, 0}},
};

/* What else we make: when threads begin and end, modules come and go, and at the end. */
static const struct need elsewhere[] = {
    {SYS_getpid, true, {0}},
    {SYS_getppid, false, {0}},
    {SYS_gettid, true, {0}},
    {SYS_clock_gettime, true, {CLOCK_THREAD_CPUTIME_ID}},
    {SYS_clock_gettime, true, {(uint32_t)-6}}, /* another thread's: the number is negative */
    {SYS_rt_sigprocmask, true, {SIG_BLOCK, 0, 0, 8}},
    {SYS_rt_sigprocmask, true, {SIG_SETMASK, 0, 0, 8}},
    {SYS_rt_sigaction, false, {SIGURG, 0, 0, 8}},
    {SYS_rt_sigtimedwait, false, {0}},
    {SYS_sched_yield, false, {0}},
    {SYS_nanosleep, false, {0}},
    {SYS_futex, false, {0, FUTEX_WAIT_PRIVATE}},
    {SYS_futex, false, {0, FUTEX_WAKE_PRIVATE, 1}},
    {SYS_madvise, false, {0, 4096, OS_POPULATE_WRITE}},
    {SYS_mmap, false, {0, 4096, PROT_READ | PROT_WRITE, MAP_OURS, UINT64_MAX, 0}},
    {SYS_mmap, false, {0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, ANY_FD, 0}},
    {SYS_mmap, false, {0, 4096, PROT_READ, MAP_SHARED, ANY_FD, 0}},
    {SYS_munmap, false, {0, 4096}},
    {SYS_getrandom, false, {0, 8, 1}},
    {SYS_prctl, false, {PR_GET_NAME}},
    {SYS_prlimit64, false, {0, RLIMIT_NOFILE}},
    {SYS_fcntl, false, {ANY_FD, F_DUPFD_CLOEXEC}},
    {SYS_openat, false, {(uint32_t)AT_FDCWD, 0, O_RDONLY | O_CLOEXEC}},
    {SYS_openat,
     false,
     {(uint32_t)AT_FDCWD, 0, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600}},
    {SYS_openat,
     false,
     {(uint32_t)AT_FDCWD, 0, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600}},
    {SYS_openat, false, {(uint32_t)AT_FDCWD, 0, O_RDONLY | O_DIRECTORY | O_CLOEXEC}},
    {SYS_read, false, {ANY_FD}},
    {SYS_write, false, {ANY_FD}},
    {SYS_write, false, {2}},
    {SYS_pwrite64, false, {ANY_FD}},
    {SYS_close, false, {ANY_FD}},
    {SYS_newfstatat, false, {ANY_FD, 0, 0, AT_EMPTY_PATH}},
    {SYS_newfstatat, false, {(uint32_t)AT_FDCWD}},
    {SYS_readlink, false, {0}},
    {SYS_uname, false, {0}},
    {SYS_faccessat, false, {(uint32_t)AT_FDCWD}},
    {SYS_fallocate, false, {ANY_FD}},
    {SYS_flock, false, {ANY_FD}},
    {SYS_linkat, false, {(uint32_t)AT_FDCWD, 0, (uint32_t)AT_FDCWD}},
    {SYS_renameat2, false, {(uint32_t)AT_FDCWD, 0, (uint32_t)AT_FDCWD}},
    {SYS_unlinkat, false, {(uint32_t)AT_FDCWD}},
};

#if defined(__x86_64__)
enum { ARCHITECTURE = (int)AUDIT_ARCH_X86_64 };
#elif defined(__aarch64__)
enum { ARCHITECTURE = (int)AUDIT_ARCH_AARCH64 };
#else
#error "name this machine's architecture here"
#endif

static __thread bool confined;
static atomic_bool all_confined, all_refused;

bool csprof_confined(void)
{
	return confined || atomic_load_explicit(&all_confined, memory_order_relaxed);
}

bool csprof_sampling_refused(void)
{
	return atomic_load(&all_refused);
}

/* ---- asking the filter --------------------------------------------------------------- */

static bool allowed(const struct sock_fprog *filter, const struct need *need)
{
	struct seccomp_data call = {
	    .nr = need->number,
	    .arch = (uint32_t)ARCHITECTURE,
	    .instruction_pointer = (uintptr_t)csprof_confined,
	};
	for (int i = 0; i < 6; i++)
		call.args[i] = need->args[i];
	uint32_t verdict = csprof_bpf_run(filter->filter, filter->len, &call);
	switch (verdict & SECCOMP_RET_ACTION_FULL) {
	case SECCOMP_RET_ALLOW:
	case SECCOMP_RET_LOG:
		return true;
	case SECCOMP_RET_ERRNO:
		return !need->must;
	}
	return false;
}

/* filter NULL: strict mode. */
static bool all_allowed(const struct sock_fprog *filter, const struct need *needs, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!filter || !allowed(filter, &needs[i]))
			return false;
	return true;
}
#define ALL_ALLOWED(filter, needs) all_allowed(filter, needs, sizeof(needs) / sizeof *(needs))

static bool uses(const struct csprof_driver *driver)
{
	for (csprof_state_t *s = csprof_process.threads; s; s = s->next)
		if (s->source.driver == driver)
			return true;
	return false;
}

static bool any_later(void)
{
	for (csprof_state_t *s = csprof_process.threads; s; s = s->next)
		if (atomic_load(&s->source.later))
			return true;
	return false;
}

static bool sampling_allowed(const struct sock_fprog *filter)
{
	return ALL_ALLOWED(filter, in_handler) && ALL_ALLOWED(filter, of_sources) &&
	       (!any_later() || ALL_ALLOWED(filter, to_make_events)) &&
	       (!uses(&csprof_driver_task_clock) || ALL_ALLOWED(filter, by_performance_event)) &&
	       (!uses(&csprof_driver_timers) || ALL_ALLOWED(filter, by_timers));
}

/* ---- what follows from it -------------------------------------------------------------- */

static void each_thread(bool all, void (*what)(csprof_state_t *))
{
	for (csprof_state_t *s = csprof_process.threads; s; s = s->next)
		if (all || s == csprof_self)
			what(s);
}

/* The source is given back, as it could not be later; but not while a handler that has seen
 * it is still to arm it. */
static void end_sampling(csprof_state_t *s)
{
	if (!s->source.driver)
		return;
	atomic_store(&s->rest, CSP_MEASURING_OFF);
	s->source.driver->quiet(&s->source);
	if (!csprof_thread_wait_idle(s, os_clock_mono() + CSPROF_WAIT_NS))
		return;
	s->source.driver->stop(&s->source, false);
	s->source.driver = NULL;
}

void csprof_seccomp_before(struct csprof_confining *c, const struct sock_fprog *filter,
			   bool all_threads)
{
	*c = (struct csprof_confining){0};
	if (!csprof_process_measured())
		return;
	csprof_sources_freeze();
	csprof_sample_settle();
	/* threads to come inherit it from the only one */
	all_threads |= csprof_process.threads == csprof_self && csprof_self && !csprof_self->next;
	c->all_threads = all_threads;
	c->confined = !ALL_ALLOWED(filter, elsewhere);
	if (c->confined && !csprof_store_survives()) {
		c->finished = csprof_process_finish("confined", false);
	} else {
		csprof_lock();
		c->off = !sampling_allowed(filter);
		c->closed = c->off && c->confined && all_threads;
		if (c->off)
			each_thread(all_threads, end_sampling);
		if (c->closed)
			each_thread(all_threads, csprof_thread_close);
		if (c->off && all_threads)
			atomic_store(&all_refused, true);
		csprof_unlock();
	}
	if (c->off || c->finished)
		csprof_say(CSPROF_SAY_ALWAYS, "restricts its system calls: no samples from here on",
			   NULL, INT64_MIN);
	if (c->confined && all_threads)
		atomic_store(&all_confined, true);
	else if (c->confined)
		confined = true;
}

void csprof_seccomp_failed(const struct csprof_confining *c)
{
	if (c->confined && c->all_threads)
		atomic_store(&all_confined, false);
	else if (c->confined)
		confined = false;
	if (c->finished)
		csprof_process_resume();
	if (!c->off)
		return;
	csprof_lock();
	if (c->all_threads)
		atomic_store(&all_refused, false);
	if (c->closed)
		each_thread(c->all_threads, csprof_thread_reopen);
	/* others cannot be given a source from here */
	if (csprof_self && !csprof_self->source.driver)
		csprof_thread_resample(csprof_self);
	csprof_unlock();
	csprof_say(CSPROF_SAY_ALWAYS, "that has failed: samples go on", NULL, INT64_MIN);
}

void csprof_seccomp_new_thread(void)
{
	if (confined)
		atomic_store(&all_confined, true);
}

/* ---- the program's calls ---------------------------------------------------------------- */

/* Can it be read, and is it of a length that the kernel takes? */
static bool is_filter(const struct sock_fprog *f)
{
	if (!os_readable((uintptr_t)f) || !os_readable((uintptr_t)(f + 1) - 1))
		return false;
	return f->len > 0 && f->len <= BPF_MAXINSNS && os_readable((uintptr_t)f->filter) &&
	       os_readable((uintptr_t)(f->filter + f->len) - 1);
}

long csprof_seccomp_prctl(int option, const unsigned long *args)
{
	const struct sock_fprog *filter = (const struct sock_fprog *)args[1];
	struct csprof_confining c;
	bool strict = args[0] == SECCOMP_MODE_STRICT;
	if (option != PR_SET_SECCOMP ||
	    (!strict && (args[0] != SECCOMP_MODE_FILTER || !is_filter(filter))))
		return os_prctl(option, args);
	csprof_seccomp_before(&c, strict ? NULL : filter, false);
	long r = os_prctl(option, args);
	if (r < 0)
		csprof_seccomp_failed(&c);
	return r;
}

long csprof_seccomp_call(unsigned operation, unsigned flags, const struct sock_fprog *filter)
{
	struct csprof_confining c;
	bool strict = operation == SECCOMP_SET_MODE_STRICT && !flags && !filter;
	if (!strict && (operation != SECCOMP_SET_MODE_FILTER || !is_filter(filter)))
		return os_seccomp(operation, flags, filter);
	csprof_seccomp_before(&c, strict ? NULL : filter, flags & SECCOMP_FILTER_FLAG_TSYNC);
	long r = os_seccomp(operation, flags, filter);
	/* with TSYNC: the thread that could not follow */
	if (r < 0 || (r > 0 && !(flags & SECCOMP_FILTER_FLAG_NEW_LISTENER)))
		csprof_seccomp_failed(&c);
	return r;
}
