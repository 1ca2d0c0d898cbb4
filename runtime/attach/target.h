/* Whether a process can be measured from now on, as far as /proc tells. */
#ifndef RUNTIME_ATTACH_TARGET_H
#define RUNTIME_ATTACH_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Threads of it that this process traces do not count as stopped. Returns true, or false with the
 * reason in why: a sentence about the process, such as "has ended". library: that will be loaded
 * into it. */
bool attach_can(pid_t pid, const char *library, char *why, size_t size);

/* Whether it has ended, or is about to. */
bool attach_has_ended(pid_t pid);

/* The threads of a process, the first one first. Returns how many there are, at most `most`. */
size_t attach_threads(pid_t pid, pid_t *out, size_t most);

/* A mapping that a line of /proc/PID/maps describes. */
struct attach_mapping {
	uintptr_t low, high;
	uint64_t offset, device, inode;
	bool readable, writable, executable;
	const char *path; /* empty: none */
};
/* Call each for the mappings, by address, until it returns false. False: they cannot be read. */
bool attach_mappings(pid_t pid, bool (*each)(const struct attach_mapping *, void *), void *arg);
/* A number that changes when a file with code is mapped or unmapped, and by exec. */
uint64_t attach_modules_hash(pid_t pid);
/* Where a file begins in memory; 0: it is not mapped. */
uintptr_t attach_mapped_at(pid_t pid, const char *path);
/* A gap of that many bytes, with as many beside it; 0: there is none. */
uintptr_t attach_find_gap(pid_t pid, size_t bytes);
/* Whether all of it can be read and written. */
bool attach_is_mapped(pid_t pid, uintptr_t low, size_t bytes);

#endif
