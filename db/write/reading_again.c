#include "db/write/reading_again.h"

#include <stdio.h>
#include <string.h>

int db_files_again(struct scan *files, const struct db_writing *w, struct error *e)
{
	struct diag nobody = {.out = fopen("/dev/null", "we"), .quiet = true};
	int rc;

	if (!nobody.out)
		return error_system(e, "/dev/null");
	rc = scan_profiles(files, w->o->profiles, w->o->num_profiles, false, &nobody, e);
	fclose(nobody.out);
	return rc;
}

bool db_file_was_read(const struct db_writing *w, const char *path)
{
	for (size_t i = 0; i < w->p->losses.len; i++)
		if (!w->p->losses.at[i].read && strcmp(w->p->losses.at[i].path, path) == 0)
			return false;
	return true;
}

struct ingest_options db_reading_options(const struct db_writing *w)
{
	return (struct ingest_options){.sysroot = w->o->sysroot,
				       .join_threads = w->o->join_threads,
				       .keep_interpreter = w->o->interpreter,
				       .sums = model_num_recorded(w->p->model) <
					       w->p->model->metrics.len};
}

uint32_t db_find_metric(const struct db_writing *w, const struct model_metric *k)
{
	const struct model *m = w->p->model;

	for (uint32_t i = 0; i < m->metrics.len; i++)
		if (m->metrics.at[i].flags == k->flags &&
		    strcmp(m->metrics.at[i].name, k->name) == 0 &&
		    strcmp(m->metrics.at[i].unit, k->unit) == 0)
			return i;
	return UINT32_MAX;
}

int db_file_changed(struct error *e)
{
	return error_set(e, ERROR_FORMAT, "a datafile changed while it was read (try again)");
}
