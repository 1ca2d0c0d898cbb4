/* Calls MPI in all ways that the driver mpi knows, on two processes, and says what it has done. At
 * the end rank 0 prints a line for each rank, function and partner:
 *	RANK FUNCTION PARTNER CALLS SENT RECEIVED
 * PARTNER is a rank of MPI_COMM_WORLD, or '-' for bytes that have none; calls stand at '-'. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FUNCTION static __attribute__((noinline)) void

static int rank, other, size;
static char in[1 << 16], out[1 << 16];
static const MPI_Comm world = MPI_COMM_WORLD;

/* ---- what was done ------------------------------------------------------------------------ */

struct row {
	char name[28];
	int partner; /* -1: none */
	long long calls, sent, received;
};
static struct row rows[200];
static int num_rows;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void note(const char *name, int partner, long long calls, long long sent, long long received)
{
	int i = 0;
	pthread_mutex_lock(&lock);
	while (i < num_rows && (strcmp(rows[i].name, name) != 0 || rows[i].partner != partner))
		i++;
	if (i == num_rows) {
		snprintf(rows[i].name, sizeof rows[i].name, "%s", name);
		rows[i].partner = partner;
		num_rows++;
	}
	rows[i].calls += calls;
	rows[i].sent += sent;
	rows[i].received += received;
	pthread_mutex_unlock(&lock);
}
#define CALLS(n) note(__func__, -1, n, 0, 0)
#define SENT(n) note(__func__, other, 0, n, 0)
#define RECEIVED(n) note(__func__, other, 0, 0, n)
#define ALONE(sent, received) note(__func__, -1, 0, sent, received)

static void print_all(void)
{
	for (int r = 0; r < size; r++) {
		if (r == rank && r)
			PMPI_Send(rows, sizeof rows, MPI_BYTE, 0, num_rows, world);
		if (r && rank == 0) {
			MPI_Status status;
			PMPI_Recv(rows, sizeof rows, MPI_BYTE, r, MPI_ANY_TAG, world, &status);
			num_rows = status.MPI_TAG;
		}
		for (int i = 0; rank == 0 && i < num_rows; i++) {
			char partner[12] = "-";
			if (rows[i].partner >= 0)
				snprintf(partner, sizeof partner, "%d", rows[i].partner);
			printf("%d %s %s %lld %lld %lld\n", r, rows[i].name, partner, rows[i].calls,
			       rows[i].sent, rows[i].received);
		}
	}
}

/* ---- messages ----------------------------------------------------------------------------- */

/* Rank 0 sends, rank 1 receives into more room than it needs. */
FUNCTION blocking(void)
{
	MPI_Status status;
	for (int n = 0; n < 5000; n += 1000) {
		if (rank == 0) {
			MPI_Send(out, n, MPI_INT, other, 1, world);
			SENT(n * 4);
		} else {
			MPI_Recv(in, 10000, MPI_INT, n % 2000 ? MPI_ANY_SOURCE : other, 1, world,
				 n % 3000 ? &status : MPI_STATUS_IGNORE);
			RECEIVED(n * 4);
		}
		CALLS(1);
	}
}

FUNCTION modes(void)
{
	static char buffer[9000 + MPI_BSEND_OVERHEAD];
	void *buffer_back;
	int length;
	if (rank == 0) {
		MPI_Buffer_attach(buffer, sizeof buffer);
		MPI_Bsend(out, 9000, MPI_CHAR, other, 1, world);
		MPI_Ssend(out, 70, MPI_CHAR, other, 1, world);
		MPI_Buffer_detach(&buffer_back, &length);
		MPI_Recv(in, 0, MPI_CHAR, other, 2, world, MPI_STATUS_IGNORE);
		MPI_Rsend(out, 11, MPI_DOUBLE, other, 3, world);
		SENT(9000 + 70 + 88);
		RECEIVED(0);
		CALLS(5);
	} else {
		MPI_Request request;
		MPI_Recv(in, 9000, MPI_CHAR, other, 1, world, MPI_STATUS_IGNORE);
		MPI_Recv(in, 9000, MPI_CHAR, other, 1, world, MPI_STATUS_IGNORE);
		MPI_Irecv(in, 20, MPI_DOUBLE, other, 3, world, &request);
		MPI_Send(out, 0, MPI_CHAR, other, 2, world);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		RECEIVED(9000 + 70 + 88);
		SENT(0);
		CALLS(5);
	}
}

