/* The commands of hpcprof. A new command needs its file, which defines NAME_command, a row here,
 * and a page share/man/hpcprof-NAME.1. */
#ifndef HPCPROF_COMMAND_LIST_H
#define HPCPROF_COMMAND_LIST_H

#include "hpcprof/command/command.h"

/* In the order of --help. The first is the default. */
#define COMMAND_LIST(X)                                                                            \
	X(text)                                                                                    \
	X(tree)                                                                                    \
	X(callers)                                                                                 \
	X(callees)                                                                                 \
	X(annotate)                                                                                \
	X(values)                                                                                  \
	X(diff)                                                                                    \
	X(html)                                                                                    \
	X(xml)                                                                                     \
	X(export)                                                                                  \
	X(merge)                                                                                   \
	X(dump)                                                                                    \
	X(recover)                                                                                 \
	X(pack)                                                                                    \
	X(top)                                                                                     \
	X(db)                                                                                      \
	X(query)

#define COMMAND_DECLARE(name) extern const struct command name##_command;
COMMAND_LIST(COMMAND_DECLARE)

#endif
