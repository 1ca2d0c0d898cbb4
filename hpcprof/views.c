#include "hpcprof/views.h"

#include "hpcprof/dump.h"

static int dump(FILE *out, const char *path, const struct options *o, struct error *e)
{
	return dump_file(out, path, o->json, e);
}

const struct view dump_view = {
    .name = "dump",
    .summary = "a datafile as text, field by field",
    .takes = OPTION_JSON,
    .print_file = dump,
};

enum { MOST_VIEWS = 12 };

const struct view *views[MOST_VIEWS + 1] = {
    &text_view, &tree_view,    &callers_view, &callees_view, &annotate_view, &xml_view, &merge_view,
    &dump_view, &recover_view, &top_view,     NULL};

void views_add(const struct view *view)
{
	size_t i = 0;

	while (views[i])
		i++;
	if (i < MOST_VIEWS)
		views[i] = view;
}
