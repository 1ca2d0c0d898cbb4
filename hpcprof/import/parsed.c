#include "hpcprof/import/parsed.h"

#include "formats/base/utf8.h"
#include "hpcprof/model/sum.h"

#include <stdlib.h>
#include <string.h>

bool parsed_init(struct parsed *p)
{
	static const struct parsed_node root = {.parent = PARSED_NONE, .function = PARSED_NONE};
	static const struct parsed_process process = {.command = ""};

	*p = (struct parsed){.tool = ""};
	p->strings = strings_create();
	p->empty = p->strings ? parsed_word(p, "") : NULL;
	return p->empty && vec_push(&p->nodes, root) && vec_push(&p->nodes, root) &&
	       vec_push(&p->processes, process) &&
	       parsed_module(p, parsed_word(p, MODEL_UNKNOWN_MODULE), p->empty) ==
		   PARSED_UNKNOWN_MODULE;
}

void parsed_deinit(struct parsed *p)
{
	if (!p)
		return;
	vec_free(&p->metrics);
	vec_free(&p->modules);
	vec_free(&p->functions);
	vec_free(&p->nodes);
	vec_free(&p->processes);
	vec_free(&p->threads);
	vec_free(&p->values);
	interner_deinit(&p->texts);
	interner_deinit(&p->pairs);
	interner_deinit(&p->module_ids);
	interner_deinit(&p->function_ids);
	interner_deinit(&p->places);
	interner_deinit(&p->node_ids);
	interner_deinit(&p->thread_ids);
	interner_deinit(&p->process_ids);
	interner_deinit(&p->tids);
	interner_deinit(&p->cells);
	interner_deinit(&p->value_ids);
	strings_destroy(p->strings);
}

/* ---- texts ------------------------------------------------------------------------- */

/* Whether all of it is UTF-8 without a NUL. */
static bool is_clean(const char *at, size_t n)
{
	uint32_t code;

	for (size_t i = 0; i < n;) {
		unsigned bytes = utf8_decode(at + i, n - i, &code);
		if (!bytes || !code)
			return false;
		i += bytes;
	}
	return true;
}

static uint32_t text_id(struct parsed *p, const char *at, size_t n)
{
	uint32_t id, code;
	char *copy;

	if (is_clean(at, n))
		return strings_intern(p->strings, at, n);
	copy = malloc(n);
	if (!copy)
		return UINT32_MAX;
	memcpy(copy, at, n);
	for (size_t i = 0; i < n;) {
		unsigned bytes = utf8_decode(copy + i, n - i, &code);
		if (!bytes || !code)
			copy[i] = '?';
		i += bytes ? bytes : 1;
	}
	id = strings_intern(p->strings, copy, n);
	free(copy);
	return id;
}

const char *parsed_text(struct parsed *p, const char *at, size_t n)
{
	uint32_t id;

	if (n > PARSED_TEXT_MOST) {
		n = utf8_cut(at, PARSED_TEXT_MOST);
		p->lost |= PARSED_LOST_TEXT;
	}
	id = text_id(p, n ? at : "", n);
	return id == UINT32_MAX ? NULL : strings_get(p->strings, id);
}

/* ---- what there is ----------------------------------------------------------------- */

/* A number for what came before and a text, or NULL. */
static uint32_t chain(struct parsed *p, uint32_t before, const char *text)
{
	uint32_t id = interner_add(&p->texts, (uintptr_t)text);

	if (id == INTERNER_NONE || before == PARSED_NONE)
		return PARSED_NONE;
	return interner_add(&p->pairs, (uint64_t)before << 32 | id);
}

uint32_t parsed_metric(struct parsed *p, const struct parsed_metric *metric)
{
	return p->metrics.len < PARSED_NONE - 1 && vec_push(&p->metrics, *metric)
		   ? (uint32_t)p->metrics.len - 1
		   : PARSED_NONE;
}

uint32_t parsed_module(struct parsed *p, const char *name, const char *build_id)
{
	uint32_t key = chain(p, chain(p, 0, name), build_id), id;

	if (!name || !build_id || key == PARSED_NONE ||
	    !vec_reserve(&p->modules, p->modules.len + 1))
		return PARSED_NONE;
	id = interner_add(&p->module_ids, key);
	if (id == p->modules.len)
		p->modules.at[p->modules.len++] = (struct parsed_module){name, build_id};
	return id;
}

uint32_t parsed_function(struct parsed *p, const struct parsed_function *f)
{
	uint32_t key = chain(p, chain(p, chain(p, f->module, f->name), f->linkage_name), f->file);
	uint32_t id;

	key = chain(p, key, f->declared);
	if (key == PARSED_NONE || !vec_reserve(&p->functions, p->functions.len + 1))
		return PARSED_NONE;
	id = interner_add(&p->function_ids, (uint64_t)key << 32 | f->line);
	if (id == p->functions.len)
		p->functions.at[p->functions.len++] = *f;
	return id;
}

uint32_t parsed_node(struct parsed *p, const struct parsed_node *n)
{
	uint32_t place = interner_add(&p->places, (uint64_t)n->function << 32 | n->line), id;

	if (place >= PARSED_NONE / 2 || !vec_reserve(&p->nodes, p->nodes.len + 1))
		return PARSED_NONE;
	id = interner_add(&p->node_ids, (uint64_t)n->parent << 32 | place << 1 | n->inlined);
	if (id >= PARSED_NONE - PARSED_ROOTS)
		return PARSED_NONE;
	if (id + PARSED_ROOTS == p->nodes.len)
		p->nodes.at[p->nodes.len++] = *n;
	return id + PARSED_ROOTS;
}

uint32_t parsed_process(struct parsed *p, uint64_t pid)
{
	struct parsed_process made = {.command = "", .has_pid = true, .pid = pid};
	uint32_t id = interner_add(&p->process_ids, pid);

	if (id == INTERNER_NONE)
		return PARSED_NONE;
	if (!id) {
		p->processes.at[0].has_pid = true;
		p->processes.at[0].pid = pid;
	}
	if (id == p->processes.len && !vec_push(&p->processes, made))
		return PARSED_NONE;
	return id;
}

uint32_t parsed_thread(struct parsed *p, uint32_t process, uint64_t tid)
{
	struct parsed_thread made = {.name = "", .tid = tid, .process = process};
	uint32_t key = interner_add(&p->tids, tid), id;

	if (key == INTERNER_NONE || !vec_reserve(&p->threads, p->threads.len + 1))
		return PARSED_NONE;
	id = interner_add(&p->thread_ids, (uint64_t)process << 32 | key);
	if (id == p->threads.len)
		p->threads.at[p->threads.len++] = made;
	return id >= PARSED_OF_NONE ? PARSED_NONE : id;
}

bool parsed_add(struct parsed *p, const struct parsed_value *v)
{
	uint32_t of, id;
	struct parsed_value *to;

	if (!v->events && !v->samples)
		return true;
	of = interner_add(&p->cells, (uint64_t)v->node << 32 | v->thread);
	if (of == INTERNER_NONE || !vec_reserve(&p->values, p->values.len + 1))
		return false;
	id = interner_add(&p->value_ids, (uint64_t)of << 32 | v->metric);
	if (id == INTERNER_NONE)
		return false;
	if (id == p->values.len) {
		p->values.at[p->values.len++] = *v;
		return true;
	}
	to = &p->values.at[id];
	to->events = sum_add(to->events, v->events, &p->saturated);
	to->samples = sum_add(to->samples, v->samples, &p->saturated);
	return true;
}
