#include "hpcprof/model.h"

#include <stdlib.h>
#include <string.h>

struct model *model_create(void)
{
	struct model *m = calloc(1, sizeof *m);

	if (!m)
		return NULL;
	m->strings = strings_create();
	/* The two roots: their own parents, with no frame. */
	if (!m->strings || model_context(m, MODEL_ROOT, MODEL_NO_FRAME) != MODEL_ROOT ||
	    model_context(m, MODEL_PARTIAL_ROOT, MODEL_NO_FRAME) != MODEL_PARTIAL_ROOT) {
		model_destroy(m);
		return NULL;
	}
	return m;
}

void model_destroy(struct model *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < m->modules.len; i++)
		for (int role = 0; role < FRAME_ROLES; role++) {
			interner_deinit(&m->modules.at[i].addresses[role]);
			vec_free(&m->modules.at[i].frames[role]);
		}
	for (size_t i = 0; i < m->metrics.len; i++) {
		struct model_metric *c = &m->metrics.at[i];
		free(c->events);
		free(c->samples);
		vec_free(&c->sources);
		vec_free(&c->requested);
		vec_free(&c->achieved);
		vec_free(&c->account);
	}
	vec_free(&m->frames);
	vec_free(&m->modules);
	vec_free(&m->functions);
	vec_free(&m->metrics);
	vec_free(&m->processes);
	interner_deinit(&m->contexts);
	interner_deinit(&m->module_ids);
	interner_deinit(&m->name_pairs);
	interner_deinit(&m->function_ids);
	strings_destroy(m->strings);
	arena_deinit(&m->arena);
	free(m);
}

const char *model_text(struct model *m, const char *at, size_t n)
{
	uint32_t id = strings_intern(m->strings, n ? at : "", n);
	return id == UINT32_MAX ? NULL : strings_get(m->strings, id);
}

uint32_t model_context(struct model *m, uint32_t parent, uint32_t frame)
{
	return interner_add(&m->contexts, (uint64_t)parent << 32 | frame);
}

uint32_t model_frame(struct model *m, uint32_t module, uint64_t address, enum frame_role role)
{
	struct model_module *mod = &m->modules.at[module];
	uint32_t local = interner_find(&mod->addresses[role], address);

	if (local != INTERNER_NONE)
		return mod->frames[role].at[local];
	if (m->frames.len >= MODEL_NO_FRAME || !vec_reserve(&m->frames, m->frames.len + 1) ||
	    !vec_reserve(&mod->frames[role], mod->frames[role].len + 1) ||
	    interner_insert(&mod->addresses[role], address) == INTERNER_NONE)
		return UINT32_MAX;
	mod->frames[role].at[mod->frames[role].len++] = (uint32_t)m->frames.len;
	m->frames.at[m->frames.len] =
	    (struct model_frame){.address = address, .module = module, .role = role};
	return (uint32_t)m->frames.len++;
}

/* The id of text behind what has the id chain; no text is a number of its own. */
static uint32_t chain(struct model *m, uint32_t chained, const char *text)
{
	uint32_t id = text ? strings_intern(m->strings, text, strlen(text)) : UINT32_MAX - 1;

	if (chained == INTERNER_NONE || id == UINT32_MAX)
		return INTERNER_NONE;
	return interner_add(&m->name_pairs, (uint64_t)chained << 32 | id);
}

uint32_t model_function(struct model *m, const struct model_function *f)
{
	/* Each step gives one id for one pair, so equal ids at the end mean equal parts. */
	uint32_t key = chain(m, f->module, f->name), id;

	key = chain(m, chain(m, key, f->linkage_name), f->file);
	if (key == INTERNER_NONE || !vec_reserve(&m->functions, m->functions.len + 1))
		return UINT32_MAX;
	id = interner_add(&m->function_ids, (uint64_t)key << 32 | f->line);
	if (id != INTERNER_NONE && id == m->functions.len)
		m->functions.at[m->functions.len++] = *f;
	return id;
}

uint32_t model_named_frame(struct model *m, uint32_t function, uint32_t line, enum frame_role role)
{
	return model_frame(m, m->functions.at[function].module, (uint64_t)function << 32 | line,
			   role);
}

/* The identity of a module: its build-id behind a byte that no name begins with,
 * else its name. */
static uint32_t identity(struct model *m, struct reader_text name, struct reader_text build_id)
{
	uint32_t id;
	char *text;

	if (!build_id.n)
		return strings_intern(m->strings, name.n ? name.at : "", name.n);
	text = malloc((size_t)build_id.n + 1);
	if (!text)
		return UINT32_MAX;
	text[0] = '\n';
	memcpy(text + 1, build_id.at, build_id.n);
	id = strings_intern(m->strings, text, (size_t)build_id.n + 1);
	free(text);
	return id;
}

uint32_t model_module(struct model *m, struct reader_text name, struct reader_text build_id)
{
	uint32_t key = identity(m, name, build_id);
	const char *text = model_text(m, name.at, name.n);
	const char *build = build_id.n ? model_text(m, build_id.at, build_id.n) : NULL;
	uint32_t id;

	if (key == UINT32_MAX || !text || (build_id.n && !build))
		return UINT32_MAX;
	id = interner_find(&m->module_ids, key);
	if (id != INTERNER_NONE) {
		/* the same file under two names: the first in order, whoever came first */
		if (strcmp(text, m->modules.at[id].name) < 0)
			m->modules.at[id].name = text;
		return id;
	}
	if (!vec_reserve(&m->modules, m->modules.len + 1))
		return UINT32_MAX;
	id = interner_insert(&m->module_ids, key);
	if (id != INTERNER_NONE)
		m->modules.at[m->modules.len++] =
		    (struct model_module){.name = text, .build_id = build};
	return id;
}

uint32_t model_metric(struct model *m, struct reader_text name, struct reader_text unit,
		      uint64_t flags)
{
	const char *n = model_text(m, name.at, name.n), *u = model_text(m, unit.at, unit.n);

	if (!n || !u)
		return UINT32_MAX;
	/* interned, so that equal texts are equal pointers */
	for (uint32_t i = 0; i < m->metrics.len; i++)
		if (m->metrics.at[i].name == n && m->metrics.at[i].unit == u &&
		    m->metrics.at[i].flags == flags)
			return i;
	if (!vec_push(&m->metrics, (struct model_metric){.name = n, .unit = u, .flags = flags}))
		return UINT32_MAX;
	return (uint32_t)m->metrics.len - 1;
}

static bool stretch(uint64_t **column, uint32_t have, size_t want)
{
	uint64_t *p = realloc(*column, want * sizeof *p);
	if (!p)
		return false;
	memset(p + have, 0, (want - have) * sizeof *p);
	*column = p;
	return true;
}

bool model_reach(struct model *m, struct model_metric *metric, uint32_t context)
{
	size_t want = m->contexts.cap;

	if (context < metric->capacity)
		return true;
	if (want <= context)
		want = (size_t)context + 1;
	if (!stretch(&metric->events, metric->capacity, want) ||
	    !stretch(&metric->samples, metric->capacity, want))
		return false;
	metric->capacity = (uint32_t)want;
	return true;
}

int model_finish(struct model *m, struct error *e)
{
	for (size_t i = 0; i < m->metrics.len; i++)
		if (!model_reach(m, &m->metrics.at[i], m->contexts.len - 1))
			return error_memory(e, m->contexts.len * sizeof(uint64_t));
	return 0;
}
