/* Of the x86-64 port: csprof_cpu.end_unmade (cpu.h). Async-signal-safe. */
#ifndef RUNTIME_CPU_X86_64_UNMADE_H
#define RUNTIME_CPU_X86_64_UNMADE_H

void csprof_cpu_end_unmade(void *ucontext);

#endif
