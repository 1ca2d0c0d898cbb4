/* The calls by which a program restricts its own system calls, on Linux. */
#include "runtime/os/linux/call.h"
#include "runtime/os/os.h"

long os_prctl(int option, const unsigned long *args)
{
	return CALL(SYS_prctl, option, args[0], args[1], args[2], args[3]);
}

long os_seccomp(unsigned operation, unsigned flags, const void *filter)
{
	return CALL(SYS_seccomp, operation, flags, filter);
}
