#include "hpcprof/model/threads.h"

#include "hpcprof/model/sum.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

const char *model_thread_pattern(struct model *m, const char *name)
{
	char
	    pattern[64]; /* the kernel's names have 15 bytes; the end of a longer one is left out */
	size_t n = 0;

	for (const char *p = name; *p && n < sizeof pattern; p++)
		if (!isdigit((unsigned char)*p))
			pattern[n++] = *p;
		else if (p == name || !isdigit((unsigned char)p[-1]))
			pattern[n++] = '#';
	return model_text(m, pattern, n);
}

/* What makes a group, as bytes without padding. */
static uint32_t key_of(struct model *m, const struct model_threads *group)
{
	char key[2 * sizeof group->pattern + sizeof(uint64_t) +
		 MODEL_CREATOR_CALLS * (sizeof(uint64_t) + sizeof(uint32_t) + 1)];
	uint64_t kind = group->kind;
	size_t n = 0;

	/* these are interned */
	memcpy(key, &group->pattern, sizeof group->pattern);
	n += sizeof group->pattern;
	memcpy(key + n, &group->creator, sizeof group->creator);
	n += sizeof group->creator;
	memcpy(key + n, &kind, sizeof kind);
	n += sizeof kind;
	for (uint32_t i = 0; i < group->num_calls; i++) {
		memcpy(key + n, &group->call[i].address, sizeof(uint64_t));
		n += sizeof(uint64_t);
		memcpy(key + n, &group->call[i].module, sizeof(uint32_t));
		n += sizeof(uint32_t);
		key[n++] = group->call[i].named;
	}
	return strings_intern(m->strings, key, n);
}

/* The group of m that is the same as group, without its threads and sums. */
static struct model_threads *find(struct model *m, const struct model_threads *group)
{
	uint32_t key = key_of(m, group), id;
	struct model_threads made = *group;
	struct model_call *calls;

	id = key == UINT32_MAX ? INTERNER_NONE : interner_add(&m->thread_ids, key);
	if (id == INTERNER_NONE)
		return NULL;
	if (id < m->threads.len)
		return &m->threads.at[id];
	calls = arena_alloc(&m->arena, (group->num_calls + (size_t)1) * sizeof *calls);
	if (!calls)
		return NULL;
	for (uint32_t i = 0; i < group->num_calls; i++)
		calls[i] = group->call[i];
	made.call = calls;
	made.threads = 0;
	made.sums = (struct metric_sums){0};
	return vec_push(&m->threads, made) ? &m->threads.at[id] : NULL;
}

/* metrics: NULL if they are those of m. */
static bool add(struct model *m, const struct model_threads *group, const uint32_t *metrics)
{
	struct model_threads *to = find(m, group);
	bool saturated = false;

	if (!to)
		return false;
	to->threads = sum_add(to->threads, group->threads, &saturated);
	if (strcmp(group->first, to->first) < 0)
		to->first = group->first;
	if (strcmp(group->last, to->last) > 0)
		to->last = group->last;
	return metric_sums_join(&to->sums, &m->arena, &group->sums, metrics);
}

bool model_add_threads(struct model *m, const struct model_threads *group)
{
	return add(m, group, NULL);
}

bool model_join_threads(struct model *m, const struct model_threads *group, const uint32_t *metrics,
			const uint32_t *modules, const uint32_t *functions)
{
	struct model_call calls[MODEL_CREATOR_CALLS];
	struct model_threads copy = *group;

	for (uint32_t i = 0; i < group->num_calls; i++) {
		calls[i] = group->call[i];
		calls[i].module = modules[calls[i].module];
		if (calls[i].named)
			calls[i].address = (uint64_t)functions[calls[i].address >> 32] << 32 |
					   (uint32_t)calls[i].address;
	}
	copy.call = calls;
	copy.pattern = model_text(m, group->pattern, strlen(group->pattern));
	copy.first = model_text(m, group->first, strlen(group->first));
	copy.last = model_text(m, group->last, strlen(group->last));
	if (group->creator)
		copy.creator = model_text(m, group->creator, strlen(group->creator));
	return copy.pattern && copy.first && copy.last && !copy.creator == !group->creator &&
	       add(m, &copy, metrics);
}

uint32_t model_call_frame(const struct model *m, const struct model_call *call)
{
	return model_find_frame(m,
				&(struct model_frame){call->address, call->module,
						      call->named ? FRAME_NAMED_CALL : FRAME_CALL});
}
