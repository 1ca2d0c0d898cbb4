/* For tests of hpcrun --driver io: reads and writes in every way that it sees, in functions of
 *their own, and says what it has read and written: "KIND FUNCTION READ CALLS WRITTEN CALLS SYNCS",
 *of each function, in bytes.
 *
 *	io MODE [FOLDER]	files are in FOLDER, which is the current one by default
 *
 *	all			one thread, all calls
 *	threads			the same in 4 threads at once
 *	fork			before and after a fork, in both, and in a vfork child
 *	handler			writes in a handler of signals, which interrupts other writes
 *	cancel			threads that are cancelled in reads
 *	errors			calls that fail, and what errno is then
 *	exit			leaves its output in buffers, one of which another thread has locked
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wchar.h>

#define APART __attribute__((noinline, noclone))

static const char *folder = ".";
static __thread char text[8192];
static __thread volatile unsigned sink;

/* What a function has done. The name is that of the caller of said(). */
struct done {
	long read, reads, written, writes, syncs;
};

static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
static char said_text[1 << 16];
static size_t said_bytes;

static void said(const char *kind, const char *function, struct done d)
{
	pthread_mutex_lock(&one_at_a_time);
	said_bytes += (size_t)snprintf(said_text + said_bytes, sizeof said_text - said_bytes,
				       "%s %s %ld %ld %ld %ld %ld\n", kind, function, d.read,
				       d.reads, d.written, d.writes, d.syncs);
	pthread_mutex_unlock(&one_at_a_time);
	sink = sink + 1;
}
#define SAID(kind, ...) said(kind, __func__, (struct done){__VA_ARGS__})

/* At the end, by a call that no library sees. */
static void say_all(void)
{
	for (size_t at = 0; at < said_bytes;) {
		ssize_t n = syscall(SYS_write, STDOUT_FILENO, said_text + at, said_bytes - at);
		if (n <= 0)
			return;
		at += (size_t)n;
	}
	said_bytes = 0;
}

static void must(bool good, const char *what)
{
	if (good)
		return;
	perror(what);
	exit(1);
}

static int open_file(const char *name)
{
	char path[4096];
	snprintf(path, sizeof path, "%s/%s.%d.%lx", folder, name, (int)getpid(),
		 (unsigned long)pthread_self());
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	must(fd >= 0, path);
	unlink(path);
	return fd;
}

/* ---- regular files -------------------------------------------------------------------------- */

APART static void by_write(int fd)
{
	must(write(fd, text, 1000) == 1000 && write(fd, text, 1) == 1, "write");
	struct iovec v[2] = {{text, 10}, {text, 20}};
	must(writev(fd, v, 2) == 30, "writev");
	SAID("regular", .written = 1031, .writes = 3);
}

APART static void by_pwrite(int fd)
{
	struct iovec v[2] = {{text, 100}, {text, 200}};
	must(pwrite(fd, text, 500, 5000) == 500 && pwrite64(fd, text, 7, 5000) == 7 &&
		 pwritev(fd, v, 2, 100) == 300 && pwritev64(fd, v, 1, 100) == 100 &&
		 pwritev2(fd, v, 1, 0, 0) == 100 && pwritev64v2(fd, v, 1, 0, 0) == 100,
	     "pwrite");
	SAID("regular", .written = 1107, .writes = 6);
}

APART static void by_read(int fd)
{
	struct iovec v[2] = {{text, 10}, {text + 10, 20}};
	lseek(fd, 0, SEEK_SET);
	must(read(fd, text, 100) == 100 && readv(fd, v, 2) == 30, "read");
	lseek(fd, 0, SEEK_END);
	must(read(fd, text, 100) == 0, "end");
	SAID("regular", .read = 130, .reads = 3);
}

