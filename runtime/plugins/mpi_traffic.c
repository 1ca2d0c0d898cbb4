/* What a call has sent and received, by its arguments and statuses. All is computed after it, and
 * only if it has succeeded: then the library has found the arguments to be right. */
#include "runtime/plugins/mpi.h"

#include <stdlib.h>
#include <string.h>

static mpi_word argument(const struct mpi_call *c, unsigned number)
{
	return c->a[number - 1];
}

/* The int, or in an array the i-th, to which an argument points. */
static int int_at(const struct mpi_call *c, unsigned number, size_t i)
{
	int value;
	memcpy(&value, (const int *)argument(c, number) + i, sizeof value); // NOLINT
	return value;
}

static mpi_word handle_at(const struct mpi_call *c, unsigned number, size_t i)
{
	return mpi_handle_in(c->abi, argument(c, number), i);
}

static mpi_word handle_of(const struct mpi_call *c, unsigned number)
{
	return mpi_handle(c->abi, argument(c, number));
}

/* ---- bytes -------------------------------------------------------------------------------- */

/* MPI_Count, which is 64 bits in both libraries. */
typedef long long count;

static uint64_t positive(count n)
{
	return n > 0 ? (uint64_t)n : 0;
}

static uint64_t size_of_type(mpi_word type)
{
	count size = 0;
	return mpi_ask(MPI_TYPE_SIZE_X, type, (mpi_word)&size, 0, 0, 0) ? positive(size) : 0;
}

static uint64_t one_count(const struct mpi_call *c, unsigned number)
{
	return positive(c->entry->large ? (count)argument(c, number) : (int)argument(c, number));
}

static uint64_t count_at(const struct mpi_call *c, unsigned number, size_t i)
{
	count large;
	if (!c->entry->large)
		return positive(int_at(c, number, i));
	memcpy(&large, (const count *)argument(c, number) + i, sizeof large); // NOLINT
	return positive(large);
}

/* The processes that a collective function has to do with. */
struct company {
	size_t here, there; /* in this group, and in the other if there are two */
	size_t sources, destinations;
	int rank;
	bool inter;
};

static uint64_t bytes_of(const struct mpi_call *c, const struct mpi_side *side, uint8_t amount,
			 const struct company *w, size_t partners)
{
	uint64_t n = 0, bytes = 0;
	switch (amount) {
	case MPI_AS_SAID:
		n = one_count(c, side->count);
		break;
	case MPI_EACH:
		n = partners * one_count(c, side->count);
		break;
	case MPI_EACH_HERE:
		n = w->here * one_count(c, side->count);
		break;
	case MPI_LIST:
	case MPI_LIST_HERE:
		for (size_t i = 0; i < (amount == MPI_LIST ? partners : w->here); i++)
			n += count_at(c, side->count, i);
		break;
	case MPI_TYPES:
		for (size_t i = 0; i < partners; i++)
			bytes +=
			    count_at(c, side->count, i) * size_of_type(handle_at(c, side->type, i));
		return bytes;
	case MPI_OWN:
		n = count_at(c, side->count, (size_t)w->rank);
		break;
	case MPI_ELEMENT:
		n = 1;
		break;
	}
	return n * size_of_type(handle_of(c, side->type));
}

/* ---- collective functions ----------------------------------------------------------------- */

/* How many neighbours send to this process, and are sent to. */
static void find_neighbors(const struct mpi_call *c, mpi_word comm, struct company *w)
{
	int topology = 0, num = 0, out = 0, weighted = 0;
	if (!mpi_ask(MPI_TOPO_TEST, comm, (mpi_word)&topology, 0, 0, 0))
		return;
	if (topology == c->abi->cart) {
		if (mpi_ask(MPI_CARTDIM_GET, comm, (mpi_word)&num, 0, 0, 0))
			num *= 2;
		out = num;
	} else if (topology == c->abi->graph) {
		mpi_ask(MPI_GRAPH_NEIGHBORS_COUNT, comm, (mpi_word)w->rank, (mpi_word)&num, 0, 0);
		out = num;
	} else {
		mpi_ask(MPI_DIST_GRAPH_NEIGHBORS_COUNT, comm, (mpi_word)&num, (mpi_word)&out,
			(mpi_word)&weighted, 0);
	}
	w->sources = positive(num);
	w->destinations = positive(out);
}

