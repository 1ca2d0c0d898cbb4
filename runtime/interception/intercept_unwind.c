/* Functions by which a program looks at its own return addresses. If it is marked, they would show
 * slots, which are frames of their own to libgcc: these are left out. */
#include "runtime/interception/intercept.h"

#include "runtime/cpu/slots.h"
#include "runtime/os/os.h"
#include "runtime/process/state.h"

#include <dlfcn.h>
#include <stdint.h>
#include <unwind.h>

typedef _Unwind_Reason_Code unwind_fn(_Unwind_Trace_Fn, void *);

/* In the place of a function that no library has. */
static int nothing(void)
{
	return 0;
}

/* A plugin may have brought it, so that it is not among the libraries that are searched. */
static void *in_libgcc(const char *name)
{
	void *handle = dlopen("libgcc_s.so.1", RTLD_NOW | RTLD_NOLOAD);
	return handle ? dlsym(handle, name) : NULL;
}

static _Atomic(void *) real_backtrace, real_unwind, real_get_ip;

static void *next_backtrace(void)
{
	CSPROF_GRAB_FUNCPTR(real_backtrace, "backtrace");
	void *next = atomic_load(&real_backtrace);
	return next ? next : (void *)nothing;
}

static void *next_unwind(void)
{
	CSPROF_GRAB_FUNCPTR(real_unwind, "_Unwind_Backtrace");
	void *next = atomic_load(&real_unwind);
	return next ? next : in_libgcc("_Unwind_Backtrace");
}

static _Unwind_Ptr ip_of(struct _Unwind_Context *context)
{
	CSPROF_GRAB_FUNCPTR(real_get_ip, "_Unwind_GetIP");
	void *next = atomic_load(&real_get_ip);
	if (!next)
		next = in_libgcc("_Unwind_GetIP");
	return next ? ((_Unwind_Ptr(*)(struct _Unwind_Context *))next)(context) : 0;
}

/* With slots there may be twice as many frames. The first one is ours. Who has room for more than
 * stacks have frames gets those that there are. */
static int plain_backtrace(void **buffer, int size)
{
	enum { FEW = 128, MOST = 2 * CSPROF_MAX_FRAMES };
	void *few[FEW], **all = few;
	size_t room = size > 0 ? 2 * (size_t)size + 1 : 0;
	if (room > MOST)
		room = MOST;
	size_t bytes = (room * sizeof *all + OS_PAGE - 1) & ~((size_t)OS_PAGE - 1);
	if (room > FEW)
		all = os_map(bytes);
	if (!all) { /* no memory: fewer */
		all = few;
		room = FEW;
	}
	int n = 0, found = ((int (*)(void **, int))next_backtrace())(all, (int)room);
	for (int i = 1; i < found && n < size; i++)
		if (!csprof_is_slot((uintptr_t)all[i]))
			buffer[n++] = all[i];
	if (all != few)
		os_unmap(all, bytes);
	return n;
}

struct looking {
	_Unwind_Trace_Fn trace;
	void *arg;
	bool begun;
};

static _Unwind_Reason_Code look(struct _Unwind_Context *context, void *arg)
{
	struct looking *l = arg;
	if (!l->begun || csprof_is_slot(ip_of(context))) {
		l->begun = true; /* the first frame is ours */
		return _URC_NO_REASON;
	}
	return l->trace(context, l->arg);
}

static _Unwind_Reason_Code plain_unwind(_Unwind_Trace_Fn trace, void *arg)
{
	struct looking l = {.trace = trace, .arg = arg};
	unwind_fn *next = (unwind_fn *)next_unwind();
	return next ? next(look, &l) : _URC_FATAL_PHASE1_ERROR;
}

/* What the stubs of cpu/x86_64/marks/looks.S jump to: if nothing is marked, the next function,
 * which then has no frame of ours above it. */
void *csprof_unwind_look(unsigned function) CSPROF_SLOT_DATA;

void *csprof_unwind_look(unsigned function)
{
	const csprof_state_t *state = csprof_self;
	bool marked = state && state->memo.marks;
	if (function == 0)
		return marked ? (void *)plain_backtrace : next_backtrace();
	void *next = marked ? (void *)plain_unwind : next_unwind();
	return next ? next : (void *)nothing;
}
