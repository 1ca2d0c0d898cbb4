#include "hpcprof/export/feedback/locations.h"

#include "formats/base/utf8.h"
#include "hpcprof/export/feedback/calls.h"
#include "hpcprof/export/feedback/code_contexts.h"
#include "hpcprof/export/feedback/statements.h"

#include <math.h>
#include <string.h>

/* A place of a line that is not known. */
#define PLACE_NONE UINT64_MAX

int locations_init(struct locations *l, enum feedback_reader reader, enum feedback_weights weights,
		   struct error *e)
{
	*l = (struct locations){.reader = reader, .weights = weights, .strings = strings_create()};
	return l->strings ? 0 : error_memory(e, 0);
}

void locations_deinit(struct locations *l)
{
	if (!l)
		return;
	strings_destroy(l->strings);
	interner_deinit(&l->places);
	interner_deinit(&l->function_keys);
	interner_deinit(&l->keys);
	interner_deinit(&l->target_keys);
	interner_deinit(&l->standing);
	interner_deinit(&l->sharing);
	vec_free(&l->first_of);
	vec_free(&l->functions);
	vec_free(&l->at);
	vec_free(&l->targets);
	vec_free(&l->added);
	vec_free(&l->ids);
}

/* ---- discriminators ---------------------------------------------------------------- */

/* LLVM packs three numbers into a discriminator, each with a prefix code (its header
 * DebugInfoMetadata.h describes it): the base, which tells code of a line apart, how many times the
 * code was duplicated, and the number of the copy. */

static uint32_t component(uint32_t d)
{
	if (d & 1)
		return 0;
	d >>= 1;
	return d & 0x20 ? (d >> 1 & 0xfe0) | (d & 0x1f) : d & 0x1f;
}

static uint32_t next_component(uint32_t d)
{
	return d & 1 ? d >> 1 : d >> (d & 0x40 ? 14 : 7);
}

static uint32_t base_of(const struct locations *l, uint32_t discriminator)
{
	return l->decodes ? component(discriminator) : 0;
}

static double copies_of(const struct locations *l, uint32_t discriminator)
{
	uint32_t n = l->decodes ? component(next_component(discriminator)) : 1;

	return n ? n : 1;
}

/* ---- names ------------------------------------------------------------------------- */

/* What compilers append to the names of copies and parts of a function, and leave out again when
 * they look for its samples. */
static const char *const suffixes[] = {
    ".llvm.", ".part.", ".cold", ".constprop.", ".isra.", ".lto_priv.", ".localalias", "@plt", "@"};

static uint32_t name_id(struct locations *l, const char *name)
{
	size_t n = strlen(name);
	uint32_t id;

	for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
		const char *at = strstr(name, suffixes[i]);
		if (at && at > name && (size_t)(at - name) < n)
			n = (size_t)(at - name);
	}
	id = strings_intern(l->strings, name, n);
	if (id != UINT32_MAX && id >= l->num_names)
		l->num_names = id + 1;
	return id;
}

/* Whether compilers can read the name: it is a symbol's, without blanks and, in contexts, without
 * what separates their parts, and does no harm where the profile is shown. */
static bool is_symbol(const struct locations *l, const char *name)
{
	size_t n = strlen(name), bytes;
	uint32_t code;

	for (size_t i = 0; i < n; i += bytes) {
		bytes = utf8_decode(name + i, n - i, &code);
		if (!bytes || code == ' ' || utf8_is_harmful(code))
			return false;
	}
	return n && !(l->by_context && strpbrk(name, ":[]"));
}

/* The name by which compilers look for the samples of a function in code, or NULL. For one without
 * a symbol that was inlined gcc takes DW_AT_name, if it has no dots, which it cuts names at. */
static const char *name_in_code(const struct locations *l, const struct symbol_frame *f)
{
	const char *own = f->inlined ? f->function->short_name : NULL;

	if (is_symbol(l, f->function->linkage_name))
		return f->function->linkage_name;
	return l->reader == FEEDBACK_GCC && own && *own && !strchr(own, '.') ? own : NULL;
}

/* ---- adding ------------------------------------------------------------------------ */

