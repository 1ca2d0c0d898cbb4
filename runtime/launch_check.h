/* Can COMMAND be measured, and if not, why? */
#ifndef RUNTIME_LAUNCH_CHECK_H
#define RUNTIME_LAUNCH_CHECK_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/* The note by which a program says that it was linked with libhpcrun.a: an ELF note of
 * this name and type, with nothing in it. */
#define HPCRUN_NOTE_NAME "hpcrun"
enum { HPCRUN_NOTE_LINKED = 1 };

/* Find command as execvp would. 0 and its path in out (PATH_MAX); else the exit
 * status 126 (cannot be executed) or 127 (not found). */
int launch_find(const char *command, char *out);

struct launch_obstacle {
	/* What there is to say of the program, as in "PATH ...": why it will not be measured
	 * and what can be done. Empty where it will be. */
	char sentence[2 * PATH_MAX];
	bool alone; /* its loader would stumble over our library: it is not to be preloaded */
	bool elf;   /* COMMAND itself, which is therefore nothing for a shell */
};

/* Look at the program at path, a script at its interpreters. */
void launch_check(const char *path, struct launch_obstacle *out);

#endif