APART static void by_pread(int fd)
{
	struct iovec v[2] = {{text, 100}, {text + 100, 200}};
	must(pread(fd, text, 300, 0) == 300 && pread64(fd, text, 11, 3) == 11 &&
		 preadv(fd, v, 2, 0) == 300 && preadv64(fd, v, 1, 0) == 100 &&
		 preadv2(fd, v, 1, 0, 0) == 100 && preadv64v2(fd, v, 1, 0, 0) == 100,
	     "pread");
	SAID("regular", .read = 911, .reads = 6);
}

APART static void by_sync(int fd)
{
	must(fsync(fd) == 0 && fdatasync(fd) == 0 && sync_file_range(fd, 0, 4096, 2) == 0, "fsync");
	SAID("regular", .syncs = 3);
}

APART static void by_copy(int from, int to)
{
	off64_t at = 0, in = 0, out = 0;
	must(sendfile(to, from, NULL, 0) == 0 && sendfile64(to, from, &at, 600) == 600 &&
		 copy_file_range(from, &in, to, &out, 400, 0) == 400,
	     "copy");
	SAID("regular", .read = 1000, .reads = 3, .written = 1000, .writes = 3);
}

/* ---- pipes, sockets and others -------------------------------------------------------------- */

APART static void by_pipe(int file)
{
	int p[2], q[2];
	off64_t at = 0;
	struct iovec v = {text, 50};
	must(pipe(p) == 0 && pipe(q) == 0, "pipe");
	must(write(p[1], text, 64) == 64 && read(p[0], text, 100) == 64, "through a pipe");
	must(splice(file, &at, p[1], NULL, 128, 0) == 128 && tee(p[0], q[1], 128, 0) == 128 &&
		 read(p[0], text, 200) == 128 && read(q[0], text, 200) == 128 &&
		 vmsplice(q[1], &v, 1, 0) == 50,
	     "splice");
	for (int i = 0; i < 2; i++)
		close(p[i]), close(q[i]);
	SAID("pipe", .read = 64 + 128 + 128 + 128 + 128, .reads = 5, .written = 64 + 128 + 128 + 50,
	     .writes = 4);
}

APART static void by_socket(void)
{
	int s[2];
	struct iovec v[2] = {{text, 30}, {text + 30, 40}};
	struct msghdr m = {.msg_iov = v, .msg_iovlen = 2};
	struct mmsghdr all[3] = {{.msg_hdr = m}, {.msg_hdr = m}, {.msg_hdr = m}};
	must(socketpair(AF_UNIX, SOCK_DGRAM, 0, s) == 0, "socketpair");
	must(send(s[0], text, 10, 0) == 10 && recv(s[1], text, 100, 0) == 10, "send");
	must(sendto(s[0], text, 20, 0, NULL, 0) == 20 &&
		 recvfrom(s[1], text, 100, 0, NULL, NULL) == 20,
	     "sendto");
	must(sendmsg(s[0], &m, 0) == 70 && recvmsg(s[1], &m, 0) == 70, "sendmsg");
	must(sendmmsg(s[0], all, 3, 0) == 3 && recvmmsg(s[1], all, 3, 0, NULL) == 3, "sendmmsg");
	must(write(s[0], text, 5) == 5 && read(s[1], text, 100) == 5, "by write");
	close(s[0]);
	close(s[1]);
	SAID("socket", .read = 10 + 20 + 70 + 210 + 5, .reads = 5,
	     .written = 10 + 20 + 70 + 210 + 5, .writes = 5);
}

APART static void by_event(void)
{
	uint64_t n = 3;
	int fd = eventfd(0, 0);
	must(write(fd, &n, sizeof n) == sizeof n && read(fd, &n, sizeof n) == sizeof n, "eventfd");
	close(fd);
	SAID("other", .read = 8, .reads = 1, .written = 8, .writes = 1);
}

APART static void by_device(void)
{
	int fd = open("/dev/zero", O_RDWR);
	must(read(fd, text, 500) == 500 && write(fd, text, 300) == 300, "/dev/zero");
	close(fd);
	SAID("device", .read = 500, .reads = 1, .written = 300, .writes = 1);
}