static bool find_company(const struct mpi_call *c, struct company *w)
{
	mpi_word comm = handle_of(c, c->entry->function->comm);
	int here = 0, there = 0, inter = 0;
	if (!mpi_ask(MPI_COMM_SIZE, comm, (mpi_word)&here, 0, 0, 0) ||
	    !mpi_ask(MPI_COMM_RANK, comm, (mpi_word)&w->rank, 0, 0, 0) ||
	    !mpi_ask(MPI_COMM_TEST_INTER, comm, (mpi_word)&inter, 0, 0, 0))
		return false;
	w->inter = inter != 0;
	there = here;
	if (w->inter && !mpi_ask(MPI_COMM_REMOTE_SIZE, comm, (mpi_word)&there, 0, 0, 0))
		return false;
	w->here = positive(here);
	w->there = w->sources = w->destinations = positive(there);
	if (c->entry->function->neighbors)
		find_neighbors(c, comm, w);
	return true;
}

/* Does this process have a buffer that is there at the root only, and so on? */
static bool has(const struct mpi_call *c, uint8_t who, const struct company *w)
{
	const struct mpi_function *f = c->entry->function;
	int root = f->root ? (int)argument(c, f->root) : w->rank;
	if (who == MPI_BY_ALL_BUT_FIRST)
		return w->rank != 0;
	if (!f->root)
		return true;
	if (w->inter) /* one group has the root, the other one all others */
		return who == MPI_BY_ROOT ? root == c->abi->root : root >= 0;
	return who == MPI_BY_ALL || (who == MPI_BY_ROOT) == (root == w->rank);
}

static bool in_place(const struct mpi_call *c, const struct mpi_side *side)
{
	return side->buffer && argument(c, side->buffer) == c->abi->in_place;
}

/* Both amounts of a collective function; whether this process has such a side. */
struct both {
	bool sends, receives;
	uint64_t sent, received;
};

static struct both collective(const struct mpi_call *c)
{
	const struct mpi_function *f = c->entry->function;
	struct company w = {.rank = 0};
	struct both b = {.sends = false};
	if (!find_company(c, &w))
		return b;
	if (f->sends.type && has(c, f->sends.who, &w)) {
		b.sends = true;
		if (!in_place(c, &f->sends))
			b.sent = bytes_of(c, &f->sends, f->sends.amount, &w, w.destinations);
		else if (f->in_place)
			b.sent = bytes_of(c, &f->receives, f->in_place_amount, &w, w.destinations);
	}
	if (f->receives.type && has(c, f->receives.who, &w)) {
		b.receives = true;
		if (!in_place(c, &f->receives))
			b.received = bytes_of(c, &f->receives, f->receives.amount, &w, w.sources);
	}
	return b;
}

/* ---- messages ----------------------------------------------------------------------------- */

static struct mpi_ranks *ranks_of(const struct mpi_call *c)
{
	const struct mpi_function *f = c->entry->function;
	return mpi_ranks_of(c->abi, handle_of(c, f->comm ? f->comm : f->window), !f->comm);
}

/* Add what a status says that was received. */
MPI_ENGINE static void add_status(struct mpi_call *c, const char *status,
				  const struct mpi_ranks *ranks)
{
	int source, cancelled = 0;
	count bytes = 0;
	memcpy(&source, status + c->abi->source, sizeof source);
	if (source == c->abi->proc_null)
		return;
	if (mpi_ask(MPI_TEST_CANCELLED, (mpi_word)status, (mpi_word)&cancelled, 0, 0, 0) &&
	    !cancelled &&
	    mpi_ask(MPI_GET_ELEMENTS_X, (mpi_word)status, c->abi->byte, (mpi_word)&bytes, 0, 0))
		mpi_received(c, mpi_ranks_world(ranks, source), positive(bytes));
}

static const char *status_of(const struct mpi_call *c)
{
	return (const char *)argument(c, c->entry->function->status); // NOLINT
}

/* Elements that go to a process, or with one-sided communication come from there. */
MPI_ENGINE static void add_sides(struct mpi_call *c, const struct mpi_ranks *ranks, int rank)
{
	const struct mpi_function *f = c->entry->function;
	const struct company none = {.rank = 0};
	int partner = mpi_ranks_world(ranks, rank);
	if (rank == c->abi->proc_null)
		return;
	if (f->sends.type && (!f->op || handle_of(c, f->op) != c->abi->no_op))
		mpi_sent(c, partner, bytes_of(c, &f->sends, f->sends.amount, &none, 1));
	if (f->window && f->receives.type)
		mpi_received(c, partner, bytes_of(c, &f->receives, f->receives.amount, &none, 1));
}

