/* Drivers to be loaded with COMMAND (--driver, runtime/hpcrun_driver.h). */
#ifndef RUNTIME_LAUNCHER_DRIVERS_H
#define RUNTIME_LAUNCHER_DRIVERS_H

#include <stdbool.h>

/* named: drivers as after --driver, separated by spaces: the path of a file, or the name of one in
 * folder (which ends with '/'), and maybe ':' and options. Writes the same with absolute paths to
 * out, CSPROF_DRIVERS_BYTES. Returns 0, or -1 after a line on stderr: one is no driver, or cannot
 * be loaded. */
int launch_drivers_find(const char *named, const char *folder, char *out);

/* Call each for the paths in such a list, until it does not return 0: then -1, else 0. */
int launch_drivers_paths(const char *list, int (*each)(void *what, const char *path), void *what);

/* Print the drivers in folder. details: also what they record. */
void launch_drivers_list(const char *folder, bool details);

#endif
