/* A call that our handler makes for the program (csprof_cpu_call_unless), when a handler of the
 * program returns just before it. */
#include "runtime/cpu/x86_64/unmade.h"

#include "runtime/cpu/cpu.h"

#include <errno.h>
#include <ucontext.h>

__thread int csprof_cpu_ended;
void (*csprof_cpu_returned)(void *ucontext, bool restarts);

/* here.S: from the check of csprof_cpu_ended to the system call, and after that */
extern const char csprof_cpu_unmade[], csprof_cpu_making[], csprof_cpu_made[];

void csprof_cpu_end_unmade(void *ucontext)
{
	greg_t *gregs = ((ucontext_t *)ucontext)->uc_mcontext.gregs;
	uintptr_t pc = (uintptr_t)gregs[REG_RIP];

	if (pc < (uintptr_t)csprof_cpu_unmade || pc > (uintptr_t)csprof_cpu_making)
		return;
	gregs[REG_RIP] = (greg_t)csprof_cpu_made;
	gregs[REG_RAX] = -EINTR;
	gregs[REG_RCX] = 0; /* no call was made: see last_call */
}
