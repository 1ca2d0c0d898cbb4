#include "hpcprof/export/feedback/statements.h"

#include "formats/base/search.h"

#include <string.h>

/* The deepest chain of inlined functions whose statements are looked at. */
enum { MOST_FRAMES = 64 };

/* The frame that a statement at an instruction is of: that of the function in the same file which
 * begins last before it. num_frames if there is none: the line table has statements of functions
 * whose code is elsewhere. */
static uint32_t frame_of(const struct feedback_instruction *one, const struct symbol_statement *s)
{
	uint32_t best = one->num_frames;

	for (uint32_t k = 0; k < one->num_frames; k++) {
		const struct symbol_function *f = one->frames[k].function;
		if (f->file == s->file && f->line <= s->line &&
		    (best == one->num_frames || f->line > one->frames[best].function->line))
			best = k;
	}
	return best;
}

static bool add_statement(struct locations *l, const struct feedback_instruction *one,
			  const struct symbol_statement *s, uint32_t caller)
{
	uint32_t k = frame_of(one, s), n = one->num_frames - k, id;
	struct symbol_frame frames[MOST_FRAMES];
	struct location *at;
	bool failed = false;

	if (!n || n > MOST_FRAMES)
		return true;
	memcpy(frames, one->frames + k, n * sizeof *frames);
	frames[0].line = s->line;
	id = locations_find(l, caller, frames, n, &failed);
	if (failed || id == LOCATION_NONE)
		return !failed;
	at = &l->at.at[id];
	at->begins = true;
	if (one->executions > at->most_begun)
		at->most_begun = one->executions;
	return locations_touch(l, id);
}

static bool add_statements(struct locations *l, const struct feedback_module *m,
			   const struct feedback_procedure *p, uint32_t caller)
{
	const struct symbol_table *t = &m->symbols;
	size_t s = SEARCH_FIRST(k, 0, t->num_statements, t->statements[k].address >= p->low);

	for (size_t i = p->first; i < p->first + p->num; i++) {
		const struct feedback_instruction *one = &m->code.at[i];
		while (s < t->num_statements && t->statements[s].address < one->address)
			s++;
		for (; s < t->num_statements && t->statements[s].address == one->address; s++)
			if (!add_statement(l, one, &t->statements[s], caller))
				return false;
	}
	return true;
}

/* If code of a branch's own line is at instruction to, which it leads to. */
static void compare(struct locations *l, const struct feedback_module *m,
		    const struct feedback_procedure *p, size_t branch, size_t to)
{
	uint32_t id = l->ids.at[branch - p->first];
	double less;

	if (to < p->first || to >= p->first + p->num || l->ids.at[to - p->first] != id)
		return;
	less = m->code.at[branch].executions - m->code.at[to].executions;
	if (less > l->at.at[id].less)
		l->at.at[id].less = less;
}

bool statements_add(struct locations *l, const struct feedback_module *m,
		    const struct feedback_procedure *p, uint32_t caller)
{
	for (size_t i = p->first; i < p->first + p->num; i++) {
		const struct feedback_instruction *one = &m->code.at[i];
		if (one->flow != INSTRUCTION_BRANCH || l->ids.at[i - p->first] == LOCATION_NONE)
			continue;
		compare(l, m, p, i, i + 1);
		if (one->target)
			compare(l, m, p, i, feedback_instruction_at(m, one->target));
	}
	return add_statements(l, m, p, caller);
}
