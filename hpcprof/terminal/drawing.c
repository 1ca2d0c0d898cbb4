#include "hpcprof/terminal/drawing.h"

#include "hpcprof/terminal/layout.h"

#include <string.h>

enum { INDENT = 2, MOST_INDENT_PERCENT = 40 /* of the width */ };

/* The guides to the left of a name: a column for each fork above, with a bar if more branches of it
 * follow. If there are too many forks, only the innermost are drawn. */
static const char *guides(struct drawing *d, bool first)
{
	size_t forks = d->levels.len - (d->rooted ? 1 : 0), skip = 0;
	size_t width = d->width < LAYOUT_USUAL ? d->width : LAYOUT_USUAL;
	size_t most = width * MOST_INDENT_PERCENT / 100 / INDENT;
	char *out;

	if (forks > most)
		skip = forks - most;
	out = arena_alloc(d->arena, (forks - skip) * INDENT + 1);
	for (size_t i = skip; out && i < forks; i++) {
		bool more = d->levels.at[i + (d->rooted ? 1 : 0)];
		bool here = first && i == forks - 1;
		memcpy(out + (i - skip) * INDENT, here ? "+ " : more ? "| " : "  ", INDENT);
	}
	return out;
}

static bool print_node(struct drawing *d, uint32_t node, bool first)
{
	const char *before = guides(d, first), *text;
	unsigned used;

	if (!before)
		return false;
	used = d->ops->margin(d->context, d->out, node) + (unsigned)strlen(before);
	text = d->ops->label(d->context, node, used < d->width ? d->width - used : 0);
	if (!text)
		return false;
	fprintf(d->out, "%s%s\n", before, text);
	return true;
}

/* The number of nodes from node down to the next fork or end. */
static size_t stretch_length(const struct drawing *d, uint32_t node)
{
	size_t n = 1;
	while (!(d->ops->ends && d->ops->ends(d->context, node)) && d->child[node] &&
	       !d->sibling[d->child[node]]) {
		node = d->child[node];
		n++;
	}
	return n;
}

/* Print a stretch. The middle of a long one is printed as a number of nodes. *last is its last
 * node. */
static bool print_stretch(struct drawing *d, uint32_t node, bool first, uint32_t *last)
{
	size_t n = stretch_length(d, node), hidden = 0;

	if (n > d->longest_stretch)
		hidden = n - 2 * d->stretch_ends;
	for (size_t i = 0; i < n; i++, node = d->child[node]) {
		bool drawn = !hidden || i < d->stretch_ends || i >= d->stretch_ends + hidden;
		*last = node;
		if (drawn && !print_node(d, node, first && i == 0))
			return false;
		if (hidden && i == d->stretch_ends) {
			const char *before = guides(d, false);
			char number[LAYOUT_NUMBER_BYTES];
			if (!before)
				return false;
			d->ops->margin_hidden(d->context, d->out, node, hidden);
			fprintf(d->out, "%s... %s more frames ...\n", before,
				layout_exact(number, hidden));
		}
	}
	return true;
}

/* Print a stretch and all that follow it without a fork. */
static bool print_branch(struct drawing *d, uint32_t node, uint32_t *last)
{
	if (!print_stretch(d, node, true, last))
		return false;
	while (d->child[*last] && !d->sibling[d->child[*last]])
		if (!print_stretch(d, d->child[*last], false, last))
			return false;
	return true;
}

/* Print a stretch, then its branches one level deeper. */
bool drawing_print(struct drawing *d, uint32_t root)
{
	bool ok = vec_push(&d->levels, d->child[root]);

	d->rooted = d->child[root] && !d->sibling[d->child[root]];
	while (ok && d->levels.len) {
		uint32_t node = d->levels.at[d->levels.len - 1], last = node;
		if (!node) {
			d->levels.len--;
			continue;
		}
		d->levels.at[d->levels.len - 1] = d->sibling[node];
		ok = print_branch(d, node, &last) &&
		     (!d->child[last] || vec_push(&d->levels, d->child[last]));
	}
	d->levels.len = 0;
	return ok;
}

void drawing_deinit(struct drawing *d)
{
	vec_free(&d->levels);
}