MPI_ENGINE static void message(struct mpi_call *c)
{
	const struct mpi_function *f = c->entry->function;
	struct mpi_ranks *ranks = ranks_of(c);
	if (f->to)
		add_sides(c, ranks, (int)argument(c, f->to));
	if (f->from && f->request) {
		struct mpi_request r = {
		    .handle = handle_at(c, f->request, 0), .receives = true, .active = true};
		r.ranks = mpi_ranks_keep(ranks);
		mpi_request_add(&r);
	} else if (f->from) {
		add_status(c, status_of(c), ranks);
	}
	mpi_ranks_drop(ranks);
}

/* A request that sends or receives each time that it is started. */
static void persistent(const struct mpi_call *c)
{
	const struct mpi_function *f = c->entry->function;
	struct mpi_request r = {
	    .handle = handle_at(c, f->request, 0), .persistent = true, .partner = MPI_NO_PROCESS};
	if (f->to && (int)argument(c, f->to) == c->abi->proc_null)
		return;
	if (f->to) {
		const struct company none = {.rank = 0};
		struct mpi_ranks *ranks = ranks_of(c);
		r.sent = bytes_of(c, &f->sends, f->sends.amount, &none, 1);
		r.partner = mpi_ranks_world(ranks, (int)argument(c, f->to));
		mpi_ranks_drop(ranks);
	} else if (f->from) {
		r.receives = true;
		r.ranks = ranks_of(c);
	} else {
		struct both b = collective(c);
		r.sent = b.sent;
		r.received = b.received;
	}
	mpi_request_add(&r);
}

/* ---- requests ----------------------------------------------------------------------------- */

static size_t num_requests(const struct mpi_call *c)
{
	const struct mpi_function *f = c->entry->function;
	return f->num ? positive((int)argument(c, f->num)) : 1;
}

static void hold(struct mpi_call *c)
{
	const struct mpi_function *f = c->entry->function;
	size_t n = num_requests(c);
	c->held = c->few_held;
	if (n > MPI_FEW)
		c->held = calloc(n, sizeof(struct mpi_request *));
	for (size_t i = 0; c->held && i < n; i++)
		c->held[i] =
		    mpi_request_hold(handle_at(c, f->num ? f->requests : f->request, i), false);
	c->num_held = c->held ? n : 0;
}

/* Our statuses for those that the program ignores. */
static void take_statuses(struct mpi_call *c, size_t n)
{
	const struct mpi_function *f = c->entry->function;
	mpi_word *a = &c->a[(f->statuses ? f->statuses : f->status) - 1];
	if (*a != c->abi->status_ignore)
		return;
	c->statuses = n > MPI_FEW ? calloc(n, c->abi->status)
				  : memset(c->few_statuses, 0, sizeof c->few_statuses);
	if (c->statuses)
		*a = (mpi_word)c->statuses;
}

void mpi_traffic_prepare(struct mpi_call *c)
{
	const struct mpi_function *f = c->entry->function;
	switch (f->kind) {
	case MPI_COMPLETES:
		if (!mpi_requests_pending())
			break;
		hold(c);
		take_statuses(c, f->statuses ? num_requests(c) : 1);
		break;
	case MPI_STARTS:
	case MPI_FREES:
		if (mpi_requests_pending())
			hold(c);
		break;
	case MPI_GETS_PROBED:
		c->held = c->few_held;
		c->held[0] = mpi_request_hold(handle_at(c, f->message, 0), true);
		c->num_held = 1;
		if (f->status)
			take_statuses(c, 1);
		break;
	case MPI_ENDS_COMM:
	case MPI_ENDS_WINDOW:
		c->handle = handle_at(c, 1, 0);
		break;
	case MPI_IS_PLAIN:
		if (f->from && f->status)
			take_statuses(c, 1);
		break;
	case MPI_IS_PERSISTENT:
	case MPI_PROBES:
		break;
	}
}

void mpi_traffic_finish(struct mpi_call *c)
{
	for (size_t i = 0; i < c->num_held; i++)
		mpi_request_release(c->held[i]);
	if (c->num_held && c->held != c->few_held)
		free(c->held);
	if (c->statuses != (char *)c->few_statuses)
		free(c->statuses);
}

