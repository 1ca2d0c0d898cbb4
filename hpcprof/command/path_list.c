#include "hpcprof/command/path_list.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	READ_BYTES = 1 << 16,
	MOST_BYTES = 64 << 20, /* of a list: a million names */
	WRITER_MS = 1000,      /* how long somebody is waited for who writes to a FIFO */
	STEP_MS = 10
};

typedef VEC(char) bytes;

/* A list may also be what another program writes: <(...) of the shell. */
struct list_input {
	int fd;
	const char *path;
	bool nul; /* names end with NUL */
	bytes text;
};

static int read_all(struct list_input *in, struct error *e)
{
	ssize_t n = 1;

	while (n) {
		char *to;
		if (!vec_reserve(&in->text, in->text.len + READ_BYTES))
			return error_memory(e, in->text.len + READ_BYTES);
		to = in->text.at + in->text.len;
		n = read(in->fd, to, READ_BYTES);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return error_system(e, "%s cannot be read", in->path);
		in->text.len += (size_t)n;
		if (!in->nul && memchr(to, '\0', (size_t)n))
			return error_set(e, ERROR_USAGE,
					 "%s contains NUL bytes (use -0 if NUL ends each name)",
					 in->path);
		if (in->text.len > MOST_BYTES)
			return error_set(e, ERROR_LIMIT, "%s contains more than %d MiB of names",
					 in->path, MOST_BYTES >> 20);
	}
	return 0;
}

/* Wait until somebody has opened the FIFO to write, who may then write as late as they like. A byte
 * that comes is kept. False if nobody does. */
static bool wait_for_writer(struct list_input *in)
{
	for (int ms = 0; ms < WRITER_MS; ms += STEP_MS) {
		struct pollfd p = {.fd = in->fd, .events = POLLIN};
		char first;
		ssize_t n;
		if (poll(&p, 1, STEP_MS) > 0)
			return true;
		n = read(in->fd, &first, 1);
		if (n > 0)
			return vec_push(&in->text, first);
		if (n < 0)
			return true; /* EAGAIN: there is a writer */
	}
	return false;
}

static int open_list(struct list_input *in, struct error *e)
{
	struct stat st;

	in->fd = open(in->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (in->fd < 0 || fstat(in->fd, &st) != 0)
		return error_system(e, "%s cannot be read", in->path);
	if (S_ISFIFO(st.st_mode) && !wait_for_writer(in))
		return error_set(e, ERROR_USAGE, "%s is a FIFO that nobody writes to", in->path);
	if (fcntl(in->fd, F_SETFL, 0) != 0)
		return error_system(e, "%s cannot be read", in->path);
	return 0;
}

/* Add a name, unless it is empty. */
static int add(struct path_list *l, const char *name, size_t n, struct error *e)
{
	const char *copy = n ? arena_strndup(&l->arena, name, n) : NULL;

	return !n || (copy && vec_push(&l->at, copy)) ? 0 : error_memory(e, n);
}

static int split(struct path_list *l, const bytes *text, char end, struct error *e)
{
	int rc = 0;

	for (size_t at = 0, n; rc == 0 && at < text->len; at += n + 1) {
		const char *stop = memchr(text->at + at, end, text->len - at);
		n = stop ? (size_t)(stop - (text->at + at)) : text->len - at;
		rc = add(l, text->at + at, n, e);
	}
	return rc;
}

int path_list_read(struct path_list *l, const char *path, bool nul, struct error *e)
{
	struct list_input in = {.fd = STDIN_FILENO, .path = path, .nul = nul};
	bool standard = strcmp(path, "-") == 0;
	int rc = standard ? 0 : open_list(&in, e);

	if (rc == 0)
		rc = read_all(&in, e);
	if (rc == 0)
		rc = split(l, &in.text, nul ? '\0' : '\n', e);
	vec_free(&in.text);
	if (!standard && in.fd >= 0)
		close(in.fd);
	return rc;
}

void path_list_deinit(struct path_list *l)
{
	if (!l)
		return;
	vec_free(&l->at);
	arena_deinit(&l->arena);
}
