/* Who a rank of a communicator is among all processes. */
#include "runtime/plugins/mpi.h"

#include <pthread.h>
#include <stdlib.h>

struct mpi_ranks {
	mpi_word handle;
	bool window;
	unsigned references; /* with that of the list */
	struct mpi_ranks *next;
	bool same; /* as in MPI_COMM_WORLD */
	int num;
	int world[];
};

/* Of the communicators in use, of which there are few. */
static struct mpi_ranks *list;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct mpi_ranks **find(mpi_word handle, bool window)
{
	struct mpi_ranks **at = &list;
	while (*at && ((*at)->handle != handle || (*at)->window != window))
		at = &(*at)->next;
	return at;
}

/* Fill in the ranks of a group's processes. */
static bool translate(mpi_word group, mpi_word world, struct mpi_ranks *r)
{
	int *own = calloc((size_t)r->num + 1, sizeof *own);
	bool done;
	if (!own)
		return false;
	for (int i = 0; i < r->num; i++)
		own[i] = i;
	done = mpi_ask(MPI_GROUP_TRANSLATE_RANKS, group, (mpi_word)r->num, (mpi_word)own, world,
		       (mpi_word)r->world);
	free(own);
	return done;
}

static struct mpi_ranks *of_group(const struct mpi_abi *abi, mpi_word group)
{
	uint64_t world = 0; /* a handle */
	int num = 0;
	struct mpi_ranks *r = NULL;
	if (!mpi_ask(MPI_GROUP_SIZE, group, (mpi_word)&num, 0, 0, 0) || num < 0 ||
	    !mpi_ask(MPI_COMM_GROUP, abi->world, (mpi_word)&world, 0, 0, 0))
		return NULL;
	r = calloc(1, sizeof *r + ((size_t)num * sizeof r->world[0]));
	if (r) {
		r->num = num;
		if (!translate(group, mpi_handle_in(abi, (mpi_word)&world, 0), r)) {
			free(r);
			r = NULL;
		}
	}
	mpi_ask(MPI_GROUP_FREE, (mpi_word)&world, 0, 0, 0, 0);
	return r;
}

static struct mpi_ranks *make(const struct mpi_abi *abi, mpi_word handle, bool window)
{
	uint64_t group = 0;
	int inter = 0;
	struct mpi_ranks *r;
	if (!window && handle == abi->world) {
		r = calloc(1, sizeof *r);
		if (r)
			r->same = true;
		return r;
	}
	if (!window && !mpi_ask(MPI_COMM_TEST_INTER, handle, (mpi_word)&inter, 0, 0, 0))
		return NULL;
	if (!mpi_ask(window  ? MPI_WIN_GET_GROUP
		     : inter ? MPI_COMM_REMOTE_GROUP
			     : MPI_COMM_GROUP,
		     handle, (mpi_word)&group, 0, 0, 0))
		return NULL;
	r = of_group(abi, mpi_handle_in(abi, (mpi_word)&group, 0));
	mpi_ask(MPI_GROUP_FREE, (mpi_word)&group, 0, 0, 0, 0);
	return r;
}

struct mpi_ranks *mpi_ranks_of(const struct mpi_abi *abi, mpi_word handle, bool window)
{
	struct mpi_ranks *r;
	pthread_mutex_lock(&lock);
	r = *find(handle, window);
	if (!r) {
		r = make(abi, handle, window);
		if (r) {
			r->handle = handle;
			r->window = window;
			r->references = 1;
			r->next = list;
			list = r;
		}
	}
	if (r)
		r->references++;
	pthread_mutex_unlock(&lock);
	return r;
}

static void drop(struct mpi_ranks *r)
{
	if (--r->references == 0)
		free(r);
}

struct mpi_ranks *mpi_ranks_keep(struct mpi_ranks *r)
{
	if (r) {
		pthread_mutex_lock(&lock);
		r->references++;
		pthread_mutex_unlock(&lock);
	}
	return r;
}

void mpi_ranks_drop(struct mpi_ranks *r)
{
	if (r) {
		pthread_mutex_lock(&lock);
		drop(r);
		pthread_mutex_unlock(&lock);
	}
}

void mpi_ranks_forget(mpi_word handle, bool window)
{
	struct mpi_ranks **at, *r;
	pthread_mutex_lock(&lock);
	at = find(handle, window);
	r = *at;
	if (r) {
		*at = r->next;
		drop(r);
	}
	pthread_mutex_unlock(&lock);
}

int mpi_ranks_world(const struct mpi_ranks *r, int rank)
{
	if (!r || rank < 0)
		return MPI_OTHER_PROCESS;
	if (r->same)
		return rank;
	if (rank >= r->num || r->world[rank] < 0) /* MPI_UNDEFINED */
		return MPI_OTHER_PROCESS;
	return r->world[rank];
}
