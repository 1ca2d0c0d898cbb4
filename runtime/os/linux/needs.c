/* The system calls that we make, as a filter of a program that restricts its own would see them. */
#include "runtime/os/os.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>

enum { MAP_OURS = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, ANY_FD = 512 };
#define END                                                                                        \
	{                                                                                          \
		.number = OS_NEEDS_END                                                             \
	}

/* Calls that a handler makes with any driver, and to get memory. */
const struct os_need os_needs_in_handler[] = {
    {SYS_clock_gettime, true, {CLOCK_THREAD_CPUTIME_ID}},
    {SYS_rt_sigreturn, true, {0}},
    {SYS_restart_syscall, true, {0}},
    {SYS_rt_sigprocmask, true, {SIG_BLOCK, 0, 0, 8}},
    {SYS_rt_sigprocmask, true, {SIG_SETMASK, 0, 0, 8}},
    {SYS_getpid, true, {0}},
    {SYS_getrusage, false, {RUSAGE_THREAD}},
    {SYS_process_vm_readv, false, {0, 0, 1, 0, 1, 0}},
    {SYS_process_vm_readv, false, {0, 0, 1, 0, OS_PAGES_AT_ONCE, 0}},
    {SYS_sched_yield, false, {0}},
    {SYS_mmap, false, {0, 4096, PROT_READ | PROT_WRITE, MAP_OURS, UINT64_MAX, 0}},
    {SYS_mmap, false, {0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, ANY_FD, 0}},
    {SYS_munmap, false, {0, 4096}},
    {SYS_openat, false, {(uint32_t)AT_FDCWD, 0, O_RDONLY | O_CLOEXEC}},
    {SYS_openat, false, {(uint32_t)AT_FDCWD, 0, O_RDWR | O_NOFOLLOW | O_CLOEXEC}},
    {SYS_newfstatat, false, {ANY_FD, 0, 0, AT_EMPTY_PATH}},
    {SYS_fstatfs, false, {ANY_FD}},
    {SYS_fallocate, false, {ANY_FD}},
    {SYS_pwrite64, false, {ANY_FD}},
    {SYS_read, false, {ANY_FD}},
    {SYS_close, false, {ANY_FD}},
    END,
};

const struct os_need os_needs_clock_self[] = {
    {SYS_clock_gettime, true, {CLOCK_THREAD_CPUTIME_ID}},
    END,
};

const struct os_need os_needs_usage[] = {
    {SYS_getrusage, true, {RUSAGE_THREAD}},
    END,
};

/* If /proc cannot be read, the time is not known. */
const struct os_need os_needs_waits[] = {
    {SYS_getrusage, true, {RUSAGE_THREAD}},
    {SYS_openat, false, {(uint32_t)AT_FDCWD, 0, O_RDONLY | O_CLOEXEC}},
    {SYS_read, false, {ANY_FD}},
    {SYS_close, false, {ANY_FD}},
    {SYS_statx, false, {ANY_FD, 0, AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_TYPE}},
    END,
};

/* ---- by the sources of samples ---- */

const struct os_need os_needs_perf_sample[] = {
    {SYS_ioctl, true, {ANY_FD, PERF_EVENT_IOC_ID}},
    {SYS_ioctl, true, {ANY_FD, PERF_EVENT_IOC_PERIOD}},
    END,
};
const struct os_need os_needs_timer_sample[] = {
    {SYS_timer_settime, true, {0}},
    {SYS_getrusage, true, {RUSAGE_THREAD}},
    {SYS_timer_create, false, {CLOCK_MONOTONIC}},
    END,
};

