/* Programs that restrict their own system calls, or name their threads by prctl. */
#include "runtime/interception/intercept.h"

#include "runtime/process/otel.h"
#include "runtime/process/thread.h"
#include "runtime/sandboxes/seccomp.h"

#include <errno.h>
#include <stdarg.h>
#include <sys/prctl.h>

CSPROF_WRAPPER int prctl(int option, ...)
{
	unsigned long args[4];
	va_list ap;
	va_start(ap, option);
	for (int i = 0; i < 4; i++)
		args[i] = va_arg(ap, unsigned long);
	va_end(ap);
	long r = csprof_seccomp_prctl(option, args);
	if (r >= 0 && option == PR_SET_NAME)
		csprof_thread_named();
	if (option == PR_SET_VMA && args[0] == PR_SET_VMA_ANON_NAME)
		csprof_otel_named(args[1], (const char *)args[3]);
	if (r >= 0)
		return (int)r;
	errno = (int)-r;
	return -1;
}
