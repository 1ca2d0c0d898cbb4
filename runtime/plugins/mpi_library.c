/* The MPI library that the program uses. */
#include "runtime/plugins/mpi.h"

#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- its functions ------------------------------------------------------------------------ */

/* Names of load modules that may have MPI's functions. */
enum { MODULES = 32 };
struct modules {
	char *names[MODULES];
	size_t num;
};

static int find_module(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct modules *m = arg;
	const char *name = info->dlpi_name ? strrchr(info->dlpi_name, '/') : NULL;
	(void)size;
	if (name && strstr(name, "mpi") && m->num < MODULES) {
		m->names[m->num] = strdup(info->dlpi_name);
		m->num += m->names[m->num] != NULL;
	}
	return 0;
}

static bool is_ours(const void *function)
{
	const char *at = function;
	return at >= hpcrun_driver_at_.code && at < hpcrun_driver_at_.code_end;
}

/* Of a library that was opened so that only some modules see it, such as by Python. They call our
 * functions all the same, since we are preloaded. The modules' names first: the loader's list must
 * not be held while it opens one. */
static void *search(const char *name)
{
	struct modules m = {.num = 0};
	void *found = NULL;
	dl_iterate_phdr(find_module, &m);
	for (size_t i = 0; i < m.num; i++) {
		void *module = found ? NULL : dlopen(m.names[i], RTLD_LAZY | RTLD_NOLOAD);
		if (module) {
			found = dlsym(module, name);
			if (is_ours(found))
				found = NULL;
			if (!found)
				dlclose(module);
		}
		free(m.names[i]);
	}
	return found;
}

void *mpi_library_function(const char *name)
{
	void *found = dlsym(RTLD_NEXT, name);
	return found ? found : search(name);
}

/* ---- its interface ------------------------------------------------------------------------ */

static const struct mpi_abi mpich = {
    .handle = 4,
    .status = 20,
    .source = 8,
    .status_ignore = 1,
    .in_place = (mpi_word)-1,
    .root = -3,
    .proc_null = -1,
    .graph = 1,
    .cart = 2,
    .byte = 0x4c00010d,
    .no_op = 0x5800000e,
    .world = 0x44000000,
};
static struct mpi_abi open_mpi = {
    .handle = sizeof(void *),
    .status = 24,
    .source = 0,
    .status_ignore = 0,
    .in_place = 1,
    .root = -4,
    .proc_null = -2,
    .cart = 1,
    .graph = 2,
    /* its handles are addresses */
};

/* An object of the program, which may have a copy of a library's, or of a library. */
static mpi_word object(const char *name)
{
	void *at = dlsym(RTLD_DEFAULT, name);
	return (mpi_word)(at ? at : search(name));
}

/* Has the version's text one of these names? */
static bool version_is(const char *const *names)
{
	enum { LONGEST = 8192 }; /* MPICH's MPI_MAX_LIBRARY_VERSION_STRING */
	mpi_word (*ask)(char *, int *);
	char *text = calloc(1, LONGEST + 1);
	bool found = false;
	int length = 0;
	*(void **)&ask = mpi_library_function("PMPI_Get_library_version");
	if (ask && text && (int)ask(text, &length) == 0)
		for (; *names && !found; names++)
			found = strstr(text, *names) != NULL;
	free(text);
	return found;
}

static const struct mpi_abi *abi;

static void find_abi(void)
{
	static const char *const of_open_mpi[] = {"Open MPI", NULL};
	static const char *const of_mpich[] = {"MPICH", "Intel(R) MPI", "MVAPICH", NULL};
	if (version_is(of_open_mpi)) {
		open_mpi.world = object("ompi_mpi_comm_world");
		open_mpi.byte = object("ompi_mpi_byte");
		open_mpi.no_op = object("ompi_mpi_op_no_op");
		if (open_mpi.world && open_mpi.byte && open_mpi.no_op)
			abi = &open_mpi;
	} else if (version_is(of_mpich)) {
		abi = &mpich;
	}
	if (!abi)
		fprintf(stderr, "hpcrun: mpi: this library of MPI is not known: only calls and "
				"time are recorded\n");
}

const struct mpi_abi *mpi_library_abi(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once(&once, find_abi);
	return abi;
}

/* ---- questions ---------------------------------------------------------------------------- */

static struct {
	const char *name;
	void *function; /* NULL: not known yet */
} questions[MPI_QUESTIONS] = {
    [MPI_COMM_SIZE] = {"PMPI_Comm_size", NULL},
    [MPI_COMM_RANK] = {"PMPI_Comm_rank", NULL},
    [MPI_COMM_TEST_INTER] = {"PMPI_Comm_test_inter", NULL},
    [MPI_COMM_REMOTE_SIZE] = {"PMPI_Comm_remote_size", NULL},
    [MPI_COMM_GROUP] = {"PMPI_Comm_group", NULL},
    [MPI_COMM_REMOTE_GROUP] = {"PMPI_Comm_remote_group", NULL},
    [MPI_WIN_GET_GROUP] = {"PMPI_Win_get_group", NULL},
    [MPI_GROUP_SIZE] = {"PMPI_Group_size", NULL},
    [MPI_GROUP_TRANSLATE_RANKS] = {"PMPI_Group_translate_ranks", NULL},
    [MPI_GROUP_FREE] = {"PMPI_Group_free", NULL},
    [MPI_TYPE_SIZE_X] = {"PMPI_Type_size_x", NULL},
    [MPI_GET_ELEMENTS_X] = {"PMPI_Get_elements_x", NULL},
    [MPI_TEST_CANCELLED] = {"PMPI_Test_cancelled", NULL},
    [MPI_TOPO_TEST] = {"PMPI_Topo_test", NULL},
    [MPI_CARTDIM_GET] = {"PMPI_Cartdim_get", NULL},
    [MPI_GRAPH_NEIGHBORS_COUNT] = {"PMPI_Graph_neighbors_count", NULL},
    [MPI_DIST_GRAPH_NEIGHBORS_COUNT] = {"PMPI_Dist_graph_neighbors_count", NULL},
};

bool mpi_ask(enum mpi_question question, mpi_word a, mpi_word b, mpi_word c, mpi_word d, mpi_word e)
{
	mpi_word (*ask)(mpi_word, mpi_word, mpi_word, mpi_word, mpi_word);
	void **known = &questions[question].function;
	void *function = __atomic_load_n(known, __ATOMIC_RELAXED);
	if (!function) {
		function = mpi_library_function(questions[question].name);
		__atomic_store_n(known, function, __ATOMIC_RELAXED);
	}
	*(void **)&ask = function;
	return ask && (int)ask(a, b, c, d, e) == 0; /* those with fewer do not see the others */
}

mpi_word mpi_handle_in(const struct mpi_abi *how, mpi_word array, size_t i)
{
	const char *at =
	    (const char *)array + (i * how->handle); // NOLINT(performance-no-int-to-ptr)
	uint64_t wide;
	uint32_t narrow;
	if (how->handle == sizeof narrow) {
		memcpy(&narrow, at, sizeof narrow);
		return narrow;
	}
	memcpy(&wide, at, sizeof wide);
	return wide;
}
