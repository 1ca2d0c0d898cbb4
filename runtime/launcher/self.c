#include "runtime/launcher/self.h"

#include <libgen.h>
#include <stdio.h>
#include <sys/auxv.h>
#include <unistd.h>

/* Without /proc, from the path with which hpcrun was executed. */
int launch_beside(char out[PATH_MAX], const char *name)
{
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
	const char *executed = (const char *)getauxval(AT_EXECFN);

	if (n >= 0)
		self[n] = '\0';
	else if (executed)
		snprintf(self, sizeof self, "%s", executed);
	else
		return -1;
	return snprintf(out, PATH_MAX, "%s/%s", dirname(self), name) < PATH_MAX ? 0 : -1;
}
