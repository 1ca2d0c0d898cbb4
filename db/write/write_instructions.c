/* Writes what instructions have produced. */
#include "db/write/write.h"
#include "hpcprof/model/values.h"

#include <string.h>

static void write_count(struct db_writing *w, struct bulk *b, const char *what, uint64_t count)
{
	bulk_int(b, w->measurement);
	bulk_text(b, what);
	bulk_sum(b, count);
}

static int write_windows(struct db_writing *w, struct error *e)
{
	static const char *const refusals[] = CSP_VALUE_REFUSAL_TEXTS;
	const struct reader_windows *windows = &w->p->model->windows;
	struct bulk b;

	bulk_begin(&b, w->db, "value_window", 3, e);
	write_count(w, &b, "windows", windows->windows);
	write_count(w, &b, "steps", windows->steps);
	write_count(w, &b, "ns", windows->ns);
	write_count(w, &b, "dropped values", windows->dropped);
	for (int i = 0; i < CSP_VALUE_REFUSALS; i++)
		if (windows->refused[i])
			write_count(w, &b, refusals[i], windows->refused[i]);
	return bulk_end(&b, e);
}

/* The innermost code of an instruction; NULL: it has no name. */
static const struct code_frame *code_of(const struct profile *p, const struct model_value *v)
{
	uint32_t frame =
	    model_find_frame(p->model, &(struct model_frame){v->address, v->module, FRAME_POINT});

	if (frame == MODEL_NO_FRAME || p->code.first[frame] == p->code.first[frame + 1])
		return NULL;
	return &p->code.frames.at[p->code.first[frame]];
}

static void write_value(struct db_writing *w, struct bulk *b, size_t i)
{
	const struct model_value *v = &w->p->model->values.at[i];
	const struct code_frame *code = code_of(w->p, v);
	char kind[READER_VALUE_KIND_BYTES];

	bulk_int(b, w->value + (int64_t)i);
	bulk_int(b, w->measurement);
	bulk_int(b, w->module + v->module);
	bulk_int(b, (int64_t)v->address);
	bulk_int_or_null(b, code, code ? w->function + w->ranks.functions[code->function] : 0);
	bulk_int_or_null(b, code, code ? w->line + w->ranks.lines[code->line] : 0);
	reader_value_kind(v->what, v->bytes, kind, sizeof kind);
	bulk_text(b, arena_strndup(&w->arena, kind, strlen(kind)));
	bulk_int(b, v->what);
	bulk_int(b, v->bytes);
	bulk_sum(b, v->count);
	bulk_sum(b, v->zeros);
	bulk_sum(b, v->same);
	bulk_sum(b, v->rest);
}

static int write_rows(struct db_writing *w, struct error *e)
{
	struct bulk b;

	bulk_begin(&b, w->db, "instruction_value", 13, e);
	for (size_t i = 0; i < w->p->model->values.len; i++)
		write_value(w, &b, i);
	return bulk_end(&b, e);
}

static int write_frequent(struct db_writing *w, struct error *e)
{
	const struct model *m = w->p->model;
	struct bulk b;

	bulk_begin(&b, w->db, "frequent_value", 6, e);
	for (size_t i = 0; i < m->values.len; i++)
		for (uint32_t k = 0; k < m->values.at[i].num_frequent; k++) {
			const struct model_frequent *f =
			    &m->frequent.at[m->values.at[i].first_frequent + k];
			bool code = f->module != MODEL_NO_MODULE;
			bulk_int(&b, w->value + (int64_t)i);
			bulk_int(&b, k);
			bulk_int(&b, (int64_t)f->value);
			bulk_int_or_null(&b, code, code ? w->module + f->module : 0);
			bulk_sum(&b, f->count > f->error ? f->count - f->error : 0);
			bulk_sum(&b, f->count);
		}
	return bulk_end(&b, e);
}

int db_write_instructions(struct db_writing *w, struct error *e)
{
	if (!w->p->model->has_windows)
		return 0;
	if (write_windows(w, e) != 0 || write_rows(w, e) != 0)
		return -1;
	return write_frequent(w, e);
}
