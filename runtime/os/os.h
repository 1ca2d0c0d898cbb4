/* What the runtime needs from the operating system: one contract, one folder per OS. Unless
 * stated otherwise a function returns 0 or a non-negative value, or a negative errno, leaves
 * errno unchanged, takes no lock, and is async-signal-safe. */
#ifndef RUNTIME_OS_OS_H
#define RUNTIME_OS_OS_H

#include "formats/identity/content_id.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

/* ---- what a program does to itself: a result or -errno ---- */
long os_prctl(int option, const unsigned long *args); /* four arguments */
long os_seccomp(unsigned operation, unsigned flags, const void *filter);

/* ---- the system calls that we make, for programs that restrict theirs ---- */
enum { OS_NEEDS_END = -1 };
struct os_need {
	int number;       /* of the call; OS_NEEDS_END after the last of a table */
	bool must;        /* it must succeed; else it may fail with an errno */
	uint64_t args[6]; /* 0: addresses and the like, which no filter depends on */
};
/* Made by a handler with any driver; by os_clock_self and os_usage; by os_run_delay and
 * os_descriptor; outside handlers; and there by os_make_directory*, os_symlink, and
 * os_remove_idle_directory with_users. */
extern const struct os_need os_needs_in_handler[], os_needs_clock_self[], os_needs_usage[],
    os_needs_waits[], os_needs_elsewhere[], os_needs_share[];
/* Made by os_perf_* and os_timer_* at each sample, and at other times; to open a task
 * clock in a handler; by os_profile_timer. */
extern const struct os_need os_needs_perf_sample[], os_needs_timer_sample[], os_needs_perf[],
    os_needs_timer[], os_needs_perf_open[], os_needs_perf_count[], os_needs_profile_timer[];

/* ---- memory ---- */
/* Zeroed pages, or NULL. */
void *os_map(size_t bytes);
void os_unmap(void *p, size_t bytes);
/* The same, but the same pages in forked children. */
void *os_map_shared(size_t bytes);
/* Zeroed pages, which are zeroed again in a forked child. NULL also if the kernel cannot do that.
 */
void *os_map_cleared_in_copies(size_t bytes);
/* Fault in the pages from low to high before they are written: by one call instead of one fault
 * per page. If the kernel cannot (before Linux 5.14), nothing is done. */
enum { OS_POPULATE_WRITE = 23 }; /* MADV_POPULATE_WRITE, newer than some headers */
void os_touch(void *low, void *high);
/* Whether the page that contains p is readable, by a system call. */
bool os_readable(uintptr_t p);
/* How many of the next OS_PAGES_AT_ONCE pages, beginning with the one at p, are readable before
 * the first that is not. Makes one system call. */
enum { OS_PAGE = 4096, OS_PAGES_AT_ONCE = 32 };
uint32_t os_readable_pages(uintptr_t p);

/* ---- clocks, in nanoseconds ---- */
uint64_t os_clock_real(void);
uint64_t os_clock_mono(void);
/* Time since boot in hundredths of a second: the unit of the times in /proc/PID/stat. */
uint64_t os_clock_ticks(void);
/* CPU time of this thread, user and kernel. */
uint64_t os_clock_self(void);
/* CPU time of this process, in all its images; 0: not known. */
uint64_t os_clock_process(void);
/* CPU time of thread tid of this process; 0 if it has ended. */
uint64_t os_clock_thread(uint32_t tid);
/* What the kernel has counted for this thread: context switches, when it waited (switches) and when
 * another thread was to run (preempted); page faults, and those of them that waited for a file
 * (major); and its CPU time in the kernel, in nanoseconds. The kernel finds out the latter at its
 * ticks, and scales it to the exact CPU time. OS_NOT_KNOWN: it does not tell. */
#define OS_NOT_KNOWN UINT64_MAX
struct os_usage {
	uint64_t switches, preempted, faults, major, kernel;
};
void os_usage(struct os_usage *u);
/* The same of another thread of this process, without `kernel`. */
void os_usage_of(uint32_t tid, struct os_usage *u);

/* How long thread tid of this process (0: this thread) has waited for a CPU, in nanoseconds;
 * OS_NOT_KNOWN: this kernel does not count that, or /proc cannot be read. */
