/* The environment of the next image: with what makes the library measure it. */
#ifndef RUNTIME_ENVIRONMENT_H
#define RUNTIME_ENVIRONMENT_H

#include <stdbool.h>
#include <stddef.h>

struct csprof_environment {
	char *const *variables; /* what to pass to exec */
	void *memory;           /* to be given back, or NULL */
	size_t bytes;
};

/* Make *out from the program's variables: as they are where processes are not
 * followed or memory fails; else with LD_PRELOAD and our own variables, also where
 * the program left them out, and with the number of the next image of this process
 * if same_process (not for a vfork child). No malloc. */
void csprof_environment_for_exec(struct csprof_environment *out, char *const *variables,
				 bool same_process);
/* After a failed exec. */
void csprof_environment_free(struct csprof_environment *e);

/* Keep copies of our variables, as the launcher set them. At the start. */
void csprof_environment_keep(char **environment);

#endif
