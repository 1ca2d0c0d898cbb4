#include "runtime/process/attach.h"

#include "formats/identity/label_list.h"
#include "runtime/base/options.h"
#include "runtime/cpu/port.h"
#include "runtime/os/os.h"
#include "runtime/process/process.h"
#include "runtime/process/said.h"
#include "runtime/process/state.h"
#include "runtime/process/thread.h"
#include "runtime/sandboxes/seccomp.h"

#include <errno.h>
#include <string.h>

/* Of all threads that are there at the start. */
static char labels[LABEL_LIST_BYTES + 1];

int csprof_attach_begin(char **variables)
{
	const char *list = csprof_variable(variables, HPCRUN_ENV_LABELS);
	size_t n = list ? strlen(list) : 0;
	if (n >= sizeof labels)
		n = 0;
	memcpy(labels, list ? list : "", n);
	labels[n] = '\0';
	return csprof_process_attach(variables);
}

static void ask(uint32_t tid, void *arg)
{
	(void)arg;
	os_queue_signal(tid, csprof_process.sig, STORE_ATTACH_VALUE);
}

void csprof_attach_ask(void)
{
	os_threads(ask, NULL);
}

/* libc puts a thread's control block at the top of its stack, whoever has allocated that. */
static void find_stack(uintptr_t *low, uintptr_t *high)
{
	*high = csprof_thread_pointer();
	if (os_tid() == os_pid() || !os_mapping_of(*high, low, &(uintptr_t){0}))
		os_main_stack(low, high);
}

bool csprof_attach_signal(const siginfo_t *info, void *ucontext)
{
	/* as a sample does (sample/sample.c); labels take more */
	enum { STACK_NEEDED = 3072, LABELS_NEED = 8192 };
	uintptr_t low, high;
	if (info->si_code != SI_QUEUE ||
	    (uintptr_t)info->si_value.sival_ptr != (uintptr_t)STORE_ATTACH_VALUE)
		return false;
	if (csprof_self || !csprof_process.attached || csprof_confined() ||
	    os_stack_room(ucontext) < (labels[0] ? LABELS_NEED : STACK_NEEDED))
		return true;
	find_stack(&low, &high);
	if (csprof_thread_adopt(low, high, ucontext)) {
		csprof_thread_end_later();
		csprof_said_begin(labels);
	}
	return true;
}
