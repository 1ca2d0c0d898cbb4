/* The programs that decide about system calls: classic BPF as seccomp takes it
 * (linux/kernel/seccomp.c: seccomp_check_filter; linux/net/core/filter.c). */
#ifndef RUNTIME_BPF_H
#define RUNTIME_BPF_H

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdint.h>

/* What the program of n instructions returns for a system call: an action with its data
 * (SECCOMP_RET_*). A program that the kernel would not take returns
 * SECCOMP_RET_KILL_PROCESS. Async-signal-safe. */
uint32_t csprof_bpf_run(const struct sock_filter *program, uint32_t n,
			const struct seccomp_data *call);

#endif
