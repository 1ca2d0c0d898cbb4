/* The port for which this is compiled: only this file checks which CPU it is. cpu.h declares
 * what a port implements; its port.h has what the compiler must know:
 *
 *	csprof_raw_call     one system call, inlined: its result or a negative errno
 *	csprof_code_address the plain address of a saved return address, without a signature
 *	csprof_thread_pointer, CSPROF_DTV, CSPROF_TLS_BELOW  where thread-local variables are
 *	CSPROF_RELOC_SLOT, CSPROF_RELOC_DATA  relocations of imported functions
 *	CSPROF_CPU_AUDIT    AUDIT_ARCH_* of linux/audit.h, as system call filters see it
 *	CSPROF_CPU_UNWIND   prefix of the names of libunwind's functions for this CPU
 *	CSPROF_CPU_CURSOR   words in libunwind's cursor
 *	CSPROF_UNWIND_SP, CSPROF_UNWIND_IP   libunwind's numbers of these registers
 *	CSPROF_CPU_REGS     registers in a cursor, by their DWARF numbers
 *	CSPROF_REG_SP, CSPROF_REG_FP   the DWARF numbers of stack and frame pointer
 *	CSPROF_REG_RETURN   the return column of call frame information
 *	CSPROF_CFI_REGS     columns of call frame information that are kept
 *	CSPROF_CALLEE_SAVED bits of the registers that a call preserves, besides stack and frame
 *	                    pointer
 *	CSPROF_RED_ZONE     bytes below the stack pointer that a function may use
 *	CSPROF_CONTINUES_CALLS  whether last_call and call_restarts find system calls, so that a
 *	                    handler can continue those that it has interrupted
 *	CSPROF_RETURN_SLOT  whether calls push the return address, just below the CFA; else it
 *	                    is in register CSPROF_REG_RETURN until it is saved */
#ifndef RUNTIME_CPU_PORT_H
#define RUNTIME_CPU_PORT_H

#if defined(__x86_64__)
#include "runtime/cpu/x86_64/port.h"
#elif defined(__aarch64__)
#include "runtime/cpu/aarch64/port.h"
#else
#error "this CPU has no port: see runtime/cpu/README.md"
#endif

#endif
