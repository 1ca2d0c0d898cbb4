/* Functions by which a program looks at its own return addresses (cpu/x86_64/marks/hide.S). */
#include "runtime/interception/intercept.h"

#include "runtime/csprof.h"
#include "runtime/cpu/slots.h"
#include "runtime/process/state.h"
#include "runtime/sample/marks.h"

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

static void hide(uintptr_t sp)
{
	csprof_state_t *state = csprof_self;
	if (!state || !state->memo.marks || !csprof_own_begin())
		return;
	csprof_marks_hide(&state->memo, ((const uintptr_t *)sp)[-1], sp);
	csprof_own_end();
}

void *csprof_unwind_hide(unsigned function, uintptr_t sp) CSPROF_SLOT_DATA;

void *csprof_unwind_hide(unsigned function, uintptr_t sp)
{
	static _Atomic(void *) real[2];
	if (function == 0)
		CSPROF_GRAB_FUNCPTR(real[0], "backtrace");
	else
		CSPROF_GRAB_FUNCPTR(real[1], "_Unwind_Backtrace");
	hide(sp);
	void *next = atomic_load(&real[function]);
	if (!next && function == 1)
		next = in_libgcc("_Unwind_Backtrace");
	return next ? next : (void *)nothing;
}
