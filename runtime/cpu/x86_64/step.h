/* Single steps of x86-64: see cpu.h. */
#ifndef RUNTIME_CPU_X86_64_STEP_H
#define RUNTIME_CPU_X86_64_STEP_H

#include "runtime/cpu/cpu.h"

extern const struct csprof_stepping csprof_x86_stepping;

#endif
