/* The functions that the driver stands before. */
#include "runtime/plugins/io.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

/* ---- the functions that come after ours --------------------------------------------------- */

extern struct io_next __start_io_next[] __attribute__((visibility("hidden")));
extern struct io_next __stop_io_next[] __attribute__((visibility("hidden")));

void *io_find(struct io_next *n)
{
	if (!__atomic_load_n(&n->known, __ATOMIC_ACQUIRE)) {
		__atomic_store_n(&n->function, dlsym(RTLD_NEXT, n->name), __ATOMIC_RELAXED);
		__atomic_store_n(&n->known, 1, __ATOMIC_RELEASE);
	}
	return __atomic_load_n(&n->function, __ATOMIC_RELAXED);
}

__attribute__((constructor)) static void find_all(void)
{
	for (struct io_next *n = __start_io_next; n < __stop_io_next; n++)
		io_find(n);
}

#define NEXT(type, name, parameters)                                                               \
	IO_NEXT(-1, type, name, parameters)                                                        \
	uint64_t began = io_begin()

#define STAND_BEFORE(what, fd, type, name, parameters, arguments)                                  \
	type name parameters                                                                       \
	{                                                                                          \
		NEXT(type, name, parameters);                                                      \
		type done = next arguments;                                                        \
		if (began)                                                                         \
			io_end(began, what, fd, done);                                             \
		return done;                                                                       \
	}

/* ---- bytes -------------------------------------------------------------------------------- */

#define READS(name, parameters, arguments)                                                         \
	STAND_BEFORE(IO_READS, fd, ssize_t, name, parameters, arguments)
#define WRITES(name, parameters, arguments)                                                        \
	STAND_BEFORE(IO_WRITES, fd, ssize_t, name, parameters, arguments)
#define MOVES(fd, name, parameters, arguments)                                                     \
	STAND_BEFORE(IO_READS | IO_WRITES, fd, ssize_t, name, parameters, arguments)
typedef const struct iovec *pieces;

READS(read, (int fd, void *to, size_t n), (fd, to, n))
READS(pread, (int fd, void *to, size_t n, off_t at), (fd, to, n, at))
READS(pread64, (int fd, void *to, size_t n, off64_t at), (fd, to, n, at))
READS(readv, (int fd, pieces v, int n), (fd, v, n))
READS(preadv, (int fd, pieces v, int n, off_t at), (fd, v, n, at))
READS(preadv64, (int fd, pieces v, int n, off64_t at), (fd, v, n, at))
READS(preadv2, (int fd, pieces v, int n, off_t at, int flags), (fd, v, n, at, flags))
READS(preadv64v2, (int fd, pieces v, int n, off64_t at, int flags), (fd, v, n, at, flags))
READS(recv, (int fd, void *to, size_t n, int flags), (fd, to, n, flags))
READS(recvfrom,
      (int fd, void *restrict to, size_t n, int flags, struct sockaddr *restrict from,
       socklen_t *restrict length),
      (fd, to, n, flags, from, length))
READS(recvmsg, (int fd, struct msghdr *m, int flags), (fd, m, flags))

WRITES(write, (int fd, const void *from, size_t n), (fd, from, n))
WRITES(pwrite, (int fd, const void *from, size_t n, off_t at), (fd, from, n, at))
WRITES(pwrite64, (int fd, const void *from, size_t n, off64_t at), (fd, from, n, at))
WRITES(writev, (int fd, pieces v, int n), (fd, v, n))
WRITES(pwritev, (int fd, pieces v, int n, off_t at), (fd, v, n, at))
WRITES(pwritev64, (int fd, pieces v, int n, off64_t at), (fd, v, n, at))
WRITES(pwritev2, (int fd, pieces v, int n, off_t at, int flags), (fd, v, n, at, flags))
WRITES(pwritev64v2, (int fd, pieces v, int n, off64_t at, int flags), (fd, v, n, at, flags))
WRITES(send, (int fd, const void *from, size_t n, int flags), (fd, from, n, flags))
WRITES(sendto,
       (int fd, const void *from, size_t n, int flags, const struct sockaddr *to, socklen_t length),
       (fd, from, n, flags, to, length))
