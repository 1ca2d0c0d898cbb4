#include "runtime/plugins/mpi.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CALLS, TIME, SENT, RECEIVED, METRICS };

static const struct hpcrun_driver_metric metrics[METRICS] = {
    [CALLS] = {"MPI_CALLS", "count", "calls of the program"},
    [TIME] = {"MPI_TIME", "ns", "time in these calls"},
    [SENT] = {"MPI_SENT", "bytes", "given to be sent to other processes"},
    [RECEIVED] = {"MPI_RECEIVED", "bytes", "received from other processes"},
};

static const char *check(const char *options);
static int start(const struct hpcrun_driver_host *host, const char *options);

static const struct hpcrun_driver driver = {
    .size = sizeof driver,
    .name = "mpi",
    .text = "calls of the Message Passing Interface, with their bytes and partners",
    .options_text = "nopartners (no labels by partner)",
    .metrics = metrics,
    .num_metrics = METRICS,
    .check = check,
    .start = start,
};
HPCRUN_DRIVER(driver)

static bool partners = true;

static const char *check(const char *options)
{
	return *options && strcmp(options, "nopartners") != 0 ? "its option is nopartners" : NULL;
}

static int start(const struct hpcrun_driver_host *host, const char *options)
{
	(void)host;
	partners = !*options;
	return 0;
}

/* ---- labels ------------------------------------------------------------------------------- */

/* Of partners of which one was seen, a chain of them for each remainder. */
struct partner {
	struct hpcrun_fixed_label label;
	struct partner *next;
	int rank;
	char text[12];
};
enum { CHAINS = 256 };
static struct partner *chains[CHAINS];
static pthread_mutex_t chains_lock = PTHREAD_MUTEX_INITIALIZER;

static struct partner *find_partner(int rank)
{
	struct partner **chain = &chains[(unsigned)rank % CHAINS];
	struct partner *p = __atomic_load_n(chain, __ATOMIC_ACQUIRE);
	while (p && p->rank != rank)
		p = p->next;
	return p;
}

static struct partner *add_partner(int rank)
{
	struct partner **chain = &chains[(unsigned)rank % CHAINS];
	struct partner *p = calloc(1, sizeof *p);
	if (!p)
		return NULL;
	snprintf(p->text, sizeof p->text, "%d", rank);
	p->label = (struct hpcrun_fixed_label){.key = "partner", .value = p->text};
	p->rank = rank;
	p->next = *chain;
	__atomic_store_n(chain, p, __ATOMIC_RELEASE);
	return p;
}

/* NULL: it has none, or there is no memory. */
static struct hpcrun_fixed_label *label_of(int rank)
{
	static struct hpcrun_fixed_label other = {.key = "partner", .value = "other"};
	struct partner *p;
	if (!partners || rank == MPI_NO_PROCESS)
		return NULL;
	if (rank < 0)
		return &other;
	p = find_partner(rank);
	if (!p) {
		pthread_mutex_lock(&chains_lock);
		p = find_partner(rank);
		if (!p)
			p = add_partner(rank);
		pthread_mutex_unlock(&chains_lock);
	}
	return p ? &p->label : NULL;
}

/* ---- recording ---------------------------------------------------------------------------- */

extern const char __start_mpi_engine[] __attribute__((visibility("hidden")));
extern const char __stop_mpi_engine[] __attribute__((visibility("hidden")));

/* Record what was sent to and received from c->partner, and with took also the call. */
MPI_ENGINE static void record(const struct mpi_call *c, const uint64_t *took, int partner)
{
	const int *numbers = hpcrun_driver_on()->metrics;
	int ids[METRICS];
	uint64_t amounts[METRICS];
	struct hpcrun_record r = {.size = sizeof r,
				  .metrics = ids,
				  .amounts = amounts,
				  .label = label_of(partner),
				  .code = __start_mpi_engine,
				  .code_end = __stop_mpi_engine};
	if (took) {
		ids[r.num] = numbers[CALLS];
		amounts[r.num++] = 1;
		ids[r.num] = numbers[TIME];
		amounts[r.num++] = *took;
	}
	if (c->sends) {
		ids[r.num] = numbers[SENT];
		amounts[r.num++] = c->sent;
	}
	if (c->receives) {
		ids[r.num] = numbers[RECEIVED];
		amounts[r.num++] = c->received;
	}
	hpcrun_record_several(&r);
}

/* Another partner than that of what is not recorded yet. */
static inline __attribute__((always_inline)) void turn_to(struct mpi_call *c, int partner)
{
	if (c->partner != partner && (c->sends || c->receives)) {
		record(c, NULL, c->partner);
		c->several = true;
		c->sends = c->receives = false;
		c->sent = c->received = 0;
	}
	c->partner = partner;
}

void mpi_sent(struct mpi_call *c, int partner, uint64_t bytes)
{
	turn_to(c, partner);
	c->sends = true;
	c->sent += bytes;
}

void mpi_received(struct mpi_call *c, int partner, uint64_t bytes)
{
	turn_to(c, partner);
	c->receives = true;
	c->received += bytes;
}

/* ---- calls -------------------------------------------------------------------------------- */

/* Where the outermost call that is recorded has its structure, while it runs. MPI's own libraries
 * call MPI's functions too. An exception or longjmp may have left it: then a later one is not
 * deeper on the stack. */
static _Thread_local const struct mpi_call *inside;

void *mpi_begin(struct mpi_call *c, struct mpi_entry *e)
{
	const struct hpcrun_driver_host *host;
	void *next = __atomic_load_n(&e->next, __ATOMIC_RELAXED);
	if (!next) {
		next = mpi_library_function(e->name);
		__atomic_store_n(&e->next, next, __ATOMIC_RELAXED);
	}
	c->began = 0;
	host = hpcrun_driver_on();
	if (!next || !host || (inside && c < inside))
		return next;
	inside = c;
	c->entry = e;
	c->num_held = 0;
	c->statuses = NULL;
	c->partner = MPI_NO_PROCESS;
	c->sends = c->receives = c->several = false;
	c->sent = c->received = 0;
	c->abi = mpi_library_abi();
	if (c->abi)
		mpi_traffic_prepare(c);
	c->began = host->now();
	return next;
}

void mpi_end(struct mpi_call *c, mpi_word returned)
{
	int saved = errno;
	uint64_t took = hpcrun_driver_on()->now() - c->began;
	if (c->abi && (int)returned == 0)
		mpi_traffic(c);
	if (c->several && (c->sends || c->receives)) {
		record(c, NULL, c->partner);
		c->sends = c->receives = false;
	}
	record(c, &took, c->several ? MPI_NO_PROCESS : c->partner);
	if (c->abi)
		mpi_traffic_finish(c);
	inside = NULL;
	errno = saved;
}
