/* Programs that restrict their own system calls (seccomp). Our calls must not end such a
 * program: before a filter is installed, it is evaluated for each call that we make.
 *
 * If it forbids a call that a handler makes, sampling stops before ("measuring off"). If it
 * forbids a call that we make elsewhere, to begin a thread or to write the datafile, we make
 * none of those any more ("confined"): the data remains in the store until it is recovered after
 * the process has ended. If the store does not outlive the process, the datafile is written
 * before. A call that fails with an errno does no harm if we can do without it.
 *
 * A filter that was installed before our library was loaded cannot be seen. */
#ifndef RUNTIME_SANDBOXES_SECCOMP_H
#define RUNTIME_SANDBOXES_SECCOMP_H

#include <linux/filter.h>
#include <stdbool.h>

/* What csprof_seccomp_before did, to be undone if the program's call fails. */
struct csprof_confining {
	bool all_threads, off, confined, closed, finished;
	bool filtered_before;
};

/* This thread, or all threads, is about to be restricted: to strict mode (filter NULL), or by a
 * filter. If that fails, csprof_seccomp_failed must follow. */
void csprof_seccomp_before(struct csprof_confining *c, const struct sock_fprog *filter,
			   bool all_threads);
void csprof_seccomp_failed(const struct csprof_confining *c);

/* As prctl (args: its other four arguments) and the seccomp system call, for the program.
 * Returns the result or -errno. */
long csprof_seccomp_prctl(int option, const unsigned long *args);
long csprof_seccomp_call(unsigned operation, unsigned flags, const struct sock_fprog *filter);

/* This thread makes another one, which inherits its restrictions. */
void csprof_seccomp_new_thread(void);

/* Whether the calls of os_needs_share can be made. Async-signal-safe. */
bool csprof_may_share(void);
/* Whether this thread must make no system call of ours outside handlers. Async-signal-safe. */
bool csprof_confined(void);
/* Whether the calling thread is under a filter that was installed since the library is there.
 * Async-signal-safe. */
bool csprof_filtered(void);
/* Whether sampling is forbidden for all threads that begin. */
bool csprof_sampling_refused(void);

#endif
