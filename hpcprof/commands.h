/* The commands of hpcprof, and the kinds of PROFILE that other folders add. */
#ifndef HPCPROF_COMMANDS_H
#define HPCPROF_COMMANDS_H

#include "hpcprof/command/command.h"

/* With a NULL at the end. The first one is the default. */
extern const struct command *const commands_all[];

/* Register the importers. Call it before a command line is read. */
void commands_add_importers(void);

#endif
