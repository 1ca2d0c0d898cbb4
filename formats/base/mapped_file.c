#include "formats/base/mapped_file.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* A range is never freed, as the handler goes through all of them; one that is not used is empty
 * and is used again. */
struct mapped_range {
	_Atomic uintptr_t begin, end;
	atomic_bool cut;
	struct mapped_range *next;   /* of all, set before it is listed */
	struct mapped_range *unused; /* of those that are not used */
};

static struct mapped_range *_Atomic ranges;
static struct mapped_range *unused_ranges;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uintptr_t page_bytes;
static _Thread_local struct mapped_range *volatile opening; /* by this thread, or NULL */

/* Put zeros in the place of what is missing. Only system calls and atomic variables are used. */
static bool fill(struct mapped_range *r, uintptr_t page, uintptr_t end)
{
	void *zeros = mmap((void *)page, end - page, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);

	if (zeros == MAP_FAILED)
		return false;
	atomic_store(&r->cut, true);
	return true;
}

static bool fill_at(uintptr_t at)
{
	uintptr_t page = at & ~(page_bytes - 1);

	for (struct mapped_range *r = atomic_load(&ranges); r; r = r->next) {
		uintptr_t end = atomic_load(&r->end);
		/* a file that is cut has nothing behind */
		if (at >= atomic_load(&r->begin) && at < end)
			return fill(r, page, end);
	}
	return opening && fill(opening, page, page + page_bytes);
}

/* If the fault is of none of the files, it comes again without a handler. */
static void on_bus_error(int signal_number, siginfo_t *info, void *context)
{
	int saved = errno;
	bool is_fault = info->si_code > 0;

	(void)context;
	if (!is_fault || !fill_at((uintptr_t)info->si_addr))
		signal(signal_number, SIG_DFL);
	if (!is_fault)
		raise(signal_number);
	errno = saved;
}

void mapped_file_guard(void)
{
	struct sigaction action = {.sa_sigaction = on_bus_error, .sa_flags = SA_SIGINFO};

	page_bytes = (uintptr_t)sysconf(_SC_PAGESIZE);
	sigemptyset(&action.sa_mask);
	sigaction(SIGBUS, &action, NULL);
}

bool mapped_file_is_guarded(void)
{
	return page_bytes != 0;
}

/* An empty range. NULL if memory ran out. */
static struct mapped_range *take_range(void)
{
	struct mapped_range *r;

	pthread_mutex_lock(&lock);
	r = unused_ranges;
	if (r) {
		unused_ranges = r->unused;
		atomic_store(&r->cut, false);
	} else if ((r = calloc(1, sizeof *r))) {
		r->next = atomic_load(&ranges);
		atomic_store(&ranges, r);
	}
	pthread_mutex_unlock(&lock);
	return r;
}

static void give_range(struct mapped_range *r)
{
	atomic_store(&r->end, 0);
	pthread_mutex_lock(&lock);
	r->unused = unused_ranges;
	unused_ranges = r;
	pthread_mutex_unlock(&lock);
}

void mapped_file_opening(struct mapped_file *m)
{
	m->range = take_range();
	opening = m->range;
}

bool mapped_file_watch(struct mapped_file *m, const void *bytes, size_t size)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), end = (uintptr_t)bytes + size;

	opening = NULL;
	if (!m->range)
		m->range = take_range();
	if (!m->range)
		return false;
	atomic_store(&m->range->begin, (uintptr_t)bytes);
	atomic_store(&m->range->end, (end + page - 1) & ~(page - 1));
	return true;
}

void mapped_file_leave(struct mapped_file *m)
{
	opening = NULL;
	if (m->range)
		give_range(m->range);
	m->range = NULL;
}

bool mapped_file_is_cut(const struct mapped_file *m)
{
	return m->range && atomic_load(&m->range->cut);
}