static uint32_t function_at(struct locations *l, uint32_t parent, const char *name)
{
	uint32_t text = name_id(l, name), id;

	if (text == UINT32_MAX)
		return LOCATION_NONE;
	/* 0 << 32 for one that was not inlined */
	id = interner_add(&l->function_keys, (uint64_t)(uint32_t)(parent + 1) << 32 | text);
	if (id == INTERNER_NONE)
		return LOCATION_NONE;
	if (id == l->functions.len &&
	    !vec_push(&l->functions, (struct location_function){
					 .name = text, .parent = parent, .entry = LOCATION_NONE}))
		return LOCATION_NONE;
	return id;
}

static uint32_t location_at(struct locations *l, uint32_t function, uint64_t place)
{
	uint32_t p = interner_add(&l->places, place), id;

	if (p == INTERNER_NONE)
		return LOCATION_NONE;
	id = interner_add(&l->keys, (uint64_t)function << 32 | p);
	if (id == INTERNER_NONE)
		return LOCATION_NONE;
	if (id == l->at.len &&
	    !vec_push(&l->at, (struct location){.function = function, .place = p}))
		return LOCATION_NONE;
	return id;
}

static uint64_t place_of(const struct locations *l, const struct symbol_frame *f)
{
	uint32_t start = f->function->line;

	if (!f->line || !start)
		return PLACE_NONE;
	return (uint64_t)((f->line - start) & 0xffff) << 32 | base_of(l, f->discriminator);
}

uint32_t locations_find(struct locations *l, uint32_t caller, const struct symbol_frame *frames,
			uint32_t n, bool *failed)
{
	uint32_t at = caller;

	for (uint32_t k = n; k-- > 0;) {
		const struct symbol_frame *f = &frames[k];
		const char *name = name_in_code(l, f);
		uint32_t function = name ? function_at(l, at, name) : LOCATION_NONE;
		uint64_t place = place_of(l, f);
		if (!name)
			return LOCATION_NONE;
		if (function == LOCATION_NONE) {
			*failed = true;
			return LOCATION_NONE;
		}
		if (place == PLACE_NONE)
			return LOCATION_NONE;
		at = location_at(l, function, place);
		if (at == LOCATION_NONE) {
			*failed = true;
			return LOCATION_NONE;
		}
	}
	return at;
}

static uint32_t find_location(struct locations *l, uint32_t caller,
			      const struct feedback_instruction *i, bool *failed)
{
	return locations_find(l, caller, i->frames, i->num_frames, failed);
}

/* Whether all functions that an instruction is inlined from have names. */
static bool is_named(const struct locations *l, const struct feedback_instruction *i)
{
	for (uint32_t k = 0; k < i->num_frames; k++)
		if (!name_in_code(l, &i->frames[k]))
			return false;
	return true;
}

static double count_of(const struct locations *l, const struct feedback_instruction *i)
{
	double count = l->weights == WEIGHTS_BLOCKS ? i->executions : (double)i->samples;

	return count * copies_of(l, i->frames[0].discriminator);
}

static bool add_target(struct locations *l, uint32_t location, const char *name, double count)
{
	uint32_t text, id;

	if (!is_symbol(l, name))
		return true;
	text = name_id(l, name);
	if (text == UINT32_MAX)
		return false;
	id = interner_add(&l->target_keys, (uint64_t)location << 32 | text);
	if (id == INTERNER_NONE)
		return false;
	if (id == l->targets.len &&
	    !vec_push(&l->targets, (struct location_target){.location = location, .name = text}))
		return false;
	l->targets.at[id].count += count;
	return true;
}

/* The targets of an indirect call that was made so often. *next: see calls_of. */
static bool add_reached(struct locations *l, const struct feedback *f,
			const struct feedback_module *m, size_t i, uint32_t location, double count,
			size_t *next)
{
	size_t n;
	const struct feedback_call *calls = calls_of(m, i, next, &n);

	for (size_t k = 0; k < n; k++) {
		const struct feedback_call *c = &calls[k];
		const struct code_function *to = &f->c->functions.at[c->function];
		double part = l->weights == WEIGHTS_BLOCKS ? count * c->share : (double)c->samples;
		if (to->source != SYMBOL_NONE && !add_target(l, location, to->linkage_name, part))
			return false;
	}
	return true;
}

static bool add_call(struct locations *l, const struct feedback *f, const struct feedback_module *m,
		     size_t i, uint32_t location, double count, size_t *next)
{
	const struct feedback_instruction *one = &m->code.at[i];
	const struct symbol_frame *to;
	uint32_t n;

	if (one->flow != INSTRUCTION_CALL)
		return true;
	if (!one->target) {
		l->at.at[location].reaches = true;
		return add_reached(l, f, m, i, location, count, next);
	}
	to = feedback_target(m, one->target, &n);
	if (!to || to[n - 1].function->source == SYMBOL_NONE)
		return true;
	return add_target(l, location, to[n - 1].function->linkage_name, count);
}

