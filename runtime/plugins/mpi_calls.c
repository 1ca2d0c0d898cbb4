/* The functions that the driver stands before. */
#include "runtime/plugins/mpi.h"

/* So many parameters or arguments. */
#define P0 void
#define P1 mpi_word a
#define P2 P1, mpi_word b
#define P3 P2, mpi_word c
#define P4 P3, mpi_word d
#define P5 P4, mpi_word e
#define P6 P5, mpi_word f
#define P7 P6, mpi_word g
#define P8 P7, mpi_word h
#define P9 P8, mpi_word i
#define P10 P9, mpi_word j
#define P11 P10, mpi_word k
#define P12 P11, mpi_word l
#define P13 P12, mpi_word m
#define NAMES0 0
#define NAMES1 a
#define NAMES2 NAMES1, b
#define NAMES3 NAMES2, c
#define NAMES4 NAMES3, d
#define NAMES5 NAMES4, e
#define NAMES6 NAMES5, f
#define NAMES7 NAMES6, g
#define NAMES8 NAMES7, h
#define NAMES9 NAMES8, i
#define NAMES10 NAMES9, j
#define NAMES11 NAMES10, k
#define NAMES12 NAMES11, l
#define NAMES13 NAMES12, m
#define A0
#define A1 call.a[0]
#define A2 A1, call.a[1]
#define A3 A2, call.a[2]
#define A4 A3, call.a[3]
#define A5 A4, call.a[4]
#define A6 A5, call.a[5]
#define A7 A6, call.a[6]
#define A8 A7, call.a[7]
#define A9 A8, call.a[8]
#define A10 A9, call.a[9]
#define A11 A10, call.a[10]
#define A12 A11, call.a[11]
#define A13 A12, call.a[12]

/* An error, as far as a program can call what is not there. */
enum { NOT_THERE = 16 }; /* MPI_ERR_OTHER of Open MPI */

