/* What a descriptor is that a call waits for. */
#include "formats/identity/kernel.h"
#include "runtime/os/linux/call.h"
#include "runtime/os/os.h"

#include <fcntl.h>
#include <stdbool.h>
#include <sys/stat.h>

static bool may_wait_for(int call)
{
	switch (call) {
	case SYS_read:
	case SYS_write:
	case SYS_readv:
	case SYS_writev:
	case SYS_pread64:
	case SYS_pwrite64:
	case SYS_preadv:
	case SYS_pwritev:
	case SYS_preadv2:
	case SYS_pwritev2:
	case SYS_sendfile:
	case SYS_splice:
	case SYS_tee:
	case SYS_vmsplice:
	case SYS_ioctl:
		return true;
	default:
		return false;
	}
}

/* By their major numbers (Documentation/admin-guide/devices.txt). */
static bool is_terminal(uint32_t major)
{
	enum {
		TTY = 4,
		CONSOLE = 5,
		PTY_FIRST = 136,
		PTY_LAST = 143,
		ACM = 166,
		USB = 188,
		HYPERVISOR = 229
	};
	return major == TTY || major == CONSOLE || (major >= PTY_FIRST && major <= PTY_LAST) ||
	       major == ACM || major == USB || major == HYPERVISOR;
}

static enum csp_descriptor kind(const struct statx *st)
{
	switch (st->stx_mode & S_IFMT) {
	case S_IFREG:
	case S_IFDIR:
		return CSP_DESCRIPTOR_FILE;
	case S_IFSOCK:
		return CSP_DESCRIPTOR_SOCKET;
	case S_IFIFO:
		return CSP_DESCRIPTOR_PIPE;
	case S_IFCHR:
		return is_terminal(st->stx_rdev_major) ? CSP_DESCRIPTOR_TERMINAL
						       : CSP_DESCRIPTOR_DEVICE;
	case S_IFBLK:
		return CSP_DESCRIPTOR_DEVICE;
	default:
		return CSP_DESCRIPTOR_EVENT;
	}
}

unsigned os_descriptor(int call, const long *args)
{
	struct statx st = {.stx_mask = 0};
	if (!may_wait_for(call) ||
	    CALL(SYS_statx, args[0], "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_TYPE, &st) < 0)
		return CSP_DESCRIPTOR_NONE;
	return kind(&st);
}