bool locations_touch(struct locations *l, uint32_t id)
{
	struct location *at = &l->at.at[id];

	if (!at->is_added && !vec_push(&l->added, id))
		return false;
	at->is_added = true;
	return true;
}

/* Of the function that was called at a location. */
static bool add_instruction(struct locations *l, const struct feedback *f,
			    const struct feedback_module *m, size_t i, uint32_t function,
			    size_t *next)
{
	const struct feedback_instruction *one = &m->code.at[i];
	bool failed = false;
	uint32_t id = find_location(l, l->functions.at[function].parent, one, &failed);
	struct location *at;
	double count = count_of(l, one);

	if (failed || !vec_push(&l->ids, id))
		return false;
	l->functions.at[id == LOCATION_NONE ? function : l->at.at[id].function].own += one->samples;
	if (id == LOCATION_NONE) {
		l->nowhere += is_named(l, one) ? 0 : one->samples;
		return true;
	}
	at = &l->at.at[id];
	at->has_code = true;
	at->instructions++;
	at->sum += count;
	if (count > 0 && !locations_touch(l, id))
		return false;
	if (count > at->most)
		at->most = count;
	l->instructions++;
	l->discriminators += l->decodes && one->frames[0].discriminator != 0;
	return add_call(l, f, m, i, id, count, next);
}

/* A function stands in the code. */
static bool note_name(struct locations *l, uint32_t name, const struct symbol_function *of)
{
	uint32_t id = interner_add(&l->standing, name);

	if (id == INTERNER_NONE || (id == l->first_of.len && !vec_push(&l->first_of, of)))
		return false;
	return l->first_of.at[id] == of || interner_add(&l->sharing, name) != INTERNER_NONE;
}

/* Add to the function that a procedure is the code of. *out: the function. */
static bool add_function(struct locations *l, const struct feedback_procedure *p,
			 const struct feedback_instruction *entry, uint32_t caller, uint32_t *out)
{
	const struct symbol_function *of = entry->frames[entry->num_frames - 1].function;
	uint32_t id = *out = function_at(l, caller, of->linkage_name);
	struct location_function *f;
	bool failed = false;

	if (id == LOCATION_NONE)
		return false;
	f = &l->functions.at[id];
	f->samples += p->samples;
	l->samples += p->samples;
	if (!note_name(l, f->name, of))
		return false;
	if (p->is_part)
		return true;
	f->head += entry->executions;
	if (!f->first) {
		uint32_t at = find_location(l, caller, entry, &failed);
		f = &l->functions.at[id];
		f->entry = at;
		f->first = of;
	}
	return !failed;
}

/* After a procedure: other code of the same place was executed besides. */
static void add_most(struct locations *l)
{
	for (size_t i = 0; i < l->added.len; i++) {
		struct location *at = &l->at.at[l->added.at[i]];
		double most = at->begins ? at->most_begun : at->most;
		if (l->weights == WEIGHTS_BLOCKS)
			at->count += most;
		else if (most > at->count)
			at->count = most;
		if (at->less > most / 2)
			at->unlike += most;
		at->most = at->most_begun = at->less = 0;
		at->is_added = at->begins = false;
	}
	l->added.len = l->ids.len = 0;
}

static bool add_procedure(struct locations *l, const struct feedback *f,
			  const struct feedback_module *m, const struct feedback_procedure *p,
			  uint32_t caller, size_t *next)
{
	const struct feedback_instruction *entry = &m->code.at[p->first];
	uint32_t function;

	if (!is_symbol(l, entry->frames[entry->num_frames - 1].function->linkage_name)) {
		l->unnamed += p->samples;
		return true;
	}
	if (!add_function(l, p, entry, caller, &function))
		return false;
	for (size_t i = p->first; i < p->first + p->num; i++)
		if (!add_instruction(l, f, m, i, function, next))
			return false;
	if (l->weights == WEIGHTS_BLOCKS && !l->decodes && !statements_add(l, m, p, caller))
		return false;
	add_most(l);
	return true;
}

