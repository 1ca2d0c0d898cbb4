#include "runtime/trees/output.h"

#include "runtime/base/options.h"
#include "runtime/os/os.h"
#include "runtime/process/state.h"
#include "runtime/trees/mem.h"

#include <errno.h>
#include <string.h>

enum { SINK_BYTES = 64 * 1024, MAX_COMMAND = 128, MAX_NAME = 512, MAX_TRIES = 100000 };

/* Paths are not on the stack: a program may call _exit from a handler on a small one. */
static char executable[PATH_MAX], host[256];

/* The usual short paths share a page. */
enum { SHORT_PATH = 768, MOST_SHORT = SHORT_PATH - MAX_NAME };
struct place {
	char *few, *many; /* SHORT_PATH, and PATH_MAX + MAX_NAME bytes */
};
#define PLACE(name)                                                                                \
	static CSPROF_TOGETHER char name##_few[SHORT_PATH];                                        \
	static CSPROF_LARGE char name##_many[PATH_MAX + MAX_NAME];                                 \
	static const struct place name##_place = {name##_few, name##_many}
PLACE(datafile);
PLACE(store);
PLACE(part);
PLACE(other);

static CSPROF_TOGETHER const char *datafile; /* points into datafile_place */

struct path {
	char *at;
	size_t n, size;
};

static void add(struct path *p, const char *s, size_t n)
{
	if (p->n + n < p->size) {
		memcpy(p->at + p->n, s, n);
		p->n += n;
		p->at[p->n] = '\0';
	}
}

static void add_text(struct path *p, const char *s)
{
	add(p, s, strlen(s));
}

static void add_number(struct path *p, uint64_t v)
{
	char digits[20];
	add(p, digits, csp_format_u64(digits, v));
}

/* Begin the path of a file in directory, up to the '/'; MAX_NAME bytes may follow. */
static struct path path_in(const struct place *place, const char *directory)
{
	struct path p = {place->few, 0, SHORT_PATH};
	if (strlen(directory) >= MOST_SHORT)
		p = (struct path){place->many, 0, PATH_MAX + MAX_NAME};
	add_text(&p, directory);
	add(&p, "/", 1);
	return p;
}

/* The user in whose directory the store is; 0: it is in STORE itself. */
static CSPROF_TOGETHER uint32_t store_user;

static void add_user(struct path *p, uint32_t user)
{
	if (user) {
		add_number(p, user);
		add(p, "/", 1);
	}
}

/* DIRECTORY/<command>.<host>.<pid>.<seq>SUFFIX, or the same in DIRECTORY/<user>. */
static const char *make_name(const struct place *place, const char *directory, uint32_t user,
			     const char *suffix)
{
	struct path p = path_in(place, directory);
	add_user(&p, user);
	const char *slash = strrchr(executable, '/');
	const char *command = slash ? slash + 1 : executable;
	add(&p, command, strnlen(command, MAX_COMMAND));
	add(&p, ".", 1);
	add_text(&p, host);
	add(&p, ".", 1);
	add_number(&p, csprof_process.pid);
	add(&p, ".", 1);
	add_number(&p, csprof_options.seq);
	add_text(&p, suffix);
	return p.at;
}

/* STORE/<host>.<pid>.exec */
static const char *name_aside(void)
{
	struct path p = path_in(&other_place, csprof_options.store);
	add_user(&p, store_user);
	add_text(&p, host);
	add(&p, ".", 1);
	add_number(&p, csprof_process.pid);
	add_text(&p, STORE_EXEC_SUFFIX);
	return p.at;
}

/* OUT/<last part of STORE>.stores, which the launcher made. */
static const char *name_link(void)
{
	struct path p = path_in(&part_place, csprof_options.out);
	add_text(&p, strrchr(csprof_options.store, '/') + 1);
	add_text(&p, STORE_LINK_SUFFIX);
	return p.at;
}

/* The launcher has ended, and found no store in STORE just before this process began: make it
 * again. Not where OUT is another one, or cannot be written. */
