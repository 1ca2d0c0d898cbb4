#include "runtime/launcher/attach_threads.h"

#include "formats/store/recover.h"
#include "runtime/launcher/ask.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Those that the store has, and what the process is sent. */
struct begun {
	uint32_t pid, sig;
	uint32_t *tids;
	size_t n;
	bool found;
};

/* The threads are in the store's list, which grows while it is read. */
static void read_threads(struct begun *b, int fd, const struct store_header *h)
{
	enum { MOST = 1 << 20 };
	struct store_thread t;
	store_ref ref = h->first_thread;
	for (size_t i = 0; ref && i < MOST; i++, ref = t.next) {
		uint32_t *more = realloc(b->tids, (b->n + 1) * sizeof *more);
		if (!more)
			return;
		b->tids = more;
		if (pread(fd, &t, sizeof t, (off_t)ref * STORE_GRAIN) != (ssize_t)sizeof t)
			return;
		b->tids[b->n++] = t.tid;
	}
}

static void visit(void *context, const struct store_visit *v)
{
	struct begun *b = context;
	if (!v->alive || v->header->pid != b->pid || v->header->state != STORE_RUNNING)
		return;
	b->found = true;
	b->sig = v->header->sig;
	read_threads(b, v->fd, v->header);
}

static void look(struct begun *b, pid_t pid, const char *out)
{
	struct error e = {0};
	free(b->tids);
	*b = (struct begun){.pid = (uint32_t)pid, .sig = b->sig};
	store_visit_all(out, visit, b, &e);
}

static bool has_begun(const struct begun *b, pid_t tid)
{
	for (size_t i = 0; i < b->n; i++)
		if (b->tids[i] == (uint32_t)tid)
			return true;
	return false;
}

static void read_name(pid_t pid, pid_t tid, char name[16])
{
	char path[64];
	snprintf(path, sizeof path, "/proc/%d/task/%d/comm", (int)pid, (int)tid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd >= 0 ? read(fd, name, 15) : 0;
	name[n > 0 ? n : 0] = '\0';
	name[strcspn(name, "\n")] = '\0';
	if (fd >= 0)
		close(fd);
}

/* Count the threads, and ask those that have not begun. */
static void count(pid_t pid, const struct begun *b, struct launch_attached *out)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
	DIR *dir = opendir(path);
	*out = (struct launch_attached){0};
	for (struct dirent *e; dir && (e = readdir(dir));) {
		pid_t tid = (pid_t)strtol(e->d_name, NULL, 10);
		if (tid <= 0)
			continue;
		bool has = has_begun(b, tid);
		if (!has)
			launch_ask_thread(pid, tid, b->sig, STORE_ATTACH_VALUE);
		if (has || !b->found) {
			out->threads++;
		} else if (!out->silent++) {
			out->first = tid;
			out->blocks = launch_thread_blocks(pid, tid, b->sig);
			read_name(pid, tid, out->name);
		}
	}
	if (dir)
		closedir(dir);
}

void launch_attach_threads(pid_t pid, const char *directory, int sig, struct launch_attached *out)
{
	enum { FIRST_MS = 1, MOST_MS = 64, PATIENCE = 10 };
	struct begun b = {.sig = (uint32_t)sig};
	uint32_t before = 0;
	int without = 0; /* looks in a row after which no more had begun */
	long ms = FIRST_MS;
	do {
		look(&b, pid, directory);
		count(pid, &b, out);
		without = out->threads == before ? without + 1 : 0;
		before = out->threads;
		if (b.found && !out->silent)
			break;
		nanosleep(&(struct timespec){0, ms * 1000000}, NULL);
		ms = ms * 2 < MOST_MS ? ms * 2 : MOST_MS;
	} while (without < PATIENCE);
	free(b.tids);
}
