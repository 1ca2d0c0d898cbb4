/* The chunks of merged files, in the trailer. */
#include "reader/internal.h"

enum {
	ROW_MIN_BYTES = 4 + 4,
	SUM_BYTES = 4 + 8 + 8,
	GROUP_MIN_BYTES = 4 + CSP_TEXT_MIN_BYTES + CSP_TEXT_MIN_BYTES + 8 + 4 + 4,
};

/* Read the sums of a row of MERGED or GROUPS. */
static int get_sums(struct reader *r, struct cursor *c, const struct reader_merged_sum **out,
		    uint32_t *num, struct error *e)
{
	struct reader_merged_sum *sums;
	uint32_t n = 0;
	if (csp_get_count(c, "sums of a merged row", SUM_BYTES, &n, e))
		return -1;
	sums = reader_table(r, n, sizeof *sums, e);
	if (!sums)
		return -1;
	for (uint32_t i = 0; i < n; i++) {
		if (csp_get_u32(c, "metric of a merged sum", &sums[i].metric, e) ||
		    trailer_index(c, "metric of a merged sum", sums[i].metric, r->num_metrics, 4,
				  e) ||
		    csp_get_u64(c, "events of a merged sum", &sums[i].events, e) ||
		    csp_get_u64(c, "samples of a merged sum", &sums[i].samples, e))
			return -1;
	}
	*out = sums;
	*num = n;
	return 0;
}

/* Read which modules of the first epoch have an assumed extent. */
static int get_assumed(struct reader *r, struct cursor *c, struct error *e)
{
	uint32_t modules = r->num_epochs ? r->epochs[0].num_modules : 0, n = 0, k;
	if (csp_get_count(c, "assumed extents of MERGED", 4, &n, e))
		return -1;
	for (uint32_t i = 0; i < n; i++) {
		if (csp_get_u32(c, "module of MERGED", &k, e) ||
		    trailer_index(c, "module of MERGED", k, modules, 4, e))
			return -1;
		/* The table is our own; only consumers see it as const. */
		((struct reader_module *)r->epochs[0].modules)[k].assumed = true;
	}
	return 0;
}

int trailer_merged_get(struct reader *r, struct cursor *c, struct error *e)
{
	uint32_t n = 0;
	if (get_assumed(r, c, e) || csp_get_count(c, "rows of MERGED", ROW_MIN_BYTES, &n, e))
		return -1;
	if (n == 0)
		return error_format(e, c->pos - 4, "at least one row of MERGED", "none");
	r->merged = reader_table(r, n, sizeof *r->merged, e);
	if (!r->merged)
		return -1;
	for (uint32_t i = 0; i < n; i++) {
		if (trailer_pairs(r, c, &r->merged[i].about, e) ||
		    get_sums(r, c, &r->merged[i].sums, &r->merged[i].num_sums, e))
			return -1;
	}
	r->num_merged = n;
	r->is_merged = true;
	return 0;
}

void trailer_merged_drop(struct reader *r)
{
	struct reader_module *modules =
	    r->num_epochs ? (struct reader_module *)r->epochs[0].modules : NULL;
	for (uint32_t i = 0; modules && i < r->epochs[0].num_modules; i++)
		modules[i].assumed = false;
	r->num_merged = 0;
	r->is_merged = false;
}

static int get_calls(struct reader *r, struct cursor *c, struct reader_group *out, struct error *e)
{
	uint64_t *calls;
	uint32_t n = 0;
	if (csp_get_count(c, "calls of a GROUPS row", 8, &n, e))
		return -1;
	calls = reader_table(r, n, sizeof *calls, e);
	if (!calls)
		return -1;
	for (uint32_t i = 0; i < n; i++)
		if (csp_get_u64(c, "a call of a GROUPS row", &calls[i], e))
			return -1;
	out->calls = calls;
	out->num_calls = n;
	return 0;
}

int trailer_merged_get_groups(struct reader *r, struct cursor *c, struct error *e)
{
	uint32_t n = 0;
	if (csp_get_count(c, "rows of GROUPS", GROUP_MIN_BYTES, &n, e))
		return -1;
	r->groups = reader_table(r, n, sizeof *r->groups, e);
	if (!r->groups)
		return -1;
	for (uint32_t i = 0; i < n; i++) {
		struct reader_group *g = &r->groups[i];
		struct csp_text first, last;
		if (csp_get_u32(c, "kind of a GROUPS row", &g->kind, e) ||
		    trailer_index(c, "kind of a GROUPS row", g->kind, CSP_GROUP_NOT_SAID + 1, 4,
				  e) ||
		    csp_get_text(c, "first name of a GROUPS row", &first, e) ||
		    csp_get_text(c, "last name of a GROUPS row", &last, e) ||
		    csp_get_u64(c, "threads of a GROUPS row", &g->threads, e) ||
		    get_calls(r, c, g, e) || get_sums(r, c, &g->sums, &g->num_sums, e))
			return -1;
		g->first = text_of(first);
		g->last = text_of(last);
	}
	r->num_groups = n;
	return 0;
}

void trailer_merged_drop_groups(struct reader *r)
{
	r->num_groups = 0;
}

bool reader_is_merged(const struct reader *r)
{
	return r->is_merged;
}

uint32_t reader_num_merged(const struct reader *r)
{
	return r->num_merged;
}

const struct reader_merged *reader_merged(const struct reader *r, uint32_t i)
{
	return &r->merged[i];
}

uint32_t reader_num_groups(const struct reader *r)
{
	return r->num_groups;
}

const struct reader_group *reader_group(const struct reader *r, uint32_t i)
{
	return &r->groups[i];
}
