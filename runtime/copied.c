#include "runtime/copied.h"

#include "runtime/os/os.h"
#include "runtime/process.h"
#include "runtime/seccomp.h"
#include "runtime/state.h"

#include <stdint.h>

/* 1; the kernel lets it be 0 in a copy. NULL: there is no such page. */
static uint32_t *mark;

/* Between before and in_parent or in_child: libc's fork may call what we stand before. */
static __thread bool copying;

void csprof_copied_watch(void)
{
	mark = os_map_cleared_in_copies(sizeof *mark);
	if (mark)
		*mark = 1;
}

bool csprof_copied_before(void)
{
	csprof_copied_adopt();
	if (copying || csprof_confined() || csprof_process.pid != os_pid())
		return false;
	copying = true;
	csprof_process_before_fork();
	return true;
}

void csprof_copied_in_parent(void)
{
	csprof_process_after_fork();
	copying = false;
}

void csprof_copied_in_child(void)
{
	if (mark)
		*mark = 1;
	csprof_process_in_child();
	copying = false;
}

/* The thread's CPU clock began at 0 with the process. */
static void account_for_before(void)
{
	if (!csprof_self)
		return;
	struct store_thread *t = csprof_store_at(csprof_self->thread);
	struct store_clock *c = &t->clocks[0];
	c->account[CSP_MEASURING_OFF].weight += c->start;
	c->start = 0;
}

void csprof_copied_adopt(void)
{
	if (!mark || *mark || csprof_confined())
		return;
	csprof_lock_anew();
	csprof_copied_in_child();
	account_for_before();
}
