/* Writes the groups of threads. */
#include "db/write/sums_table.h"
#include "db/write/write.h"
#include "hpcprof/correlate/thread_list.h"

static void write_row(struct db_writing *w, struct bulk *b, const thread_list *list, size_t i)
{
	const struct thread_list_row *r = &list->at[i];

	bulk_int(b, w->thread_group + (int64_t)i);
	bulk_int(b, w->measurement);
	bulk_text(b, db_thread_kinds[r->kind]);
	bulk_text(b, db_text(&w->arena, r->name));
	bulk_text(b, db_text(&w->arena, r->first));
	bulk_text(b, db_text(&w->arena, r->last));
	bulk_text(b, r->creator[0] ? db_text(&w->arena, r->creator) : NULL);
	bulk_sum(b, r->threads);
}

static int write_rows(struct db_writing *w, const thread_list *list, struct error *e)
{
	struct bulk b;

	bulk_begin(&b, w->db, "thread_group", 8, e);
	for (size_t i = 0; i < list->len; i++)
		write_row(w, &b, list, i);
	return bulk_end(&b, e);
}

static int write_values(struct db_writing *w, const thread_list *list, struct error *e)
{
	struct sums_table values = {0};
	bool ok = true;

	for (size_t i = 0; ok && i < list->len; i++)
		ok = sums_table_add(&values, (uint32_t)i, &list->at[i].sums);
	return sums_table_write(&values, ok, w->db, "thread_group_value", w->metric,
				w->thread_group, e);
}

int db_write_threads(struct db_writing *w, struct error *e)
{
	thread_list list;
	int rc = thread_list_make(&list, w->p->model, &w->p->code, &w->arena, e);

	if (rc == 0)
		rc = write_rows(w, &list, e);
	if (rc == 0)
		rc = write_values(w, &list, e);
	vec_free(&list);
	return rc;
}
