/* The pseudo-module that stands for the kernel. A node whose ip is in it says what the kernel did
 * for the frame that is the node's parent: its ip is CSP_KERNEL_BASE + machine <<
 * CSP_KERNEL_SHIFT + an activity, which is the number of a system call of that machine, or one of
 * the others below. A call may carry what its descriptor was, << CSP_KERNEL_DESCRIPTOR. The machine
 * is ELF's e_machine. No CPU can have memory at such an address. This header contains no code. */
#ifndef FORMATS_IDENTITY_KERNEL_H
#define FORMATS_IDENTITY_KERNEL_H

#define CSP_MODULE_KERNEL "[kernel]"
#define CSP_KERNEL_BASE 0x3ff0000000000000ull
#define CSP_KERNEL_EXTENT (1ull << 32)

enum {
	CSP_KERNEL_SHIFT = 16,
	CSP_KERNEL_ACTIVITY = (1 << CSP_KERNEL_SHIFT) - 1, /* its bits */
	CSP_KERNEL_CALL = 0x8000,                          /* a system call, number not known */
	CSP_KERNEL_FAULT = 0x8001,                         /* a page fault */
	CSP_KERNEL_STOP = 0x8002,                          /* stopped by a signal or a debugger */
	CSP_KERNEL_DESCRIPTOR = 12                         /* numbers of calls are below this bit */
};

enum csp_descriptor {
	CSP_DESCRIPTOR_NONE, /* or not known */
	CSP_DESCRIPTOR_FILE, /* or a directory */
	CSP_DESCRIPTOR_SOCKET,
	CSP_DESCRIPTOR_PIPE,
	CSP_DESCRIPTOR_TERMINAL,
	CSP_DESCRIPTOR_DEVICE,
	CSP_DESCRIPTOR_EVENT, /* without an inode of its own: eventfd, timerfd, inotify and so on */
	CSP_DESCRIPTORS       /* at most 8 */
};

#endif