APART static void by_terminal(void)
{
	int fd = posix_openpt(O_RDWR | O_NOCTTY);
	if (fd < 0)
		return;
	must(grantpt(fd) == 0 && unlockpt(fd) == 0, "unlockpt");
	int line = open(ptsname(fd), O_RDWR | O_NOCTTY);
	if (line < 0)
		return;
	must(write(line, "abc", 3) == 3 && read(fd, text, 100) == 3, "terminal");
	close(line);
	close(fd);
	SAID("terminal", .read = 3, .reads = 1, .written = 3, .writes = 1);
}

APART static void by_mapping(int fd)
{
	char *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	must(at != MAP_FAILED, "mmap");
	at[0] = 'x';
	must(msync(at, 4096, MS_SYNC) == 0, "msync");
	munmap(at, 4096);
	SAID("-", .syncs = 1);
}

/* ---- streams -------------------------------------------------------------------------------- */

/* By blocks of its buffer's size. */
APART static void by_stream(int fd)
{
	FILE *f = fdopen(dup(fd), "r+");
	static __thread char buffer[4096];
	setvbuf(f, buffer, _IOFBF, sizeof buffer);
	rewind(f);
	must(fwrite(text, 1, 4096, f) == 4096 && fputs("end", f) >= 0 && fflush(f) == 0, "fwrite");
	rewind(f);
	long reads = 0, got = 0;
	while (getc(f) != EOF)
		reads += got++ % 4096 == 0;
	fclose(f);
	/* one more call finds the end */
	SAID("regular", .read = got, .reads = reads + 1, .written = 4099, .writes = 2);
}

APART static void by_wide_stream(void)
{
	int fd = open_file("wide");
	FILE *f = fdopen(fd, "w");
	must(fwprintf(f, L"%ls", L"wide") == 4 && fclose(f) == 0, "fwprintf");
	SAID("regular", .written = 4, .writes = 1);
}

APART static void by_popen(void)
{
	FILE *f = popen("echo hello", "r");
	must(f && fgets(text, 100, f) && strcmp(text, "hello\n") == 0 && !fgets(text, 100, f),
	     "popen");
	must(pclose(f) == 0, "pclose");
	SAID("pipe", .read = 6, .reads = 2);
}

/* ---- all ------------------------------------------------------------------------------------ */

static void *all(void *streams)
{
	int fd = open_file("a"), to = open_file("b");
	by_write(fd);
	by_pwrite(fd);
	by_read(fd);
	by_pread(fd);
	by_sync(fd);
	by_copy(fd, to);
	by_pipe(fd);
	by_socket();
	by_event();
	by_device();
	by_terminal();
	by_mapping(fd);
	must(ftruncate(to, 0) == 0, "ftruncate");
	by_stream(to);
	by_wide_stream();
	if (streams)
		by_popen();
	close(fd);
	close(to);
	return NULL;
}

static void in_threads(void)
{
	pthread_t threads[4];
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, all, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
}

APART static void in_vfork_child(int fd)
{
	pid_t pid = vfork(); /* NOLINT: its writes are recorded, too */
	if (pid == 0) {
		/* NOLINTNEXTLINE(clang-analyzer-unix.Vfork) */
		ssize_t n = write(fd, text, 77);
		_exit(n != 77);
	}
	int status;
	must(waitpid(pid, &status, 0) == pid && status == 0, "vfork");
	SAID("regular", .written = 77, .writes = 1);
}

static void forked(void)
{
	int fd = open_file("forked");
	by_write(fd);
	in_vfork_child(fd);
	pid_t pid = fork();
	int status;
	if (pid == 0)
		said_bytes = 0; /* the parent's */
	by_write(fd);
	if (pid == 0) {
		by_read(fd);
		say_all();
		exit(0);
	}
	must(waitpid(pid, &status, 0) == pid && status == 0, "fork");
}

