/* Decodes x86-64 instructions for value profiles: see insn.h. */
#ifndef RUNTIME_CPU_X86_64_DECODE_H
#define RUNTIME_CPU_X86_64_DECODE_H

#include "runtime/cpu/insn.h"

bool csprof_x86_decode(const uint8_t *code, size_t most, struct csprof_insn *insn);

#endif
