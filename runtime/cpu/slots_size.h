/* How many slots there are, and how large: see slots.h. For C and for the assembler. */
#ifndef RUNTIME_CPU_SLOTS_SIZE_H
#define RUNTIME_CPU_SLOTS_SIZE_H

/* 2 MB of code, and 1 MB for each of two tables, of which only what is used is ever touched. */
#ifndef CSPROF_SLOTS
#define CSPROF_SLOTS 131072
#endif
#define CSPROF_SLOT_BYTES 16

#endif