static bool restore_directory(void)
{
	if (!os_exists(csprof_options.out))
		return false;
	int r = os_make_directory(csprof_options.store, os_user() == 0 ? 0711 : 0700);
	if (r < 0)
		return r == -EEXIST;
	r = os_symlink(csprof_options.store, name_link());
	if (r == 0 || r == -EEXIST)
		return true;
	os_remove_idle_directory(csprof_options.store, false);
	return false;
}

/* Where the process has no rights in STORE, it may have a directory of its user there. If it has
 * not, the store is in private memory. */
static int create_store(uint32_t num_metrics, uint32_t num_events, bool may_share)
{
	bool again = csprof_options.store[0], restored = false;
	while (again) {
		int r = csprof_store_create(
		    make_name(&store_place, csprof_options.store, store_user, STORE_SUFFIX),
		    num_metrics, num_events);
		if (r != -EACCES && r != -ENOENT)
			return r;
		if (r == -EACCES)
			again = !store_user && (store_user = os_user()) != 0;
		else
			again = !store_user && may_share && !restored && restore_directory();
		restored |= r == -ENOENT;
	}
	return csprof_store_create(NULL, num_metrics, num_events);
}

int csprof_output_begin(uint32_t num_metrics, uint32_t num_events, bool forked, bool may_share)
{
	if (!forked) { /* a child has those of its parent */
		os_executable(executable, sizeof executable);
		os_hostname(host, sizeof host);
	}
	if (store_user) /* of the parent */
		store_user = 0;
	bool later = csprof_options.seq > 0;
	int r = -EEXIST;
	for (int i = 0; i < MAX_TRIES; i++, csprof_options.seq++) {
		datafile = make_name(&datafile_place, csprof_options.out, 0, CSP_SUFFIX);
		if (os_exists(datafile))
			continue;
		r = create_store(num_metrics, num_events, may_share);
		if (r != -EEXIST)
			break;
	}
	if (later && csprof_options.store[0])
		os_unlink(name_aside());
	return r;
}

void csprof_output_share(uint32_t user)
{
	/* a vfork child must not change its parent's memory */
	char path[SHORT_PATH];
	struct path p = {path, 0, sizeof path};
	if (!csprof_options.store[0] || strlen(csprof_options.store) >= MOST_SHORT ||
	    !os_users_are_all())
		return;
	add_text(&p, csprof_options.store);
	add(&p, "/", 1);
	add_number(&p, user);
	os_make_directory_for(path, user);
}

const char *csprof_output_executable(void)
{
	return executable;
}

const char *csprof_output_host(void)
{
	return host;
}

const char *csprof_output_path(void)
{
	return datafile;
}

/* ---- the datafile ----------------------------------------------------------------- */

static int to_file(void *ctx, const uint8_t *bytes, size_t n)
{
	return os_write(*(int *)ctx, bytes, n);
}

/* All memory for writing the datafile comes from one mapping: each mapping costs its creation,
 * its removal and page tables. A small one is left until the end of the process, or exec: to
 * remove it costs more than to write the file. Used under the process's lock. */
enum { MOST_LEFT_MAPPED = 256 * 1024 };
static CSPROF_TOGETHER struct {
	uint8_t *at, *memory;
	size_t left, bytes;
} room;

static bool make_room(size_t bytes)
{
	room.at = room.memory = os_map(bytes);
	room.left = room.bytes = room.memory ? bytes : 0;
	return room.memory;
}

static void drop_room(void)
{
	if (room.memory)
		os_unmap(room.memory, room.bytes);
	room.memory = NULL;
}

static void *take_room(size_t bytes)
{
	bytes = (bytes + 15) & ~(size_t)15;
	if (bytes > room.left)
		return NULL;
	uint8_t *p = room.at;
	room.at += bytes;
	room.left -= bytes;
	return p;
}

static void leave_room(void *p, size_t bytes)
{
	(void)p, (void)bytes; /* freed with the mapping */
}

