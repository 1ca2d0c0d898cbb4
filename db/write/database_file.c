#include "db/write/database_file.h"

#include "db/base/database.h"
#include "db/base/schema_check.h"
#include "formats/base/regular_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int copy(int from, int to)
{
	unsigned char buffer[65536];
	bool first = true;
	ssize_t n;

	for (; (n = read(from, buffer, sizeof buffer)) > 0; first = false) {
		if (first && n >= DATABASE_HEADER)
			database_clear_wal(buffer);
		for (ssize_t done = 0, k; done < n; done += k) {
			k = write(to, buffer + done, (size_t)(n - done));
			if (k < 0)
				return -1;
		}
	}
	return n < 0 ? -1 : 0;
}

/* Copy the file at path, if there is one, to the new file. *copied: there is one with bytes. */
static int copy_old(const char *path, int to, bool *copied, struct error *e)
{
	struct stat st;
	int from = regular_file_open(path, &st, e), rc = 0;

	if (from < 0 && e->kind != ERROR_SYSTEM)
		return -1;
	if (from < 0) {
		errno = e->sys_errno;
		return errno == ENOENT ? 0 : error_writing(e);
	}
	rc = database_lock(from, path, e);
	if (rc == 0 && copy(from, to) != 0)
		rc = error_writing(e);
	close(from);
	*copied = st.st_size != 0;
	return rc;
}

/* Check the copy, which nobody else changes. */
static int check_copy(const char *name, struct error *e)
{
	struct database d;
	int rc = database_open(&d, name, e);

	if (rc == 0)
		rc = schema_check_for_append(d.db, e);
	database_close(&d);
	if (rc == 0 || e->kind != ERROR_SYSTEM || !e->sys_errno)
		return rc;
	errno = e->sys_errno;
	return error_writing(e);
}

static int make_file(struct database_file *p, const char *path, bool append, struct error *e)
{
	int fd = atomic_file_begin(&p->file, path, e), rc = 0;
	bool copied = false;

	if (fd < 0)
		return -1;
	if (append)
		rc = copy_old(path, fd, &copied, e);
	if (close(fd) != 0 && rc == 0)
		rc = error_writing(e);
	if (rc == 0 && copied)
		rc = check_copy(p->file.name, e);
	return rc;
}

/* Set the options. An incomplete file is discarded, so nothing has to survive a crash. Pages of 8
 * KiB are fuller than pages of 4. Rows for indexes are sorted in memory. */
static int prepare(struct database_file *p, struct error *e)
{
	return db_exec(p->db,
		       "PRAGMA page_size = 8192; PRAGMA journal_mode = OFF;"
		       "PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE;"
		       "PRAGMA cache_size = -32768; PRAGMA ignore_check_constraints = ON;"
		       "PRAGMA temp_store = MEMORY; PRAGMA foreign_keys = OFF",
		       e);
}

/* After prepare: then there can be no database without a journal any more. */
static int harden(struct database_file *p, struct error *e)
{
	return database_harden(p->db) == SQLITE_OK ? 0 : db_error(p->db, e);
}

int database_file_open(struct database_file *p, const char *path, bool append, struct error *e)
{
	struct stat st;

	*p = (struct database_file){0};
	if (stat(path, &st) == 0 && !S_ISREG(st.st_mode))
		return error_set(e, ERROR_USAGE, "not a regular file");
	if (make_file(p, path, append, e) == 0) {
		if (sqlite3_open_v2(p->file.name, &p->db,
				    SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK)
			db_error(p->db, e);
		else if (prepare(p, e) == 0 && harden(p, e) == 0)
			return 0;
	}
	database_file_abandon(p);
	return -1;
}

/* Write the bytes to the disk before the file is renamed. */
static int reach_disk(const char *path, struct error *e)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int rc = fd >= 0 ? fsync(fd) : -1;

	if (rc != 0)
		error_writing(e);
	if (fd >= 0)
		close(fd);
	return rc;
}

int database_file_commit(struct database_file *p, struct error *e)
{
	int rc = sqlite3_close(p->db) == SQLITE_OK ? 0 : db_error(p->db, e);

	if (rc == 0)
		p->db = NULL;
	if (rc == 0)
		rc = reach_disk(p->file.name, e);
	if (rc == 0)
		return atomic_file_finish(&p->file, e);
	database_file_abandon(p);
	return -1;
}

void database_file_abandon(struct database_file *p)
{
	if (!p->file.name)
		return;
	sqlite3_close_v2(p->db);
	p->db = NULL;
	atomic_file_abandon(&p->file);
}
