/* Which processes still run that have made stores, as seen by another process. Nothing here runs in
 * a measured program. Threads may use different objects at the same time. */
#ifndef FORMATS_STORE_ALIVE_H
#define FORMATS_STORE_ALIVE_H

#include "formats/store/store.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Whether the process of the store at path (relative to dirfd), whose header is h, still runs:
 * in our pid namespace, if its pid belongs to a process that began when it did; in another or
 * unknown namespace, if the store is locked (flock), or mapped by a process that can be seen. */
bool store_header_is_local(const struct store_header *h); /* in our namespace, start known */
bool store_lives(int dirfd, const char *path, const struct store_header *h);

/* The stores that processes have mapped, as far as they can be seen: one of another pid namespace
 * may have closed its lock with all its descriptors, and is seen if its namespace is below ours.
 * They are looked up when one is needed, once for many stores. Zeroed at first. */
struct store_mapped {
	bool known;
	struct {
		dev_t device;
		ino_t inode;
	} * at;
	size_t n, cap;
};
bool store_lives_among(struct store_mapped *m, int dirfd, const char *path,
		       const struct store_header *h);
void store_mapped_free(struct store_mapped *m);

/* Whether a process with this pid runs that began, in clock ticks after the boot, not later than
 * ticks (0: at any time). */
bool store_process_runs(uint64_t pid, uint64_t ticks);
/* Whether another process has locked the file. */
bool store_is_locked(int dirfd, const char *path);
/* The inode of our pid namespace; 0: unknown. */
uint64_t store_pid_space(void);

#endif