/* Only 3 x 5 of 3 x 9 ints. */
FUNCTION with_gaps(void)
{
	MPI_Datatype type;
	MPI_Type_vector(3, 5, 9, MPI_INT, &type);
	MPI_Type_commit(&type);
	if (rank == 0) {
		MPI_Send(out, 7, type, other, 1, world);
		SENT(7 * 60);
	} else {
		MPI_Recv(in, 20, type, other, 1, world, MPI_STATUS_IGNORE);
		RECEIVED(7 * 60);
	}
	MPI_Type_free(&type);
	CALLS(1);
}

FUNCTION to_nobody(void)
{
	MPI_Request request;
	MPI_Status status;
	MPI_Send(out, 100, MPI_CHAR, MPI_PROC_NULL, 1, world);
	MPI_Recv(in, 100, MPI_CHAR, MPI_PROC_NULL, 1, world, &status);
	MPI_Irecv(in, 100, MPI_CHAR, MPI_PROC_NULL, 1, world, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	MPI_Sendrecv(out, 100, MPI_CHAR, MPI_PROC_NULL, 1, in, 100, MPI_CHAR, MPI_PROC_NULL, 1,
		     world, MPI_STATUS_IGNORE);
	CALLS(5);
}

FUNCTION exchanged(void)
{
	MPI_Sendrecv(out, 100 + rank, MPI_CHAR, other, 1, in, 500, MPI_CHAR, other, 1, world,
		     MPI_STATUS_IGNORE);
	MPI_Sendrecv_replace(out, 50, MPI_SHORT, other, 1, MPI_ANY_SOURCE, 1, world,
			     MPI_STATUS_IGNORE);
	SENT(100 + rank + 100);
	RECEIVED(100 + other + 100);
	CALLS(2);
}

/* Two partners in one call, and itself. */
FUNCTION to_itself(void)
{
	MPI_Request request;
	MPI_Sendrecv(out, 10, MPI_CHAR, rank, 1, in, 500, MPI_CHAR, rank, 1, world,
		     MPI_STATUS_IGNORE);
	MPI_Isend(out, 20, MPI_CHAR, 0, 1, MPI_COMM_SELF, &request);
	MPI_Recv(in, 20, MPI_CHAR, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	note(__func__, rank, 0, 30, 30);
	CALLS(4);
	if (rank == 0)
		MPI_Isend(out, 7, MPI_CHAR, 0, 5, world, &request);
	if (rank == 0)
		MPI_Sendrecv(out, 30, MPI_CHAR, 1, 1, in, 30, MPI_CHAR, 0, 5, world,
			     MPI_STATUS_IGNORE);
	else
		MPI_Recv(in, 30, MPI_CHAR, 0, 1, world, MPI_STATUS_IGNORE);
	if (rank == 0)
		MPI_Wait(&request, MPI_STATUS_IGNORE);
	note(__func__, 0, 0, rank == 0 ? 7 : 0, rank == 0 ? 7 : 30);
	note(__func__, 1, 0, rank == 0 ? 30 : 0, 0);
	CALLS(rank == 0 ? 3 : 1);
}

/* ---- requests ----------------------------------------------------------------------------- */

enum { MANY = 10 };
static MPI_Request requests[2 * MANY];

/* MANY messages of 100, 200, ... bytes each way; the receiving requests come first. */
#define POST(tag)                                                                                  \
	do {                                                                                       \
		for (int i = 0; i < MANY; i++)                                                     \
			MPI_Irecv(in + (i * 2000), 2000, MPI_CHAR, i % 2 ? MPI_ANY_SOURCE : other, \
				  (tag) + i, world, &requests[i]);                                 \
		for (int i = 0; i < MANY; i++)                                                     \
			MPI_Isend(out, 100 * (i + 1), MPI_CHAR, other, (tag) + i, world,           \
				  &requests[MANY + i]);                                            \
		CALLS(2 * MANY);                                                                   \
		SENT(5500);                                                                        \
		RECEIVED(5500);                                                                    \
	} while (0)

FUNCTION waited(void)
{
	MPI_Status statuses[2 * MANY];
	POST(100);
	MPI_Waitall(2 * MANY, requests, MPI_STATUSES_IGNORE);
	POST(200);
	MPI_Waitall(2 * MANY, requests, statuses);
	POST(300);
	for (int i = 2 * MANY - 1; i >= 0; i--)
		MPI_Wait(&requests[i], i % 2 ? &statuses[0] : MPI_STATUS_IGNORE);
	CALLS(2 + (2 * MANY));
}

FUNCTION waited_for_any(void)
{
	MPI_Status status;
	int index, num, indices[2 * MANY];
	POST(400);
	for (int i = 0; i < 2 * MANY; i++)
		MPI_Waitany(2 * MANY, requests, &index, i % 2 ? &status : MPI_STATUS_IGNORE);
	MPI_Waitany(2 * MANY, requests, &index, &status); /* none is left */
	CALLS((2 * MANY) + 1);
	POST(500);
	do {
		MPI_Waitsome(2 * MANY, requests, &num, indices, MPI_STATUSES_IGNORE);
		CALLS(1);
	} while (num != MPI_UNDEFINED);
}

FUNCTION tested(void)
{
	MPI_Status status, statuses[2 * MANY];
	int flag, index, num, indices[2 * MANY];
	POST(600);
	for (int i = 0; i < 2 * MANY; i++)
		do {
			MPI_Test(&requests[i], &flag, i % 2 ? &status : MPI_STATUS_IGNORE);
			CALLS(1);
		} while (!flag);
	POST(700);
	do {
		MPI_Testall(2 * MANY, requests, &flag, MPI_STATUSES_IGNORE);
		CALLS(1);
	} while (!flag);
	POST(800);
	do {
		MPI_Testany(2 * MANY, requests, &index, &flag, &status);
		CALLS(1);
	} while (!flag || index != MPI_UNDEFINED);
	POST(900);
	do {
		MPI_Testsome(2 * MANY, requests, &num, indices, statuses);
		CALLS(1);
	} while (num != MPI_UNDEFINED);
}

FUNCTION started(void)
{
	MPI_Request two[2];
	MPI_Recv_init(in, 900, MPI_CHAR, MPI_ANY_SOURCE, 1, world, &two[0]);
	MPI_Send_init(out, 300, MPI_CHAR, other, 1, world, &two[1]);
	MPI_Waitall(2, two, MPI_STATUSES_IGNORE); /* nothing was started */
	for (int i = 0; i < 3; i++) {
		MPI_Startall(2, two);
		MPI_Waitall(2, two, MPI_STATUSES_IGNORE);
	}
	MPI_Start(&two[0]);
	MPI_Start(&two[1]);
	MPI_Wait(&two[1], MPI_STATUS_IGNORE);
	MPI_Wait(&two[0], MPI_STATUS_IGNORE);
	MPI_Request_free(&two[0]);
	MPI_Request_free(&two[1]);
	SENT(1200);
	RECEIVED(1200);
	CALLS(15);
}

/* A request that is freed, and one that is cancelled, before others get their handles. */
FUNCTION given_up(void)
{
	MPI_Request request;
	MPI_Status status;
	if (rank == 0) {
		MPI_Irecv(in, 10, MPI_CHAR, other, 1, world, &request);
		MPI_Request_free(&request);
		MPI_Recv(in, 0, MPI_CHAR, other, 2, world, MPI_STATUS_IGNORE);
		MPI_Irecv(in, 10, MPI_CHAR, other, 3, world, &request);
		MPI_Cancel(&request);
		MPI_Wait(&request, &status);
		RECEIVED(0);
		CALLS(6);
	} else {
		MPI_Send(out, 10, MPI_CHAR, other, 1, world);
		MPI_Send(out, 0, MPI_CHAR, other, 2, world);
		SENT(10);
		CALLS(2);
	}
	for (int i = 0; i < 4; i++) {
		MPI_Isend(out, 40, MPI_CHAR, other, 4, world, &request);
		MPI_Recv(in, 40, MPI_CHAR, other, 4, world, &status);
		MPI_Wait(&request, &status);
	}
	SENT(160);
	RECEIVED(160);
	CALLS(12);
}

FUNCTION probed(void)
{
	MPI_Message message;
	MPI_Request request;
	MPI_Status status;
	int flag;
	if (rank == 0) {
		for (int i = 1; i <= 4; i++)
			MPI_Send(out, i * 10, MPI_CHAR, other, i, world);
		SENT(100);
		CALLS(4);
		return;
	}
	MPI_Mprobe(MPI_ANY_SOURCE, 1, world, &message, &status);
	MPI_Mrecv(in, 100, MPI_CHAR, &message, MPI_STATUS_IGNORE);
	do {
		MPI_Improbe(other, 2, world, &flag, &message, &status);
		CALLS(1);
	} while (!flag);
	MPI_Imrecv(in, 100, MPI_CHAR, &message, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	MPI_Probe(other, 3, world, &status);
	MPI_Recv(in, 100, MPI_CHAR, other, 3, world, MPI_STATUS_IGNORE);
	do {
		MPI_Iprobe(other, 4, world, &flag, MPI_STATUS_IGNORE);
		CALLS(1);
	} while (!flag);
	MPI_Recv(in, 100, MPI_CHAR, other, 4, world, MPI_STATUS_IGNORE);
	RECEIVED(100);
	CALLS(7);
}

/* ---- communicators ------------------------------------------------------------------------ */

/* Its ranks are the other way round. */
FUNCTION turned_round(void)
{
	for (int i = 0; i < 3; i++) {
		MPI_Comm turned, alone;
		int me;
		MPI_Comm_split(world, 0, -rank, &turned);
		MPI_Comm_rank(turned, &me);
		MPI_Sendrecv(out, 10, MPI_CHAR, !me, 1, in, 10, MPI_CHAR, !me, 1, turned,
			     MPI_STATUS_IGNORE);
		MPI_Comm_free(&turned);
		MPI_Comm_split(world, rank, 0, &alone); /* may have its handle */
		MPI_Sendrecv(out, 20, MPI_CHAR, 0, 1, in, 20, MPI_CHAR, 0, 1, alone,
			     MPI_STATUS_IGNORE);
		MPI_Comm_free(&alone);
		SENT(10);
		RECEIVED(10);
		note(__func__, rank, 0, 20, 20);
		CALLS(6);
	}
}

/* A communicator that is freed before its message has come. */
FUNCTION freed_early(void)
{
	MPI_Comm turned;
	MPI_Request two[2];
	MPI_Comm_split(world, 0, -rank, &turned);
	MPI_Irecv(in, 10, MPI_CHAR, MPI_ANY_SOURCE, 1, turned, &two[0]);
	MPI_Isend(out, 10, MPI_CHAR, rank, 1, turned, &two[1]);
	MPI_Comm_free(&turned);
	MPI_Waitall(2, two, MPI_STATUSES_IGNORE);
	SENT(10);
	RECEIVED(10);
	CALLS(5);
}

/* Between two groups of one process each. */
FUNCTION between_groups(void)
{
	MPI_Comm both;
	MPI_Intercomm_create(MPI_COMM_SELF, 0, world, other, 1, &both);
	MPI_Sendrecv(out, 30, MPI_CHAR, 0, 1, in, 30, MPI_CHAR, 0, 1, both, MPI_STATUS_IGNORE);
	SENT(30);
	RECEIVED(30);
	MPI_Allreduce(out, in, 5, MPI_INT, MPI_SUM, both);
	MPI_Bcast(rank ? in : out, 100, MPI_CHAR, rank ? 0 : MPI_ROOT, both);
	MPI_Gather(out, 10, MPI_CHAR, in, 10, MPI_CHAR, rank ? 0 : MPI_ROOT, both);
	ALONE(20 + (rank ? 10 : 100), 20 + (rank ? 100 : 10));
	MPI_Comm_free(&both);
	CALLS(6);
}

/* ---- collective functions ----------------------------------------------------------------- */

FUNCTION from_one_to_all(void)
{
	int counts[] = {10, 30}, places[] = {0, 10};
	MPI_Bcast(out, 1000, MPI_CHAR, 1, world);
	MPI_Scatter(out, 50, MPI_CHAR, in, 50, MPI_CHAR, 1, world);
	MPI_Scatterv(out, counts, places, MPI_INT, in, counts[rank], MPI_INT, 1, world);
	MPI_Scatter(out, 7, MPI_CHAR, rank == 1 ? MPI_IN_PLACE : in, 7, MPI_CHAR, 1, world);
	if (rank == 1)
		ALONE(1000 + 100 + 160 + 14, 50 + 120 + 0);
	else
		ALONE(0, 1000 + 50 + 40 + 7);
	CALLS(4);
}

FUNCTION from_all_to_one(void)
{
	int counts[] = {10, 30}, places[] = {0, 10};
	MPI_Gather(out, 50, MPI_CHAR, in, 50, MPI_CHAR, 0, world);
	MPI_Gatherv(out, counts[rank], MPI_INT, in, counts, places, MPI_INT, 0, world);
	MPI_Reduce(out, in, 25, MPI_DOUBLE, MPI_SUM, 0, world);
	MPI_Reduce(rank ? out : MPI_IN_PLACE, in, 5, MPI_DOUBLE, MPI_SUM, 0, world);
	MPI_Gather(rank ? out : MPI_IN_PLACE, 3, MPI_CHAR, in, 3, MPI_CHAR, 0, world);
	if (rank == 0)
		ALONE(50 + 40 + 200 + 40 + 0, 100 + 160 + 200 + 40 + 6);
	else
		ALONE(50 + 120 + 200 + 40 + 3, 0);
	CALLS(5);
}

FUNCTION from_all_to_all(void)
{
	int counts[] = {10, 30}, places[] = {0, 10}, same[] = {6, 6}, at[] = {0, 6};
	MPI_Datatype types[] = {MPI_CHAR, MPI_CHAR};
	MPI_Allgather(out, 40, MPI_CHAR, in, 40, MPI_CHAR, world);
	MPI_Allgather(MPI_IN_PLACE, 0, MPI_CHAR, in, 40, MPI_CHAR, world);
	MPI_Allgatherv(out, counts[rank], MPI_CHAR, in, counts, places, MPI_CHAR, world);
	MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_CHAR, in, counts, places, MPI_CHAR, world);
	MPI_Alltoall(out, 8, MPI_CHAR, in, 8, MPI_CHAR, world);
	MPI_Alltoall(MPI_IN_PLACE, 0, MPI_CHAR, in, 8, MPI_CHAR, world);
	MPI_Alltoallv(out, same, at, MPI_CHAR, in, same, at, MPI_CHAR, world);
	MPI_Alltoallw(out, same, at, types, in, same, at, types, world);
	ALONE(80 + (2 * counts[rank]) + 32 + 24, 160 + 80 + 32 + 24);
	CALLS(8);
}

FUNCTION reduced(void)
{
	int counts[] = {4, 6};
	MPI_Allreduce(out, in, 9, MPI_INT, MPI_SUM, world);
	MPI_Allreduce(MPI_IN_PLACE, in, 1, MPI_INT, MPI_SUM, world);
	MPI_Reduce_scatter(out, in, counts, MPI_INT, MPI_SUM, world);
	MPI_Reduce_scatter_block(out, in, 3, MPI_INT, MPI_SUM, world);
	MPI_Scan(out, in, 2, MPI_INT, MPI_SUM, world);
	MPI_Exscan(out, in, 2, MPI_INT, MPI_SUM, world);
	ALONE(36 + 4 + 40 + 24 + 8 + 8, 36 + 4 + (4 * counts[rank]) + 12 + 8 + (rank ? 8 : 0));
	CALLS(6);
}

FUNCTION without_waiting(void)
{
	MPI_Request several[3];
	MPI_Ibcast(out, 1000, MPI_CHAR, 0, world, &several[0]);
	MPI_Iallreduce(out + 2000, in, 10, MPI_INT, MPI_SUM, world, &several[1]);
	MPI_Ibarrier(world, &several[2]);
	MPI_Waitall(3, several, MPI_STATUSES_IGNORE);
	ALONE((rank ? 0 : 1000) + 40, (rank ? 1000 : 0) + 40);
	MPI_Barrier(world);
	CALLS(5);
}

FUNCTION among_neighbours(void)
{
	MPI_Comm ring, graph;
	int all = size, around = 1;
	MPI_Cart_create(world, 1, &all, &around, 0, &ring);
	MPI_Neighbor_allgather(out, 5, MPI_CHAR, in, 5, MPI_CHAR, ring);
	MPI_Neighbor_alltoall(out, 6, MPI_CHAR, in, 6, MPI_CHAR, ring);
	MPI_Comm_free(&ring);
	/* 0 sends to 1 */
	MPI_Dist_graph_create_adjacent(world, rank, &other, MPI_UNWEIGHTED, 1 - rank, &other,
				       MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
	MPI_Neighbor_alltoall(out, 9, MPI_CHAR, in, 9, MPI_CHAR, graph);
	MPI_Comm_free(&graph);
	ALONE(5 + 12 + (rank ? 0 : 9), 10 + 12 + (rank ? 9 : 0));
	CALLS(7);
}

/* ---- one-sided communication -------------------------------------------------------------- */

FUNCTION one_sided(void)
{
	static int memory[100];
	int one = 1, before;
	MPI_Win window;
	MPI_Win_create(memory, sizeof memory, sizeof memory[0], MPI_INFO_NULL, world, &window);
	MPI_Win_fence(0, window);
	MPI_Put(out, 10, MPI_INT, other, 0, 10, MPI_INT, window);
	MPI_Win_fence(0, window);
	MPI_Get(in, 5, MPI_INT, other, 0, 5, MPI_INT, window);
	MPI_Win_fence(0, window);
	MPI_Accumulate(out, 3, MPI_INT, other, 20, 3, MPI_INT, MPI_SUM, window);
	MPI_Win_fence(0, window);
	MPI_Win_lock(MPI_LOCK_SHARED, other, 0, window);
	MPI_Fetch_and_op(&one, &before, MPI_INT, other, 30, MPI_SUM, window);
	MPI_Fetch_and_op(NULL, &before, MPI_INT, other, 30, MPI_NO_OP, window);
	MPI_Get_accumulate(out, 2, MPI_INT, in, 2, MPI_INT, other, 40, 2, MPI_INT, MPI_SUM, window);
	MPI_Win_unlock(other, window);
	MPI_Win_free(&window);
	SENT(40 + 12 + 4 + 8);
	RECEIVED(20 + 4 + 4 + 8);
	CALLS(14);
}

/* ---- threads ------------------------------------------------------------------------------ */

static void *thread(void *arg)
{
	int tag = (int)(long)arg;
	char to[100], from[100] = "";
	for (int i = 0; i < 500; i++) {
		MPI_Request two[2];
		MPI_Irecv(to, sizeof to, MPI_CHAR, other, tag, world, &two[0]);
		MPI_Isend(from, 10 * tag, MPI_CHAR, other, tag, world, &two[1]);
		MPI_Waitall(2, two, MPI_STATUSES_IGNORE);
	}
	note(__func__, other, 0, 5000L * tag, 5000L * tag);
	CALLS(1500);
	return NULL;
}

static void threads(void)
{
	pthread_t ids[4];
	for (int i = 0; i < 4; i++)
		pthread_create(&ids[i], NULL, thread, (void *)(long)(i + 1));
	for (int i = 0; i < 4; i++)
		pthread_join(ids[i], NULL);
}

/* ------------------------------------------------------------------------------------------- */

int main(int argc, char **argv)
{
	int provided;
	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
	note("main", -1, 2, 0, 0); /* with MPI_Finalize */
	MPI_Comm_rank(world, &rank);
	MPI_Comm_size(world, &size);
	if (size != 2) {
		fprintf(stderr, "truth: start it on two processes\n");
		MPI_Abort(world, 2);
	}
	other = 1 - rank;
	blocking();
	modes();
	with_gaps();
	to_nobody();
	exchanged();
	to_itself();
	waited();
	waited_for_any();
	tested();
	started();
	given_up();
	probed();
	turned_round();
	freed_early();
	between_groups();
	from_one_to_all();
	from_all_to_one();
	from_all_to_all();
	reduced();
	without_waiting();
	among_neighbours();
	one_sided();
	if (provided == MPI_THREAD_MULTIPLE)
		threads();
	print_all();
	MPI_Finalize();
	return 0;
}