WRITES(sendmsg, (int fd, const struct msghdr *m, int flags), (fd, m, flags))
WRITES(vmsplice, (int fd, pieces v, size_t n, unsigned flags), (fd, v, n, flags))

/* From one file to another: what is read is written. The kind is that of the other one. */
MOVES(to, sendfile, (int to, int from, off_t *at, size_t n), (to, from, at, n))
MOVES(to, sendfile64, (int to, int from, off64_t *at, size_t n), (to, from, at, n))
MOVES(to, copy_file_range, (int from, off64_t *in, int to, off64_t *out, size_t n, unsigned flags),
      (from, in, to, out, n, flags))
MOVES(to, splice, (int from, off64_t *in, int to, off64_t *out, size_t n, unsigned flags),
      (from, in, to, out, n, flags))
MOVES(to, tee, (int from, int to, size_t n, unsigned flags), (from, to, n, flags))

/* As _FORTIFY_SOURCE calls them. */
ssize_t __read_chk(int fd, void *to, size_t n, size_t room);
ssize_t __pread_chk(int fd, void *to, size_t n, off_t at, size_t room);
ssize_t __pread64_chk(int fd, void *to, size_t n, off64_t at, size_t room);
ssize_t __recv_chk(int fd, void *to, size_t n, size_t room, int flags);
ssize_t __recvfrom_chk(int fd, void *to, size_t n, size_t room, int flags, struct sockaddr *from,
		       socklen_t *length);
READS(__read_chk, (int fd, void *to, size_t n, size_t room), (fd, to, n, room))
READS(__pread_chk, (int fd, void *to, size_t n, off_t at, size_t room), (fd, to, n, at, room))
READS(__pread64_chk, (int fd, void *to, size_t n, off64_t at, size_t room), (fd, to, n, at, room))
READS(__recv_chk, (int fd, void *to, size_t n, size_t room, int flags), (fd, to, n, room, flags))
READS(__recvfrom_chk,
      (int fd, void *to, size_t n, size_t room, int flags, struct sockaddr *from,
       socklen_t *length),
      (fd, to, n, room, flags, from, length))

/* ---- several messages --------------------------------------------------------------------- */

static ssize_t sum(const struct mmsghdr *messages, int n)
{
	ssize_t bytes = n < 0 ? -1 : 0;
	for (int i = 0; i < n; i++)
		bytes += (ssize_t)messages[i].msg_len;
	return bytes;
}

int recvmmsg(int fd, struct mmsghdr *messages, unsigned n, int flags, struct timespec *limit)
{
	NEXT(int, recvmmsg, (int, struct mmsghdr *, unsigned, int, struct timespec *));
	int done = next(fd, messages, n, flags, limit);
	if (began)
		io_end(began, IO_READS, fd, sum(messages, done));
	return done;
}

int sendmmsg(int fd, struct mmsghdr *messages, unsigned n, int flags)
{
	NEXT(int, sendmmsg, (int, struct mmsghdr *, unsigned, int));
	int done = next(fd, messages, n, flags);
	if (began)
		io_end(began, IO_WRITES, fd, sum(messages, done));
	return done;
}

/* ---- the disk ----------------------------------------------------------------------------- */

#define SYNCS(fd, name, parameters, arguments)                                                     \
	STAND_BEFORE(IO_SYNCS, fd, int, name, parameters, arguments)

SYNCS(fd, fsync, (int fd), (fd))
SYNCS(fd, fdatasync, (int fd), (fd))
SYNCS(fd, syncfs, (int fd), (fd))
SYNCS(fd, sync_file_range, (int fd, off64_t at, off64_t bytes, unsigned flags),
      (fd, at, bytes, flags))
SYNCS(-1, msync, (void *at, size_t n, int flags), (at, n, flags))

static int sync_all(void)
{
	NEXT(void, sync, (void));
	next();
	if (began)
		io_end(began, IO_SYNCS, -1, 0);
	return 0;
}

void sync(void)
{
	sync_all();
}
