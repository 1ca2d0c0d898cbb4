#include "runtime/process/fork_detect.h"

#include "runtime/os/os.h"
#include "runtime/process/process.h"
#include "runtime/process/state.h"
#include "runtime/sandboxes/seccomp.h"

#include <stdint.h>

/* 1; the kernel sets it to 0 in a copy. NULL: there is no such page. */
static uint32_t *mark;

/* Between before and in_parent or in_child: libc's fork may call functions that we wrap. */
static __thread bool copying;

void csprof_fork_detect_watch(void)
{
	mark = os_map_cleared_in_copies(sizeof *mark);
	if (mark)
		*mark = 1;
}

bool csprof_fork_detect_before(void)
{
	csprof_fork_detect_adopt();
	if (copying || csprof_confined() || csprof_process.pid != os_pid())
		return false;
	copying = true;
	csprof_process_before_fork();
	return true;
}

void csprof_fork_detect_in_parent(void)
{
	csprof_process_after_fork();
	copying = false;
}

void csprof_fork_detect_in_child(void)
{
	if (mark)
		*mark = 1;
	csprof_process_in_child();
	copying = false;
}

/* The thread's clocks began at 0 with the process: count the time before its record began. */
static void account_for_before(void)
{
	if (!csprof_self)
		return;
	const struct store_header *h = csprof_store_header();
	struct store_thread *t = csprof_store_at(csprof_self->thread);
	for (struct store_clock *c = t->clocks; c < t->clocks + h->num_events; c++) {
		c->account[CSP_MEASURING_OFF].weight += c->start;
		c->start = 0;
	}
}

void csprof_fork_detect_adopt(void)
{
	if (!mark || *mark || csprof_confined())
		return;
	csprof_lock_anew();
	csprof_fork_detect_in_child();
	account_for_before();
}