static int write_store(const struct store_view *view, int fd)
{
	static const struct store_memory memory = {take_room, leave_room};
	struct csp_sink sink = {.buf = take_room(SINK_BYTES),
				.cap = SINK_BYTES,
				.flush = to_file,
				.ctx = &fd,
				.big = csp_host_is_big()};
	return store_write_datafile(view, &memory, &sink);
}

static int write_part(const char *part)
{
	int fd = os_create(part);
	if (fd == -EEXIST) { /* left by a killed process with this pid */
		os_unlink(part);
		fd = os_create(part);
	}
	if (fd < 0)
		return fd;
	struct store_view view = csprof_store_view();
	size_t bytes = SINK_BYTES + STORE_WORKING_BYTES(view.num_blocks);
	int r = make_room(bytes) ? write_store(&view, fd) : -ENOMEM;
	if (bytes > MOST_LEFT_MAPPED)
		drop_room();
	os_close(fd);
	return r;
}

/* The datafile first has another name, so that a reader of the directory finds only complete
 * datafiles. */
int csprof_output_write(void)
{
	const char *part = make_name(&part_place, csprof_options.out, 0, CSP_SUFFIX ".part");
	datafile = make_name(&datafile_place, csprof_options.out, 0, CSP_SUFFIX);
	int r = write_part(part);
	if (r == 0)
		r = os_rename_new(part, datafile);
	for (int i = 0; r == -EEXIST && i < MAX_TRIES; i++) {
		csprof_options.seq++;
		datafile = make_name(&datafile_place, csprof_options.out, 0, CSP_SUFFIX);
		r = os_rename_new(part, datafile);
	}
	if (r < 0)
		os_unlink(part);
	else
		csprof_store_header()->state = STORE_WRITTEN;
	return r;
}

/* ---- the store's file ---------------------------------------------------------------- */

void csprof_output_drop_store(bool with_users)
{
	const char *path = csprof_store_path();
	if (!path)
		return;
	os_unlink(path);
	if (os_remove_idle_directory(csprof_options.store, with_users))
		os_unlink(name_link());
}

void csprof_output_put_store_aside(void)
{
	const char *path = csprof_store_path();
	if (path)
		os_rename(path, name_aside());
}

void csprof_output_take_back(void)
{
	drop_room();
	const char *path = csprof_store_path();
	if (path) /* first: a kill in between leaves both, and only one of them is used */
		os_rename(name_aside(), path);
	os_unlink(datafile);
}

bool csprof_output_is_stopped(void)
{
	struct path p = path_in(&other_place, csprof_options.out);
	add_text(&p, STORE_STOPPED_FILE);
	return os_exists(p.at);
}

/* ---- the vdso ------------------------------------------------------------------------ */

static const struct store_module *find_vdso(void)
{
	store_ref ref = csprof_store_header()->first_epoch;
	ref = ref ? ((struct store_epoch *)csprof_store_at(ref))->first_module : 0;
	while (ref) {
		const struct store_module *m = csprof_store_at(ref);
		const struct store_string *name = csprof_store_at(m->name);
		if (m->build_id && name->n == sizeof CSP_MODULE_VDSO - 1 &&
		    memcmp(name->bytes, CSP_MODULE_VDSO, name->n) == 0)
			return m;
		ref = m->next;
	}
	return NULL;
}

void csprof_output_save_vdso(void)
{
	const struct store_module *m = find_vdso();
	if (!m)
		return;
	const struct store_string *id = csprof_store_at(m->build_id);
	struct path p = path_in(&other_place, csprof_options.out);
	struct path q = path_in(&part_place, csprof_options.out);
	add_text(&p, CSP_VDSO_PREFIX);
	add(&p, id->bytes, id->n);
	if (os_exists(p.at))
		return;
	add_text(&q, CSP_VDSO_PREFIX);
	add(&q, id->bytes, id->n);
	add_text(&q, ".");
	add_number(&q, csprof_process.pid);
	int fd = os_create(q.at);
	if (fd < 0)
		return;
	int r = os_write(fd, (const void *)m->mapped_address, m->extent);
	os_close(fd);
	if (r < 0 || os_rename(q.at, p.at) < 0)
		os_unlink(q.at);
}
