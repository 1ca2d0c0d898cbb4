#include "runtime/launcher/control.h"

#include "formats/store/alive.h"
#include "formats/store/recover.h"
#include "runtime/launcher/quote.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { NS_PER_MS = 1000000 };

/* ---- new processes --------------------------------------------------------------------- */

int launch_control_mark(const char *out, bool stopped)
{
	char path[PATH_MAX];
	if (snprintf(path, sizeof path, "%s/" STORE_STOPPED_FILE, out) >= (int)sizeof path) {
		errno = ENAMETOOLONG;
		return -1;
	}
	if (!stopped)
		return unlink(path) == 0 || errno == ENOENT ? 0 : -1;
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
	if (fd < 0)
		return -1;
	close(fd);
	return 0;
}

/* ---- running ones ------------------------------------------------------------------------ */

struct asked {
	int fd; /* its store */
	uint32_t pid, sig, wanted;
};

struct asking {
	bool stop, no_memory;
	struct asked *at;
	size_t n;
	struct launch_controlled *result;
};

static int send_to(const struct asked *a)
{
	union sigval value;
	memset(&value, 0, sizeof value);
	value.sival_ptr = (void *)(uintptr_t)STORE_CONTROL_VALUE;
	return sigqueue((pid_t)a->pid, (int)a->sig, value);
}

static void leave_out(struct launch_controlled *r, uint32_t pid)
{
	if (!r->elsewhere++)
		r->first_elsewhere = pid;
}

static void ask(void *context, const struct store_visit *v)
{
	struct asking *all = context;
	const struct store_header *h = v->header;
	uint32_t wanted = (h->control & ~(uint32_t)STORE_CONTROL_STOP) + 2;
	if (!v->alive || h->state != STORE_RUNNING)
		return;
	wanted |= all->stop ? STORE_CONTROL_STOP : 0;
	struct asked a = {fcntl(v->fd, F_DUPFD_CLOEXEC, 0), h->pid, h->sig, wanted};
	if (a.fd < 0 || !store_header_is_local(h) ||
	    pwrite(a.fd, &wanted, sizeof wanted, offsetof(struct store_header, control)) !=
		sizeof wanted ||
	    (send_to(&a) != 0 && errno != ESRCH)) {
		leave_out(all->result, h->pid);
		if (a.fd >= 0)
			close(a.fd);
		return;
	}
	struct asked *more = realloc(all->at, (all->n + 1) * sizeof *more);
	if (!more) {
		all->no_memory = true;
		close(a.fd);
		return;
	}
	all->at = more;
	all->at[all->n++] = a;
}

enum answer { NOT_YET, DONE, ENDED };

static enum answer answer_of(const struct asked *a)
{
	uint32_t done, state;
	if (pread(a->fd, &done, sizeof done, offsetof(struct store_header, controlled)) !=
		sizeof done ||
	    pread(a->fd, &state, sizeof state, offsetof(struct store_header, state)) !=
		sizeof state ||
	    state != STORE_RUNNING || !store_process_runs(a->pid, 0))
		return ENDED;
	/* another one may have asked for more since */
	return (int32_t)(done - a->wanted) >= 0 ? DONE : NOT_YET;
}

/* Those that have not answered remain in the list. again: their signal may have been lost. */
static void collect(struct asking *all, bool again)
{
	size_t kept = 0;
	for (size_t i = 0; i < all->n; i++) {
		enum answer is = answer_of(&all->at[i]);
		if (is == NOT_YET) {
			if (again)
				send_to(&all->at[i]);
			all->at[kept++] = all->at[i];
			continue;
		}
		all->result->done += is == DONE;
		close(all->at[i].fd);
	}
	all->n = kept;
}

static void wait_for_answers(struct asking *all)
{
	enum { LOOKS = 5000, AGAIN = 50 };
	static const struct timespec pause = {0, 2 * NS_PER_MS};
	for (int i = 1; i <= LOOKS && all->n; i++) {
		collect(all, i % AGAIN == 0);
		if (all->n)
			nanosleep(&pause, NULL);
	}
	all->result->silent = (unsigned)all->n;
	for (size_t i = 0; i < all->n; i++) {
		if (i == 0)
			all->result->first_silent = all->at[i].pid;
		close(all->at[i].fd);
	}
	free(all->at);
}

int launch_control(const char *out, bool stop, struct launch_controlled *result)
{
	struct asking all = {.stop = stop, .result = result};
	struct error e = {0};
	*result = (struct launch_controlled){0};
	if (launch_control_mark(out, stop) != 0) {
		fprintf(stderr, "hpcrun: %s/" STORE_STOPPED_FILE ": %s\n", out, strerror(errno));
		return -1;
	}
	int r = store_visit_all(out, ask, &all, &e);
	wait_for_answers(&all);
	if (r == 0 && all.no_memory)
		r = error_memory(&e, sizeof(struct asked));
	if (r != 0)
		fprintf(stderr, "hpcrun: %s: %s\n", out, e.text);
	return r;
}

void launch_control_complain(const char *out, const struct launch_controlled *r)
{
	char quoted[LAUNCH_QUOTED_BYTES(PATH_MAX)];
	launch_quote(quoted, out);
	if (r->silent)
		fprintf(stderr,
			"hpcrun: %s: %u process%s not answered, %u for example: stopped by a "
			"signal, or its program has taken hpcrun's signal (see --signal)\n",
			quoted, r->silent, r->silent == 1 ? " has" : "es have", r->first_silent);
	if (r->elsewhere)
		fprintf(
		    stderr,
		    "hpcrun: %s: %u process%s cannot be asked, %u for example: of another user, "
		    "or in a container\n",
		    quoted, r->elsewhere, r->elsewhere == 1 ? "" : "es", r->first_elsewhere);
}
