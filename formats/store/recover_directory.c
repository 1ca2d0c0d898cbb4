/* Directories of stores: which stores are no longer written, and their datafiles. */
#include "formats/store/recover.h"

#include "formats/base/regular_file.h"
#include "formats/store/alive.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define PART_SUFFIX ".part" /* of a datafile that is being written */

bool store_has_suffix(const char *name, const char *suffix)
{
	size_t n = strlen(name), k = strlen(suffix);
	return n > k && strcmp(name + n - k, suffix) == 0;
}

/* ---- one store ---------------------------------------------------------------------------- */

struct recovering {
	int stores, out; /* the two directories */
	uint32_t user;   /* the stores are in a directory of this user; 0: they are not */
	struct store_recovery *r;
	struct store_mapped *mapped;
	char datafile[NAME_MAX + 16], part[NAME_MAX + 32]; /* of the current store */
};

/* What is in a user's directory must be that user's own. */
static bool is_allowed(const struct stat *st, uint32_t user)
{
	return !user || (st->st_uid == user && st->st_nlink == 1);
}

static int open_store(const struct recovering *w, const char *name, int how, struct error *e)
{
	struct stat st;
	int fd = regular_file_open_at(w->stores, name, how, &st, e);
	if (fd < 0)
		return -1;
	if (is_allowed(&st, w->user))
		return fd;
	close(fd);
	return error_set(e, ERROR_VERSION, "it is not a file of the user %u", w->user);
}

static int read_header(const struct recovering *w, const char *name, struct store_header *h,
		       struct error *e)
{
	memset(h, 0, sizeof *h);
	int fd = open_store(w, name, O_RDONLY, e);
	if (fd < 0)
		return -1;
	ssize_t n = pread(fd, h, sizeof *h, 0);
	if (n < 0)
		error_system(e, "cannot be read");
	close(fd);
	return n < 0 ? -1 : 0;
}

/* The pid in <command>.<host>.<pid>.<seq>.hpcstore, or 0. */
static uint64_t pid_of_name(const char *name)
{
	const char *end = name + strlen(name);
	for (int dots = 0; end > name && dots < 3; end--)
		dots += end[-1] == '.';
	return end > name ? strtoull(end + 1, NULL, 10) : 0;
}

static bool is_blank(const struct store_header *h)
{
	static const char nothing[sizeof h->magic];
	return memcmp(h->magic, nothing, sizeof nothing) == 0;
}

static enum store_fate remove_store(const struct recovering *w, const char *name,
				    enum store_fate fate, struct error *e)
{
	if (unlinkat(w->stores, name, 0) == 0 || errno == ENOENT)
		return fate;
	error_system(e, "cannot be removed, although its datafile exists");
	return STORE_FAILED;
}

static int write_all(int fd, const uint8_t *bytes, size_t n, struct error *e)
{
	while (n > 0) {
		ssize_t part = write(fd, bytes, n);
		if (part < 0 && errno == EINTR)
			continue;
		if (part < 0)
			return error_system(e, "its datafile cannot be written");
		bytes += part;
		n -= (size_t)part;
	}
	return 0;
}

