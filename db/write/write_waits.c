/* Writes what the contexts of BLOCKED waited for. */
#include "db/write/write.h"
#include "hpcprof/metrics/waits.h"

#include <stdlib.h>

/* Contexts of the model may be one in the tree: then their kind is the same. */
static int write_rows(struct db_writing *w, const wait_list *waits, struct error *e)
{
	const struct wait_place **rows =
	    calloc((size_t)w->tree.len + 1, sizeof(struct wait_place *));
	struct bulk b;

	if (!rows)
		return error_memory(e, w->tree.len * sizeof(struct wait_place *));
	for (size_t i = 0; i < waits->len; i++)
		rows[w->tree.numbers[waits->at[i].context]] = &waits->at[i];
	bulk_begin(&b, w->db, "wait", 3, e);
	for (uint32_t i = 0; i < w->tree.len && !b.failed; i++) {
		if (!rows[i])
			continue;
		bool known = rows[i]->function != WAITS_NO_FUNCTION;
		bulk_int(&b, w->context + i);
		bulk_text(&b, rows[i]->kind);
		bulk_int_or_null(
		    &b, known,
		    known ? w->function + (int64_t)w->ranks.functions[rows[i]->function] : 0);
	}
	free(rows);
	return bulk_end(&b, e);
}

int db_write_waits(struct db_writing *w, struct error *e)
{
	const struct model *m = w->p->model;
	const struct model_metric *blocked = waits_metric(m);
	wait_list waits;
	int rc;

	if (!blocked)
		return 0;
	rc = waits_find(&waits, m, &w->p->code, blocked, NULL, e);
	if (rc == 0)
		rc = write_rows(w, &waits, e);
	vec_free(&waits);
	return rc;
}
