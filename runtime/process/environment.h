/* The environment of the next image, with the variables that make the library measure it, and the
 * calling thread's labels. */
#ifndef RUNTIME_PROCESS_ENVIRONMENT_H
#define RUNTIME_PROCESS_ENVIRONMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the environment is for. */
enum csprof_next {
	CSPROF_NEXT_CHILD,
	CSPROF_NEXT_IMAGE,   /* the next image of this process: gets its number */
	CSPROF_NEXT_FOREIGN, /* a program that must not load our library */
};

/* Call start(variables, arg) with the program's variables (NULL: it has none). They are passed
 * unchanged if processes are not followed or there is no memory. Otherwise LD_PRELOAD and our
 * own variables are added if the program left them out; for a foreign program our library is
 * removed from LD_PRELOAD. Returns the result of start; errno is as start left it. No malloc: a
 * vfork child may call it, and leaves nothing in its parent's memory unless there are hundreds
 * of variables. */
int csprof_environment_call(char *const *variables, enum csprof_next next,
			    int (*start)(char *const *variables, void *arg), void *arg);

/* For the caller's CSPROF_NEXT_IMAGE, while start runs: the process's CPU clock when this image's
 * account ended. */
void csprof_environment_put_clock(uint64_t ns);

/* Remove our library from LD_PRELOAD's value, in place. */
void csprof_environment_strip(char *value);

/* For functions that start processes with environ: complete environ until take_back is called
 * with the value that lend returned (NULL: nothing was missing). Other threads see the program's
 * variables and ours during that time. If the program changes environ itself, its change
 * remains. Not for handlers. */
char **csprof_environment_lend(void);
void csprof_environment_take_back(char **given);

/* Take a variable out of an environment, if it is there. */
void csprof_environment_remove(char **environment, const char *name);

/* Keep copies of our variables as the launcher set them. Called at the start. */
void csprof_environment_keep(char **environment);
/* Drop them, to keep others. */
void csprof_environment_forget(void);

#endif
