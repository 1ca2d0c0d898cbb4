#include "runtime/launcher/store.h"

#include "formats/store/recover.h"
#include "runtime/base/options.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ---- before ---------------------------------------------------------------------------- */

static int make_in(struct launch_store *s, const char *parent)
{
	snprintf(s->path, sizeof s->path, "%s/hpcrun-%u-XXXXXX", parent, (unsigned)getuid());
	if (mkdtemp(s->path))
		return 0;
	s->path[0] = '\0';
	return -1;
}

static bool is_memory(const char *directory)
{
	struct statfs fs;
	return directory && directory[0] == '/' && statfs(directory, &fs) == 0 &&
	       (fs.f_type == TMPFS_MAGIC || fs.f_type == RAMFS_MAGIC);
}

static int make_in_memory(struct launch_store *s)
{
	const char *const places[] = {"/dev/shm", getenv("XDG_RUNTIME_DIR")};
	for (size_t i = 0; i < sizeof places / sizeof *places; i++)
		if (is_memory(places[i]) && make_in(s, places[i]) == 0)
			return 0;
	fputs("hpcrun: cannot write to shared memory (/dev/shm): the data of killed processes will "
	      "be lost; --store DIR keeps it in a directory\n",
	      stderr);
	return -1;
}

static int make_in_directory(struct launch_store *s, const char *place)
{
	char parent[PATH_MAX];
	if ((mkdir(place, 0700) != 0 && errno != EEXIST) || !realpath(place, parent) ||
	    strlen(parent) + 32 > sizeof s->path || make_in(s, parent) < 0) {
		fprintf(stderr, "hpcrun: --store %s: %s\n", place, strerror(errno));
		return -1;
	}
	return 0;
}

int launch_store_make(struct launch_store *s, const char *place, const char *out)
{
	*s = (struct launch_store){.lock = -1};
	if (place && strcmp(place, HPCRUN_STORE_PRIVATE) == 0)
		return 0;
	if (!place || strcmp(place, HPCRUN_STORE_MEMORY) == 0) {
		if (make_in_memory(s) < 0)
			return 0;
	} else if (make_in_directory(s, place) < 0) {
		return -1;
	}
	/* processes that give up our rights find the directories that are made for them in it */
	if (geteuid() == 0)
		chmod(s->path, 0711);
	s->lock = open(s->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (s->lock >= 0)
		flock(s->lock, LOCK_SH);
	const char *name = strrchr(s->path, '/');
	if (snprintf(s->link, sizeof s->link, "%s%s" STORE_LINK_SUFFIX, out, name) >=
		(int)sizeof s->link ||
	    symlink(s->path, s->link) != 0)
		s->link[0] = '\0'; /* the launcher does not need the link itself */
	return 0;
}

/* ---- after ----------------------------------------------------------------------------- */

static void note_failure(void *context, const char *name, enum store_fate fate,
			 const struct error *e)
{
	struct launch_recovered *r = context;
	(void)name;
	if (fate == STORE_FAILED && e && !r->why[0])
		snprintf(r->why, sizeof r->why, "%s", e->text);
}

/* Make datafiles of what dead processes left. False after an error. */
static bool recover(const struct launch_store *s, const char *out, struct store_recovery *recovery,
		    struct launch_recovered *r)
{
	struct error e = {0};
	recovery->counts[STORE_ALIVE] = recovery->counts[STORE_FAILED] = recovery->ending = 0;
	r->why[0] = '\0';
	bool ok = store_recover(s->path, out, recovery, &e) == 0;
	r->datafiles += recovery->counts[STORE_RECOVERED];
	r->lost += recovery->counts[STORE_LOST];
	r->running = recovery->counts[STORE_ALIVE];
	r->failed = recovery->counts[STORE_FAILED];
	recovery->counts[STORE_RECOVERED] = recovery->counts[STORE_LOST] = 0;
	if (!ok)
		snprintf(r->why, sizeof r->why, "%s", e.text);
	return ok;
}

void launch_store_look(const struct launch_store *s, const char *out, struct launch_recovered *r)
{
	struct stat st;
	const nlink_t without_users = 2;
	struct store_recovery recovery = {.tell = note_failure, .context = r};
	if (s->path[0] && stat(s->path, &st) == 0 && st.st_nlink > without_users)
		recover(s, out, &recovery, r);
}

void launch_store_recover(struct launch_store *s, const char *out, int pid, int status,
			  struct launch_recovered *r)
{
	enum { TRIES = 100 };
	const struct timespec pause = {0, 10 * 1000 * 1000};
	char end[24];
	struct timespec now;
	if (!s->path[0])
		return;
	if (WIFSIGNALED(status))
		snprintf(end, sizeof end, "signal %d", WTERMSIG(status));
	else
		snprintf(end, sizeof end, "exit %d", WEXITSTATUS(status));
	clock_gettime(CLOCK_MONOTONIC, &now);
	struct store_recovery recovery = {
	    .tell = note_failure,
	    .context = r,
	    .pid = (uint32_t)pid,
	    .known = {end, (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec},
	};
	if (s->lock >= 0)
		close(s->lock); /* the last process to end removes the directory */
	/* some end a moment later, and may not be able to remove their store; others are about to
	 * begin, and need the directory */
	for (int i = 0; i < TRIES; i++) {
		recovery.patient = i + 1 < TRIES;
		if (!recover(s, out, &recovery, r)) {
			/* if it is gone, the last process has just ended and left nothing in it */
			r->failed = access(s->path, F_OK) == 0;
			break;
		}
		if (!recovery.ending)
			break;
		nanosleep(&pause, NULL);
	}
	/* one that has ended meanwhile may have left it, because it was just being looked at */
	if (rmdir(s->path) != 0 && errno != ENOENT)
		return;
	if (s->link[0])
		unlink(s->link);
}