uint64_t os_run_delay(uint32_t tid);

/* ---- identity ---- */
uint32_t os_pid(void);
uint32_t os_ppid(void);
uint32_t os_tid(void);
/* The inode of this process's pid namespace; 0 if it is unknown. */
uint64_t os_pid_space(void);
/* Store the name in out, NUL-terminated. Returns the number of bytes. */
int os_executable(char *out, size_t size);
int os_hostname(char *out, size_t size);
/* Store the name of thread tid of this process, or of this thread (0), in out, which has room
 * for at least 16 bytes (NUL-padded). */
int os_thread_name(uint32_t tid, char *out, size_t size);
/* Whether the program has rights that its caller has not, such as one that is setuid: AT_SECURE of
 * getauxval(3). Its environment is the caller's. */
bool os_is_privileged(void);
/* Whether this thread has a shadow stack (x86-64, CET): return addresses cannot be replaced. */
bool os_has_shadow_stack(void);
/* The bounds of the main thread's stack: the lowest address to which it may grow, and its high
 * end. */
void os_main_stack(uintptr_t *low, uintptr_t *high);
/* Whether another process traces this thread (ptrace), and whether it is under a filter of system
 * calls; unchanged if /proc cannot be read. text: memory to work in, 2 KB. */
void os_observed(char *text, size_t bytes, bool *traced, bool *filtered);
/* Call each for the threads of this process. 0 or -errno. */
int os_threads(void (*each)(uint32_t tid, void *arg), void *arg);
/* The arguments that this process began with, each with a zero behind it. Returns their bytes, at
 * most size. */
int os_arguments(char *out, size_t size);
/* Whether the calling thread has used little of the main thread's stack, as before main. */
bool os_at_start(void);
uint64_t os_random(void);
/* The number of CPUs on which this thread may run; 1 if it is unknown. */
uint32_t os_cpus(void);

/* ---- files ---- */
/* Create path for writing (never following a link, never an existing file). If the program has
 * used all its descriptors, the soft limit is raised for a moment. */
int os_create(const char *path);
int os_open_read(const char *path);
/* Open path to append to it, never following a link or waiting for a reader of a FIFO. It is
 * created if it does not exist. */
int os_open_append(const char *path);
int os_read(int fd, void *bytes, size_t n);
/* Write all n bytes, or return an error, also where the kernel would have sent SIGXFSZ or
 * SIGPIPE. */
int os_write(int fd, const void *bytes, size_t n);
int os_close(int fd);
/* As close_range. 0 or -errno. */
int os_close_range(unsigned first, unsigned last, int flags);
int os_rename(const char *from, const char *to);
/* -EEXIST if to exists. */
int os_rename_new(const char *from, const char *to);
bool os_exists(const char *path);
bool os_can_read(const char *path); /* by the real user, without capabilities */
/* Store the absolute path of an existing file, without links, in out (size bytes, NUL-terminated).
 * Its length, or -errno. */
int os_real_path(const char *path, char *out, size_t size);
/* Whether it is a regular file, or a link to one. Opening other files may block for ever. */
bool os_is_file(const char *path);
int os_unlink(const char *path);

/* A file that is mapped as memory. */
struct os_file {
	int fd;
	uint64_t device, inode; /* to recognise it: the program may close fd and reuse the number */
};
/* Create one (never an existing file) with mode 0600 and close-on-exec, and lock it. There is no
 * other thread. */
int os_file_create(const char *path, struct os_file *f);
void os_file_close(struct os_file *f);
/* The file that fd refers to now. 0 or -errno. */
int os_file_of(int fd, struct os_file *f);
/* Whether its descriptor still refers to it. */
bool os_file_is_open(const struct os_file *f);
/* Reserve and map bytes at offset, zeroed; NULL if there is no space: of a file system in memory,
 * the last quarter is left to the program and others. path: of the file, in case
 * the program has closed it. Access never faults afterwards because of missing space. */
void *os_file_map(const struct os_file *f, const char *path, uint64_t offset, size_t bytes);
int os_make_directory(const char *path, unsigned mode);
int os_symlink(const char *target, const char *path);
/* Remove an empty directory that nobody has locked. with_users: it may contain empty ones of
 * os_make_directory_for. */
