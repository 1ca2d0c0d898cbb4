/* What hpcprof is made of: its commands, and the kinds of PROFILEs that other folders add. A new
 * command is its file and its row in commands.c, the only file here that includes db/. */
#ifndef HPCPROF_COMMANDS_H
#define HPCPROF_COMMANDS_H

#include "hpcprof/command/command.h"

/* With a NULL at the end. The first one is the default. */
extern const struct command *const all_commands[];

/* Register importers; before a command line is read. */
void commands_add_importers(void);

/* The commands in this folder. */
extern const struct command text_command, tree_command, callers_command, callees_command,
    annotate_command, xml_command, merge_command, dump_command, recover_command, top_command;

#endif
