/* Whether COMMAND can be measured, and if not, why. */
#ifndef RUNTIME_LAUNCHER_CHECK_H
#define RUNTIME_LAUNCHER_CHECK_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/* Find command as execvp does. Returns 0 and its path in out (PATH_MAX), or the exit status 126
 * (cannot be executed) or 127 (not found). */
int launch_find(const char *command, char *out);

struct launch_obstacle {
	/* The message about the program, as in "PATH ...": why it will not be measured and what
	 * can be done. Empty if it will be. */
	char sentence[2 * PATH_MAX];
	/* The reason for CSP_UNMEASURED_FILE and the program that it is about: COMMAND, or the
	 * interpreter of a script. NULL: it will be measured, or that cannot be told. */
	const char *reason;
	char program[PATH_MAX];
	bool alone; /* its loader cannot load our library: it must not be preloaded */
	bool elf;   /* COMMAND is an ELF file and not a script */
};

/* Check the program at path; for a script, its interpreters. like: the path of a program of this
 * machine that can be measured. */
void launch_check(const char *path, const char *like, struct launch_obstacle *out);

#endif
