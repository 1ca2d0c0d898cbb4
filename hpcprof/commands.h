/* The commands in this folder. Each is a row of the table in main.c. */
#ifndef HPCPROF_COMMANDS_H
#define HPCPROF_COMMANDS_H

#include "hpcprof/command/command.h"

extern const struct command text_command, tree_command, callers_command, callees_command,
    annotate_command, xml_command, merge_command, dump_command, recover_command, top_command;

#endif