/* Our function of that name, with n parameters, which does what function_`what` says. */
#define STAND_BEFORE(called, what, n, is_large)                                                    \
	__attribute__((visibility("default"))) mpi_word called(P##n);                              \
	mpi_word called(P##n)                                                                      \
	{                                                                                          \
		static struct mpi_entry entry = {&function_##what, #called, is_large, NULL};       \
		struct mpi_call call;                                                              \
		mpi_word (*next)(P##n), returned;                                                  \
		const mpi_word given[] = {NAMES##n};                                               \
		__builtin_memcpy(call.a, given, sizeof given);                                     \
		*(void **)&next = mpi_begin(&call, &entry);                                        \
		if (!next)                                                                         \
			return NOT_THERE;                                                          \
		returned = next(A##n);                                                             \
		if (call.began)                                                                    \
			mpi_end(&call, returned);                                                  \
		return returned;                                                                   \
	}

/* A function in its forms; its description. */
#define SMALL(what, n, ...)                                                                        \
	static const struct mpi_function function_##what = {.name = "MPI_" #what, __VA_ARGS__};    \
	STAND_BEFORE(MPI_##what, what, n, false)                                                   \
	STAND_BEFORE(PMPI_##what, what, n, false)
#define BOTH(what, n, ...)                                                                         \
	SMALL(what, n, __VA_ARGS__)                                                                \
	STAND_BEFORE(MPI_##what##_c, what, n, true)                                                \
	STAND_BEFORE(PMPI_##what##_c, what, n, true)
/* Of which nothing is known but that they take time. */
#define ONLY_TIME(what, n) SMALL(what, n, .kind = MPI_IS_PLAIN)

/* A struct mpi_side, of which the last members may be left out. */
#define SIDE(type, count, buffer, amount, who, ...)                                                \
	{                                                                                          \
		type, count, buffer, amount, who                                                   \
	}
#define SENDS(...) .sends = SIDE(__VA_ARGS__, 0, 0, 0, 0)
#define RECEIVES(...) .receives = SIDE(__VA_ARGS__, 0, 0, 0, 0)

/* ---- messages ----------------------------------------------------------------------------- */

#define SEND(what) BOTH(what, 6, SENDS(3, 2), .to = 4, .comm = 6)
#define ISEND(what) BOTH(what, 7, SENDS(3, 2), .to = 4, .comm = 6, .request = 7)
#define SEND_INIT(what)                                                                            \
	BOTH(what, 7, SENDS(3, 2), .to = 4, .comm = 6, .request = 7, .kind = MPI_IS_PERSISTENT)

SEND(Send)
SEND(Bsend)
SEND(Ssend)
SEND(Rsend)
ISEND(Isend)
ISEND(Ibsend)
ISEND(Issend)
ISEND(Irsend)
SEND_INIT(Send_init)
SEND_INIT(Bsend_init)
SEND_INIT(Ssend_init)
SEND_INIT(Rsend_init)
BOTH(Recv, 7, .from = 4, .comm = 6, .status = 7)
BOTH(Irecv, 7, .from = 4, .comm = 6, .request = 7)
BOTH(Recv_init, 7, .from = 4, .comm = 6, .request = 7, .kind = MPI_IS_PERSISTENT)
BOTH(Sendrecv, 12, SENDS(3, 2), .to = 4, .from = 9, .comm = 11, .status = 12)
BOTH(Sendrecv_replace, 9, SENDS(3, 2), .to = 4, .from = 6, .comm = 8, .status = 9)
BOTH(Isendrecv, 12, SENDS(3, 2), .to = 4, .from = 9, .comm = 11, .request = 12)
BOTH(Isendrecv_replace, 9, SENDS(3, 2), .to = 4, .from = 6, .comm = 8, .request = 9)

ONLY_TIME(Probe, 4)
ONLY_TIME(Iprobe, 5)
SMALL(Mprobe, 5, .comm = 3, .message = 4, .kind = MPI_PROBES)
SMALL(Improbe, 6, .comm = 3, .flag = 4, .message = 5, .kind = MPI_PROBES)
BOTH(Mrecv, 5, .message = 4, .status = 5, .kind = MPI_GETS_PROBED)
BOTH(Imrecv, 5, .message = 4, .request = 5, .kind = MPI_GETS_PROBED)

/* ---- requests ----------------------------------------------------------------------------- */

SMALL(Start, 1, .request = 1, .kind = MPI_STARTS)
SMALL(Startall, 2, .num = 1, .requests = 2, .kind = MPI_STARTS)
#define COMPLETE(what, n, ...) SMALL(what, n, .kind = MPI_COMPLETES, __VA_ARGS__)
COMPLETE(Wait, 2, .request = 1, .status = 2)
COMPLETE(Test, 3, .request = 1, .flag = 2, .status = 3)
COMPLETE(Waitall, 3, .num = 1, .requests = 2, .statuses = 3)
COMPLETE(Testall, 4, .num = 1, .requests = 2, .flag = 3, .statuses = 4)
COMPLETE(Waitany, 4, .num = 1, .requests = 2, .index = 3, .status = 4)
COMPLETE(Testany, 5, .num = 1, .requests = 2, .index = 3, .flag = 4, .status = 5)
COMPLETE(Waitsome, 5, .num = 1, .requests = 2, .number = 3, .index = 4, .statuses = 5)
COMPLETE(Testsome, 5, .num = 1, .requests = 2, .number = 3, .index = 4, .statuses = 5)
SMALL(Request_free, 1, .request = 1, .kind = MPI_FREES)
ONLY_TIME(Request_get_status, 3)
ONLY_TIME(Cancel, 1)
ONLY_TIME(Buffer_detach, 2)

/* ---- collective functions ----------------------------------------------------------------- */

/* The three forms of one: blocking, with a request as the last argument, and (MPI 4) with
 * information before that. */
#define COLLECTIVE(what, i_what, n, n1, n2, ...)                                                   \
	BOTH(what, n, .comm = (n), __VA_ARGS__)                                                    \
	BOTH(i_what, n1, .comm = (n), .request = (n1), __VA_ARGS__)                                \
	BOTH(what##_init, n2, .comm = (n), .request = (n2), .kind = MPI_IS_PERSISTENT, __VA_ARGS__)
#define AT(who) 0, MPI_AS_SAID, who

COLLECTIVE(Bcast, Ibcast, 5, 6, 7, SENDS(3, 2, AT(MPI_BY_ROOT)), RECEIVES(3, 2, AT(MPI_BY_OTHERS)),
	   .root = 4)
COLLECTIVE(Gather, Igather, 8, 9, 10, SENDS(3, 2, 1), RECEIVES(6, 5, 4, MPI_EACH, MPI_BY_ROOT),
	   .root = 7)
COLLECTIVE(Gatherv, Igatherv, 9, 10, 11, SENDS(3, 2, 1), RECEIVES(7, 5, 4, MPI_LIST, MPI_BY_ROOT),
	   .root = 8)
COLLECTIVE(Scatter, Iscatter, 8, 9, 10, SENDS(3, 2, 1, MPI_EACH, MPI_BY_ROOT), RECEIVES(6, 5, 4),
	   .root = 7)
COLLECTIVE(Scatterv, Iscatterv, 9, 10, 11, SENDS(4, 2, 1, MPI_LIST, MPI_BY_ROOT), RECEIVES(7, 6, 5),
	   .root = 8)
COLLECTIVE(Allgather, Iallgather, 7, 8, 9, SENDS(3, 2, 1), RECEIVES(6, 5, 4, MPI_EACH),
	   .in_place_amount = MPI_AS_SAID, .in_place = true)
COLLECTIVE(Allgatherv, Iallgatherv, 8, 9, 10, SENDS(3, 2, 1), RECEIVES(7, 5, 4, MPI_LIST),
	   .in_place_amount = MPI_OWN, .in_place = true)
COLLECTIVE(Alltoall, Ialltoall, 7, 8, 9, SENDS(3, 2, 1, MPI_EACH), RECEIVES(6, 5, 4, MPI_EACH),
	   .in_place_amount = MPI_EACH, .in_place = true)
COLLECTIVE(Alltoallv, Ialltoallv, 9, 10, 11, SENDS(4, 2, 1, MPI_LIST), RECEIVES(8, 6, 5, MPI_LIST),
	   .in_place_amount = MPI_LIST, .in_place = true)
COLLECTIVE(Alltoallw, Ialltoallw, 9, 10, 11, SENDS(4, 2, 1, MPI_TYPES),
	   RECEIVES(8, 6, 5, MPI_TYPES), .in_place_amount = MPI_TYPES, .in_place = true)
COLLECTIVE(Reduce, Ireduce, 7, 8, 9, SENDS(4, 3), RECEIVES(4, 3, AT(MPI_BY_ROOT)), .root = 6)
COLLECTIVE(Allreduce, Iallreduce, 6, 7, 8, SENDS(4, 3), RECEIVES(4, 3))
COLLECTIVE(Reduce_scatter, Ireduce_scatter, 6, 7, 8, SENDS(4, 3, 0, MPI_LIST_HERE),
	   RECEIVES(4, 3, 0, MPI_OWN))
COLLECTIVE(Reduce_scatter_block, Ireduce_scatter_block, 6, 7, 8, SENDS(4, 3, 0, MPI_EACH_HERE),
	   RECEIVES(4, 3))
COLLECTIVE(Scan, Iscan, 6, 7, 8, SENDS(4, 3), RECEIVES(4, 3))
COLLECTIVE(Exscan, Iexscan, 6, 7, 8, SENDS(4, 3), RECEIVES(4, 3, AT(MPI_BY_ALL_BUT_FIRST)))

/* Among the neighbours of a topology. */
COLLECTIVE(Neighbor_allgather, Ineighbor_allgather, 7, 8, 9, SENDS(3, 2),
	   RECEIVES(6, 5, 0, MPI_EACH), .neighbors = true)
COLLECTIVE(Neighbor_allgatherv, Ineighbor_allgatherv, 8, 9, 10, SENDS(3, 2),
	   RECEIVES(7, 5, 0, MPI_LIST), .neighbors = true)
COLLECTIVE(Neighbor_alltoall, Ineighbor_alltoall, 7, 8, 9, SENDS(3, 2, 0, MPI_EACH),
	   RECEIVES(6, 5, 0, MPI_EACH), .neighbors = true)
COLLECTIVE(Neighbor_alltoallv, Ineighbor_alltoallv, 9, 10, 11, SENDS(4, 2, 0, MPI_LIST),
	   RECEIVES(8, 6, 0, MPI_LIST), .neighbors = true)
COLLECTIVE(Neighbor_alltoallw, Ineighbor_alltoallw, 9, 10, 11, SENDS(4, 2, 0, MPI_TYPES),
	   RECEIVES(8, 6, 0, MPI_TYPES), .neighbors = true)

ONLY_TIME(Barrier, 1)
ONLY_TIME(Ibarrier, 2)

/* ---- one-sided communication -------------------------------------------------------------- */

#define ELEMENT(type) type, 0, 0, MPI_ELEMENT

BOTH(Put, 8, SENDS(3, 2), .to = 4, .window = 8)
BOTH(Get, 8, RECEIVES(3, 2), .to = 4, .window = 8)
BOTH(Accumulate, 9, SENDS(3, 2), .to = 4, .op = 8, .window = 9)
BOTH(Get_accumulate, 12, SENDS(3, 2), RECEIVES(6, 5), .to = 7, .op = 11, .window = 12)
BOTH(Rput, 9, SENDS(3, 2), .to = 4, .window = 8, .request = 9)
BOTH(Rget, 9, RECEIVES(3, 2), .to = 4, .window = 8, .request = 9)
BOTH(Raccumulate, 10, SENDS(3, 2), .to = 4, .op = 8, .window = 9, .request = 10)
BOTH(Rget_accumulate, 13, SENDS(3, 2), RECEIVES(6, 5), .to = 7, .op = 11, .window = 12,
     .request = 13)
SMALL(Fetch_and_op, 7, SENDS(ELEMENT(3)), RECEIVES(ELEMENT(3)), .to = 4, .op = 6, .window = 7)
SMALL(Compare_and_swap, 7, SENDS(ELEMENT(4)), RECEIVES(ELEMENT(4)), .to = 5, .window = 7)

ONLY_TIME(Win_create, 6)
ONLY_TIME(Win_allocate, 6)
ONLY_TIME(Win_allocate_shared, 6)
ONLY_TIME(Win_create_dynamic, 3)
SMALL(Win_free, 1, .kind = MPI_ENDS_WINDOW)
ONLY_TIME(Win_fence, 2)
ONLY_TIME(Win_lock, 4)
ONLY_TIME(Win_unlock, 2)
ONLY_TIME(Win_lock_all, 2)
ONLY_TIME(Win_unlock_all, 1)
ONLY_TIME(Win_flush, 2)
ONLY_TIME(Win_flush_all, 1)
ONLY_TIME(Win_flush_local, 2)
ONLY_TIME(Win_flush_local_all, 1)
ONLY_TIME(Win_start, 3)
ONLY_TIME(Win_post, 3)
ONLY_TIME(Win_complete, 1)
ONLY_TIME(Win_wait, 1)
ONLY_TIME(Win_test, 2)
ONLY_TIME(Win_sync, 1)

/* ---- begin, end and communicators --------------------------------------------------------- */

ONLY_TIME(Init, 2)
ONLY_TIME(Init_thread, 4)
ONLY_TIME(Finalize, 0)
ONLY_TIME(Comm_dup, 2)
ONLY_TIME(Comm_dup_with_info, 3)
ONLY_TIME(Comm_idup, 3)
ONLY_TIME(Comm_create, 3)
ONLY_TIME(Comm_create_group, 4)
ONLY_TIME(Comm_split, 4)
ONLY_TIME(Comm_split_type, 5)
SMALL(Comm_free, 1, .kind = MPI_ENDS_COMM)
SMALL(Comm_disconnect, 1, .kind = MPI_ENDS_COMM)
ONLY_TIME(Comm_spawn, 8)
ONLY_TIME(Comm_spawn_multiple, 9)
ONLY_TIME(Comm_accept, 5)
ONLY_TIME(Comm_connect, 5)
ONLY_TIME(Intercomm_create, 6)
ONLY_TIME(Intercomm_merge, 3)
ONLY_TIME(Cart_create, 6)
ONLY_TIME(Graph_create, 6)
ONLY_TIME(Dist_graph_create, 9)
ONLY_TIME(Dist_graph_create_adjacent, 10)

/* ---- files: their bytes are the driver io's ----------------------------------------------- */

ONLY_TIME(File_open, 5)
ONLY_TIME(File_close, 1)
ONLY_TIME(File_sync, 1)
ONLY_TIME(File_set_size, 2)
ONLY_TIME(File_preallocate, 2)
ONLY_TIME(File_set_view, 6)
#define FILE_CALLS(read, read_all, read_at, read_at_all, read_shared, read_ordered)                \
	BOTH(File_##read, 5, .kind = MPI_IS_PLAIN)                                                 \
	BOTH(File_##read_all, 5, .kind = MPI_IS_PLAIN)                                             \
	BOTH(File_##read_shared, 5, .kind = MPI_IS_PLAIN)                                          \
	BOTH(File_##read_ordered, 5, .kind = MPI_IS_PLAIN)                                         \
	BOTH(File_i##read, 5, .kind = MPI_IS_PLAIN)                                                \
	BOTH(File_i##read_all, 5, .kind = MPI_IS_PLAIN)                                            \
	BOTH(File_i##read_shared, 5, .kind = MPI_IS_PLAIN)                                         \
	BOTH(File_##read_at, 6, .kind = MPI_IS_PLAIN)                                              \
	BOTH(File_##read_at_all, 6, .kind = MPI_IS_PLAIN)                                          \
	BOTH(File_i##read_at, 6, .kind = MPI_IS_PLAIN)                                             \
	BOTH(File_i##read_at_all, 6, .kind = MPI_IS_PLAIN)                                         \
	BOTH(File_##read_all##_begin, 4, .kind = MPI_IS_PLAIN)                                     \
	SMALL(File_##read_all##_end, 3, .kind = MPI_IS_PLAIN)                                      \
	BOTH(File_##read_at_all##_begin, 5, .kind = MPI_IS_PLAIN)                                  \
	SMALL(File_##read_at_all##_end, 3, .kind = MPI_IS_PLAIN)                                   \
	BOTH(File_##read_ordered##_begin, 4, .kind = MPI_IS_PLAIN)                                 \
	SMALL(File_##read_ordered##_end, 3, .kind = MPI_IS_PLAIN)
FILE_CALLS(read, read_all, read_at, read_at_all, read_shared, read_ordered)
FILE_CALLS(write, write_all, write_at, write_at_all, write_shared, write_ordered)
