/* The parts of a database: its profiles. */
#include "db/import/import_internal.h"

#include "reader/xml_name.h"

#include <stdlib.h>
#include <string.h>

struct import_part {
	struct importer_part part;
	int64_t measurement;
};

struct import_list_of_parts {
	VEC(struct import_part) parts;
	struct arena *arena;
};

/* A text with escapes decoded. Clears *ok if memory ran out. */
static const char *part_text(struct arena *a, sqlite3_stmt *s, int i, bool *ok)
{
	const char *at = (const char *)sqlite3_column_text(s, i);
	char *copy = at ? arena_strndup(a, at, strlen(at)) : NULL;

	if (copy)
		reader_xml_decode_name(copy);
	*ok &= copy || !import_known(s, i);
	return copy;
}

static int take_part(struct import *in, sqlite3_stmt *s)
{
	struct arena *a = in->parts->arena;
	bool ok = true;
	struct import_part p = {
	    .part = {.id = sqlite3_column_int64(s, 0),
		     .path = part_text(a, s, 1, &ok),
		     .thread = import_known(s, 2) ? (uint32_t)import_number(s, 2) : CSP_NONE,
		     .tid = import_number(s, 3),
		     .name = part_text(a, s, 4, &ok),
		     .start_ns = import_number(s, 5),
		     .end_ns = import_number(s, 6),
		     .cpu_ns = import_number(s, 7),
		     .has_process = import_number(s, 8) != 0,
		     .has_values = import_number(s, 9) != 0},
	    .measurement = sqlite3_column_int64(s, 10)};

	if (ok && !p.part.path)
		return import_damaged(in, "profile", p.part.id);
	return ok && vec_push(&in->parts->parts, p) ? 0 : import_out_of_memory(in);
}

static int compare_numbers(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

/* By measurement, path, thread (several come last) and id. */
static int by_datafile(const void *pa, const void *pb)
{
	const struct import_part *a = pa, *b = pb;
	int rc = compare_numbers(a->measurement, b->measurement);

	if (rc == 0)
		rc = strcmp(a->part.path, b->part.path);
	if (rc == 0)
		rc = compare_numbers(a->part.thread, b->part.thread);
	return rc ? rc : compare_numbers(a->part.id, b->part.id);
}

static int put_parts(struct import *in, struct importer_part **out, size_t *n)
{
	struct import_list_of_parts *l = in->parts;
	struct database_work *work = arena_alloc(l->arena, sizeof *work);

	*out = arena_alloc(l->arena, (l->parts.len + 1) * sizeof **out);
	if (!work || !*out)
		return import_out_of_memory(in);
	database_work_init(work, in->file.size);
	if (l->parts.len)
		qsort(l->parts.at, l->parts.len, sizeof *l->parts.at, by_datafile);
	for (size_t i = 0; i < l->parts.len; i++) {
		(*out)[i] = l->parts.at[i].part;
		(*out)[i].data = work;
	}
	*n = l->parts.len;
	return 0;
}

/* There are none if something was recorded, but the database does not have the profiles' values. */
int import_parts(const char *path, struct importer_part **out, size_t *n, struct arena *a,
		 struct error *e)
{
	struct import_list_of_parts list = {.arena = a};
	struct import in = {.e = e, .parts = &list};
	int64_t values = 0;
	int rc = import_open(&in, path);

	*n = 0;
	if (rc == 0)
		rc = db_number(in.db, &values, e,
			       "SELECT EXISTS (SELECT 1 FROM profile_value)"
			       " OR NOT EXISTS (SELECT 1 FROM exclusive)");
	if (rc == 0 && values)
		rc = import_each(
		    &in,
		    "SELECT p.id, p.path, p.thread, p.tid, p.name, p.start_ns, p.end_ns, p.cpu_ns, "
		    "p.process IS NOT NULL, "
		    "EXISTS (SELECT 1 FROM profile_value v WHERE v.profile = p.id), p.measurement "
		    "FROM profile p ORDER BY p.id",
		    take_part);
	if (rc == 0 && list.parts.len)
		rc = put_parts(&in, out, n);
	if (database_check_cut(&in.file, e) != 0)
		rc = -1;
	database_close(&in.file);
	vec_free(&list.parts);
	return rc;
}
