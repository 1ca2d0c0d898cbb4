/* Files of the OS contract on Linux: datafiles and the store's file. */
#include "formats/encode.h"
#include "runtime/os/linux/call.h"
#include "runtime/os/os.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <signal.h>
#include <errno.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>

static int create(const char *path)
{
	return (int)CALL(SYS_openat, AT_FDCWD, path,
			 O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
}

int os_create(const char *path)
{
	struct rlimit64 limit = {0, 0}, wide;
	int fd = create(path);
	if (fd != -EMFILE || CALL(SYS_prlimit64, 0, RLIMIT_NOFILE, NULL, &limit) < 0)
		return fd;
	wide = limit;
	wide.rlim_cur = limit.rlim_max;
	CALL(SYS_prlimit64, 0, RLIMIT_NOFILE, &wide, NULL);
	fd = create(path);
	CALL(SYS_prlimit64, 0, RLIMIT_NOFILE, &limit, NULL);
	return fd;
}

int os_open_append(const char *path)
{
	return (int)CALL(SYS_openat, AT_FDCWD, path,
			 O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
}

int os_open_read(const char *path)
{
	return (int)CALL(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
}

int os_read(int fd, void *bytes, size_t n)
{
	long r;
	do
		r = CALL(SYS_read, fd, bytes, n);
	while (r == -EINTR);
	return (int)r;
}

static int write_all(int fd, const char *p, size_t n)
{
	while (n > 0) {
		long r = CALL(SYS_write, fd, p, n);
		if (r == -EINTR)
			continue;
		if (r <= 0)
			return r < 0 ? (int)r : -EIO;
		p += r;
		n -= (size_t)r;
	}
	return 0;
}

/* Writing may raise these; their default action kills. */
#define WRITE_SIGNALS (bit_of(SIGXFSZ) | bit_of(SIGPIPE))

/* After a write with WRITE_SIGNALS blocked: discard a signal that it raised and restore the mask
 * before. Returns r. */
static int take_back(int r, uint64_t before)
{
	uint64_t fatal = WRITE_SIGNALS;
	if (r == -EFBIG || r == -EPIPE) {
		struct timespec now = {0, 0};
		CALL(SYS_rt_sigtimedwait, &fatal, NULL, &now, sizeof fatal);
	}
	change_mask(SIG_SETMASK, before);
	return r;
}

int os_write(int fd, const void *bytes, size_t n)
{
	uint64_t before = change_mask(SIG_BLOCK, WRITE_SIGNALS);
	return take_back(write_all(fd, bytes, n), before);
}

int os_close(int fd)
{
	return (int)CALL(SYS_close, fd);
}

int os_close_range(unsigned first, unsigned last, int flags)
{
	return (int)CALL(SYS_close_range, first, last, flags);
}

int os_rename(const char *from, const char *to)
{
	return (int)CALL(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

int os_rename_new(const char *from, const char *to)
{
	long r = CALL(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE);
	if (r != -EINVAL)
		return (int)r;
	/* a file system without this flag: a link never replaces, either */
	r = CALL(SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0);
	return r < 0 ? (int)r : os_unlink(from);
}

bool os_exists(const char *path)
{
	return CALL(SYS_faccessat, AT_FDCWD, path, F_OK) == 0;
}

bool os_can_read(const char *path)
{
	return CALL(SYS_faccessat, AT_FDCWD, path, R_OK) == 0;
}

/* The kernel knows the path of a descriptor. */
int os_real_path(const char *path, char *out, size_t size)
{
	char link[40] = "/proc/self/fd/";
	int fd = (int)CALL(SYS_openat, AT_FDCWD, path, O_PATH | O_CLOEXEC);
	if (fd < 0)
		return fd;
	csp_format_u64(link + strlen(link), (uint64_t)fd); /* zeros follow */
	long n = CALL(SYS_readlinkat, AT_FDCWD, link, out, size - 1);
	os_close(fd);
	if (n > 0)
		out[n] = '\0';
	return n > 0 ? (int)n : n < 0 ? (int)n : -ENOENT;
}

bool os_is_file(const char *path)
{
	struct stat st;
	return CALL(SYS_newfstatat, AT_FDCWD, path, &st, 0) == 0 && S_ISREG(st.st_mode);
}

int os_unlink(const char *path)
{
	return (int)CALL(SYS_unlinkat, AT_FDCWD, path, 0);
}

/* ---- the store's file ---- */

/* Programs that go through all their descriptors, to close or count them, stop at the limit. If
 * it can be raised for a moment, ours can be above it; only while there is one thread, because
 * no other may see or set the limit in the meantime. */
static long above_limit(int fd, const struct rlimit64 *limit)
{
	enum { SMALL = 256, LARGE = 4096, SPARE = 64 };
	struct rlimit64 raised = {limit->rlim_cur + SPARE, limit->rlim_max};
	if (limit->rlim_cur < SMALL || limit->rlim_cur > LARGE ||
	    raised.rlim_cur > limit->rlim_max ||
	    CALL(SYS_prlimit64, 0, RLIMIT_NOFILE, &raised, NULL) < 0)
		return -1;
	long up = CALL(SYS_fcntl, fd, F_DUPFD_CLOEXEC, limit->rlim_cur);
	CALL(SYS_prlimit64, 0, RLIMIT_NOFILE, limit, NULL);
	return up;
}

int os_move_up(int fd, bool alone)
{
	struct rlimit64 limit = {1024, 1024};
	CALL(SYS_prlimit64, 0, RLIMIT_NOFILE, NULL, &limit);
	uint64_t from = limit.rlim_cur / 2 < 512 ? limit.rlim_cur / 2 : 512;
	long up = alone ? above_limit(fd, &limit) : -1;
	if (up < 0)
		up = CALL(SYS_fcntl, fd, F_DUPFD_CLOEXEC, from);
	if (up < 0)
		return fd;
	os_close(fd);
	return (int)up;
}

static bool same_file(int fd, const struct os_file *f)
{
	struct stat st;
	return CALL(SYS_newfstatat, fd, "", &st, AT_EMPTY_PATH) == 0 && st.st_dev == f->device &&
	       st.st_ino == f->inode;
}

int os_file_of(int fd, struct os_file *f)
{
	struct stat st;
	long r = CALL(SYS_newfstatat, fd, "", &st, AT_EMPTY_PATH);
	if (r == 0)
		*f = (struct os_file){fd, st.st_dev, st.st_ino};
	return (int)r;
}

bool os_file_is_open(const struct os_file *f)
{
	return same_file(f->fd, f);
}

int os_file_create(const char *path, struct os_file *f)
{
	long fd = CALL(SYS_openat, AT_FDCWD, path,
		       O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return (int)fd;
	fd = os_move_up((int)fd, true);
	int r = os_file_of((int)fd, f);
	if (r < 0) {
		os_close((int)fd);
		return r;
	}
	CALL(SYS_flock, f->fd, LOCK_EX | LOCK_NB);
	return 0;
}

void os_file_close(struct os_file *f)
{
	if (os_file_is_open(f))
		os_close(f->fd);
	f->fd = -1;
}

/* fallocate, or zeros if the file system does not support it. */
static int reserve(int fd, uint64_t offset, size_t bytes)
{
	static const char zeros[4096];
	/* it gives up, and back what it had, when any signal is pending */
	uint64_t before = change_mask(SIG_BLOCK, ~(uint64_t)0);
	long r;
	do
		r = CALL(SYS_fallocate, fd, 0, offset, bytes);
	while (r == -EINTR);
	if (r == -EOPNOTSUPP) {
		r = 0;
		for (size_t done = 0; r >= 0 && done < bytes; done += sizeof zeros)
			r = CALL(SYS_pwrite64, fd, zeros, sizeof zeros, offset + done);
		r = r < 0 ? r : 0;
	}
	return take_back((int)r, before);
}

/* Who finds no space in shared memory gets SIGBUS, and a container may have 64 MB of it. */
static bool leaves_enough(int fd, size_t bytes)
{
	enum { KEPT = 4 };
	struct statfs fs;
	if (CALL(SYS_fstatfs, fd, &fs) < 0 || fs.f_type != TMPFS_MAGIC || !fs.f_blocks)
		return true;
	uint64_t free = (uint64_t)fs.f_bavail * (uint64_t)fs.f_bsize;
	return free >= bytes + fs.f_blocks / KEPT * (uint64_t)fs.f_bsize;
}

void *os_file_map(const struct os_file *f, const char *path, uint64_t offset, size_t bytes)
{
	int fd = f->fd;
	bool same = os_file_is_open(f);
	if (!same) { /* the program has closed it */
		fd = (int)CALL(SYS_openat, AT_FDCWD, path, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
		if (fd < 0)
			return NULL;
		same = same_file(fd, f);
	}
	void *p = NULL;
	if (same && leaves_enough(fd, bytes) && reserve(fd, offset, bytes) == 0)
		p = mapped(CALL(SYS_mmap, NULL, bytes, PROT_READ | PROT_WRITE,
				MAP_SHARED | MAP_POPULATE, fd, offset));
	if (fd != f->fd)
		os_close(fd);
	return p;
}

int os_make_directory(const char *path, unsigned mode)
{
	return (int)CALL(SYS_mkdirat, AT_FDCWD, path, mode);
}

int os_symlink(const char *target, const char *path)
{
	return (int)CALL(SYS_symlinkat, target, AT_FDCWD, path);
}

/* Call each for the names in the directory fd, until it returns false. Returns whether it never
 * did. */
static bool each_name(int fd, bool (*each)(int fd, const char *name, void *arg), void *arg)
{
	struct entry {
		uint64_t inode;
		int64_t next;
		uint16_t bytes;
		uint8_t type;
		char name[];
	};
	_Alignas(struct entry) char entries[1024];
	long n;
	while ((n = CALL(SYS_getdents64, fd, entries, sizeof entries)) > 0)
		for (long i = 0; i < n;) {
			const struct entry *e = (const struct entry *)(entries + i);
			i += e->bytes;
			if (strcmp(e->name, ".") == 0 || strcmp(e->name, "..") == 0)
				continue;
			if (!each(fd, e->name, arg))
				return false;
		}
	return n == 0;
}

static bool is_number(const char *name)
{
	return name[strspn(name, "0123456789")] == '\0';
}

static bool remove_user(int fd, const char *name, void *arg)
{
	(void)arg;
	return is_number(name) && CALL(SYS_unlinkat, fd, name, AT_REMOVEDIR) == 0;
}

/* The directories of other users (os_make_directory_for), which are empty; false if there is
 * anything else in the directory fd. */
static bool remove_users(int fd)
{
	return each_name(fd, remove_user, NULL);
}

struct threads {
	void (*each)(uint32_t tid, void *arg);
	void *arg;
};

static bool tell_thread(int fd, const char *name, void *arg)
{
	const struct threads *t = arg;
	uint32_t tid = 0;
	(void)fd;
	if (!is_number(name))
		return true;
	for (; *name; name++)
		tid = tid * 10 + (uint32_t)(*name - '0');
	t->each(tid, t->arg);
	return true;
}

int os_threads(void (*each)(uint32_t tid, void *arg), void *arg)
{
	struct threads t = {each, arg};
	long fd = CALL(SYS_openat, AT_FDCWD, "/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return (int)fd;
	bool whole = each_name((int)fd, tell_thread, &t);
	os_close((int)fd);
	return whole ? 0 : -EIO;
}

int os_arguments(char *out, size_t size)
{
	int n = 0, got, fd = os_open_read("/proc/self/cmdline");
	if (fd < 0)
		return 0;
	while ((size_t)n < size && (got = os_read(fd, out + n, size - (size_t)n)) > 0)
		n += got;
	os_close(fd);
	return n;
}

/* The lock is let go before: who fails to get it because of us has unlinked his own file before,
 * and leaves it to us to find the directory empty. A launcher that has let go of its lock takes it
 * no more. */
bool os_remove_idle_directory(const char *path, bool with_users)
{
	long fd = CALL(SYS_openat, AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return false;
	long r = CALL(SYS_flock, fd, LOCK_EX | LOCK_NB);
	if (r == 0)
		r = CALL(SYS_flock, fd, LOCK_UN);
	if (r == 0)
		r = CALL(SYS_unlinkat, AT_FDCWD, path, AT_REMOVEDIR);
	if (r == -ENOTEMPTY && with_users && remove_users((int)fd))
		r = CALL(SYS_unlinkat, AT_FDCWD, path, AT_REMOVEDIR);
	os_close((int)fd);
	return r == 0;
}

/* ---- users ---- */

uint32_t os_user(void)
{
	return (uint32_t)CALL(SYS_geteuid);
}

bool os_gains_rights(const char *path)
{
	struct stat st;
	char capabilities[64];
	if (CALL(SYS_newfstatat, AT_FDCWD, path, &st, 0) != 0)
		return false;
	return (st.st_mode & S_ISUID && st.st_uid != (uid_t)CALL(SYS_geteuid)) ||
	       (st.st_mode & S_ISGID && st.st_gid != (gid_t)CALL(SYS_getegid)) ||
	       (CALL(SYS_getuid) != 0 && CALL(SYS_getxattr, path, "security.capability",
					      capabilities, sizeof capabilities) > 0);
}

/* The only line of /proc/self/uid_map there: each number is itself. */
bool os_users_are_all(void)
{
	char text[64];
	const char *p = text;
	int fd = os_open_read("/proc/self/uid_map");
	int n = fd < 0 ? 0 : os_read(fd, text, sizeof text - 1);
	if (fd >= 0)
		os_close(fd);
	text[n > 0 ? n : 0] = '\0';
	static const char *const numbers[] = {"0", "0", "4294967295"};
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		p += strspn(p, " ");
		size_t digits = strspn(p, "0123456789");
		if (digits != strlen(numbers[i]) || memcmp(p, numbers[i], digits) != 0)
			return false;
		p += digits;
	}
	return true;
}

void os_make_directory_for(const char *path, uint32_t user)
{
	CALL(SYS_mkdirat, AT_FDCWD, path, 0700);
	/* also if another process has just made it, and gives it away afterwards */
	CALL(SYS_fchownat, AT_FDCWD, path, user, -1, AT_SYMLINK_NOFOLLOW);
}