static int handled_fd;
static volatile sig_atomic_t handled;

static void handler(int sig)
{
	(void)sig;
	ssize_t n = write(handled_fd, "h", 1);
	handled += n == 1;
}

APART static void interrupted(void)
{
	struct sigaction act = {.sa_handler = handler, .sa_flags = SA_RESTART};
	struct itimerval often = {{0, 500}, {0, 500}}, never = {{0, 0}, {0, 0}};
	handled_fd = open_file("handled");
	int fd = open_file("interrupted");
	sigaction(SIGALRM, &act, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	long n = 0;
	while (handled < 300 && n < 10 * 1000 * 1000) {
		must(write(fd, text, 2) == 2, "write");
		n++;
		if (n % 1000 == 0)
			must(ftruncate(fd, 0) == 0, "ftruncate");
	}
	setitimer(ITIMER_REAL, &never, NULL);
	SAID("regular", .written = 2 * n + handled, .writes = n + handled);
}

static void *reader(void *arg)
{
	ssize_t n = read(*(int *)arg, text, sizeof text);
	return (void *)n;
}

static void cancelled(void)
{
	int p[2];
	must(pipe(p) == 0, "pipe");
	for (int i = 0; i < 20; i++) {
		pthread_t thread;
		void *result;
		pthread_create(&thread, NULL, reader, &p[0]);
		usleep(1000);
		pthread_cancel(thread);
		pthread_join(thread, &result);
		must(result == PTHREAD_CANCELED, "cancelled");
	}
	by_socket();
}

APART static void by_failures(void)
{
	int p[2];
	static void *volatile nowhere = (void *)8;
	must(pipe2(p, O_NONBLOCK) == 0, "pipe");
	must(read(-1, text, 1) == -1 && errno == EBADF && read(p[0], text, 1) == -1 &&
		 errno == EAGAIN && write(p[1], nowhere, 1) == -1 && errno == EFAULT &&
		 fsync(p[0]) == -1 && errno == EINVAL && pread(p[0], text, 1, 0) == -1 &&
		 errno == ESPIPE,
	     "errors");
	signal(SIGPIPE, SIG_IGN);
	close(p[0]);
	must(write(p[1], text, 1) == -1 && errno == EPIPE, "EPIPE");
	errno = 12345;
	must(write(p[1], text, 0) == 0 && errno == 12345, "errno after success");
	SAID("any", .reads = 3, .writes = 3, .syncs = 1);
}

static void *locker(void *stream)
{
	flockfile(stream);
	fputs("libc writes this, and it is not recorded", stream);
	while (pause() < 0)
		continue;
	return NULL;
}

static void by_exit(void)
{
	pthread_t thread;
	pthread_create(&thread, NULL, locker, fdopen(open_file("exit-locked"), "w"));
	usleep(10 * 1000);
	FILE *f = fdopen(open_file("exit"), "w"), *wide = fdopen(open_file("exit-wide"), "w");
	must(fputs("hello", f) >= 0 && fwprintf(wide, L"%ls", L"wide") == 4, "fputs");
	said("regular", "elsewhere", (struct done){.written = 9, .writes = 2});
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "all";
	if (argc > 2)
		folder = argv[2];
	memset(text, 'x', sizeof text);
	if (strcmp(mode, "all") == 0)
		all((void *)1);
	else if (strcmp(mode, "threads") == 0)
		in_threads();
	else if (strcmp(mode, "fork") == 0)
		forked();
	else if (strcmp(mode, "handler") == 0)
		interrupted();
	else if (strcmp(mode, "cancel") == 0)
		cancelled();
	else if (strcmp(mode, "errors") == 0)
		by_failures();
	else if (strcmp(mode, "exit") == 0)
		by_exit();
	say_all();
	return 0;
}
