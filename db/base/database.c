#include "db/base/database.h"

#include "db/base/schema_check.h"
#include "formats/base/regular_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* "SQLite format 3" and a NUL: the first bytes of every database (sqlite.org/fileformat2). */
static const char magic[16] = "SQLite format 3";

enum {
	/* bytes of the header: the versions for writing and reading, 2 with a write-ahead log */
	WRITE_VERSION = 18,
	READ_VERSION = 19,
	/* the bytes that SQLite locks (sqlite.org/src/file/src/os.h) */
	RESERVED_BYTE = 0x40000001,
	SHARED_FIRST = 0x40000002,
	SHARED_SIZE = 510,
	LARGE = 256 << 20,     /* where a change cannot kill, smaller files are copied */
	SCHEMA_TEXT = 100000,  /* bytes of a statement of the schema: ours have below 5000 */
	PATTERN_BYTES = 1000,  /* of LIKE and GLOB, whose time is not linear in it */
	LEAST_CELL = 1000000,  /* bytes that a text may have in any file */
	WORK_LEAST = 10000000, /* see database_work_init */
	WORK_PER_BYTE = 1000,  /* the same */
	WORK_STEP = 1000       /* instructions between checks */
};

bool database_is(const char *path)
{
	char head[sizeof magic];
	struct stat st;
	int fd = regular_file_open(path, &st, NULL);
	bool is = fd >= 0 && pread(fd, head, sizeof head, 0) == sizeof head &&
		  memcmp(head, magic, sizeof head) == 0;

	if (fd >= 0)
		close(fd);
	return is;
}

/* ---- other programs -------------------------------------------------------------------------- */

static int lock(int fd, int how, struct flock *l, off_t first, off_t n)
{
	*l = (struct flock){
	    .l_type = (short)how, .l_whence = SEEK_SET, .l_start = first, .l_len = n};
	return fcntl(fd, how == F_RDLCK ? F_OFD_SETLK : F_OFD_GETLK, l);
}

/* Whether a program is about to change the database: then a journal beside it is its own, and the
 * file is as before. */
static bool is_reserved(int fd)
{
	struct flock l;

	return lock(fd, F_WRLCK, &l, RESERVED_BYTE, 1) == 0 && l.l_type != F_UNLCK;
}

/* Whether a file beside the database has bytes; with not_zero, whether its first is not zero. A
 * file that cannot be looked at counts. */
static bool has_bytes(const char *path, bool not_zero)
{
	struct error ignored;
	struct stat st;
	char first;
	bool has;
	int fd;

	if (stat(path, &st) != 0)
		return errno != ENOENT;
	if (!S_ISREG(st.st_mode) || st.st_size == 0)
		return false;
	if (!not_zero)
		return true;
	fd = regular_file_open(path, &st, &ignored);
	has = fd < 0 || (pread(fd, &first, 1, 0) == 1 && first);
	if (fd >= 0)
		close(fd);
	return has;
}

static int refuse(const char *real, const char *suffix, struct error *e)
{
	return error_set(e, ERROR_SYSTEM,
			 "%.200s%s may have changes that are not in it yet (close the program "
			 "that writes to it, or run: sqlite3 %.200s 'PRAGMA journal_mode = "
			 "DELETE')",
			 real, suffix, real);
}

/* SQLite looks for these files beside the file that a link leads to. */
int database_lock(int fd, const char *path, struct error *e)
{
	char real[PATH_MAX], beside[PATH_MAX + 16];
	struct flock l;

	if (!realpath(path, real))
		return error_system(e, "cannot be opened");
	if (lock(fd, F_RDLCK, &l, SHARED_FIRST, SHARED_SIZE) != 0 &&
	    (errno == EAGAIN || errno == EACCES))
		return error_set(e, ERROR_SYSTEM, "another program is writing to it: try again");
	snprintf(beside, sizeof beside, "%s-wal", real);
	if (has_bytes(beside, false))
		return refuse(real, "-wal", e);
	snprintf(beside, sizeof beside, "%s-journal", real);
	if (has_bytes(beside, true) && !is_reserved(fd))
		return refuse(real, "-journal", e);
	return 0;
}

void database_clear_wal(unsigned char header[DATABASE_HEADER])
{
	if (header[WRITE_VERSION] == 2 && header[READ_VERSION] == 2)
		header[WRITE_VERSION] = header[READ_VERSION] = 1;
}

/* ---- bytes ----------------------------------------------------------------------------------- */

