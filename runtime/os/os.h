/* What the runtime asks of the operating system: one contract, one file per OS
 * (linux.c). Unless said otherwise a function returns 0 or a non-negative value,
 * or a negative errno, leaves errno as it was, takes no lock, and is
 * async-signal-safe. */
#ifndef RUNTIME_OS_OS_H
#define RUNTIME_OS_OS_H

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- what a program does to itself: a result or -errno ---- */
long os_prctl(int option, const unsigned long *args); /* four */
long os_seccomp(unsigned operation, unsigned flags, const void *filter);

/* ---- memory ---- */
/* Zeroed pages, or NULL. */
void *os_map(size_t bytes);
void os_unmap(void *p, size_t bytes);
/* The same, which a process that is a copy of this one finds zeroed; NULL also where the
 * kernel cannot do that. */
void *os_map_cleared_in_copies(size_t bytes);
/* Have the pages from low to high before they are written to: by one call, not by an interrupt
 * each. A kernel that cannot (before Linux 5.14) leaves it at that. */
enum { OS_POPULATE_WRITE = 23 }; /* MADV_POPULATE_WRITE, newer than some headers */
void os_touch(void *low, void *high);
/* Whether the page that p lies in can be read, asked of the kernel. */
bool os_readable(uintptr_t p);
/* How many of the next OS_PAGES_AT_ONCE pages, from the one that begins at p on, can be read
 * before one that cannot: at the price of one call. */
enum { OS_PAGE = 4096, OS_PAGES_AT_ONCE = 32 };
uint32_t os_readable_pages(uintptr_t p);

/* ---- clocks, in nanoseconds ---- */
uint64_t os_clock_real(void);
uint64_t os_clock_mono(void);
/* Since the machine was started, in hundredths of a second: the unit of the times in
 * /proc/PID/stat. */
uint64_t os_clock_ticks(void);
/* CPU time of this thread, user and kernel. */
uint64_t os_clock_self(void);
/* CPU time of thread tid of this process; 0 where it has ended. */
uint64_t os_clock_thread(uint32_t tid);
/* How often this thread has given up its CPU of its own accord, or OS_NOT_KNOWN. */
#define OS_NOT_KNOWN UINT64_MAX
uint64_t os_voluntary_switches(void);

/* ---- identity ---- */
uint32_t os_pid(void);
uint32_t os_ppid(void);
uint32_t os_tid(void);
/* What tells this process from others of its pid: its pid namespace, and when it began
 * in the kernel's count; 0 where the system does not tell. */
uint64_t os_pid_space(void);
/* NUL-terminated into out; the number of bytes. */
int os_executable(char *out, size_t size);
int os_hostname(char *out, size_t size);
/* The name of thread tid of this process, or of this thread (0), into out, which has room
 * for 16 bytes or more (NUL-padded). */
int os_thread_name(uint32_t tid, char *out, size_t size);
/* Bounds of the main thread's stack: where it may lie, and its high end. */
void os_main_stack(uintptr_t *low, uintptr_t *high);
uint64_t os_random(void);
/* The number of CPUs that this thread may run on; 1 where it cannot be told. */
uint32_t os_cpus(void);

/* ---- files ---- */
/* Create path for writing (never following a link, never an existing file). Where the
 * program has used up its descriptors, beyond its soft limit for a moment. */
int os_create(const char *path);
int os_open_read(const char *path);
int os_read(int fd, void *bytes, size_t n);
/* All n bytes, or an error: also where the kernel would have sent SIGXFSZ or SIGPIPE. */
int os_write(int fd, const void *bytes, size_t n);
int os_close(int fd);
/* As close_range. 0 or -errno. */
int os_close_range(unsigned first, unsigned last, int flags);
int os_rename(const char *from, const char *to);
/* -EEXIST where to is there already. */
int os_rename_new(const char *from, const char *to);
bool os_exists(const char *path);
/* Is it a regular file, or leads to one? To open others may take for ever. */
bool os_is_file(const char *path);
int os_unlink(const char *path);

/* A file that stands for memory. */
struct os_file {
	int fd;
	uint64_t device, inode; /* the program may close fd and open something else there */
};
/* Create one (never over an existing file), 0600, closed on exec, and lock it. There is no
 * other thread. */
int os_file_create(const char *path, struct os_file *f);
void os_file_close(struct os_file *f);
/* Is its descriptor what it was? */
bool os_file_is_open(const struct os_file *f);
/* Reserve room for bytes at offset and map it; NULL where there is none. path: where the
 * file is if the program has closed it. Zeroed; never faults afterwards for want of room. */
void *os_file_map(const struct os_file *f, const char *path, uint64_t offset, size_t bytes);
/* Remove an empty directory that nobody has locked. */
bool os_remove_idle_directory(const char *path);

/* ---- signals ---- */
typedef void os_handler(int sig, siginfo_t *info, void *context);
/* Install handler for sig: restarting, on the alternate stack where there is one,
 * with all but faults masked: another signal then waits until the handler has returned,
 * and does not run on top of it, before its first instruction. old (may be NULL) receives
 * what stood there. */
int os_handle(int sig, os_handler *handler, struct sigaction *old);
/* Do with this process what sig does by default: nothing where that is to be ignored, else
 * with its action set to the default, which every thread sees and the caller is to change
 * again, should the process go on. */
void os_default_action(int sig);
int os_sigaction(int sig, const struct sigaction *act, struct sigaction *old);
/* The same for a handler that returns to restorer in place of libc's; NULL: to that. */
int os_sigaction_returning(int sig, const struct sigaction *act, struct sigaction *old,
			   void (*restorer)(void));
/* Keep from this thread all signals but those in the set and those that its own faults
 * raise; returns the mask before, for os_release_signals. */
