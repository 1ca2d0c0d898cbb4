/* The requests that are not complete, and messages that were found: a table with chains. */
#include "runtime/plugins/mpi.h"

#include <pthread.h>
#include <stdlib.h>

static struct mpi_request **table;
static size_t num_chains; /* a power of two */
static size_t num_listed;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Handles are addresses, or numbers that are given in turn: Fibonacci hashing (Knuth, The Art of
 * Computer Programming 3, 6.4). */
static size_t chain_of(mpi_word handle)
{
	return (size_t)(((uint64_t)handle * UINT64_C(11400714819323198485)) >> 32) &
	       (num_chains - 1);
}

static struct mpi_request **find(mpi_word handle, bool message)
{
	struct mpi_request **at = &table[chain_of(handle)];
	while (*at && ((*at)->handle != handle || (*at)->message != message))
		at = &(*at)->next;
	return at;
}

/* Chains for twice as many. If there is no memory, they are longer. */
static bool grow(void)
{
	enum { FIRST = 64 };
	struct mpi_request **old = table, **made;
	size_t old_num = old ? num_chains : 0, num = old ? 2 * old_num : FIRST;
	made = calloc(num, sizeof(struct mpi_request *));
	if (!made)
		return table != NULL;
	table = made;
	num_chains = num;
	for (size_t i = 0; i < old_num; i++)
		for (struct mpi_request *r = old[i], *next; r; r = next) {
			struct mpi_request **chain = &table[chain_of(r->handle)];
			next = r->next;
			r->next = *chain;
			*chain = r;
		}
	free(old);
	return true;
}

static void free_unused(struct mpi_request *r)
{
	if (!r->listed && !r->holders) {
		mpi_ranks_drop(r->ranks);
		free(r);
	}
}

static void remove_at(struct mpi_request **at)
{
	struct mpi_request *r = *at;
	*at = r->next;
	r->listed = false;
	__atomic_sub_fetch(&num_listed, 1, __ATOMIC_RELAXED);
	free_unused(r);
}

void mpi_request_add(const struct mpi_request *given)
{
	struct mpi_request *r = malloc(sizeof *r), **at;
	pthread_mutex_lock(&lock);
	if (!r || ((!table || num_listed >= num_chains) && !grow())) {
		free(r);
		mpi_ranks_drop(given->ranks);
		pthread_mutex_unlock(&lock);
		return;
	}
	at = find(given->handle, given->message);
	if (*at) /* how it ended was not seen */
		remove_at(at);
	at = &table[chain_of(given->handle)];
	*r = *given;
	r->listed = true;
	r->holders = 0;
	r->next = *at;
	*at = r;
	__atomic_add_fetch(&num_listed, 1, __ATOMIC_RELAXED);
	pthread_mutex_unlock(&lock);
}

struct mpi_request *mpi_request_hold(mpi_word handle, bool message)
{
	struct mpi_request *r = NULL;
	if (!mpi_requests_pending())
		return NULL;
	pthread_mutex_lock(&lock);
	if (table)
		r = *find(handle, message);
	if (r)
		r->holders++;
	pthread_mutex_unlock(&lock);
	return r;
}

void mpi_request_release(struct mpi_request *r)
{
	if (!r)
		return;
	pthread_mutex_lock(&lock);
	r->holders--;
	free_unused(r);
	pthread_mutex_unlock(&lock);
}

void mpi_request_end(struct mpi_request *r)
{
	if (!r)
		return;
	pthread_mutex_lock(&lock);
	if (r->listed) {
		struct mpi_request **at = &table[chain_of(r->handle)];
		while (*at != r)
			at = &(*at)->next;
		remove_at(at);
	}
	pthread_mutex_unlock(&lock);
}

bool mpi_requests_pending(void)
{
	return __atomic_load_n(&num_listed, __ATOMIC_RELAXED) != 0;
}