bool os_remove_idle_directory(const char *path, bool with_users);

/* ---- users ---- */
uint32_t os_user(void); /* the effective one */
/* Whether a program gets the rights of another user or group, or capabilities, by exec. */
bool os_gains_rights(const char *path);
/* Whether numbers of users here are those of the whole system: this is not in another user
 * namespace. */
bool os_users_are_all(void);
/* Make a directory for a user, and for nobody else. Needs the rights to give files away. */
void os_make_directory_for(const char *path, uint32_t user);

/* ---- signals ---- */
typedef void os_handler(int sig, siginfo_t *info, void *context);
/* Install handler for sig: with SA_RESTART, on the alternate stack if there is one, with all
 * signals except faults masked, so that another signal waits until the handler has returned and
 * does not interrupt it before its first instruction. old (may be NULL) receives the action
 * before. */
int os_handle(int sig, os_handler *handler, struct sigaction *old);
/* Take the default action of sig for this process. Nothing is done if that is to ignore it; else
 * its action is set to the default, which every thread sees, and the caller must set it again if
 * the process continues. */
void os_default_action(int sig);
int os_sigaction(int sig, const struct sigaction *act, struct sigaction *old);
/* The same for a handler that returns to restorer instead of libc's; NULL: to libc's. */
int os_sigaction_returning(int sig, const struct sigaction *act, struct sigaction *old,
			   void (*restorer)(void));
/* Block all signals for this thread except those in the set and those that its own faults raise.
 * Returns the mask before, for os_release_signals. */
uint64_t os_hold_signals(uint64_t but);
void os_release_signals(uint64_t mask);
/* Block and unblock sig for this thread. */
void os_block_signal(int sig);
void os_unblock_signal(int sig);
/* As rt_sigprocmask: set and old may be NULL. Bit sig - 1 is for sig. */
int os_mask(int how, const uint64_t *set, uint64_t *old);
/* The signals that are pending for this thread or the process. */
uint64_t os_pending(void);
/* Take a pending signal of set. Returns its number, or -EAGAIN if there is none. */
int os_take_signal(uint64_t set, siginfo_t *info);
/* The same, but wait up to ns for one, or without limit (UINT64_MAX). May return -EINTR. */
int os_wait_signal(uint64_t set, siginfo_t *info, uint64_t ns);
/* Send this process again a signal that it has received: to thread tid, or to any thread (0). */
int os_send_again(siginfo_t *info, uint32_t tid);
/* Send thread tid of this process a signal with a value, as sigqueue does. */
int os_queue_signal(uint32_t tid, int sig, uint64_t value);
/* Send the calling thread sig, as raise does. */
int os_raise(int sig);
/* As signalfd; makes a new descriptor if fd is -1. */
int os_signalfd(int fd, uint64_t set, int flags);
/* The mask of the code that a handler interrupted; it is restored when the handler returns. */
uint64_t os_context_mask(const void *context);
void os_set_context_mask(void *context, uint64_t mask);
/* As sigaltstack. The second returns whether a signal may not have enough room on that stack
 * while a handler of the program runs there. */
int os_alternate_stack(const stack_t *stack, stack_t *old);
bool os_is_small_stack(const stack_t *stack);
/* How many bytes the calling handler has left on the alternate stack on which it runs; SIZE_MAX
 * if it runs on another one. */
size_t os_stack_room(const void *context);
/* Whether the kernel keeps a restart block for that call when a signal comes. */
bool os_restartable(int call, const long *args);
/* Whether call changes the thread's mask. Async-signal-safe. */
bool os_sets_mask(int call);
/* Whether call, made with six args, waits for a signal: with a mask of its own; or also without
 * one, like pause. Async-signal-safe. */
bool os_waits_with_mask(int call, const long *args);
bool os_waits_for_signal(int call, const long *args);
/* Whether any other call that ended with EINTR may be made again with the same args.
 * Async-signal-safe. */
bool os_repeatable(int call, const long *args);
/* Whether such a call, or a restartable one, has a time limit that begins again then, which select,
 * pselect6 and ppoll have not. If so and a repeatable one has waited for ns, os_shorten stores the
 * rest in args, or in *rest and its address there; it does nothing with the timeout of a socket.
 * Async-signal-safe. */
