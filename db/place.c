#include "db/place.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const int signals[PLACE_SIGNALS] = {SIGINT, SIGTERM, SIGHUP};
/* What the handler removes; set before the handlers are and cleared after. */
static const char *volatile removable;

static void remove_and_die(int signal)
{
	if (removable)
		unlink(removable);
	/* not SA_RESETHAND: of two signals that follow each other the second could end the
	 * program before the handler of the first begins */
	sigaction(signal, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
	raise(signal); /* it ends the program once the handler is left */
}

static void catch_signals(struct db_place *p)
{
	struct sigaction act = {.sa_handler = remove_and_die};

	removable = p->temporary;
	sigemptyset(&act.sa_mask);
	for (int i = 0; i < PLACE_SIGNALS; i++) {
		sigaction(signals[i], NULL, &p->before[i]);
		if (p->before[i].sa_handler == SIG_DFL)
			sigaction(signals[i], &act, NULL);
	}
}

static void release_signals(struct db_place *p)
{
	for (int i = 0; i < PLACE_SIGNALS; i++)
		sigaction(signals[i], &p->before[i], NULL);
	removable = NULL;
}

static int copy(int from, int to)
{
	char buffer[65536];
	ssize_t n;

	while ((n = read(from, buffer, sizeof buffer)) > 0)
		for (ssize_t done = 0, k; done < n; done += k) {
			k = write(to, buffer + done, (size_t)(n - done));
			if (k < 0)
				return -1;
		}
	return n < 0 ? -1 : 0;
}

/* The temporary file, empty or with what is at path. */
static int make_file(struct db_place *p, bool append, struct error *e)
{
	int to = open(p->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666), from, rc = 0;

	if (to < 0)
		return error_system(e, "cannot be written");
	from = append ? open(p->path, O_RDONLY | O_CLOEXEC) : -1;
	if (from >= 0)
		rc = copy(from, to);
	else if (append && errno != ENOENT)
		rc = -1;
	if (rc != 0)
		error_system(e, "cannot be copied");
	if (from >= 0)
		close(from);
	if (close(to) != 0 && rc == 0)
		rc = error_system(e, "cannot be written");
	return rc;
}

/* What is written is thrown away unless all of it is written, so nothing is done twice to
 * survive a crash. Pages of 8 KiB hold more rows each than those of 4; what is sorted for
 * indexes is sorted in memory. */
static int prepare(struct db_place *p, struct error *e)
{
	return db_exec(p->db,
		       "PRAGMA page_size = 8192; PRAGMA journal_mode = OFF;"
		       "PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE;"
		       "PRAGMA cache_size = -32768; PRAGMA ignore_check_constraints = ON;"
		       "PRAGMA temp_store = MEMORY; PRAGMA foreign_keys = OFF",
		       e);
}

int db_place_open(struct db_place *p, const char *path, bool append, struct error *e)
{
	struct stat st;

	*p = (struct db_place){.path = path};
	if (stat(path, &st) == 0 && !S_ISREG(st.st_mode))
		return error_set(e, ERROR_USAGE, "not a regular file (a database is one)");
	if (asprintf(&p->temporary, "%s.%ld.tmp", path, (long)getpid()) < 0) {
		p->temporary = NULL;
		return error_memory(e, strlen(path));
	}
	catch_signals(p);
	if (make_file(p, append, e) == 0) {
		if (sqlite3_open_v2(p->temporary, &p->db,
				    SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK)
			db_error(p->db, e);
		else if (prepare(p, e) == 0)
			return 0;
	}
	db_place_abandon(p);
	return -1;
}

/* The bytes reach the disk before the name does. */
static int settle(struct db_place *p, struct error *e)
{
	int fd = open(p->temporary, O_RDONLY | O_CLOEXEC);
	int rc = fd >= 0 ? fsync(fd) : -1;

	if (rc == 0)
		rc = rename(p->temporary, p->path);
	if (rc != 0)
		error_system(e, "cannot be written");
	if (fd >= 0)
		close(fd);
	return rc == 0 ? 0 : -1;
}

int db_place_commit(struct db_place *p, struct error *e)
{
	if (sqlite3_close(p->db) != SQLITE_OK) {
		db_error(p->db, e);
		db_place_abandon(p);
		return -1;
	}
	p->db = NULL;
	if (settle(p, e) != 0) {
		db_place_abandon(p);
		return -1;
	}
	release_signals(p);
	free(p->temporary);
	p->temporary = NULL;
	return 0;
}

void db_place_abandon(struct db_place *p)
{
	if (!p->temporary)
		return;
	sqlite3_close_v2(p->db);
	p->db = NULL;
	unlink(p->temporary);
	release_signals(p);
	free(p->temporary);
	p->temporary = NULL;
}