static int map(struct database *d, struct error *e)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	if (regular_file_check_holes(d->fd, e) != 0)
		return -1;
	d->mapped = mmap(NULL, d->size, PROT_READ, MAP_PRIVATE, d->fd, 0);
	if (d->mapped == MAP_FAILED) {
		d->mapped = NULL;
		return error_system(e, "cannot be mapped");
	}
	if (!mapped_file_watch(&d->watched, d->mapped, d->size))
		return error_memory(e, 0);
	/* a copy of the page with the header */
	if (mprotect(d->mapped, d->size < page ? d->size : page, PROT_READ | PROT_WRITE) != 0)
		return error_system(e, "cannot be mapped");
	return 0;
}

static int take_bytes(struct database *d, const char *path, struct error *e)
{
	struct stat st;

	d->fd = regular_file_open(path, &st, e);
	if (d->fd < 0)
		return -1;
	d->size = (size_t)st.st_size;
	if (d->size < DATABASE_HEADER)
		return error_set(e, ERROR_FORMAT, "not a profile database written by hpcprof db");
	if (database_lock(d->fd, path, e) != 0)
		return -1;
	if (mapped_file_is_guarded() || st.st_size >= LARGE)
		return map(d, e);
	d->copied = regular_file_read(d->fd, &st, e);
	return d->copied ? 0 : -1;
}

/* ---- SQLite ---------------------------------------------------------------------------------- */

void database_work_init(struct database_work *w, size_t size)
{
	size_t most = (LLONG_MAX - WORK_LEAST) / WORK_PER_BYTE;

	atomic_init(&w->left, WORK_LEAST + (long long)(size < most ? size : most) * WORK_PER_BYTE);
}

static int spend(void *context)
{
	struct database *d = context;

	return atomic_fetch_sub(&d->work->left, WORK_STEP) < WORK_STEP;
}

int database_harden(sqlite3 *db)
{
	static const char *const kept[] = {"json_each", "json_tree", NULL};
	static const struct {
		int what, on;
	} settings[] = {{SQLITE_DBCONFIG_DEFENSIVE, 1},
			{SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
			{SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
			{SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0},
			{SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0}};
	int rc = sqlite3_drop_modules(db, (const char **)kept);

	for (size_t i = 0; rc == SQLITE_OK && i < sizeof settings / sizeof *settings; i++)
		rc = sqlite3_db_config(db, settings[i].what, settings[i].on, (int *)NULL);
	sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0);
	sqlite3_limit(db, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, PATTERN_BYTES);
	sqlite3_limit(db, SQLITE_LIMIT_SQL_LENGTH, SCHEMA_TEXT);
	return rc;
}

/* Give SQLite the bytes. Its method for that attaches a database, which is not allowed after. */
static int give_bytes(struct database *d, struct error *e)
{
	unsigned char *bytes = d->mapped ? d->mapped : d->copied;
	sqlite3_int64 size = (sqlite3_int64)d->size;

	if (sqlite3_open_v2(":memory:", &d->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX,
			    NULL) != SQLITE_OK)
		return db_error(d->db, e);
	database_clear_wal(bytes);
	if (sqlite3_deserialize(d->db, "main", bytes, size, size, SQLITE_DESERIALIZE_READONLY) !=
	    SQLITE_OK)
		return db_error(d->db, e);
	sqlite3_progress_handler(d->db, WORK_STEP, spend, d);
	if (database_harden(d->db) != SQLITE_OK)
		return db_error(d->db, e);
	sqlite3_limit(d->db, SQLITE_LIMIT_LENGTH,
		      d->size < LEAST_CELL ? LEAST_CELL
					   : (int)(d->size < INT_MAX ? d->size : INT_MAX));
	return db_exec(d->db, "PRAGMA temp_store = MEMORY", e);
}

int database_open(struct database *d, const char *path, struct error *e)
{
	*d = (struct database){.fd = -1, .work = &d->own};
	if (take_bytes(d, path, e) != 0)
		return -1;
	database_work_init(&d->own, d->size);
	if (give_bytes(d, e) == 0 && db_check(d->db, e) == 0 && schema_check(d->db, e) == 0)
		return 0;
	database_check_cut(d, e); /* says more than that it is damaged */
	return -1;
}

int database_check_cut(const struct database *d, struct error *e)
{
	return mapped_file_is_cut(&d->watched)
		   ? error_set(e, ERROR_LIMIT, "was cut while it was read")
		   : 0;
}

void database_close(struct database *d)
{
	sqlite3_close_v2(d->db);
	mapped_file_leave(&d->watched);
	if (d->mapped)
		munmap(d->mapped, d->size);
	free(d->copied);
	if (d->fd >= 0)
		close(d->fd);
	*d = (struct database){.fd = -1};
}
