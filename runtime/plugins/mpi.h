/* The driver `mpi` (hpcrun --driver mpi): calls, time and bytes of the Message Passing Interface at
 * each call path, with the partner of each message.
 *
 * It is built without MPI. It stands before the functions MPI_X and PMPI_X, which are also those
 * that the libraries for Fortran and C++ call, and takes all arguments as words. How handles and
 * statuses look is known of Open MPI, and of MPICH and its relatives, which have a binary interface
 * in common (https://www.mpich.org/abi/); of others, calls and time are recorded.
 *
 * All functions here may be called by any thread, but not in handlers of signals, as MPI's own. If
 * there is no memory, bytes or labels are missing, and the program's call goes on. */
#ifndef RUNTIME_PLUGINS_MPI_H
#define RUNTIME_PLUGINS_MPI_H

#include "runtime/hpcrun_driver.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of this library only: the program may have such names. */
#pragma GCC visibility push(hidden)

typedef uintptr_t mpi_word;

/* What is called between one of our functions and the recording. Such frames are not shown; those
 * of our functions are, since they are named as what the program called. The library walks far
 * enough to leave out 8 of them; there are 7. */
#define MPI_ENGINE __attribute__((section("mpi_engine"), noinline))

/* ---- what a function does ----------------------------------------------------------------- */

/* How many elements a buffer has: as many as an argument says; so many for each partner; the sum of
 * an array of numbers for each partner, with one type or an array of types; this process' number in
 * such an array; or one element. The partners are the processes of the communicator (of the other
 * group, if it is between two; of this one with _HERE), or the neighbours of a topology. */
enum mpi_amount {
	MPI_AS_SAID,
	MPI_EACH,
	MPI_EACH_HERE,
	MPI_LIST,
	MPI_LIST_HERE,
	MPI_TYPES,
	MPI_OWN,
	MPI_ELEMENT
};
/* Which processes have the buffer. */
enum mpi_who { MPI_BY_ALL, MPI_BY_ROOT, MPI_BY_OTHERS, MPI_BY_ALL_BUT_FIRST };

/* Numbers of arguments, from 1; 0: there is none. */
struct mpi_side {
	uint8_t type; /* 0: no data goes this way */
	uint8_t count;
	uint8_t buffer; /* which may be MPI_IN_PLACE instead; 0: that does not matter */
	uint8_t amount; /* enum mpi_amount */
	uint8_t who;    /* enum mpi_who */
};

enum mpi_kind {
	MPI_IS_PLAIN,
	MPI_IS_PERSISTENT, /* makes a request that is started later */
	MPI_STARTS,        /* requests */
	MPI_COMPLETES,     /* requests: waits for them, or looks whether they are complete */
	MPI_FREES,         /* a request */
	MPI_PROBES,        /* finds a message, to be received by its handle */
	MPI_GETS_PROBED,   /* receives such a message */
	MPI_ENDS_COMM,     /* a communicator */
	MPI_ENDS_WINDOW
};

struct mpi_function {
	const char *name; /* with MPI_ */
	enum mpi_kind kind;
	struct mpi_side sends, receives;
	/* If the sending buffer is MPI_IN_PLACE, it is the receiving one, with this amount; false:
	 * nothing is sent. */
	bool in_place;
	uint8_t in_place_amount;
	uint8_t to, from, root; /* ranks */
	uint8_t comm, window;
	uint8_t op;      /* with MPI_NO_OP nothing is sent */
	bool neighbors;  /* collective among those */
	uint8_t request; /* one, which it makes, starts, completes or frees */
	uint8_t status;  /* one */
	/* An array of requests, their number, and the array of statuses. */
	uint8_t num, requests, statuses;
	/* Of a function that may find nothing complete: where it says so, as a flag or as a number
	 * of requests; and which of them, as an index or an array of indices. */
	uint8_t flag, number, index;
	uint8_t message; /* the handle of a message that was found */
};

/* One of its two forms, with counts of 32 or of 64 bits, by one of its two names. */
struct mpi_entry {
	const struct mpi_function *function;
	const char *name;
	bool large;
	void *next; /* what it stands before; NULL: not known yet */
};

/* ---- the library (mpi_library.c) ---------------------------------------------------------- */

/* How a library's types and constants look in memory. */
struct mpi_abi {
	size_t handle, status;            /* bytes */
	size_t source;                    /* where a status has the rank */
	mpi_word status_ignore, in_place; /* pointers */
	int root, proc_null;              /* ranks */
	int cart, graph;                  /* topologies */
	mpi_word byte, no_op, world;      /* handles */
};

/* The function of that name of the MPI library after us, or NULL. */
void *mpi_library_function(const char *name);

/* Its interface, or NULL: it is not known. */
const struct mpi_abi *mpi_library_abi(void);

