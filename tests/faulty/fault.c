/* Linked into a test build of libhpcrun.so (tests.mk: faulty): the walk of sample number
 * $FAULT_AT, counted over all threads, faults. $FAULT_BY is "segv" or "bus", with "locked"
 * before it if that walk must hold our lock. */
#include "runtime/process/state.h"
#include "runtime/sample/unwind.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

bool __real_csprof_unwind_context(csprof_state_t *state, const void *ucontext);
bool __wrap_csprof_unwind_context(csprof_state_t *state, const void *ucontext);
void __real_csprof_process_before_main(void);
void __wrap_csprof_process_before_main(void);

static atomic_int left; /* walks until the fault; 0: none */
static bool locked;
static volatile char *place;

/* A page beyond the end of a file raises SIGBUS. */
static volatile char *beyond_a_file(void)
{
	int fd = memfd_create("empty", MFD_CLOEXEC);
	void *p = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
	close(fd);
	return p;
}

void __wrap_csprof_process_before_main(void)
{
	const char *at = getenv("FAULT_AT"), *by = getenv("FAULT_BY");
	__real_csprof_process_before_main();
	if (!at || !by)
		return;
	locked = strncmp(by, "locked", 6) == 0;
	place = strstr(by, "bus") ? beyond_a_file() : NULL;
	atomic_store(&left, atoi(at));
}

bool __wrap_csprof_unwind_context(csprof_state_t *state, const void *ucontext)
{
	if (atomic_load(&left) > 0 && atomic_fetch_sub(&left, 1) == 1) {
		if (!locked || csprof_try_lock())
			return *place != 0;
		atomic_store(&left, 1); /* this thread may hold it: use the next walk */
	}
	return __real_csprof_unwind_context(state, ucontext);
}