bool os_limited(int call, const long *args);
void os_shorten(int call, long *args, uint64_t ns, struct timespec *rest);
/* Whether a call that the kernel restarts after a signal may be made by the handler instead: it
 * waits, and does nothing that depends on where it is called. Async-signal-safe. */
bool os_waits(int call, const long *args);

/* A futex that a call waits for, made with six args. False if it does not. Async-signal-safe. */
struct os_futex {
	uintptr_t at;
	uint32_t value;   /* that it waits to change */
	bool shared;      /* with other processes */
	bool plain;       /* FUTEX_WAIT, not FUTEX_WAIT_BITSET */
	bool names_owner; /* its value is the thread id of the owner: FUTEX_LOCK_PI */
};
/* Bits of a futex's value that are the thread id of the owner, and one that says that others wait
 * (futex(2), "Priority-inheritance futexes"; robust ones have them, too). */
enum { OS_FUTEX_OWNER = 0x3fffffff };
#define OS_FUTEX_WAITERS 0x80000000u
bool os_futex_wait(int call, const long *args, struct os_futex *out);
/* What the first argument of a call is, if the call may wait for that: an enum csp_descriptor
 * (formats/identity/kernel.h). Async-signal-safe; asks no server of files. */
unsigned os_descriptor(int call, const long *args);
/* The signals of set that have a handler; with restarting false, one that interrupts system
 * calls. */
uint64_t os_handled(uint64_t set, bool restarting);
/* Whether a signal other than but is pending until the handler returns, and has a handler
 * itself; with restarting false, one that interrupts system calls. */
bool os_other_signal(const void *context, bool restarting, int but);
/* Whether call, made with six args, has transferred fewer bytes (result) than it would have
 * without a signal; and continue it, which returns the result as a whole. Async-signal-safe. */
bool os_cut_short(int call, const long *args, long result);
long os_finish_transfer(int call, const long *args, long result);
void os_yield(void);
void os_sleep_ns(uint64_t ns);
/* Sleep while *word is value, until os_wake_one is called, for at most ns; may return early. */
void os_wait_while(const _Atomic(uint32_t) *word, uint32_t value, uint64_t ns);
/* Wake one thread of this process that sleeps on word. Both are async-signal-safe. */
void os_wake_one(const _Atomic(uint32_t) *word);

/* ---- timers and performance events, for the drivers ---- */
enum os_clock { OS_CLOCK_MONOTONIC, OS_CLOCK_THREAD_CPU };
/* Make a timer on the clock, not armed, that sends sig with value to this thread. */
int os_timer_create(enum os_clock clock, int sig, void *value);
/* Let it expire once, ns from now; 0 disarms it. */
int os_timer_arm(int timer, uint64_t ns);
int os_timer_delete(int timer);
/* The timer that sent info, if it was one, sends once more in ns. */
void os_timer_again(const siginfo_t *info, uint64_t ns);
/* Whether info is from a timer made with value. */
bool os_timer_sent(const siginfo_t *info, const void *value);
/* What a performance event counts: the fields of perf_event_attr (perf_event_open(2)). */
struct os_perf_kind {
	uint32_t type;
	uint64_t config, config1, config2;
	bool no_kernel, no_user; /* leave out what happens in the kernel, or elsewhere */
};
/* A performance event of a thread. page (one mapped page of it, or NULL) keeps the event alive if
 * the program closes the descriptor; id distinguishes it from what the program may then have opened
 * under that number. */
struct os_perf {
	void *page;
	uint64_t id;
	int fd;
};
/* Open one for this thread, disabled, that sends sig to the thread after each period;
 * close-on-exec. alone: there is no other thread. 0 or -errno. Async-signal-safe. */
int os_perf_open(struct os_perf *c, const struct os_perf_kind *kind, uint64_t period, int sig,
		 bool alone);
/* Whether its descriptor still refers to it. The next two return -EBADF if not. */
bool os_perf_is_open(const struct os_perf *c);
int os_perf_period(const struct os_perf *c, uint64_t period);
int os_perf_enable(const struct os_perf *c, bool on);
/* What it has counted, and for how many ns it should have, and has: if the CPU has too few
 * counters, events take turns. Any thread may ask. */
