#include "hpcprof/model/model.h"

#include "formats/base/hash.h"
#include "formats/identity/content_id.h"
#include "hpcprof/model/hugepage.h"
#include "hpcprof/model/values.h"

#include <stdlib.h>
#include <string.h>

static const char *const dispositions[] = CSP_DISPOSITION_NAMES;

/* Add the two roots. They are their own parents, have no frame, and have hashes without a pattern
 * (digits of pi). */
static bool add_roots(struct model *m)
{
	static const uint64_t paths[MODEL_ROOTS] = {UINT64_C(0x243f6a8885a308d3),
						    UINT64_C(0x13198a2e03707344)};

	for (uint32_t i = 0; i < MODEL_ROOTS; i++)
		if (contexts_insert(&m->contexts, i, paths[i], MODEL_NO_FRAME) != i)
			return false;
	return true;
}

struct model *model_create(void)
{
	struct model *m = calloc(1, sizeof *m);

	if (!m)
		return NULL;
	m->strings = strings_create();
	if (!m->strings || !add_roots(m)) {
		model_destroy(m);
		return NULL;
	}
	return m;
}

void model_destroy(struct model *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < m->metrics.len; i++) {
		struct model_metric *c = &m->metrics.at[i];
		free(c->events);
		free(c->samples);
		vec_free(&c->sources);
		vec_free(&c->requested);
		vec_free(&c->achieved);
		vec_free(&c->jitters);
		vec_free(&c->account);
	}
	vec_free(&m->frames);
	interner_deinit(&m->addresses);
	interner_deinit(&m->frame_keys);
	vec_free(&m->modules);
	vec_free(&m->functions);
	vec_free(&m->metrics);
	interner_deinit(&m->metric_ids);
	vec_free(&m->processes);
	vec_free(&m->threads);
	model_values_deinit(m);
	interner_deinit(&m->thread_ids);
	contexts_deinit(&m->contexts);
	interner_deinit(&m->module_ids);
	interner_deinit(&m->text_ids);
	interner_deinit(&m->name_pairs);
	interner_deinit(&m->function_ids);
	strings_destroy(m->strings);
	arena_deinit(&m->arena);
	free(m);
}

const char *model_text(struct model *m, const char *at, size_t n)
{
	/* texts end at a NUL, as when they are shown */
	uint32_t id = strings_intern(m->strings, n ? at : "", n ? strnlen(at, n) : 0);
	return id == UINT32_MAX ? NULL : strings_get(m->strings, id);
}

uint64_t model_step(const struct model *m, uint32_t frame)
{
	const struct model_frame *f = &m->frames.at[frame];

	return model_frame_is_plain(f)
		   ? model_plain_step(f->module, f->address, (enum frame_role)f->role)
		   : MODEL_STEP_FRAME | frame;
}

/* UINT32_MAX if memory ran out. */
static uint32_t step_frame(struct model *m, uint64_t step)
{
	struct model_frame f = model_plain_frame(step);

	if (step & MODEL_STEP_FRAME)
		return (uint32_t)step;
	return model_frame(m, f.module, f.address, (enum frame_role)f.role);
}

bool model_make_frames(struct model *m)
{
	struct contexts *c = &m->contexts;

	for (uint32_t id = m->framed > MODEL_ROOTS ? m->framed : MODEL_ROOTS; id < c->len; id++) {
		uint32_t frame = model_frame_of(m, id);
		if (frame == MODEL_NO_FRAME)
			frame = step_frame(m, contexts_step(c, id));
		if (frame == UINT32_MAX)
			return false;
		contexts_set_frame(c, id, frame);
		m->framed = id + 1;
	}
	return true;
}

uint32_t model_context(struct model *m, uint32_t parent, uint32_t frame)
{
	uint64_t step = model_step(m, frame);
	uint64_t path = contexts_path(m->contexts.paths[parent], step);
	uint32_t id = contexts_find(&m->contexts, parent, path);

	return id != CONTEXT_NONE ? id : contexts_insert(&m->contexts, parent, path, frame);
}

/* A frame's key is made of the id of its address, its module and its role. Its id is that of the
 * key. */
