#include "hpcprof/command/sandbox.h"

#include "formats/base/path.h"
#include "hpcprof/command/sanitizer.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <sched.h>
#include <seccomp.h>
#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- system calls ----------------------------------------------------------------------- */

/* What hpcprof and the libraries that it uses never need. */
static const int refused[] = {
    /* other programs and processes */
    SCMP_SYS(execve), SCMP_SYS(execveat), SCMP_SYS(fork), SCMP_SYS(vfork), SCMP_SYS(ptrace),
    SCMP_SYS(process_vm_readv), SCMP_SYS(process_vm_writev), SCMP_SYS(process_madvise),
    SCMP_SYS(pidfd_open), SCMP_SYS(pidfd_getfd), SCMP_SYS(pidfd_send_signal), SCMP_SYS(kcmp),
    SCMP_SYS(kill), SCMP_SYS(tkill), SCMP_SYS(rt_sigqueueinfo), SCMP_SYS(rt_tgsigqueueinfo),
    /* networks, and data and events between processes */
    SCMP_SYS(socket), SCMP_SYS(socketpair), SCMP_SYS(connect), SCMP_SYS(bind), SCMP_SYS(listen),
    SCMP_SYS(accept), SCMP_SYS(accept4), SCMP_SYS(sendmsg), SCMP_SYS(sendmmsg), SCMP_SYS(recvmsg),
    SCMP_SYS(recvmmsg), SCMP_SYS(shmget), SCMP_SYS(shmat), SCMP_SYS(msgget), SCMP_SYS(semget),
    SCMP_SYS(mq_open), SCMP_SYS(io_uring_setup), SCMP_SYS(userfaultfd), SCMP_SYS(perf_event_open),
    SCMP_SYS(bpf), SCMP_SYS(add_key), SCMP_SYS(keyctl), SCMP_SYS(request_key),
    /* the tree of files, and files by number */
    SCMP_SYS(mount), SCMP_SYS(umount2), SCMP_SYS(mount_setattr), SCMP_SYS(move_mount),
    SCMP_SYS(open_tree), SCMP_SYS(fsopen), SCMP_SYS(fsconfig), SCMP_SYS(fsmount), SCMP_SYS(fspick),
    SCMP_SYS(pivot_root), SCMP_SYS(chroot), SCMP_SYS(unshare), SCMP_SYS(setns),
    SCMP_SYS(open_by_handle_at), SCMP_SYS(mknod), SCMP_SYS(mknodat), SCMP_SYS(symlink),
    SCMP_SYS(symlinkat), SCMP_SYS(setxattr), SCMP_SYS(lsetxattr), SCMP_SYS(fsetxattr),
    SCMP_SYS(removexattr), SCMP_SYS(lremovexattr), SCMP_SYS(fremovexattr), SCMP_SYS(chown),
    SCMP_SYS(lchown), SCMP_SYS(fchown), SCMP_SYS(fchownat), SCMP_SYS(chmod), SCMP_SYS(fchmod),
    SCMP_SYS(fchmodat), SCMP_SYS(quotactl),
    /* users, and the system */
    SCMP_SYS(setuid), SCMP_SYS(setgid), SCMP_SYS(setreuid), SCMP_SYS(setregid), SCMP_SYS(setresuid),
    SCMP_SYS(setresgid), SCMP_SYS(setfsuid), SCMP_SYS(setfsgid), SCMP_SYS(setgroups),
    SCMP_SYS(capset), SCMP_SYS(personality), SCMP_SYS(init_module), SCMP_SYS(finit_module),
    SCMP_SYS(delete_module), SCMP_SYS(kexec_load), SCMP_SYS(kexec_file_load), SCMP_SYS(reboot),
    SCMP_SYS(swapon), SCMP_SYS(swapoff), SCMP_SYS(acct), SCMP_SYS(syslog), SCMP_SYS(settimeofday),
    SCMP_SYS(clock_settime), SCMP_SYS(adjtimex), SCMP_SYS(clock_adjtime), SCMP_SYS(sethostname),
    SCMP_SYS(setdomainname), SCMP_SYS(iopl), SCMP_SYS(ioperm)};

/* Rules about arguments. The kernel takes 32 bits of an ioctl's request. */
static int refuse_some(scmp_filter_ctx filter)
{
	const struct {
		int call;
		struct scmp_arg_cmp where;
	} some[] = {
	    {SCMP_SYS(clone), {0, SCMP_CMP_MASKED_EQ, CLONE_THREAD, 0}},
	    {SCMP_SYS(ioctl), {1, SCMP_CMP_MASKED_EQ, UINT32_MAX, TIOCSTI}},
	    {SCMP_SYS(ioctl), {1, SCMP_CMP_MASKED_EQ, UINT32_MAX, TIOCLINUX}},
	    /* raise and abort signal their own process */
	    {SCMP_SYS(tgkill), {0, SCMP_CMP_NE, (uint64_t)getpid(), 0}},
	};
	/* clone3 has its flags in memory; without it the C library uses clone */
	int rc = seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);

	for (size_t i = 0; rc == 0 && i < sizeof some / sizeof *some; i++)
		rc = seccomp_rule_add_array(filter, SCMP_ACT_ERRNO(EPERM), some[i].call, 1,
					    &some[i].where);
	return rc;
}

