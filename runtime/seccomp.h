/* A program that confines itself to some system calls (seccomp). Ours must not end it: its
 * filter is asked, before it is installed, what it would say to each of them.
 *
 * Where it refuses one that a handler makes, sampling ends before ("measuring off"). Where
 * it refuses one that we make elsewhere, to begin a thread or to write the datafile, none
 * of those is made any more ("confined"): what is in the store stays there, for whoever
 * recovers it when the process has ended; a store that does not outlive the process is made
 * a datafile before. To fail with an errno is no harm where we can do without the call.
 *
 * A filter that was there before our library cannot be seen. */
#ifndef RUNTIME_SECCOMP_H
#define RUNTIME_SECCOMP_H

#include <linux/filter.h>
#include <stdbool.h>

/* What was done before, to be undone if the program's call fails. */
struct csprof_confining {
	bool all_threads, off, confined, closed, finished;
};

/* This thread, or all, is about to be confined: to strict mode (filter NULL), or by a
 * filter. To be followed by the next where that fails. */
void csprof_seccomp_before(struct csprof_confining *c, const struct sock_fprog *filter,
			   bool all_threads);
void csprof_seccomp_failed(const struct csprof_confining *c);

/* As prctl (with its four arguments) and the seccomp system call, for the program; a
 * result or -errno. */
long csprof_seccomp_prctl(int option, const unsigned long *args);
long csprof_seccomp_call(unsigned operation, unsigned flags, const struct sock_fprog *filter);

/* This thread makes another one, which inherits what this one is confined to. */
void csprof_seccomp_new_thread(void);

/* May this thread make no system call of ours outside handlers? Async-signal-safe. */
bool csprof_confined(void);
/* Is sampling refused, for all threads that begin? */
bool csprof_sampling_refused(void);

#endif
