/* The command "hpcrun detach". */
#ifndef RUNTIME_LAUNCHER_DETACH_COMMAND_H
#define RUNTIME_LAUNCHER_DETACH_COMMAND_H

#include "formats/base/completion.h"

#include <stddef.h>

/* Returns the exit status. */
int launch_detach_main(int argc, char **argv);

/* Its options. Returns how many; there is room for them. */
size_t launch_detach_options(struct completion_option *options);

#endif