uint32_t model_frame(struct model *m, uint32_t module, uint64_t address, enum frame_role role)
{
	uint32_t at = interner_add(&m->addresses, address), id;

	if (at == INTERNER_NONE || module >= UINT32_MAX / FRAME_ROLES)
		return UINT32_MAX;
	id = interner_add(&m->frame_keys,
			  (uint64_t)at << 32 | (module * FRAME_ROLES + (uint32_t)role));
	if (id == INTERNER_NONE || id >= MODEL_NO_FRAME - 1)
		return UINT32_MAX;
	if (id == m->frames.len &&
	    !vec_push(&m->frames,
		      (struct model_frame){.address = address, .module = module, .role = role}))
		return UINT32_MAX;
	return id;
}

static uint32_t chain_number(struct model *m, uint32_t chained, uint32_t number)
{
	if (chained == INTERNER_NONE)
		return INTERNER_NONE;
	return interner_add(&m->name_pairs, (uint64_t)chained << 32 | number);
}

/* The id of a chain extended by a text from model_text, of which there is one with its address; or
 * by NULL. */
static uint32_t chain(struct model *m, uint32_t chained, const char *text)
{
	uint32_t id = interner_add(&m->text_ids, (uintptr_t)text);

	return id == INTERNER_NONE ? id : chain_number(m, chained, id);
}

uint32_t model_function(struct model *m, const struct model_function *f)
{
	/* Each step gives one id for a pair, so equal ids at the end mean equal parts. */
	uint32_t key = chain(m, f->module, f->name), id;

	key = chain(m, chain(m, key, f->linkage_name), f->file);
	key = chain(m, key, f->declared);
	key = chain_number(m, chain_number(m, key, (uint32_t)(f->low >> 32)), (uint32_t)f->low);
	if (key == INTERNER_NONE || !vec_reserve(&m->functions, m->functions.len + 1))
		return UINT32_MAX;
	id = interner_add(&m->function_ids, (uint64_t)key << 32 | f->line);
	if (id != INTERNER_NONE && id == m->functions.len)
		m->functions.at[m->functions.len++] = *f;
	else if (id != INTERNER_NONE && f->source < m->functions.at[id].source)
		m->functions.at[id].source = f->source;
	return id;
}

uint32_t model_named_frame(struct model *m, uint32_t function, uint32_t line, enum frame_role role)
{
	return model_frame(m, m->functions.at[function].module, (uint64_t)function << 32 | line,
			   role);
}

/* The identity of a module: its build-id after a byte that no name begins with, and its name if
 * that is only the hash of a part of its contents; or its name. */