uint64_t os_hold_signals(uint64_t but);
void os_release_signals(uint64_t mask);
/* Keep sig from this thread, for good; and let it come. */
void os_block_signal(int sig);
void os_unblock_signal(int sig);
/* As rt_sigprocmask: set and old may be NULL. Bit sig - 1 stands for sig. */
int os_mask(int how, const uint64_t *set, uint64_t *old);
/* What is pending for this thread or the process. */
uint64_t os_pending(void);
/* Take a pending signal of set: its number, or -EAGAIN where there is none. */
int os_take_signal(uint64_t set, siginfo_t *info);
/* The same, but wait for one, for ns at the most, or without end (UINT64_MAX): also -EINTR. */
int os_wait_signal(uint64_t set, siginfo_t *info, uint64_t ns);
/* Send this process a signal that it had before: to thread tid, or to any (0). */
int os_send_again(siginfo_t *info, uint32_t tid);
/* Send the calling thread sig, as raise does. */
int os_raise(int sig);
/* As signalfd: a new descriptor for -1. */
int os_signalfd(int fd, uint64_t set, int flags);
/* The mask of the code that a handler interrupted, which it will have again. */
uint64_t os_context_mask(const void *context);
void os_set_context_mask(void *context, uint64_t mask);
/* As sigaltstack. The second: is that a stack on which a signal may well not find room while
 * a handler of the program's runs there? */
int os_alternate_stack(const stack_t *stack, stack_t *old);
bool os_is_small_stack(const stack_t *stack);
/* How many bytes the calling handler has left on the alternate stack that it runs on;
 * SIZE_MAX where it runs on another one. */
size_t os_stack_room(const void *context);
/* Whether the kernel keeps a restart block for that call when a signal comes. */
bool os_restartable(int call);
/* Whether call, made with six args, waits for a signal: with a mask of its own, or also as
 * pause does. Async-signal-safe. */
bool os_waits_with_mask(int call, const long *args);
bool os_waits_for_signal(int call, const long *args);
/* Whether any other call, ended with EINTR, may be made again with the same args.
 * Async-signal-safe. */
bool os_repeatable(int call, const long *args);
/* Which signals of set have a handler; with restarting false, one that ends system calls. */
uint64_t os_handled(uint64_t set, bool restarting);
/* Whether a signal but this one waits for the handler to return and has a handler itself;
 * with restarting false, one that ends system calls. */
bool os_other_signal(const void *context, bool restarting, int but);
/* Whether call, made with six args, has moved fewer bytes (result) than it would have
 * without a signal; and go on with it: what it comes to as a whole. Async-signal-safe. */
bool os_cut_short(int call, const long *args, long result);
long os_finish_transfer(int call, const long *args, long result);
void os_yield(void);
void os_sleep_ns(uint64_t ns);
/* Sleep while *word is value, until os_wake_one or for ns, or for any shorter time. */
void os_wait_while(const _Atomic(uint32_t) *word, uint32_t value, uint64_t ns);
/* Wake one thread of this process that sleeps so. Both are async-signal-safe. */
void os_wake_one(const _Atomic(uint32_t) *word);

/* ---- timers and performance events, for the drivers ---- */
enum os_clock { OS_CLOCK_MONOTONIC, OS_CLOCK_THREAD_CPU };
/* A disarmed timer on the clock, which sends sig with value to this thread. */
int os_timer_create(enum os_clock clock, int sig, void *value);
/* Once, ns from now; 0 disarms. */
int os_timer_arm(int timer, uint64_t ns);
int os_timer_delete(int timer);
/* Whether info is of a timer made with value. */
bool os_timer_sent(const siginfo_t *info, const void *value);
/* The clock of a thread as a performance event. page (one page of it mapped, or NULL) keeps
 * it alive when the program closes the descriptor; id tells it from what the program may
 * then have opened under that number. */
struct os_task_clock {
	void *page;
	uint64_t id;
	int fd;
};
/* A disabled one of this thread, kernel included, that sends sig to it after each period;
 * closed on exec. alone: there is no other thread. 0 or -errno. Async-signal-safe. */
int os_task_clock_open(struct os_task_clock *c, uint64_t period_ns, int sig, bool alone);
/* Is its descriptor what it was? The next two return -EBADF where it is not. */
bool os_task_clock_is_open(const struct os_task_clock *c);
int os_task_clock_period(const struct os_task_clock *c, uint64_t period_ns);
int os_task_clock_enable(const struct os_task_clock *c, bool on);
/* in_child: in a process that is a copy, where the page is not. */
void os_task_clock_close(const struct os_task_clock *c, bool in_child);
bool os_task_clock_sent(const siginfo_t *info, int fd);
/* The process's profiling timer (SIGPROF), every ns; 0 stops it. */
int os_profile_timer(uint64_t ns);

/* ---- load modules; takes the loader's lock: never in a handler ---- */
struct os_module {
	const char *name; /* "" for the executable */
	uintptr_t base;   /* what the loader added to the file's addresses */
	uintptr_t virtual_address, mapped_address;
	uint64_t extent;
	char build_id[41];        /* hex, or empty */
	const void *eh_frame_hdr; /* unwind information in memory, or NULL */
	bool gaps;                /* between its segments lie pages that are not its own */
	bool vdso;
};
void os_modules(void (*each)(const struct os_module *, void *), void *arg);
/* Counters that change when modules come or go. Takes the loader's lock. */
uint64_t os_module_changes(void);
/* Executable mappings without a file, from the kernel's list. Async-signal-safe as far
 * as each is; one caller at a time. */
void os_anonymous_code(void (*each)(uintptr_t low, uintptr_t high, void *), void *arg);

#endif
