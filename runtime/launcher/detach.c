#include "runtime/launcher/detach.h"

#include "formats/store/alive.h"
#include "formats/store/recover.h"
#include "runtime/launcher/ask.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

struct leaving {
	int fd; /* its store */
	uint32_t pid, sig;
};

/* All that are to be detached. */
struct leavers {
	struct leaving *at;
	size_t n;
	bool no_memory;
	struct launch_detached *result;
};

static void count(struct launch_detached_as *as, uint32_t pid)
{
	if (!as->n++)
		as->first = pid;
}

static bool read_header(int fd, struct store_header *h)
{
	return pread(fd, h, sizeof *h, 0) == (ssize_t)sizeof *h;
}

static bool is_detached(const struct store_header *h)
{
	return h->state != STORE_RUNNING && strncmp(h->end, STORE_END_DETACHED, sizeof h->end) == 0;
}

/* fd is duplicated. */
static void add(struct leavers *all, int fd, const struct store_header *h)
{
	struct leaving a = {-1, h->pid, h->sig};
	if (!store_header_is_local(h)) {
		count(&all->result->elsewhere, h->pid);
		return;
	}
	if (h->detach != STORE_MAY_DETACH) {
		count(&all->result->drivers, h->pid);
		return;
	}
	struct leaving *more = realloc(all->at, (all->n + 1) * sizeof *more);
	if (more) {
		all->at = more;
		a.fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	}
	if (a.fd < 0)
		all->no_memory = true;
	else
		all->at[all->n++] = a;
}

enum leaves { NOT_YET, WRITTEN, LET_GO, ENDED };

/* ENDED: the process has, or its image. */
static enum leaves look(const struct leaving *a)
{
	struct store_header h;
	if (!read_header(a->fd, &h))
		return ENDED;
	if (is_detached(&h) && (h.detach == STORE_LET_GO || !store_process_runs(a->pid, 0)))
		return LET_GO;
	if (!store_process_runs(a->pid, 0))
		return ENDED;
	if (is_detached(&h))
		return h.state == STORE_WRITTEN ? WRITTEN : NOT_YET;
	return h.state == STORE_RUNNING ? NOT_YET : ENDED;
}

/* Ask those that have not let go. The others are taken out of the list. Returns whether the
 * datafiles of all are written. */
static bool ask(struct leavers *all)
{
	size_t kept = 0;
	bool written = true;
	for (size_t i = 0; i < all->n; i++) {
		struct leaving *a = &all->at[i];
		enum leaves is = look(a);
		if (is == LET_GO)
			count(&all->result->done, a->pid);
		if (is < LET_GO && !launch_ask_threads((pid_t)a->pid, a->sig, STORE_DETACH_VALUE)) {
			count(&all->result->elsewhere, a->pid);
			is = ENDED;
		}
		written &= is != NOT_YET;
		if (is < LET_GO)
			all->at[kept++] = *a;
		else
			close(a->fd);
	}
	all->n = kept;
	return written;
}

static uint64_t now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* Threads that block the signal let go when they do not any more: they are not waited for as long
 * as datafiles. */
static void ask_until_done(struct leavers *all, const volatile sig_atomic_t *given_up)
{
	enum { PATIENCE_MS = 10 * 1000, HOLD_MS = 1000, MOST_MS = 64 };
	uint64_t until = now_ms() + PATIENCE_MS, held = 0;
	long ms = 1;
	for (;;) {
		bool written = ask(all);
		uint64_t now = now_ms();
		if (!written)
			held = 0;
		else if (!held)
			held = now + HOLD_MS;
		if (!all->n || now > until || (held && now > held) || (given_up && *given_up))
			break;
		nanosleep(&(struct timespec){0, ms * 1000000}, NULL);
		ms = ms * 2 < MOST_MS ? ms * 2 : MOST_MS;
	}
	for (size_t i = 0; i < all->n; i++) {
		struct leaving *a = &all->at[i];
		bool done = look(a) != NOT_YET;
		count(done ? &all->result->done : &all->result->silent, a->pid);
		if (done)
			count(&all->result->holds, a->pid);
		close(a->fd);
	}
	all->n = 0;
}

static void take(void *context, const struct store_visit *v)
{
	struct leavers *all = context;
	if (v->alive && v->header->state == STORE_RUNNING)
		add(all, v->fd, v->header);
}

