#include "runtime/process/fork_detect.h"

#include "runtime/os/os.h"
#include "runtime/process/process.h"
#include "runtime/process/samplers.h"
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

static void count_before(struct store_clock *c)
{
	c->account[CSP_MEASURING_OFF].weight += c->start;
	c->start = 0;
}

/* The thread's clocks began at 0 with the process: count the time before its record began. Only the
 * clock of blocked time began with the machine. */
static void account_for_before(void)
{
	csprof_state_t *state = csprof_self;
	if (!state)
		return;
	struct store_clock *cpu = csprof_cpu_clock_of(state);
	count_before(cpu);
	CSPROF_EACH_SAMPLER (state, p) {
		const struct csprof_sampling *by = p->measured->by;
		struct store_clock *c = csprof_clock_of(state, p);
		if (c != cpu && !(by->elapses && by->drivers[0]))
			count_before(c);
	}
}

static bool adopt(void)
{
	if (!mark || *mark || csprof_confined())
		return false;
	csprof_lock_anew();
	csprof_fork_detect_in_child();
	return true;
}

void csprof_fork_detect_adopt(void)
{
	if (adopt())
		account_for_before();
}

void csprof_fork_detect_forked(void)
{
	adopt();
}