/* Questions to the library, with the arguments of the function PMPI_X. */
enum mpi_question {
	MPI_COMM_SIZE,
	MPI_COMM_RANK,
	MPI_COMM_TEST_INTER,
	MPI_COMM_REMOTE_SIZE,
	MPI_COMM_GROUP,
	MPI_COMM_REMOTE_GROUP,
	MPI_WIN_GET_GROUP,
	MPI_GROUP_SIZE,
	MPI_GROUP_TRANSLATE_RANKS,
	MPI_GROUP_FREE,
	MPI_TYPE_SIZE_X,
	MPI_GET_ELEMENTS_X,
	MPI_TEST_CANCELLED,
	MPI_TOPO_TEST,
	MPI_CARTDIM_GET,
	MPI_GRAPH_NEIGHBORS_COUNT,
	MPI_DIST_GRAPH_NEIGHBORS_COUNT,
	MPI_QUESTIONS
};
/* Whether it has answered: the answer is where the arguments point. */
bool mpi_ask(enum mpi_question question, mpi_word a, mpi_word b, mpi_word c, mpi_word d,
	     mpi_word e);

/* The i-th handle of an array, and one that is an argument. */
mpi_word mpi_handle_in(const struct mpi_abi *abi, mpi_word array, size_t i);
static inline mpi_word mpi_handle(const struct mpi_abi *abi, mpi_word argument)
{
	return abi->handle == sizeof(uint32_t) ? (uint32_t)argument : argument;
}

/* ---- ranks (mpi_ranks.c) ------------------------------------------------------------------ */

/* The ranks in MPI_COMM_WORLD of the processes of a communicator, of its other group if it is
 * between two, or of a window. */
struct mpi_ranks;

/* Takes a reference; NULL: not known. By any thread. */
struct mpi_ranks *mpi_ranks_of(const struct mpi_abi *abi, mpi_word handle, bool window);
struct mpi_ranks *mpi_ranks_keep(struct mpi_ranks *ranks);
void mpi_ranks_drop(struct mpi_ranks *ranks);
/* The handle is no more. */
void mpi_ranks_forget(mpi_word handle, bool window);

/* A process that is not in MPI_COMM_WORLD or not known, and none. */
enum { MPI_OTHER_PROCESS = -1, MPI_NO_PROCESS = -2 };
int mpi_ranks_world(const struct mpi_ranks *ranks, int rank);

/* ---- requests (mpi_requests.c) ------------------------------------------------------------ */

/* What is received when a request is complete, or sent and received when it is started; or a
 * message that was found. */
struct mpi_request {
	mpi_word handle;
	bool message;
	bool persistent, active;
	bool receives; /* its status says how much */
	uint64_t sent, received;
	int partner; /* to whom, as mpi_ranks_world */
	struct mpi_ranks *ranks;
	struct mpi_request *next; /* internal */
	unsigned holders;         /* internal */
	bool listed;              /* internal */
};

/* Remember a copy of r, whose reference to ranks it takes over, in place of another of its handle.
 */
void mpi_request_add(const struct mpi_request *r);
/* Find it, or NULL, and hold it: it remains until it is released. */
struct mpi_request *mpi_request_hold(mpi_word handle, bool message);
void mpi_request_release(struct mpi_request *r);
/* The library has ended it. NULL: nothing is done. */
void mpi_request_end(struct mpi_request *r);
/* Whether there are any. */
bool mpi_requests_pending(void);

/* ---- a call (mpi.c, mpi_traffic.c) -------------------------------------------------------- */

enum { MPI_ARGUMENTS = 13, MPI_FEW = 4, MPI_STATUS_ROOM = 32 };

struct mpi_call {
	mpi_word a[MPI_ARGUMENTS]; /* the arguments that the function after ours gets */
	const struct mpi_entry *entry;
	uint64_t began; /* 0: it is not recorded */
	const struct mpi_abi *abi;
	/* What the call may change, as it was before: one handle, or what was held of requests. */
	mpi_word handle;
	struct mpi_request **held, *few_held[MPI_FEW];
	size_t num_held;
	/* Instead of statuses that the program ignores. */
	char *statuses;
	uint64_t few_statuses[MPI_FEW * MPI_STATUS_ROOM / sizeof(uint64_t)];
	/* What was sent to and received from one partner, not recorded yet. */
	int partner;
	bool sends, receives, several;
	uint64_t sent, received;
};

/* Begin one of our functions: returns the one after it, to be called with c->a, or NULL. If
 * c->began, mpi_end follows with what that has returned. */
void *mpi_begin(struct mpi_call *c, struct mpi_entry *e);
MPI_ENGINE void mpi_end(struct mpi_call *c, mpi_word returned);

/* Before the call; and after it, if it has succeeded: add what it has sent and received. */
void mpi_traffic_prepare(struct mpi_call *c);
MPI_ENGINE void mpi_traffic(struct mpi_call *c);
/* What was prepared is not needed any more. */
void mpi_traffic_finish(struct mpi_call *c);

/* Add bytes that went to or came from a partner, as mpi_ranks_world. */
MPI_ENGINE void mpi_sent(struct mpi_call *c, int partner, uint64_t bytes);
MPI_ENGINE void mpi_received(struct mpi_call *c, int partner, uint64_t bytes);

#pragma GCC visibility pop

#endif
