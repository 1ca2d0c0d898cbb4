/* The store: the calling context trees, load maps, counts and account of one process image while
 * it runs, in a form that another process can read at any instant. formats/README.md describes
 * it; this header defines it.
 *
 * Memory comes in blocks of STORE_BLOCK bytes. Records are linked by store_ref, an offset in
 * grains of 16 bytes from the beginning of the store, never by pointers: block ref /
 * STORE_BLOCK_GRAINS, grain ref % STORE_BLOCK_GRAINS. In a file, block i is at offset i *
 * STORE_BLOCK. Blocks for which the file had no room are holes: records there read as zero and
 * are ignored.
 *
 * A writer fills a record before it publishes the link to it with a release store, and no record
 * extends beyond the run of blocks in which it was allocated, so every record that a reader
 * reaches is complete. Nothing is moved. Only the records of a thread that was merged into
 * header.shared or header.ended are reused, after the thread was removed from the list.
 *
 * Only the thread that owns a thread record writes its trees and its account; those of shared
 * and ended are written under the process's lock. */
#ifndef FORMATS_STORE_STORE_H
#define FORMATS_STORE_STORE_H

#include "formats/datafile.h"
#include "formats/encode.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STORE_MAGIC "HPCSTORE"
enum { STORE_VERSION = 12, STORE_ORDER_MARK = 0x01020304 };

enum {
	STORE_GRAIN = 16,
	STORE_BLOCK = 16 * 1024,
	STORE_BLOCK_GRAINS = STORE_BLOCK / STORE_GRAIN,
	STORE_MAX_BLOCKS = 1 << 17, /* 2 GB: the table counts against RLIMIT_AS */
	STORE_MAX_METRICS = 44,
};

typedef uint32_t store_ref; /* 0: none (the header is there) */

/* n bytes, at most STORE_MAX_STRING, not NUL-terminated. */
enum { STORE_MAX_STRING = 64 * 1024 };
struct store_string {
	uint32_t n;
	char bytes[];
};

/* The most bytes of a module's name: a path, and what the kernel adds to it, such as " (deleted)".
 * Many modules may share one. */
enum { STORE_MAX_MODULE_NAME = 4096 + 32 };

/* A column of the datafile. */
struct store_metric {
	char name[64];
	char unit[8];    /* "ns", "bytes", "count" */
	char source[48]; /* source of the samples; empty for an N column */
	char jitter[16];
	uint64_t flags, period;
	uint64_t requested; /* requested samples per second; 0: not a rate */
	uint32_t kernel;    /* 1: kernel time is included; 0: it is not */
	uint32_t event;     /* index of the event whose clock this is */
};

enum store_state {
	STORE_RUNNING = 1,
	STORE_FINISHED = 2, /* the account is closed; the process is writing its datafile */
	STORE_WRITTEN = 3,  /* the datafile is complete and has its name */
};

/* Suffixes: a store has the name of its process's datafile with the first suffix. The directory
 * of datafiles has a link with the second suffix to each directory of stores. A store whose
 * image has called exec and whose datafile is written is kept as <host>.<pid> with the third
 * suffix until exec has succeeded. */
#define STORE_SUFFIX ".hpcstore"
#define STORE_LINK_SUFFIX ".stores"
#define STORE_EXEC_SUFFIX ".exec"

/* How another process stops measuring, and starts it again: it adds 2 to the header's `control`,
 * with this bit or without it, and queues the process the signal `sig` with this value (sigqueue),
 * until `controlled` is the same. */
enum { STORE_CONTROL_STOP = 1 };
#define STORE_CONTROL_VALUE 0x4850435354415254ull

/* hpcrun attach asks a thread of a process that it has begun to measure to begin, by queueing it
 * the signal `sig` with this value, until the thread is in the store. */
#define STORE_ATTACH_VALUE 0x4850435341545443ull

/* hpcrun detach ends the measurement of a process that goes on, by queueing each of its threads
 * that signal with this value, until `detach` says that all have let go. */
#define STORE_DETACH_VALUE 0x4850435344545443ull
#define STORE_END_DETACHED "detached" /* header.end then */
enum store_detach {
	STORE_MAY_DETACH = 1,
	STORE_LET_GO = 2, /* it has ended, and all that it took is given back */
};

/* The file in the directory of datafiles that says that new processes are stopped. */
#define STORE_STOPPED_FILE "stopped"

/* In that directory: datafiles of running processes, as they were when they were last written to
 * disk. One is of use if its process has neither a datafile nor a store. */
#define STORE_FLUSHED "flushed"

/* Of value profiles: windows of single steps, the steps, the CPU time that they took, samples
 * without one by reason, and values that were not recorded, because another thread was at the same
 * ones, or because there was no memory. */
struct store_windows {
	uint64_t windows, steps, ns;
	uint64_t refused[CSP_VALUE_REFUSALS];
	uint64_t dropped;
	uint64_t made; /* records of store_value */
};

