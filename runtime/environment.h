/* The environment of the next image: with what makes the library measure it. */
#ifndef RUNTIME_ENVIRONMENT_H
#define RUNTIME_ENVIRONMENT_H

#include <stdbool.h>
#include <stddef.h>

/* Call start(variables, arg) with the program's variables: as they are where processes are
 * not followed, nothing is missing or memory fails; else with LD_PRELOAD and our own
 * variables, also where the program left them out (NULL: it has none). image: what starts
 * is the next image of this process, and is told its number. Returns what start does;
 * errno as it leaves it. No malloc: a vfork child may call it, which leaves nothing behind
 * in its parent's memory unless there are hundreds of variables. */
int csprof_environment_call(char *const *variables, bool image,
			    int (*start)(char *const *variables, void *arg), void *arg);

/* For what starts processes from environ itself: let environ be complete until take_back
 * is called with what lend returned (NULL: nothing was missing). Other threads see it
 * meanwhile: the program's variables and ours. What the program makes of environ itself
 * stands. Not in a handler. */
char **csprof_environment_lend(void);
void csprof_environment_take_back(char **given);

/* Keep copies of our variables, as the launcher set them. At the start. */
void csprof_environment_keep(char **environment);

#endif