/* A process may fork, or begin its next image, just before it is asked. */
int launch_detach_all(const char *directory, const volatile sig_atomic_t *given_up,
		      struct launch_detached *result)
{
	enum { PASSES = 8 };
	struct launch_detached last;
	struct error e = {0};
	int r = 0;
	*result = (struct launch_detached){0};
	for (int i = 0; r == 0 && i < PASSES; i++) {
		struct leavers all = {.result = &last};
		last = (struct launch_detached){0};
		r = store_visit_all(directory, take, &all, &e);
		bool any = all.n > 0;
		ask_until_done(&all, given_up);
		free(all.at);
		if (r == 0 && all.no_memory)
			r = error_memory(&e, sizeof(struct leaving));
		last.done.n += result->done.n;
		last.holds.n += result->holds.n;
		*result = last;
		if (!any || last.silent.n || (given_up && *given_up))
			break;
	}
	if (r != 0)
		fprintf(stderr, "hpcrun: %s: %s\n", directory, e.text);
	return r;
}

/* ---- one process ------------------------------------------------------------------------- */

/* Open its store for reading, and tell whether hpcrun's library is there. Returns a descriptor, or
 * -1: it has none that is in a file and not removed; -2: with errno, it may not be looked at. */
static int find_store(pid_t pid, bool *has_library)
{
	char path[64], *line = NULL, at[2 * PATH_MAX];
	size_t size = 0;
	int fd = -1;
	snprintf(path, sizeof path, "/proc/%d/maps", (int)pid);
	FILE *f = fopen(path, "re");
	*has_library = false;
	if (!f)
		return -2;
	while (fd < 0 && getline(&line, &size, f) > 0) {
		char *name = strchr(line, '/'), *end = name ? strrchr(name, '\n') : NULL;
		if (!end)
			continue;
		*end = '\0';
		*has_library |= strstr(name, "/libhpcrun") != NULL;
		if (end - name < (ptrdiff_t)strlen(STORE_SUFFIX) ||
		    strcmp(end - strlen(STORE_SUFFIX), STORE_SUFFIX) != 0)
			continue;
		snprintf(at, sizeof at, "/proc/%d/root%s", (int)pid, name);
		fd = open(at, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	}
	free(line);
	fclose(f);
	return fd;
}

int launch_detach_process(pid_t pid, struct launch_detached *result)
{
	struct leavers all = {.result = result};
	struct store_header h;
	bool has_library;
	*result = (struct launch_detached){0};
	if (kill(pid, 0) != 0 && errno == ESRCH) {
		fprintf(stderr, "hpcrun detach: there is no process %d\n", (int)pid);
		return -1;
	}
	int fd = find_store(pid, &has_library);
	bool is_store = fd >= 0 && read_header(fd, &h) &&
			memcmp(h.magic, STORE_MAGIC, sizeof h.magic) == 0 &&
			h.version == STORE_VERSION && h.pid == (uint32_t)pid;
	if (fd == -2)
		fprintf(stderr, "hpcrun detach: process %d cannot be looked at: %s\n", (int)pid,
			strerror(errno));
	else if (!is_store && has_library)
		fprintf(stderr,
			"hpcrun detach: process %d is no longer measured, or cannot be reached, as "
			"with --store private\n",
			(int)pid);
	else if (!is_store)
		fprintf(stderr, "hpcrun detach: process %d is not measured\n", (int)pid);
	if (is_store) {
		add(&all, fd, &h);
		ask_until_done(&all, NULL);
		free(all.at);
	}
	if (fd >= 0)
		close(fd);
	return is_store ? 0 : -1;
}

static void say(const struct launch_detached_as *as, const char *one, const char *more)
{
	if (as->n == 1)
		fprintf(stderr, "hpcrun: process %u %s\n", as->first, one);
	else if (as->n)
		fprintf(stderr, "hpcrun: %u processes %s, %u for example\n", as->n, more,
			as->first);
}

bool launch_detach_complain(const struct launch_detached *r)
{
	say(&r->silent,
	    "remains measured: it has not answered; it is stopped by a signal, or blocks that of "
	    "samples",
	    "remain measured: they have not answered");
	say(&r->drivers, "remains measured: its driver (--driver) cannot end before it",
	    "remain measured: their drivers (--driver) cannot end before them");
	say(&r->elsewhere,
	    "remains measured: it is of another user, or in a container, and cannot be asked",
	    "remain measured: they are of other users, or in containers, and cannot be asked");
	return r->silent.n || r->drivers.n || r->elsewhere.n;
}

/* ---- from outside -------------------------------------------------------------------------- */

static void find(void *context, const struct store_visit *v)
{
	struct launch_watched *w = context;
	if (w->fd < 0 && v->alive && v->header->pid == w->pid && v->header->state == STORE_RUNNING)
		w->fd = fcntl(v->fd, F_DUPFD_CLOEXEC, 0);
}

bool launch_watch(struct launch_watched *w)
{
	struct store_header h;
	struct error e = {0};
	if (w->fd < 0)
		store_visit_all(w->directory, find, w, &e);
	if (w->fd < 0)
		return false;
	if (read_header(w->fd, &h) && h.state == STORE_RUNNING)
		return false;
	bool ended = is_detached(&h);
	close(w->fd);
	w->fd = -1; /* else its next image makes another one */
	return ended;
}