/* A call that this machine does not have is refused under no number. */
static void refuse_calls(void)
{
	const uint32_t how = SCMP_ACT_ERRNO(EPERM);
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
	int rc = 0;

	if (!filter)
		return;
	seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_ERRNO(ENOSYS));
	for (size_t i = 0; rc == 0 && i < sizeof refused / sizeof *refused; i++)
		rc = seccomp_rule_add(filter, how, refused[i], 0);
	if (rc == 0)
		rc = refuse_some(filter);
	if (rc == 0)
		seccomp_load(filter);
	seccomp_release(filter);
}

/* ---- files ------------------------------------------------------------------------------ */

/* Of kernels newer than the headers (landlock(7)). */
#ifndef LANDLOCK_ACCESS_FS_REFER
#define LANDLOCK_ACCESS_FS_REFER (1ULL << 13)
#endif
#ifndef LANDLOCK_ACCESS_FS_TRUNCATE
#define LANDLOCK_ACCESS_FS_TRUNCATE (1ULL << 14)
#endif
enum { ABI_REFER = 2, ABI_TRUNCATE = 3 };

static const uint64_t read_rights = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
/* Rights on a file, and those that a directory has, too. */
static const uint64_t write_file_rights =
    LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_TRUNCATE;
static const uint64_t write_rights = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_TRUNCATE |
				     LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_DIR |
				     LANDLOCK_ACCESS_FS_REMOVE_FILE;
static const uint64_t never = LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_REMOVE_DIR |
			      LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_SOCK |
			      LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_BLOCK |
			      LANDLOCK_ACCESS_FS_MAKE_SYM | LANDLOCK_ACCESS_FS_REFER;

/* Rules are added to fd, of rights that the kernel knows. */
struct ruleset {
	int fd;
	uint64_t known;
};

static struct ruleset begin_ruleset(void)
{
	struct ruleset r = {.known = read_rights | write_rights | never};
	long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
	struct landlock_ruleset_attr attr;

	if (abi < ABI_TRUNCATE)
		r.known &= ~LANDLOCK_ACCESS_FS_TRUNCATE;
	if (abi < ABI_REFER)
		r.known &= ~LANDLOCK_ACCESS_FS_REFER;
	attr = (struct landlock_ruleset_attr){.handled_access_fs = r.known};
	r.fd = abi < 1 ? -1 : (int)syscall(SYS_landlock_create_ruleset, &attr, sizeof attr, 0);
	return r;
}

static void permit(const struct ruleset *r, const char *path, uint64_t rights)
{
	struct landlock_path_beneath_attr attr = {.parent_fd = open(path, O_PATH | O_CLOEXEC),
						  .allowed_access = rights & r->known};
	struct stat st;

	if (attr.parent_fd < 0)
		return;
	if (fstat(attr.parent_fd, &st) == 0 && !S_ISDIR(st.st_mode))
		attr.allowed_access &= LANDLOCK_ACCESS_FS_READ_FILE | write_file_rights;
	syscall(SYS_landlock_add_rule, r->fd, LANDLOCK_RULE_PATH_BENEATH, &attr, 0);
	close(attr.parent_fd);
}

static void permit_folder_of(const struct ruleset *r, const char *path, uint64_t rights)
{
	size_t length = path_folder_length(path);
	char *folder = length ? strndup(path, length) : strdup(".");

	if (folder)
		permit(r, folder, rights);
	free(folder);
}

/* A file is made beside the one that it replaces, also where a link leads; a device is written
 * itself. */
static void permit_output(const struct ruleset *r, const char *path)
{
	char *target = realpath(path, NULL);
	struct stat st;
	bool there = stat(path, &st) == 0;

	if (there && !S_ISREG(st.st_mode)) {
		permit(r, path, write_rights);
	} else {
		permit_folder_of(r, path, write_rights);
		if (target)
			permit_folder_of(r, target, write_rights);
	}
	free(target);
}

static void keep_to_files(const char *const *outputs, size_t n)
{
	struct ruleset r = begin_ruleset();

	if (r.fd < 0)
		return;
	permit(&r, "/", read_rights);
	permit(&r, "/dev/null", write_file_rights);
	for (size_t i = 0; i < n; i++)
		permit_output(&r, outputs[i]);
	syscall(SYS_landlock_restrict_self, r.fd, 0);
	close(r.fd);
}

void sandbox_enter(const char *const *outputs, size_t n)
{
#ifdef WITH_SANITIZER
	return;
#endif
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return;
	if (outputs)
		keep_to_files(outputs, n);
	refuse_calls();
}
