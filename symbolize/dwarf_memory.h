/* What happens if memory runs out in libdw, whose functions do not return then: most call the
 * handler of a Dwarf; those that share a hash table between threads
 * (lib/dynamicsizehash_concurrent.c of elfutils 0.188) abort by an assertion or use a null pointer.
 * Unfinished files (atomic_file.h) are removed, and the process says what to do and exits with
 * status 3. */
#ifndef SYMBOLIZE_DWARF_MEMORY_H
#define SYMBOLIZE_DWARF_MEMORY_H

#include <elfutils/libdw.h>

/* Set the handler of dwarf (NULL: nothing), and those of SIGABRT and SIGSEGV if they have the
 * default action. A process that crashes by another reason does so as before, without unfinished
 * files. Any thread. */
void dwarf_memory_handle(Dwarf *dwarf);

#endif
