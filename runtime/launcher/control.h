/* Control of a running measurement: of the processes whose datafiles are, or will be, in a
 * directory. See runtime/process/control.h for what the processes do. */
#ifndef RUNTIME_LAUNCHER_CONTROL_H
#define RUNTIME_LAUNCHER_CONTROL_H

#include "formats/base/completion.h"

#include <stdbool.h>
#include <stdint.h>

/* Have processes that are about to begin do so stopped, or not. out: directory of datafiles. 0, or
 * -1 and errno. */
int launch_control_mark(const char *out, bool stopped);

struct launch_controlled {
	unsigned done;      /* processes that have stopped, or measure again */
	unsigned silent;    /* that have not answered in time; they will when they run */
	unsigned elsewhere; /* that could not be asked: of another pid namespace, or user */
	uint32_t first_silent, first_elsewhere; /* their pids */
};

/* Stop the processes, or start them again, those that are about to begin included. Waits for their
 * answers, for 10 s at most. Returns 0, or -1 after one line on stderr. */
int launch_control(const char *out, bool stop, struct launch_controlled *result);
/* Say on stderr which have not done so. */
void launch_control_complain(const char *out, const struct launch_controlled *result);

/* "hpcrun control": its arguments, of which the first is "control". Returns the exit status. */
int launch_control_main(int argc, char **argv);

/* For completion: word i of what can be done, from 0, and what it means; NULL: there are fewer. Its
 * options, which are fewer than 8; returns how many. */
const char *launch_control_verb(size_t i, const char **help);
size_t launch_control_options(struct completion_option *options);

#endif
