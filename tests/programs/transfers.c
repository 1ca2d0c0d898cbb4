/* Count the transfers that a signal interrupts: calls that move many bytes, with a peer that reads
 * and writes them as fast as it can.
 *
 *     transfers SECONDS
 *
 * Prints the name of each call, how often it was made and how often it moved fewer bytes than
 * requested, after which it is not made again. Exits with 1 if one did, or if the bytes received
 * are not those sent; with 2 if a write was complete although a handler of the program without
 * SA_RESTART interrupts it, or although its descriptor does not block. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum { BYTES = 4 << 20, PIECES = 7 };

static char *pattern, *taken;
static int pipes[2], sockets[2], giving[2], zero, memory, copy;

/* Repeatedly reads from a descriptor and compares the bytes with the pattern. */
static void *take(void *arg)
{
	int fd = *(int *)arg;
	static _Thread_local char bytes[1 << 16];
	size_t at = 0;
	ssize_t n;

	while ((n = read(fd, bytes, sizeof bytes < BYTES - at ? sizeof bytes : BYTES - at)) > 0) {
		if (memcmp(bytes, pattern + at, (size_t)n) != 0) {
			fprintf(stderr, "transfers: other bytes came than were sent\n");
			_exit(1);
		}
		at = (at + (size_t)n) % BYTES;
	}
	return NULL;
}

/* Repeatedly sends the pattern. */
static void *give(void *arg)
{
	int fd = *(int *)arg;
	size_t at = 0;
	ssize_t n;

	while ((n = send(fd, pattern + at, BYTES - at, MSG_NOSIGNAL)) > 0)
		at = (at + (size_t)n) % BYTES;
	return NULL;
}

/* The pattern in pieces of different lengths. */
static void in_pieces(struct iovec *v, char *bytes)
{
	size_t at = 0;

	for (int i = 0; i < PIECES; i++) {
		v[i].iov_base = bytes + at;
		v[i].iov_len =
		    i < PIECES - 1 ? BYTES / 16 * (size_t)(i & 3) + (size_t)i : BYTES - at;
		at += v[i].iov_len;
	}
}

static ssize_t write_pipe(void)
{
	return write(pipes[1], pattern, BYTES);
}

static ssize_t writev_pipe(void)
{
	struct iovec v[PIECES];

	in_pieces(v, pattern);
	return writev(pipes[1], v, PIECES);
}

static ssize_t write_socket(void)
{
	return write(sockets[1], pattern, BYTES);
}

static ssize_t send_socket(void)
{
	return send(sockets[1], pattern, BYTES, 0);
}

static ssize_t sendmsg_socket(void)
{
	struct iovec v[PIECES];
	struct msghdr m = {.msg_iov = v, .msg_iovlen = PIECES};

	in_pieces(v, pattern);
	return sendmsg(sockets[1], &m, 0);
}

static ssize_t whole(ssize_t n)
{
	if (n == BYTES && memcmp(taken, pattern, BYTES) != 0) {
		fprintf(stderr, "transfers: other bytes were received than were sent\n");
		exit(1);
	}
	return n;
}

static ssize_t recv_all(void)
{
	return whole(recv(giving[0], taken, BYTES, MSG_WAITALL));
}

static ssize_t recvmsg_all(void)
{
	struct iovec v[PIECES];
	struct msghdr m = {.msg_iov = v, .msg_iovlen = PIECES};

	in_pieces(v, taken);
	return whole(recvmsg(giving[0], &m, MSG_WAITALL));
}

static ssize_t read_zero(void)
{
	return read(zero, taken, BYTES);
}

static ssize_t get_random(void)
{
	return getrandom(taken, BYTES, 0);
}

static ssize_t send_file(void)
{
	off_t from = 0;

	return sendfile(sockets[1], memory, &from, BYTES);
}

static ssize_t copy_range(void)
{
	off64_t from = 0, to = 0;

	return copy_file_range(memory, &from, copy, &to, BYTES, 0);
}

static const struct {
	const char *name;
	ssize_t (*make)(void);
} calls[] = {
    {"write", write_pipe},    {"writev", writev_pipe},     {"write_socket", write_socket},
    {"send", send_socket},    {"sendmsg", sendmsg_socket}, {"recv", recv_all},
    {"recvmsg", recvmsg_all}, {"read_zero", read_zero},    {"getrandom", get_random},
    {"sendfile", send_file},  {"copy_range", copy_range},
};

static void nothing(int sig)
{
	(void)sig;
}

/* A write that fills a pipe from which nobody reads, until the program's alarm comes. The alarm
 * repeats, because the first one may come before the write. */
static int ends_with_alarm(void)
{
	struct sigaction action = {.sa_handler = nothing};
	struct itimerval soon = {.it_value = {.tv_usec = 50000}, .it_interval = {.tv_usec = 50000}};
	struct itimerval off = {{0, 0}, {0, 0}};
	int full[2];
	ssize_t n;

	if (pipe(full) != 0 || sigaction(SIGALRM, &action, NULL) != 0 ||
	    setitimer(ITIMER_REAL, &soon, NULL) != 0)
		return 0;
	n = write(full[1], pattern, BYTES);
	setitimer(ITIMER_REAL, &off, NULL);
	if (n <= 0 || n >= BYTES)
		return 0;
	fcntl(full[1], F_SETFL, O_NONBLOCK);
	return write(full[1], pattern, BYTES) == -1 && errno == EAGAIN;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void prepare(void)
{
	pthread_t thread;

	pattern = malloc(BYTES);
	taken = malloc(BYTES);
	zero = open("/dev/zero", O_RDONLY);
	memory = memfd_create("pattern", 0);
	copy = memfd_create("copy", 0);
	if (!pattern || !taken || zero < 0 || memory < 0 || copy < 0)
		exit(3);
	for (size_t i = 0; i < BYTES; i++)
		pattern[i] = (char)(i * 31 + (i >> 11));
	if (write(memory, pattern, BYTES) != BYTES || pipe(pipes) != 0 ||
	    socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) != 0 ||
	    socketpair(AF_UNIX, SOCK_STREAM, 0, giving) != 0)
		exit(3);
	if (pthread_create(&thread, NULL, take, &pipes[0]) != 0 ||
	    pthread_create(&thread, NULL, take, &sockets[0]) != 0 ||
	    pthread_create(&thread, NULL, give, &giving[1]) != 0)
		exit(3);
}

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) : 1;
	size_t n = sizeof calls / sizeof *calls;
	int status = 0;

	prepare();
	for (size_t i = 0; i < n; i++) {
		double until = now() + seconds / (double)n;
		unsigned made = 0, cut = 0;
		ssize_t got = BYTES;

		while (now() < until && !cut) {
			got = calls[i].make();
			made++;
			cut += got != BYTES;
		}
		printf("%-12s %6u %6u\n", calls[i].name, made, cut);
		status |= cut != 0;
	}
	if (!status && !ends_with_alarm())
		status = 2;
	fflush(stdout);
	_exit(status);
}