/* At offset 0. */
struct store_header {
	char magic[8];
	uint32_t version, order_mark;
	/* node_bytes: size of a node with the columns that all nodes have. A recorded call has
	 * room for all columns, in recorded_bytes: the program may add some. */
	uint32_t block_bytes, node_bytes;
	uint32_t num_metrics, num_events; /* num_metrics may grow */
	uint32_t recorded_bytes;
	uint32_t state; /* enum store_state */
	uint32_t pid, ppid, seq;
	uint32_t rank, ranks;                      /* CSP_NONE: not known */
	store_ref executable, command, host, tool; /* store_string; command: joined by NUL */
	store_ref first_thread, first_epoch;
	/* The names that the program uses: the top of a binary search tree of store_name, and the
	 * greatest number in it. */
	store_ref names;
	uint32_t num_names;
	/* A store_thread that is not in the list. Its trees are those of several threads, whose
	 * rows and accounts remain in the list. 0: every tree belongs to one thread. */
	store_ref shared;
	/* The row of the list into which threads are merged if very many have ended (tid 0); 0:
	 * none. */
	store_ref ended;
	/* The thread whose counts are currently being moved into shared or ended, or 0. */
	store_ref merging;
	/* Why its return addresses are not marked, though that was asked for (store_string; 0: they
	 * are, or it was not), and the threads that marked no more because they met a mark that
	 * was not theirs. */
	store_ref unmarked;
	uint32_t marks_lost;
	uint32_t sig; /* the number of the signal of samples */
	/* Written by other processes, and the last of them that was done: see STORE_CONTROL_STOP.
	 */
	uint32_t control, controlled;
	/* Threads for which an event could not be counted: once for each event. */
	uint32_t uncounted;
	/* ns of CPU time that measuring this image takes before and after its threads' clocks; 0:
	 * not known */
	uint32_t outside;
	store_ref windows;  /* store_windows; 0: values are not asked for */
	uint32_t detach;    /* enum store_detach; 0: it cannot end before the process does */
	uint64_t pid_space; /* inode of the process's pid namespace, 0: unknown */
	/* Boot-time clock when the image began, in the unit of field 22 of /proc/PID/stat; 0:
	 * unknown. A process with this pid that began later is another one. */
	uint64_t start_ticks;
	/* ns of the process's CPU clock from its beginning, or the end of the account of the image
	 * before, to the end of this one's; 0: not known */
	uint64_t process;
	uint64_t tramp_samples;
	uint64_t start_ns;      /* real time clock */
	uint64_t start_mono_ns; /* monotonic clock */
	uint64_t end_mono_ns;   /* 0 while it runs */
	char end[24];           /* "exit 0", "signal 9", "exec"; empty: unknown */
	struct store_metric metrics[STORE_MAX_METRICS];
	/* The frames of an interpreter: the tops of binary search trees of store_source and
	 * store_code, and the number of sources. */
	store_ref sources, codes;
	uint32_t num_sources;
	/* Why the frames of the program's interpreter are not read (store_string; 0: they are, or
	 * there is none). */
	store_ref uninterpreted;
};

/* A name of the program's, for the nodes that refer to it (formats/identity/notes.h). The tree is
 * in the order of hash, n, text. Any thread may add one. */
struct store_name {
	store_ref left, right;
	uint64_t hash;
	uint32_t number, n;
	char text[]; /* n bytes */
};

/* A source file of an interpreted program: the load module of that number
 * (formats/identity/sources.h). The tree is in the order of hash, n, text. Any thread may add one.
 */
struct store_source {
	store_ref left, right;
	uint64_t hash;
	uint32_t number, n;
	uint32_t extent; /* addresses that are given to its functions */
	char text[];     /* n bytes */
};

/* A function of the interpreter in such a file. The tree is in the order of key, which no two have.
 * Any thread may add one. */
struct store_code {
	store_ref left, right;
	uint64_t key; /* internal to the runtime */
	store_ref source;
	uint32_t start, extent; /* addresses in the source's module */
	uint32_t line;          /* where it begins in the file; 0: not known */
	uint32_t name_bytes, lines_bytes;
	char bytes[]; /* its name, and then its lines as in the chunk CODE */
};

struct store_module {
	store_ref next;
	store_ref name, build_id; /* store_string; build_id in hex, or 0 */
	uint32_t reserved;
	uint64_t virtual_address, mapped_address, extent;
};

/* A load map. Modules are added at the end while addresses keep their meaning. */
struct store_epoch {
	store_ref next;
	store_ref first_module;
	store_ref values; /* the top of a search tree of store_value */
	uint32_t reserved;
};

/* The values of one kind at one instruction. The tree is in the order of store_hash(key). Any
 * thread may add one, and change one while it has set busy. Of the most frequent values: how often
 * a value came at most, and by how much less that may be: Metwally, Agrawal, El Abbadi, Efficient
 * Computation of Frequent and Top-k Elements in Data Streams (2005). */
struct store_value {
	store_ref left, right;
	uint64_t key; /* the instruction's address | what << STORE_VALUE_SHIFT (enum csp_value) */
	uint32_t busy;
	uint32_t bytes;
	uint32_t window;             /* internal: the last one that it was in, */
	uint64_t last;               /* and its value there */
	uint64_t count, zeros, same; /* same: as the one before */
	struct store_often {
		uint64_t value, count, error;
	} top[CSP_VALUE_TOP];
};
enum { STORE_VALUE_SHIFT = 56 };