const struct os_need os_needs_perf[] = {
    {SYS_perf_event_open, false, {0}},
    {SYS_ioctl, false, {ANY_FD, PERF_EVENT_IOC_ENABLE}},
    {SYS_ioctl, false, {ANY_FD, PERF_EVENT_IOC_DISABLE}},
    {SYS_ioctl, false, {ANY_FD, PERF_EVENT_IOC_ID}},
    {SYS_fcntl, false, {ANY_FD, F_SETSIG}},
    {SYS_fcntl, false, {ANY_FD, F_SETOWN_EX}},
    {SYS_fcntl, false, {ANY_FD, F_SETFL}},
    {SYS_gettid, false, {0}},
    END,
};
const struct os_need os_needs_timer[] = {
    {SYS_timer_create, false, {CLOCK_THREAD_CPUTIME_ID}},
    {SYS_timer_create, false, {CLOCK_MONOTONIC}},
    {SYS_timer_settime, false, {0}},
    {SYS_timer_delete, false, {0}},
    {SYS_getrusage, false, {RUSAGE_THREAD}},
    END,
};
const struct os_need os_needs_profile_timer[] = {
    {SYS_setitimer, false, {0}},
    END,
};
/* Additional calls of a handler that makes an event. */
const struct os_need os_needs_perf_open[] = {
    {SYS_prlimit64, false, {0, RLIMIT_NOFILE}},
    {SYS_fcntl, false, {ANY_FD, F_DUPFD_CLOEXEC}},
    {SYS_mmap, false, {0, 4096, PROT_READ, MAP_SHARED, ANY_FD, 0}},
    END,
};

/* Of a clock that is the count of an event. */
const struct os_need os_needs_perf_count[] = {
    {SYS_ioctl, true, {ANY_FD, PERF_EVENT_IOC_ID}},
    {SYS_read, true, {ANY_FD}},
    END,
};

/* ---- elsewhere ---- */

/* When threads begin and end, when modules are loaded and unloaded, and at the end. */
const struct os_need os_needs_elsewhere[] = {
    {SYS_getpid, true, {0}},
    {SYS_getppid, false, {0}},
    {SYS_gettid, true, {0}},
    {SYS_clock_gettime, true, {CLOCK_THREAD_CPUTIME_ID}},
    {SYS_clock_gettime, false, {CLOCK_PROCESS_CPUTIME_ID}},
    {SYS_clock_gettime, true, {(uint32_t)-6}}, /* another thread's clock: the number is negative */
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
    {SYS_openat,
     false,
     {(uint32_t)AT_FDCWD, 0, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC,
      0600}},
    {SYS_geteuid, false, {0}},
    {SYS_getegid, false, {0}},
    {SYS_getuid, false, {0}},
    {SYS_getxattr, false, {0}},
    {SYS_openat, false, {(uint32_t)AT_FDCWD, 0, O_RDONLY | O_DIRECTORY | O_CLOEXEC}},
    {SYS_openat, false, {(uint32_t)AT_FDCWD, 0, O_PATH | O_CLOEXEC}},
    {SYS_read, false, {ANY_FD}},
    {SYS_write, false, {ANY_FD}},
    {SYS_write, false, {2}},
    {SYS_pwrite64, false, {ANY_FD}},
    {SYS_close, false, {ANY_FD}},
    {SYS_newfstatat, false, {ANY_FD, 0, 0, AT_EMPTY_PATH}},
    {SYS_newfstatat, false, {(uint32_t)AT_FDCWD}},
    {SYS_readlinkat, false, {(uint32_t)AT_FDCWD}},
    {SYS_uname, false, {0}},
    {SYS_sigaltstack, false, {0}},
    {SYS_faccessat, false, {(uint32_t)AT_FDCWD}},
    {SYS_fstatfs, false, {ANY_FD}},
    {SYS_fallocate, false, {ANY_FD}},
    {SYS_flock, false, {ANY_FD}},
    {SYS_linkat, false, {(uint32_t)AT_FDCWD, 0, (uint32_t)AT_FDCWD}},
    {SYS_renameat2, false, {(uint32_t)AT_FDCWD, 0, (uint32_t)AT_FDCWD}},
    {SYS_unlinkat, false, {(uint32_t)AT_FDCWD}},
    END,
};

/* For processes of other users. */
const struct os_need os_needs_share[] = {
    {SYS_mkdirat, false, {(uint32_t)AT_FDCWD}},
    {SYS_fchownat, false, {(uint32_t)AT_FDCWD}},
    {SYS_symlinkat, false, {0, (uint32_t)AT_FDCWD}},
    {SYS_getdents64, false, {ANY_FD}},
    {SYS_unlinkat, false, {ANY_FD}},
    END,
};
