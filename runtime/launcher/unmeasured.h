/* The programs that were started and not measured, for the summary at the end. */
#ifndef RUNTIME_LAUNCHER_UNMEASURED_H
#define RUNTIME_LAUNCHER_UNMEASURED_H

#include <stddef.h>
#include <stdio.h>

/* Add a program to the list in dir, as the library does for those that measured programs start.
 * reason: CSP_UNMEASURED_*. If that fails, the list lacks it. */
void launch_unmeasured_add(const char *dir, const char *reason, const char *program);
/* The size of the list in dir (CSP_UNMEASURED_FILE); 0: there is none. */
size_t launch_unmeasured_size(const char *dir);
/* Print what the list has from that offset on: "; 3 not measured: a (statically linked), b
 * (setuid)". Nothing if that is nothing. */
void launch_unmeasured_print(FILE *out, const char *dir, size_t from);

#endif