static uint32_t identity(struct model *m, struct reader_text name, struct reader_text build_id)
{
	size_t name_bytes = name.n ? strnlen(name.at, name.n) : 0;
	uint32_t id;
	char *text, *end;

	if (!build_id.n)
		return strings_intern(m->strings, name.n ? name.at : "", name_bytes);
	text = malloc(1 + (size_t)build_id.n + name_bytes);
	if (!text)
		return UINT32_MAX;
	text[0] = '\n';
	end = (char *)memcpy(text + 1, build_id.at, build_id.n) + build_id.n;
	if (content_id_is(build_id.at, build_id.n) && name_bytes)
		end = (char *)memcpy(end, name.at, name_bytes) + name_bytes;
	id = strings_intern(m->strings, text, (size_t)(end - text));
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
		/* the same file under two names: use the first in order, whichever was added
		 * first */
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

/* A metric, or INTERNER_NONE and its key. The texts are interned, so that equal ones are equal
 * pointers. A key that another metric has is passed over. */
static uint32_t find_metric(const struct model *m, const char *name, const char *unit,
			    uint64_t flags, uint64_t *key)
{
	uint32_t id;

	*key = hash_number((uintptr_t)name) << 32 ^ hash_number((uintptr_t)unit ^ flags);
	while ((id = interner_find(&m->metric_ids, *key)) != INTERNER_NONE) {
		const struct model_metric *k = &m->metrics.at[id];
		if (k->name == name && k->unit == unit && k->flags == flags)
			break;
		++*key;
	}
	return id;
}

uint32_t model_metric(struct model *m, struct reader_text name, struct reader_text unit,
		      uint64_t flags)
{
	const char *n = model_text(m, name.at, name.n), *u = model_text(m, unit.at, unit.n);
	uint64_t key;
	uint32_t id;

	if (!n || !u)
		return UINT32_MAX;
	id = find_metric(m, n, u, flags, &key);
	if (id != INTERNER_NONE)
		return id;
	if (!vec_push(&m->metrics,
		      (struct model_metric){
			  .name = n, .unit = u, .flags = flags, .position = UINT32_MAX}))
		return UINT32_MAX;
	id = interner_insert(&m->metric_ids, key);
	if (id == INTERNER_NONE)
		m->metrics.len--;
	return id;
}

bool model_index_metrics(struct model *m)
{
	bool ok = true;

	interner_deinit(&m->metric_ids);
	for (size_t i = 0; ok && i < m->metrics.len; i++) {
		const struct model_metric *k = &m->metrics.at[i];
		uint64_t key;
		find_metric(m, k->name, k->unit, k->flags, &key);
		ok = interner_insert(&m->metric_ids, key) != INTERNER_NONE;
	}
	return ok;
}

static bool stretch(uint64_t **column, uint32_t have, size_t want)
{
	uint64_t *p = realloc(*column, want * sizeof *p);
	if (!p)
		return false;
	hugepage_advise(p, want * sizeof *p);
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

bool model_list_text(model_texts *list, const char *text)
{
	size_t i = 0, end = list->len;

	if (!text)
		return false;
	if (!text[0])
		return true;
	while (i < end) {
		size_t middle = i + (end - i) / 2;
		int order = strcmp(list->at[middle], text);
		if (order == 0)
			return true;
		if (order < 0)
			i = middle + 1;
		else
			end = middle;
	}
	if (!vec_reserve(list, list->len + 1))
		return false;
	memmove(list->at + i + 1, list->at + i, (list->len - i) * sizeof *list->at);
	list->at[i] = text;
	list->len++;
	return true;
}

static bool same_text(struct reader_text t, const char *s)
{
	return t.n == strlen(s) && memcmp(t.at, s, t.n) == 0;
}

enum { FEW_TEXTS = 8 }; /* which are added one by one */

/* Merge from the back, where there is room. */
static void merge_texts(model_texts *list, const model_texts *from)
{
	size_t i = list->len, k = from->len, to = i + k;

	list->len = to;
	while (i || k) {
		int order = !i ? -1 : !k ? 1 : strcmp(list->at[i - 1], from->at[k - 1]);
		list->at[--to] = order < 0 ? from->at[k - 1] : list->at[i - 1];
		i -= order >= 0;
		k -= order <= 0;
	}
	list->len -= to; /* those that both have */
	memmove(list->at, list->at + to, list->len * sizeof *list->at);
}

bool model_list_texts(model_texts *list, const model_texts *from)
{
	bool ok = true;

	if (from->len < FEW_TEXTS) {
		for (size_t i = 0; ok && i < from->len; i++)
			ok = model_list_text(list, from->at[i]);
		return ok;
	}
	ok = vec_reserve(list, list->len + from->len);
	if (ok)
		merge_texts(list, from);
	return ok;
}

struct model_account *model_account_row(struct model *m, struct model_metric *metric,
					struct reader_text name)
{
	const char *text;
	size_t i;

	if (!metric->account.len)
		for (i = 0; i < CSP_DISPOSITIONS; i++)
			if (!vec_push(&metric->account,
				      (struct model_account){.disposition = dispositions[i]}))
				return NULL;
	for (i = 0; i < metric->account.len; i++)
		if (same_text(name, metric->account.at[i].disposition))
			return &metric->account.at[i];
	text = model_text(m, name.at, name.n);
	if (!text || !vec_push(&metric->account, (struct model_account){.disposition = text}))
		return NULL;
	for (i = metric->account.len - 1;
	     i > CSP_DISPOSITIONS && strcmp(metric->account.at[i - 1].disposition, text) > 0; i--) {
		metric->account.at[i] = metric->account.at[i - 1];
		metric->account.at[i - 1] = (struct model_account){.disposition = text};
	}
	return &metric->account.at[i];
}

size_t model_num_recorded(const struct model *m)
{
	size_t n = m->metrics.len;

	while (n && m->metrics.at[n - 1].flags & MODEL_SUM)
		n--;
	return n;
}

size_t model_num_estimated(const struct model *m)
{
	size_t n = 0;

	for (size_t i = 0; i < m->processes.len; i++)
		n += m->processes.at[i].estimated;
	return n;
}

size_t model_num_flat(const struct model *m)
{
	size_t n = 0;

	for (size_t i = 0; i < m->processes.len; i++)
		n += m->processes.at[i].flat;
	return n;
}
