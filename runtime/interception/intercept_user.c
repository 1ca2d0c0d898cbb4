/* Programs that give up the rights of root. */
#include "runtime/interception/intercept.h"

#include "runtime/process/process.h"

#include <unistd.h>

CSPROF_WRAPPER int setuid(uid_t user)
{
	static _Atomic(void *) real;
	CSPROF_GRAB_FUNCPTR(real, "setuid");
	csprof_process_before_user(user);
	return ((int (*)(uid_t))atomic_load(&real))(user);
}

CSPROF_WRAPPER int seteuid(uid_t user)
{
	static _Atomic(void *) real;
	CSPROF_GRAB_FUNCPTR(real, "seteuid");
	csprof_process_before_user(user);
	return ((int (*)(uid_t))atomic_load(&real))(user);
}

CSPROF_WRAPPER int setreuid(uid_t by, uid_t user)
{
	static _Atomic(void *) real;
	CSPROF_GRAB_FUNCPTR(real, "setreuid");
	csprof_process_before_user(user);
	return ((int (*)(uid_t, uid_t))atomic_load(&real))(by, user);
}

CSPROF_WRAPPER int setresuid(uid_t by, uid_t user, uid_t saved)
{
	static _Atomic(void *) real;
	CSPROF_GRAB_FUNCPTR(real, "setresuid");
	csprof_process_before_user(user);
	return ((int (*)(uid_t, uid_t, uid_t))atomic_load(&real))(by, user, saved);
}
