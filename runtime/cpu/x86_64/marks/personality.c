/* C++ exceptions through slots. A slot and the marked frame have the same CFA, by which an unwinder
 * tells the frame that catches (_Unwind_RaiseException of libgcc, phase 2): it takes the slot for
 * it. So the slot claims the exception, and raises it again from the frame itself.
 *
 * Sources: "Exception Handling" in the Itanium C++ ABI, 1.6, for the protocol. */
#include "runtime/cpu/slots.h"

#include "runtime/cpu/x86_64/recipe.h"

#include <dlfcn.h>
#include <stddef.h>
#include <unwind.h>

/* The unwinder is the program's, or libgcc_s's. All of libgcc have one form of contexts. */
static _Unwind_Ptr (*get_ip)(struct _Unwind_Context *);
static void (*set_ip)(struct _Unwind_Context *, _Unwind_Ptr);
static void (*set_register)(struct _Unwind_Context *, int, _Unwind_Word);

/* slots.S */
extern const char csprof_slot_resume[] CSPROF_SLOT_DATA;
extern void (*csprof_slot_resume_function)(struct _Unwind_Exception *) CSPROF_SLOT_DATA;
void (*csprof_slot_resume_function)(struct _Unwind_Exception *);

_Unwind_Reason_Code csprof_slot_personality(int version, _Unwind_Action actions,
					    _Unwind_Exception_Class language,
					    struct _Unwind_Exception *exception,
					    struct _Unwind_Context *context);

_Unwind_Reason_Code csprof_slot_personality(int version, _Unwind_Action actions,
					    _Unwind_Exception_Class language,
					    struct _Unwind_Exception *exception,
					    struct _Unwind_Context *context)
{
	enum { RAX = 0, RDX = 1 };

	(void)version, (void)language;
	if (!(actions & _UA_HANDLER_FRAME))
		return _URC_CONTINUE_UNWIND;
	set_register(context, RAX, (_Unwind_Word)exception);
	set_register(context, RDX, csprof_slot_address[csprof_slot_of(get_ip(context))]);
	set_ip(context, (_Unwind_Ptr)csprof_slot_resume);
	return _URC_INSTALL_CONTEXT;
}

void csprof_slots_want(void)
{
	csprof_recipe_want_traits();
}

static _Unwind_Reason_Code enough(struct _Unwind_Context *context, void *arg)
{
	(void)context, (void)arg;
	return _URC_NORMAL_STOP;
}

/* The functions are in the program, or in a library that a C program loads when it first needs it,
 * for pthread_cancel. */
const char *csprof_slots_prepare(void)
{
	_Unwind_Reason_Code (*walk)(_Unwind_Trace_Fn, void *);
	void *from = RTLD_DEFAULT;

	if (!dlsym(from, "_Unwind_SetGR"))
		from = dlopen("libgcc_s.so.1", RTLD_NOW | RTLD_LOCAL);
	*(void **)&get_ip = dlsym(from, "_Unwind_GetIP");
	*(void **)&set_ip = dlsym(from, "_Unwind_SetIP");
	*(void **)&set_register = dlsym(from, "_Unwind_SetGR");
	*(void **)&csprof_slot_resume_function = dlsym(from, "_Unwind_Resume");
	/* libgcc knows the sizes of registers from its first walk on: the program's walks may be
	 * those of a copy that is linked into it */
	*(void **)&walk = dlsym(from, "_Unwind_Backtrace");
	if (walk)
		walk(enough, NULL);
	(void)dlerror(); /* the program asks for errors of its own */
	return get_ip && set_ip && set_register && csprof_slot_resume_function
		   ? NULL
		   : "libgcc_s.so.1 cannot be loaded";
}