/* The i-th request is complete, with the status of that number. */
MPI_ENGINE static void complete(struct mpi_call *c, size_t i, size_t status)
{
	const struct mpi_function *f = c->entry->function;
	struct mpi_request *r = i < c->num_held ? c->held[i] : NULL;
	mpi_word at = argument(c, f->statuses ? f->statuses : f->status);
	if (!r)
		return;
	if (r->receives && r->active && at != c->abi->status_ignore)
		add_status(c, (const char *)at + (status * c->abi->status), r->ranks); // NOLINT
	if (r->persistent)
		r->active = false;
	else
		mpi_request_end(r);
}

MPI_ENGINE static void complete_some(struct mpi_call *c)
{
	const struct mpi_function *f = c->entry->function;
	if (!c->num_held || (f->flag && !int_at(c, f->flag, 0)))
		return;
	if (f->number) { /* MPI_UNDEFINED is negative */
		for (int i = 0; i < int_at(c, f->number, 0); i++)
			complete(c, positive(int_at(c, f->index, (size_t)i)), (size_t)i);
	} else if (f->index) {
		if (int_at(c, f->index, 0) >= 0)
			complete(c, (size_t)int_at(c, f->index, 0), 0);
	} else {
		for (size_t i = 0; i < c->num_held; i++)
			complete(c, i, i);
	}
}

MPI_ENGINE static void start_all(struct mpi_call *c)
{
	for (size_t i = 0; i < c->num_held; i++) {
		struct mpi_request *r = c->held[i];
		if (!r)
			continue;
		r->active = true;
		if (r->sent || r->partner != MPI_NO_PROCESS)
			mpi_sent(c, r->partner, r->sent);
		if (r->received)
			mpi_received(c, r->partner, r->received);
	}
}

/* ---- all ---------------------------------------------------------------------------------- */

MPI_ENGINE static void probed(struct mpi_call *c)
{
	const struct mpi_function *f = c->entry->function;
	struct mpi_request *found = c->held[0];
	struct mpi_ranks *ranks = found ? found->ranks : NULL;
	mpi_request_end(found);
	if (f->request) {
		struct mpi_request r = {.handle = handle_at(c, f->request, 0),
					.receives = true,
					.active = true,
					.ranks = mpi_ranks_keep(ranks)};
		mpi_request_add(&r);
	} else {
		add_status(c, status_of(c), ranks);
	}
}

static void found_message(const struct mpi_call *c)
{
	const struct mpi_function *f = c->entry->function;
	if (!f->flag || int_at(c, f->flag, 0)) {
		struct mpi_request r = {
		    .handle = handle_at(c, f->message, 0), .message = true, .ranks = ranks_of(c)};
		mpi_request_add(&r);
	}
}

MPI_ENGINE static void plain(struct mpi_call *c)
{
	const struct mpi_function *f = c->entry->function;
	/* One of ours with this handle has ended, and how was not seen. */
	if (f->request && !f->from) {
		struct mpi_request *old = mpi_request_hold(handle_at(c, f->request, 0), false);
		mpi_request_end(old);
		mpi_request_release(old);
	}
	if (f->to || f->from) {
		message(c);
	} else if (f->sends.type || f->receives.type) {
		struct both b = collective(c);
		if (b.sends)
			mpi_sent(c, MPI_NO_PROCESS, b.sent);
		if (b.receives)
			mpi_received(c, MPI_NO_PROCESS, b.received);
	}
}

void mpi_traffic(struct mpi_call *c)
{
	switch (c->entry->function->kind) {
	case MPI_IS_PLAIN:
		plain(c);
		break;
	case MPI_IS_PERSISTENT:
		persistent(c);
		break;
	case MPI_STARTS:
		start_all(c);
		break;
	case MPI_COMPLETES:
		complete_some(c);
		break;
	case MPI_FREES:
		for (size_t i = 0; i < c->num_held; i++)
			mpi_request_end(c->held[i]);
		break;
	case MPI_PROBES:
		found_message(c);
		break;
	case MPI_GETS_PROBED:
		probed(c);
		break;
	case MPI_ENDS_COMM:
		mpi_ranks_forget(c->handle, false);
		break;
	case MPI_ENDS_WINDOW:
		mpi_ranks_forget(c->handle, true);
		break;
	}
}