struct os_perf_count {
	uint64_t value, enabled, running;
};
int os_perf_read(const struct os_perf *c, struct os_perf_count *out);
/* in_child: in a forked child, where the page is not mapped. */
void os_perf_close(const struct os_perf *c, bool in_child);
bool os_perf_sent(const siginfo_t *info, int fd);
/* Set the process's profiling timer (SIGPROF) to expire every ns; 0 stops it. */
int os_profile_timer(uint64_t ns);

/* ---- load modules; takes the loader's lock: never in a handler ---- */
struct os_module {
	const char *name; /* "" for the executable */
	uintptr_t base;   /* what the loader added to the file's addresses */
	uintptr_t virtual_address, mapped_address;
	uint64_t extent;
	char build_id[41];        /* hex, or empty */
	const void *eh_frame_hdr; /* unwind information in memory, or NULL */
	const void *headers;      /* its program headers, during the call; NULL: not known */
	size_t num_headers;
	bool gaps; /* there are pages of others between its segments */
	bool vdso;
};
void os_modules(void (*each)(const struct os_module *, void *), void *arg);
/* The identity of a module without a build-id (formats/identity/content_id.h), from its memory. To
 * be called by each. Empty if the program headers are not known, or the memory cannot be read.
 * Async-signal-safe. */
void os_module_content(const struct os_module *m, char id[CONTENT_ID_BYTES]);
/* A function or variable that a module defines for others. To be called by each. False: there is
 * none with that name. Async-signal-safe. */
struct os_symbol {
	uintptr_t at;
	size_t bytes;
};
bool os_module_symbol(const struct os_module *m, const char *name, struct os_symbol *out);
/* A number that changes when modules are loaded or unloaded. Takes the loader's lock. */
uint64_t os_module_changes(void);
/* Executable mappings without a file, from the kernel's list. Async-signal-safe if each is; one
 * caller at a time. */
void os_anonymous_code(void (*each)(uintptr_t low, uintptr_t high, void *), void *arg);

/* ---- functions of load modules; these take the loader's lock: never in a handler ---- */
/* The next definition of a function after ours (RTLD_NEXT), or NULL. version: "" for any. If we
 * were loaded late, into a program that was running before, the one that its modules use. */
void *os_next(const char *name, const char *version);
void os_loaded_late(void);
/* A word in which a module has the address of a function of another one. unbound: the loader will
 * look it up at the first call. */
struct os_import {
	const char *name;
	void **at, *now;
	bool unbound;
};
/* Call `what` for those of all modules but ours. What it returns, unless NULL, is put there. It
 * must not call the loader. filtered: the program restricts its system calls; then words in what
 * the loader makes read-only are left as they are. */
void os_imports(void *(*what)(const struct os_import *, void *arg), void *arg, bool filtered);
/* Call each for the functions that this library exports. */
void os_exports(void (*each)(const char *name, void *function, void *arg), void *arg);

/* What the calling thread has under a key of pthread_key_create, and its pthread_self. */
void *os_thread_specific(uint32_t key);
uintptr_t os_thread_self(void);

/* ---- thread-local variables of load modules ---- */
struct os_tls {
	uintptr_t module; /* the loader's number of it */
	uintptr_t offset; /* in the module's block */
	bool is_static;   /* the block is at this distance from the thread pointer */
	intptr_t distance;
	uintptr_t since; /* threads that know fewer generations of modules have none */
};
enum { OS_TLS_MOST = 4 };
/* Those with that name that modules define for others. Returns how many there are. Takes the
 * loader's lock, and may allocate the calling thread's: never in a handler. */
uint32_t os_tls_find(const char *name, struct os_tls out[OS_TLS_MOST]);
/* The calling thread's, or NULL if it has none yet. */
void *os_tls_address(const struct os_tls *v);

/* The bounds of the mapping that contains the address. False: there is none. Async-signal-safe. */
bool os_mapping_of(uintptr_t address, uintptr_t *low, uintptr_t *high);

/* Where a mapping with that name begins, which it has by memfd_create or PR_SET_VMA_ANON_NAME; 0:
 * there is none. Async-signal-safe. */
uintptr_t os_mapping_named(const char *name);

#endif