struct store_count {
	uint64_t samples, weight;
};

/* One event's clock in one thread, and where its time went. The first clock of a thread is that of
 * its CPU time, whether or not this is sampled. */
struct store_clock {
	uint64_t start, last, end; /* last: at the last handled sample; end: 0 while it runs */
	struct store_count account[CSP_DISPOSITIONS];
	uint64_t cost; /* of the first one: ns used by measuring all events, besides "own code" */
	/* of a performance event: for how many ns it should have counted, and has */
	uint64_t enabled, running;
	uint64_t stopped; /* the clock when measuring was stopped, plus 1; 0: it is not */
};

struct store_thread {
	store_ref next;
	store_ref first_tree;
	store_ref creator_tree, creator_node;
	uint32_t tid;
	store_ref previous;        /* in the list, for writers only */
	uint64_t start_ns, end_ns; /* since the process's start; end_ns 0 while it runs */
	/* The node of the wait in which the thread is, 0: none is known; the clock of that time;
	 * and what the monotonic clock is ahead of it until the wait ends. */
	store_ref wait_node;
	uint32_t wait_clock;
	uint64_t wait_ahead;
	char name[32];               /* NUL-padded */
	struct store_clock clocks[]; /* one per event */
};

struct store_tree {
	store_ref next;
	store_ref thread, epoch;
	store_ref root;
	uint32_t kind; /* CSP_TREE_COMPLETE or CSP_TREE_PARTIAL */
	uint32_t reserved[3];
};

/* The meaning of a node's ip, in the two highest bits of key, which user addresses do not use.
 * Each role has a node of its own (datafile: TreeNode). */
#define STORE_ROLE_SHIFT 62
#define STORE_ROLE_CALL 0ull     /* a call site: key is the return address */
#define STORE_ROLE_LEAF 1ull     /* an interrupted instruction */
#define STORE_ROLE_RECORDED 2ull /* a recorded call: the address after it */
#define STORE_IP_MASK ((1ull << STORE_ROLE_SHIFT) - 1)

/* A calling context. The children of a node are a binary search tree through left and right,
 * ordered by store_hash(key): hashed keys arrive in random order, so the tree stays shallow
 * without balancing, and one memory store adds a child. */
struct store_node {
	uint64_t key; /* ip | role << STORE_ROLE_SHIFT; 0 for the root */
	uint64_t sp;
	store_ref parent; /* the root is its own parent */
	store_ref child;  /* top of the children's search tree */
	store_ref left, right;
	uint64_t metrics[];
};

static inline bool store_key_is_recorded(uint64_t key)
{
	return key >> STORE_ROLE_SHIFT == STORE_ROLE_RECORDED;
}
/* The size of a node with that key, and how many columns it has room for. */
static inline size_t store_node_bytes(const struct store_header *h, uint64_t key)
{
	return store_key_is_recorded(key) ? h->recorded_bytes : h->node_bytes;
}
static inline uint32_t store_node_columns(const struct store_header *h, uint64_t key)
{
	size_t n = (store_node_bytes(h, key) - sizeof(struct store_node)) / sizeof(uint64_t);
	return n < STORE_MAX_METRICS ? (uint32_t)n : STORE_MAX_METRICS;
}

/* A bijection of 64-bit words (a multiplication by an odd constant, here 2^64
 * divided by the golden ratio). */
static inline uint64_t store_hash(uint64_t key)
{
	return key * 0x9E3779B97F4A7C15ull;
}

/* ---- reading a store and making a datafile from it ---------------------------- */

/* The blocks of a store in this process's memory: block i at blocks[i]. */
struct store_view {
	uint8_t *const *blocks;
	uint32_t num_blocks;
};

/* The bytes bytes at ref, or NULL if they are not all in the store. A record may span blocks
 * that are adjacent in memory. Async-signal-safe. */
const void *store_at(const struct store_view *v, store_ref ref, size_t bytes);

/* The header, or NULL if the view is not a store that this code can read. Async-signal-safe. */
const struct store_header *store_check(const struct store_view *v);

/* Working memory for the conversion, which calls no allocator itself: map returns zeroed bytes
 * or NULL. For a view of that many blocks it needs at most STORE_WORKING_BYTES in total. */
#define STORE_WORKING_BYTES(blocks) (2 * sizeof(store_ref) * STORE_BLOCK_GRAINS * (blocks))
struct store_memory {
	void *(*map)(size_t bytes);
	void (*unmap)(void *p, size_t bytes);
};

/* Write the datafile of a store that is no longer written, or of its present state. Whatever the
 * bytes of the store are, this ends, reads nothing outside it, and writes a datafile: invalid
 * records are left out (survey.h). Whether the account agrees with the trees depends on the
 * writer of the store, or on store_settle (recover.h). Returns 0, or a negative errno: that of
 * the sink, -ENOMEM, or -EINVAL if it is not a store. Async-signal-safe if sink and memory are. */
int store_write_datafile(const struct store_view *v, const struct store_memory *memory,
			 struct csp_sink *sink);

#endif
