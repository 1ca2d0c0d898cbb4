/* An interpreter for the programs that decide about system calls: classic BPF as seccomp accepts
 * it (linux/kernel/seccomp.c: seccomp_check_filter; linux/net/core/filter.c). */
#ifndef RUNTIME_SANDBOXES_BPF_H
#define RUNTIME_SANDBOXES_BPF_H

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdint.h>

/* Run the program of n instructions for a system call. Returns an action with its data
 * (SECCOMP_RET_*), or SECCOMP_RET_KILL_PROCESS for a program that the kernel would not accept.
 * Async-signal-safe. */
uint32_t csprof_bpf_run(const struct sock_filter *program, uint32_t n,
			const struct seccomp_data *call);

#endif
