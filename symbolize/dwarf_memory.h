/* What happens if memory runs out in libdw, whose functions do not return then: most call the
 * handler of a Dwarf, some abort by an assertion. Unfinished files (atomic_file.h) are removed, and
 * the process says what to do and exits with status 3. */
#ifndef SYMBOLIZE_DWARF_MEMORY_H
#define SYMBOLIZE_DWARF_MEMORY_H

#include <elfutils/libdw.h>

/* Set the handler of dwarf (NULL: nothing), and that of SIGABRT if it has the default action. */
void dwarf_memory_handle(Dwarf *dwarf);

#endif