/* Create the unfinished datafile. 1: another process is writing it. */
static int take_part(const struct recovering *w, int *fd, struct error *e)
{
	if (store_is_locked(w->out, w->part))
		return 1;
	if (unlinkat(w->out, w->part, 0) != 0 && errno != ENOENT)
		return error_system(e, "its unfinished datafile (%s) cannot be removed", w->part);
	*fd = openat(w->out, w->part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (*fd < 0)
		return error_system(e, "its datafile cannot be created");
	flock(*fd, LOCK_EX | LOCK_NB);
	return 0;
}

/* Give the finished datafile its name. 1: the name exists already. */
static int name_part(const struct recovering *w, struct error *e)
{
	int result = renameat2(w->out, w->part, w->out, w->datafile, RENAME_NOREPLACE);
	if (result != 0 && (errno == EINVAL || errno == ENOSYS)) {
		/* a file system without this flag: make a second name and remove the first */
		result = linkat(w->out, w->part, w->out, w->datafile, 0);
		if (result == 0)
			unlinkat(w->out, w->part, 0);
	}
	if (result == 0)
		return 0;
	return errno == EEXIST ? 1 : error_system(e, "its datafile cannot be renamed");
}

static enum store_fate write_datafile(const struct recovering *w, const char *name,
				      const uint8_t *bytes, size_t n, struct error *e)
{
	int fd = -1, result = take_part(w, &fd, e);
	if (result != 0)
		return result > 0 ? STORE_ALIVE : STORE_FAILED;
	result = write_all(fd, bytes, n, e);
	if (result == 0)
		result = name_part(w, e);
	if (result != 0)
		unlinkat(w->out, w->part, 0);
	close(fd);
	if (result < 0)
		return STORE_FAILED;
	return remove_store(w, name, result > 0 ? STORE_REMOVED : STORE_RECOVERED, e);
}

/* What a user's directory has under a name may have changed since its header was read. */
static int copy(const struct recovering *w, const char *name, struct store_copy *c, struct error *e)
{
	if (!w->user)
		return store_copy_read(c, w->stores, name, e);
	int fd = open_store(w, name, O_RDONLY, e);
	int result = fd < 0 ? -1 : store_copy_file(c, fd, e);
	if (fd >= 0)
		close(fd);
	return result;
}

static enum store_fate make_datafile(const struct recovering *w, const char *name, struct error *e)
{
	struct store_copy c;
	uint8_t *bytes;
	size_t n;
	if (copy(w, name, &c, e) < 0)
		return STORE_FAILED;
	const struct store_header *h = store_copy_header(&c);
	bool known = w->r->pid && h->pid == w->r->pid && h->pid_space == store_pid_space();
	store_settle(&c, known ? &w->r->known : NULL);
	int result = store_copy_to_datafile(&c, &bytes, &n, e);
	store_copy_free(&c);
	if (result < 0)
		return STORE_FAILED;
	enum store_fate fate = write_datafile(w, name, bytes, n, e);
	free(bytes);
	return fate;
}

/* The names of the datafile of store name: <base>.csp. A process of another user may not see which
 * names are taken, and may have the pid of one that did write its datafile: it has the next number
 * that is free. */
static void name_datafile(struct recovering *w, const char *name, const struct store_header *h)
{
	enum { MAX_TRIES = 100000 };
	int base = (int)(strlen(name) - strlen(STORE_SUFFIX)), stem = base;
	struct stat st;
	snprintf(w->datafile, sizeof w->datafile, "%.*s" CSP_SUFFIX, base, name);
	while (stem > 0 && name[stem - 1] != '.')
		stem--;
	for (int i = 1; w->user && h->state != STORE_WRITTEN && i < MAX_TRIES &&
			fstatat(w->out, w->datafile, &st, AT_SYMLINK_NOFOLLOW) == 0;
	     i++)
		snprintf(w->datafile, sizeof w->datafile, "%.*s%" PRIu64 CSP_SUFFIX, stem, name,
			 (uint64_t)strtoull(name + stem, NULL, 10) + (uint64_t)i);
	snprintf(w->part, sizeof w->part, "%s" PART_SUFFIX, w->datafile);
}

static enum store_fate recover_one(struct recovering *w, const char *name, struct error *e)
{
	struct store_header h;
	struct stat st;
	if (read_header(w, name, &h, e) < 0)
		return STORE_FAILED;
	if (store_has_suffix(name, STORE_EXEC_SUFFIX)) {
		bool begins = w->r->patient && store_process_runs(h.pid, h.start_ticks);
		w->r->ending += begins;
		if (is_blank(&h) || memcmp(h.magic, STORE_MAGIC, sizeof h.magic) == 0)
			return begins || store_is_locked(w->stores, name)
				   ? STORE_ALIVE
				   : remove_store(w, name, STORE_REMOVED, e);
		error_set(e, ERROR_VERSION, "it is not a store of hpcrun");
		return STORE_FAILED;
	}
	/* an empty header: there was no memory for more than the file, or the process was killed
	 * before it wrote to it */
	if (is_blank(&h))
		return store_is_locked(w->stores, name) || store_process_runs(pid_of_name(name), 0)
			   ? STORE_ALIVE
			   : remove_store(w, name, STORE_LOST, e);
	if (store_lives_among(w->mapped, w->stores, name, &h)) {
		w->r->ending += h.state != STORE_RUNNING || !store_header_is_local(&h);
		return STORE_ALIVE;
	}
	name_datafile(w, name, &h);
	if (fstatat(w->out, w->datafile, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return make_datafile(w, name, e);
	if (S_ISREG(st.st_mode)) {
		if (!store_is_locked(w->out, w->part))
			unlinkat(w->out, w->part, 0);
		return remove_store(w, name, STORE_REMOVED, e);
	}
	error_set(e, ERROR_USAGE,
		  "the name of its datafile, %s, is in use by something that is not a file (remove "
		  "it, or name another directory with -o)",
		  w->datafile);
	return STORE_FAILED;
}

/* ---- one directory -------------------------------------------------------------------------- */

struct store_names {
	char **at;
	size_t n, cap;
};

static void names_free(struct store_names *names)
{
	for (size_t i = 0; i < names->n; i++)
		free(names->at[i]);
	free(names->at);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool is_store(const char *name)
{
	return store_has_suffix(name, STORE_SUFFIX) || store_has_suffix(name, STORE_EXEC_SUFFIX);
}

static bool is_link_or_store(const char *name)
{
	return store_has_suffix(name, STORE_LINK_SUFFIX) || store_has_suffix(name, STORE_SUFFIX);
}

bool store_is_user(const char *name, uint32_t *user)
{
	char *end;
	unsigned long long n = strtoull(name, &end, 10);
	*user = (uint32_t)n;
	return name[0] >= '1' && name[0] <= '9' && !*end && n < UINT32_MAX;
}

static bool is_user(const char *name)
{
	uint32_t user;
	return store_is_user(name, &user);
}

/* The entries of a directory that are `wanted`, in order. */
static int list(int fd, bool (*wanted)(const char *name), struct store_names *names,
		struct error *e)
{
	int copy = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = copy < 0 ? NULL : fdopendir(copy);
	struct dirent *entry;
	int result = 0;
	*names = (struct store_names){0};
	if (!dir) {
		if (copy >= 0)
			close(copy);
		return error_system(e, "cannot be listed");
	}
	while (result == 0 && (entry = readdir(dir))) {
		if (!wanted(entry->d_name))
			continue;
		if (names->n == names->cap) {
			size_t cap = names->cap ? 2 * names->cap : 64;
			char **more = realloc(names->at, cap * sizeof *more);
			if (more) {
				names->at = more;
				names->cap = cap;
			}
		}
		char *copied = names->n < names->cap ? strdup(entry->d_name) : NULL;
		if (copied)
			names->at[names->n++] = copied;
		else
			result = error_memory(e, sizeof *names->at);
	}
	closedir(dir);
	if (names->n)
		qsort(names->at, names->n, sizeof *names->at, by_name);
	return result;
}

static void tell(struct store_recovery *r, const char *name, enum store_fate fate,
		 const struct error *e)
{
	r->counts[fate]++;
	if (r->tell)
		r->tell(r->context, name, fate, e);
}

static int open_directory(const char *path, struct error *e)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		error_system(e, "%s: cannot be opened", path);
	return fd;
}

static int recover_each(struct recovering *w, struct error *e)
{
	struct store_names names = {0};
	int result = list(w->stores, is_store, &names, e);
	for (size_t i = 0; result == 0 && i < names.n; i++) {
		struct error why = {0};
		tell(w->r, names.at[i], recover_one(w, names.at[i], &why), &why);
	}
	names_free(&names);
	return result;
}

int store_open_user(int stores, const char *name)
{
	uint32_t user;
	struct stat st;
	int fd = store_is_user(name, &user)
		     ? openat(stores, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
		     : -1;
	if (fd >= 0 && (fstat(fd, &st) != 0 || st.st_uid != user || (st.st_mode & 077) != 0)) {
		close(fd);
		return -1;
	}
	return fd;
}

static int recover_users(const struct recovering *all, const struct store_names *users,
			 struct error *e)
{
	int result = 0;
	for (size_t i = 0; result == 0 && i < users->n; i++) {
		struct recovering w = {.out = all->out, .r = all->r, .mapped = all->mapped};
		store_is_user(users->at[i], &w.user);
		w.stores = store_open_user(all->stores, users->at[i]);
		if (w.stores < 0)
			continue; /* it was not given to its user yet, so nothing is in it */
		result = recover_each(&w, e);
		close(w.stores);
	}
	return result;
}

/* A running launcher holds its directory, because its next process uses it. The lock is let go
 * before the directory is removed, as in os_remove_idle_directory. Those that were seen alive may
 * have ended by now, and found it not empty yet; but one that became another user may still need
 * its own. */
static void remove_directory(const char *path, int fd, const struct store_names *users, bool alive)
{
	char *whole = realpath(path, NULL);
	if (whole && flock(fd, LOCK_EX | LOCK_NB) == 0 && flock(fd, LOCK_UN) == 0) {
		for (size_t i = 0; i < users->n && !alive; i++)
			unlinkat(fd, users->at[i], AT_REMOVEDIR);
		rmdir(whole);
	}
	free(whole);
}

int store_recover(const char *stores, const char *out, struct store_recovery *r, struct error *e)
{
	struct store_mapped mapped = {0};
	struct recovering w = {.r = r, .mapped = &mapped};
	struct store_names users = {0};
	uint32_t kept = r->counts[STORE_ALIVE] + r->counts[STORE_FAILED];
	w.stores = open_directory(stores, e);
	if (w.stores < 0)
		return -1;
	w.out = open_directory(out, e);
	int result = w.out < 0 ? -1 : list(w.stores, is_user, &users, e);
	if (result == 0)
		result = recover_each(&w, e);
	if (result == 0)
		result = recover_users(&w, &users, e);
	if (result == 0)
		remove_directory(stores, w.stores, &users,
				 r->counts[STORE_ALIVE] + r->counts[STORE_FAILED] != kept);
	names_free(&users);
	store_mapped_free(&mapped);
	if (w.out >= 0)
		close(w.out);
	close(w.stores);
	return result;
}

/* Whether a link leads to a directory that a launcher has made: of the same name, of the link's
 * owner, and for nobody else. What others have put there must not be touched. Sets target
 * [PATH_MAX]. */
static bool is_ours(int fd, const char *name, const struct stat *link, char *target)
{
	ssize_t n = readlinkat(fd, name, target, PATH_MAX - 1);
	size_t base = strlen(name) - strlen(STORE_LINK_SUFFIX);
	struct stat st;
	if (n <= 0)
		return false;
	target[n] = '\0';
	const char *last = strrchr(target, '/');
	return target[0] == '/' && strlen(last + 1) == base && memcmp(last + 1, name, base) == 0 &&
	       lstat(target, &st) == 0 && S_ISDIR(st.st_mode) && st.st_uid == link->st_uid &&
	       (st.st_mode & 066) == 0;
}

/* Recover the directory to which a link in dir points. */
static void recover_link(int fd, const char *name, const char *out, struct store_recovery *r)
{
	struct error why = {0};
	struct stat link, st;
	char target[PATH_MAX];
	int result = -1;
	if (fstatat(fd, name, &link, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISLNK(link.st_mode))
		return;
	if (is_ours(fd, name, &link, target))
		result = store_recover(target, out, r, &why);
	else
		error_set(
		    &why, ERROR_VERSION,
		    "it leads to a directory that hpcrun has not made; name that directory to "
		    "recover what is in it");
	if (fstatat(fd, name, &st, 0) != 0 && errno == ENOENT)
		unlinkat(fd, name, 0); /* also if its last process has just removed it */
	else if (result < 0)
		tell(r, name, STORE_FAILED, &why);
}

int store_recover_all(const char *dir, const char *out, struct store_recovery *r, struct error *e)
{
	struct store_names names = {0};
	int fd = open_directory(dir, e), result = 0;
	bool holds_stores = false;
	if (fd < 0)
		return -1;
	out = out ? out : dir;
	result = list(fd, is_link_or_store, &names, e);
	for (size_t i = 0; result == 0 && i < names.n; i++) {
		if (store_has_suffix(names.at[i], STORE_LINK_SUFFIX))
			recover_link(fd, names.at[i], out, r);
		else
			holds_stores = true;
	}
	if (result == 0 && holds_stores)
		result = store_recover(dir, out, r, e);
	names_free(&names);
	close(fd);
	return result;
}

/* ---- visits -----------------------------------------------------------------------------------
 */

struct visiting {
	void (*visit)(void *context, const struct store_visit *v);
	void *context;
};

static void visit_one(struct recovering *w, const char *name, const struct visiting *v)
{
	struct store_header h;
	struct error ignored;
	if (store_has_suffix(name, STORE_EXEC_SUFFIX) || read_header(w, name, &h, &ignored) < 0 ||
	    memcmp(h.magic, STORE_MAGIC, sizeof h.magic) != 0 || h.version != STORE_VERSION ||
	    h.state == STORE_WRITTEN)
		return;
	int fd = open_store(w, name, O_RDWR, &ignored);
	if (fd < 0)
		fd = open_store(w, name, O_RDONLY, &ignored);
	if (fd < 0)
		return;
	v->visit(v->context, &(struct store_visit){
				 .fd = fd,
				 .name = name,
				 .header = &h,
				 .alive = store_lives_among(w->mapped, w->stores, name, &h),
			     });
	close(fd);
}

static int visit_each(struct recovering *w, const struct visiting *v, struct error *e)
{
	struct store_names names = {0};
	int result = list(w->stores, is_store, &names, e);
	for (size_t i = 0; result == 0 && i < names.n; i++)
		visit_one(w, names.at[i], v);
	names_free(&names);
	return result;
}

static int visit_directory(int stores, const struct visiting *v, struct error *e)
{
	struct store_mapped mapped = {0};
	struct recovering w = {.stores = stores, .out = -1, .mapped = &mapped};
	struct store_names users = {0};
	int result = visit_each(&w, v, e);
	if (result == 0)
		result = list(stores, is_user, &users, e);
	for (size_t i = 0; result == 0 && i < users.n; i++) {
		store_is_user(users.at[i], &w.user);
		w.stores = store_open_user(stores, users.at[i]);
		if (w.stores < 0)
			continue;
		result = visit_each(&w, v, e);
		close(w.stores);
	}
	names_free(&users);
	store_mapped_free(&mapped);
	return result;
}

int store_visit_all(const char *dir, void (*visit)(void *context, const struct store_visit *v),
		    void *context, struct error *e)
{
	const struct visiting v = {visit, context};
	struct store_names names = {0};
	struct stat link;
	char target[PATH_MAX];
	int fd = open_directory(dir, e), result = 0;
	if (fd < 0)
		return -1;
	result = list(fd, is_link_or_store, &names, e);
	for (size_t i = 0; result == 0 && i < names.n; i++) {
		if (fstatat(fd, names.at[i], &link, AT_SYMLINK_NOFOLLOW) != 0 ||
		    !S_ISLNK(link.st_mode) || !is_ours(fd, names.at[i], &link, target))
			continue;
		int stores = open(target, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (stores >= 0) {
			result = visit_directory(stores, &v, e);
			close(stores);
		}
	}
	names_free(&names);
	close(fd);
	return result;
}
