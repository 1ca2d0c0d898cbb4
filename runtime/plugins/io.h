/* The driver `io` (hpcrun --driver io): the bytes, calls and time of I/O at each call path, by kind
 * of file. */
#ifndef RUNTIME_PLUGINS_IO_H
#define RUNTIME_PLUGINS_IO_H

#include "runtime/hpcrun_driver.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Of this library only: the program may have such names. */
#pragma GCC visibility push(hidden)

enum io_what { IO_READS = 1, IO_WRITES = 2, IO_SYNCS = 4 };

/* When a call began. Returns 0: it is not recorded. */
static inline uint64_t io_begin(void)
{
	const struct hpcrun_driver_host *host = hpcrun_driver_on();
	return host ? host->now() : 0;
}

/* A call on fd, or with -1 on none, that began then has returned: record it. what: a sum of enum
 * io_what; bytes: that it has moved, negative: it failed. errno remains as it is. */
void io_end(uint64_t began, unsigned what, int fd, ssize_t bytes);

/* The function that comes after one of ours. Its size is its alignment, so that all are an array.
 */
struct io_next {
	const char *name;
	void *function; /* NULL: this libc has none, or it is not known yet */
	int known;
} __attribute__((aligned(32)));
_Static_assert(sizeof(struct io_next) == 32, "no gaps");

/* Looked up by the constructor of the library: the loader's functions are neither for handlers nor
 * for threads that a library's constructor waits for. */
void *io_find(struct io_next *next);

/* Finds the function `next`, or returns `none`: a program that calls what is not there checks for
 * errors. */
#define IO_NEXT(none, type, name, parameters)                                                      \
	static struct io_next __attribute__((section("io_next"), used)) after = {#name, NULL, 0};  \
	type(*next) parameters;                                                                    \
	*(void **)&next = io_find(&after);                                                         \
	if (!next) {                                                                               \
		errno = ENOSYS;                                                                    \
		return none;                                                                       \
	}

/* Stand before what streams of stdio read and write by. Nothing is changed if the library is not as
 * expected. */
void io_streams_begin(void);

/* Write what is left in buffers of these streams, as libc is about to. */
void io_streams_end(void);

#pragma GCC visibility pop

#endif