static void begin_module(struct locations *l, const struct feedback_module *m)
{
	bool by_gcc = m->symbols.compilers == SYMBOL_BY_GCC;

	l->decodes = l->reader == FEEDBACK_CLANG && !by_gcc;
	l->by_gcc |= l->reader == FEEDBACK_CLANG && by_gcc;
}

int locations_add(struct locations *l, const struct feedback *f, const struct feedback_module *m,
		  struct error *e)
{
	size_t next = 0;

	begin_module(l, m);
	for (size_t i = 0; i < m->procedures.len; i++) {
		const struct feedback_procedure *p = &m->procedures.at[i];
		/* of one that was only seen calling others, nothing is known of its blocks */
		if (p->has_lines && p->samples && !add_procedure(l, f, m, p, LOCATION_NONE, &next))
			return error_memory(e, sizeof(struct location));
	}
	return 0;
}

/* The location of the innermost call of a context; LOCATION_NONE if it has none. Calls outside of
 * one without a location are left out. */
static uint32_t find_caller(struct locations *l, const struct code_contexts *s, uint32_t context,
			    bool *failed)
{
	uint32_t calls[CONTEXT_MOST_CALLS], n = 0, at = LOCATION_NONE;

	for (const struct code_context *c = &s->all.at[context]; c->shorter != CONTEXT_NONE;
	     c = &s->all.at[c->shorter])
		calls[n++] = c->call; /* outermost first */
	for (uint32_t i = 0; i < n && !*failed; i++)
		at = find_location(l, at, &s->m->code.at[calls[i]], failed);
	return at;
}

static bool add_context(struct locations *l, const struct code_contexts *s, uint32_t context)
{
	struct feedback_module view;
	bool failed = false;
	uint32_t caller = find_caller(l, s, context, &failed);
	size_t next = 0;
	bool ok = !failed && code_context_view(s, context, &view);

	ok = ok && add_procedure(l, s->f, &view, &view.procedures.at[0], caller, &next);
	if (!failed)
		code_context_free_view(&view);
	l->contexts++;
	return ok;
}

int locations_add_contexts(struct locations *l, const struct feedback *f,
			   const struct feedback_module *m, struct error *e)
{
	struct code_contexts s = {0};
	bool ok = code_contexts_find(&s, f, m);

	l->by_context = true;
	begin_module(l, m);
	for (uint32_t i = 0; ok && i < s.all.len; i++) {
		const struct code_context *c = &s.all.at[i];
		const struct feedback_procedure *of = &m->procedures.at[c->procedure];
		if (c->near > 0 && of->has_lines && of->samples)
			ok = add_context(l, &s, i);
	}
	code_contexts_deinit(&s);
	return ok ? 0 : error_memory(e, sizeof(struct location));
}

/* ---- sums -------------------------------------------------------------------------- */

/* Compilers compare counts with each other, and with the sum of all. */
static const double scales[] = {
    [WEIGHTS_BLOCKS] = 1000, [WEIGHTS_LARGEST] = 1, [WEIGHTS_MEAN] = 1000, [WEIGHTS_SUM] = 1};

void locations_finish(struct locations *l)
{
	for (size_t i = 0; i < l->at.len; i++) {
		struct location *at = &l->at.at[i];
		if (at->has_code && !at->reaches && at->unlike > at->count / 2) {
			at->has_code = false;
			l->unlike++;
		}
		if (!at->has_code)
			continue;
		if (l->weights == WEIGHTS_SUM)
			at->count = at->sum;
		else if (l->weights == WEIGHTS_MEAN)
			at->count = at->sum / at->instructions;
		l->functions.at[at->function].total += at->count;
	}
	/* those inlined have higher numbers than what they are inlined into */
	for (size_t i = l->functions.len; i-- > 0;) {
		struct location_function *f = &l->functions.at[i];
		if (f->parent != LOCATION_NONE)
			l->functions.at[l->at.at[f->parent].function].total += f->total;
		if (f->first && l->weights != WEIGHTS_BLOCKS)
			f->head = f->entry == LOCATION_NONE ? 0 : l->at.at[f->entry].count;
	}
}

uint64_t locations_count(const struct locations *l, double count)
{
	return (uint64_t)llround(count * scales[l->weights]);
}

size_t locations_places(const struct locations *l)
{
	size_t n = 0;

	for (size_t i = 0; i < l->at.len; i++)
		n += l->at.at[i].has_code;
	return n;
}

void locations_functions(const struct locations *l, size_t *functions, size_t *shared)
{
	*functions = l->standing.len;
	*shared = l->sharing.len;
}
