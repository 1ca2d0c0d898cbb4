#include "hpcprof/load/units.h"

#include "formats/base/path.h"
#include "hpcprof/terminal/layout.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The key that files are grouped by: files with equal keys are a group. */
struct key {
	bool unknown; /* not known; these are last */
	const char *text;
	uint64_t number;
	const char *place; /* folder of the file: equal numbers in another folder are different */
	const char *path;  /* of the datafile */
	const struct scan_file *file;
	const struct importer_part *parts; /* or NULL */
	size_t num_parts;
};

static int compare_keys(const struct key *a, const struct key *b)
{
	int c = (int)a->unknown - (int)b->unknown;

	if (!c)
		c = strcmp(a->text, b->text);
	if (!c)
		c = (a->number > b->number) - (a->number < b->number);
	return c ? c : strcmp(a->place, b->place);
}

static int by_key(const void *pa, const void *pb)
{
	const struct key *a = pa, *b = pb;
	int c = compare_keys(a, b);

	if (!c)
		c = strcmp(a->file->path, b->file->path);
	return c ? c : strcmp(a->path, b->path);
}

static int by_path(const void *pa, const void *pb)
{
	return strcmp(pa, ((const struct model_process *)pb)->path);
}

/* The first n bytes of s, without trailing slashes. */
static const char *cut_slashes(struct arena *a, const char *s, size_t n)
{
	while (n > 1 && s[n - 1] == '/')
		n--;
	return arena_strndup(a, s, n);
}

static const char *folder_of(struct arena *a, const char *path)
{
	size_t n = path_folder_length(path);

	return n ? cut_slashes(a, path, n) : "";
}

/* Fill the key of a file. A file whose process is not known is a group by itself. False if memory
 * ran out. */
static bool find_key(struct key *k, enum unit_kind kind, const struct model *m, struct arena *a)
{
	const struct model_process *p = m->processes.len
					    ? bsearch(k->path, m->processes.at, m->processes.len,
						      sizeof *m->processes.at, by_path)
					    : NULL;

	k->text = k->place = "";
	switch (kind) {
	case UNIT_USUAL:
	case UNIT_PROFILE:
		k->text = cut_slashes(a, k->file->argument, strlen(k->file->argument));
		break;
	case UNIT_THREAD:
	case UNIT_PROCESS:
		k->unknown = !p || !p->has_pid;
		k->text = k->unknown ? k->path : p->host;
		k->number = k->unknown ? 0 : p->pid;
		k->place = kind == UNIT_THREAD ? k->path : folder_of(a, k->path);
		break;
	case UNIT_RANK:
		k->unknown = !p || !p->has_rank;
		k->number = k->unknown ? 0 : p->rank;
		break;
	case UNIT_HOST:
		k->unknown = !p || !p->host[0];
		k->text = k->unknown ? "" : p->host;
		break;
	}
	return k->text && k->place;
}

static const char *name_of(const struct units *u, const struct key *k, struct arena *a)
{
	bool host = k->text[0] && !u->one_host;

	switch (u->kind) {
	case UNIT_RANK:
		return k->unknown ? "no rank" : layout_format(a, "rank %" PRIu64, k->number);
	case UNIT_HOST:
		return k->unknown ? "unknown host" : k->text;
	case UNIT_PROFILE:
		return k->text;
	default:
		if (k->unknown)
			return k->text;
		return layout_format(a, "process %" PRIu64 "%s%s", k->number, host ? " on " : "",
				     host ? k->text : "");
	}
}

static bool add_file(struct units *u, const struct key *k, bool begins, struct arena *a)
{
	struct unit_group group = {.first = u->files.len};

	if (begins) {
		group.name = name_of(u, k, a);
		if (!group.name || !vec_push(&u->groups, group))
			return false;
	}
	u->groups.at[u->groups.len - 1].num_files++;
	return vec_push(&u->files, (struct unit_file){.file = {k->file->path, k->file->datafile},
						      .parts = k->parts,
						      .num_parts = k->num_parts});
}

/* The keys of all files, to be sorted. */
struct keys {
	VEC(struct key) list;
	enum unit_kind kind;
	const struct model *m;
	struct arena *a;
};

static bool add_key(struct keys *keys, struct key k)
{
	return find_key(&k, keys->kind, keys->m, keys->a) && vec_push(&keys->list, k);
}

/* Add a key for a file, or for each datafile that it has parts of. */
static bool add_keys(struct keys *keys, const struct scan_file *file)
{
	const struct importer *importer =
	    keys->kind == UNIT_PROFILE ? NULL : importers_of(file->path);
	struct importer_part *parts = NULL;
	struct error why;
	size_t n = 0;
	bool ok = true;

	if (importer && importer->parts &&
	    importer->parts(file->path, &parts, &n, keys->a, &why) != 0)
		n = 0; /* it could be read before: use it as a whole */
	if (!n)
		return add_key(keys, (struct key){.file = file, .path = file->path});
	for (size_t i = 0, end; ok && i < n; i = end) {
		for (end = i + 1; end < n && strcmp(parts[i].path, parts[end].path) == 0; end++)
			;
		ok = add_key(keys, (struct key){.file = file,
						.path = parts[i].path,
						.parts = &parts[i],
						.num_parts = end - i});
	}
	return ok;
}

int units_group(struct units *u, enum unit_kind kind, const struct scan_file *files, size_t n,
		const bool *left_out, const struct model *m, struct arena *a, struct error *e)
{
	struct keys all = {.kind = kind, .m = m, .a = a};
	struct key *keys;
	bool ok = true;
	size_t count;

	memset(u, 0, sizeof *u);
	u->kind = kind;
	for (size_t i = 0; ok && i < n; i++) {
		if (!left_out || !left_out[i])
			ok = add_keys(&all, &files[i]);
	}
	keys = all.list.at;
	count = all.list.len;
	if (ok && count)
		qsort(keys, count, sizeof *keys, by_key);
	u->one_host = true;
	for (size_t i = 1; i < count && !keys[i].unknown; i++)
		u->one_host &= strcmp(keys[i - 1].text, keys[i].text) == 0;
	/* launchers are not ranks; unknown keys are last */
	while (kind == UNIT_RANK && count && keys[count - 1].unknown && !keys[0].unknown) {
		u->outside++;
		count--;
	}
	for (size_t i = 0; ok && i < count; i++)
		ok = add_file(u, &keys[i], !i || compare_keys(&keys[i - 1], &keys[i]) != 0, a);
	vec_free(&all.list);
	return ok ? 0 : error_memory(e, n * sizeof *keys);
}

void units_deinit(struct units *u)
{
	if (!u)
		return;
	vec_free(&u->files);
	vec_free(&u->groups);
}

const char *units_word(enum unit_kind kind, size_t n)
{
	static const char *const words[][2] = {[UNIT_PROFILE] = {"profile", "profiles"},
					       [UNIT_THREAD] = {"thread", "threads"},
					       [UNIT_PROCESS] = {"process", "processes"},
					       [UNIT_RANK] = {"rank", "ranks"},
					       [UNIT_HOST] = {"host", "hosts"}};
	return words[kind][n != 1];
}
