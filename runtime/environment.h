/* The environment of the next image: with what makes the library measure it. */
#ifndef RUNTIME_ENVIRONMENT_H
#define RUNTIME_ENVIRONMENT_H

#include <stdbool.h>
#include <stddef.h>

/* What starts. */
enum csprof_next {
	CSPROF_NEXT_CHILD,
	CSPROF_NEXT_IMAGE,   /* of this process: it is told its number */
	CSPROF_NEXT_FOREIGN, /* what our library must not be loaded into (foreign.h) */
};

/* Call start(variables, arg) with the program's variables: as they are where processes are
 * not followed or memory fails; else with LD_PRELOAD and our own variables, also where the
 * program left them out (NULL: it has none), or, of what is foreign, without our library in
 * LD_PRELOAD. Returns what start does; errno as it leaves
 * it. No malloc: a vfork child may call it, which leaves nothing behind in its parent's
 * memory unless there are hundreds of variables. */
int csprof_environment_call(char *const *variables, enum csprof_next next,
			    int (*start)(char *const *variables, void *arg), void *arg);

/* Take our library out of LD_PRELOAD's value, in place. */
void csprof_environment_strip(char *value);

/* For what starts processes from environ itself: let environ be complete until take_back
 * is called with what lend returned (NULL: nothing was missing). Other threads see it
 * meanwhile: the program's variables and ours. What the program makes of environ itself
 * stands. Not in a handler. */
char **csprof_environment_lend(void);
void csprof_environment_take_back(char **given);

/* Keep copies of our variables, as the launcher set them. At the start. */
void csprof_environment_keep(char **environment);

#endif
