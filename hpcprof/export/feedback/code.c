#include "hpcprof/export/feedback/code.h"

#include "formats/base/path.h"
#include "formats/base/search.h"
#include "formats/identity/kernel.h"
#include "hpcprof/export/feedback/calls.h"
#include "hpcprof/export/feedback/frequencies.h"
#include "hpcprof/export/feedback/taken.h"

#include <stdlib.h>
#include <string.h>

/* How often calls and executions are estimated again by each other. */
enum { CALL_ROUNDS = 2 };

/* The file name of the library that takes samples. */
#define OWN_LIBRARY "libhpcrun.so"

/* ---- samples by address ------------------------------------------------------------ */

static bool is_own(const char *module)
{
	return strncmp(path_basename(module), OWN_LIBRARY, sizeof OWN_LIBRARY - 1) == 0;
}

/* The samples of each frame. */
static uint64_t *by_frame(const struct model *m, const uint64_t *samples)
{
	uint64_t *out = calloc(m->frames.len + 1, sizeof *out);

	for (uint32_t i = MODEL_ROOTS; out && i < model_num_contexts(m); i++)
		out[model_frame_of(m, i)] += samples[i];
	return out;
}

struct sampled_place {
	uint64_t address, samples;
};
typedef VEC(struct sampled_place) places;

/* Samples by frame: as taken and exact of struct feedback. */
struct frame_samples {
	uint64_t *taken, *exact;
};

static int by_address(const void *pa, const void *pb)
{
	const struct sampled_place *a = pa, *b = pb;
	return a->address < b->address ? -1 : a->address > b->address;
}

/* The samples at each address of a module, ascending: also 0, at calls. */
static bool find_places(const struct feedback *f, const struct model_module *mod,
			const struct frame_samples *own, places *out)
{
	size_t n = 0;

	out->len = 0;
	for (uint32_t i = mod->first_frame; i < mod->first_frame + mod->num_frames; i++) {
		const struct model_frame *frame = &f->m->frames.at[i];
		if ((own->taken[i] || frame->role == FRAME_CALL) &&
		    !vec_push(out, (struct sampled_place){frame->address, own->taken[i]}))
			return false;
		if (own->exact[i] &&
		    !vec_push(out, (struct sampled_place){frame->address + 1, own->exact[i]}))
			return false;
	}
	if (out->len)
		qsort(out->at, out->len, sizeof *out->at, by_address);
	for (size_t i = 0; i < out->len; i++)
		if (n && out->at[n - 1].address == out->at[i].address)
			out->at[n - 1].samples += out->at[i].samples;
		else
			out->at[n++] = out->at[i];
	out->len = n;
	return true;
}

static uint64_t sum_of(const places *p)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < p->len; i++)
		sum += p->at[i].samples;
	return sum;
}

/* ---- procedures and instructions --------------------------------------------------- */

size_t feedback_find(const struct feedback_module *m, uint64_t address)
{
	size_t after = SEARCH_FIRST(i, 0, m->procedures.len, m->procedures.at[i].low > address);

	if (after && address < m->procedures.at[after - 1].high)
		return after - 1;
	return m->procedures.len;
}

size_t feedback_instruction_at(const struct feedback_module *m, uint64_t address)
{
	size_t p = feedback_find(m, address), at;
	const struct feedback_procedure *in;

	if (p == m->procedures.len)
		return m->code.len;
	in = &m->procedures.at[p];
	at = SEARCH_FIRST(k, in->first, in->first + in->num, m->code.at[k].address > address);
	return at > in->first ? at - 1 : m->code.len;
}

static int disassemble_all(struct feedback_module *m, struct error *e)
{
	struct disassembler *d = disassembler_create(m->found.machine, m->found.big, e);
	bool ok = true;

	if (!d)
		return -1;
	for (size_t i = 0; ok && i < m->found.len; i++) {
		const struct procedure *p = &m->found.at[i];
		struct feedback_procedure out = {.low = p->low,
						 .high = p->high,
						 .symbol = p->symbol,
						 .local = p->local,
						 .first = m->code.len,
						 .is_part = p->is_part};
		for (uint64_t at = p->low; ok && at < p->high;) {
			struct instruction one;
			disassemble(d, p->bytes + (at - p->low), p->high - at, at, &one);
			ok = vec_push(&m->code, (struct feedback_instruction){.address = at,
									      .target = one.target,
									      .flow = one.flow});
			at += one.size;
		}
		out.num = m->code.len - out.first;
		ok = ok && vec_push(&m->procedures, out);
	}
	disassembler_destroy(d);
	return ok ? 0 : error_memory(e, sizeof(struct feedback_instruction));
}

static int by_value(const void *pa, const void *pb)
{
	uint64_t a = *(const uint64_t *)pa, b = *(const uint64_t *)pb;
	return a < b ? -1 : a > b;
}

/* Look up the frames of all instructions, and of targets in other procedures. */
static int resolve(struct feedback_module *m, struct symbolizer *s,
		   const struct symbolize_request *request, struct error *e)
{
	struct symbolize_request q = *request;
	size_t n = 0, kept = 0, at = 0;

	m->targets = malloc((2 * m->code.len + 1) * sizeof *m->targets);
	if (!m->targets)
		return error_memory(e, 2 * m->code.len * sizeof *m->targets);
	for (size_t i = 0; i < m->code.len; i++) {
		m->targets[n++] = m->code.at[i].address;
		if (m->code.at[i].target)
			m->targets[n++] = m->code.at[i].target;
	}
	qsort(m->targets, n, sizeof *m->targets, by_value);
	for (size_t i = 0; i < n; i++)
		if (!i || m->targets[i] != m->targets[kept - 1])
			m->targets[kept++] = m->targets[i];
	q.addresses = m->targets;
	q.num_addresses = kept;
	q.statements = true;
	if (symbolize_module(s, &q, &m->symbols, &m->why) != 0)
		return error_memory(e, n);
	for (size_t i = 0; i < m->code.len; i++) {
		while (m->targets[at] != m->code.at[i].address)
			at++;
		m->code.at[i].frames = m->symbols.frames + m->symbols.first[at];
		m->code.at[i].num_frames =
		    (uint32_t)(m->symbols.first[at + 1] - m->symbols.first[at]);
	}
	return 0;
}

const struct symbol_frame *feedback_target(const struct feedback_module *m, uint64_t address,
					   uint32_t *n)
{
	size_t i = SEARCH_FIRST(k, 0, m->symbols.num_addresses, m->targets[k] >= address);

	if (i == m->symbols.num_addresses || m->targets[i] != address)
		return NULL;
	*n = (uint32_t)(m->symbols.first[i + 1] - m->symbols.first[i]);
	return m->symbols.frames + m->symbols.first[i];
}

/* Give the samples to the instructions that contain their addresses. */
static void place_samples(struct feedback_module *m, const places *where)
{
	for (size_t i = 0; i < where->len; i++) {
		uint64_t address = where->at[i].address, samples = where->at[i].samples;
		size_t at = feedback_instruction_at(m, address);
		if (at == m->code.len) {
			m->unplaced += samples;
			continue;
		}
		m->code.at[at].samples += samples;
		m->procedures.at[feedback_find(m, address)].samples += samples;
	}
	for (size_t i = 0; i < m->procedures.len; i++)
		if (!m->procedures.at[i].has_lines)
			m->unlined += m->procedures.at[i].samples;
}

static void find_lines(struct feedback_module *m)
{
	for (size_t i = 0; i < m->procedures.len; i++) {
		struct feedback_procedure *p = &m->procedures.at[i];
		const struct feedback_instruction *entry = &m->code.at[p->first];
		const struct symbol_function *in = entry->frames[entry->num_frames - 1].function;
		p->has_lines = in->source == SYMBOL_DWARF && in->line && in->file;
	}
}

int feedback_read_code(struct feedback_module *m, struct symbolizer *s,
		       const struct symbolize_request *request, struct error *e)
{
	if (procedures_read(s, request, &m->found, &m->why) != 0)
		return error_memory(e, 0);
	if (m->found.len && (disassemble_all(m, e) != 0 || resolve(m, s, request, e) != 0))
		return -1;
	find_lines(m);
	return 0;
}

void feedback_deinit_module(struct feedback_module *m)
{
	procedures_free(&m->found);
	vec_free(&m->procedures);
	vec_free(&m->code);
	vec_free(&m->calls);
	symbol_table_free(&m->symbols);
	free(m->targets);
}

/* ---- all of it --------------------------------------------------------------------- */

static int read_places(struct feedback_module *m, struct symbolizer *s,
		       const struct symbolize_request *request, const places *where,
		       struct error *e)
{
	struct symbolize_request q = *request;
	uint64_t *addresses = malloc((where->len + 1) * sizeof *addresses);
	int rc;

	if (!addresses)
		return error_memory(e, where->len * sizeof *addresses);
	for (size_t i = 0; i < where->len; i++)
		addresses[i] = where->at[i].address;
	q.addresses = addresses;
	q.num_addresses = where->len;
	rc = feedback_read_code(m, s, &q, e);
	free(addresses);
	return rc;
}

/* 1: the module was added. 0: it has no code that could be read. */
static int read_module(struct feedback *f, uint32_t module, const places *where, struct error *e)
{
	bool image;
	const struct model_module *mod = &f->m->modules.at[module];
	struct symbolize_request q = correlate_request(mod, &image);
	struct feedback_module *m;
	uint64_t samples = sum_of(where);

	f->no_file -= samples;
	if (!samples)
		return 0;
	if (strcmp(mod->name, CSP_MODULE_KERNEL) == 0)
		f->kernel += samples;
	else if (is_own(mod->name))
		f->own += samples;
	else if (!q.path || image)
		f->no_file += samples;
	if (strcmp(mod->name, CSP_MODULE_KERNEL) == 0 || is_own(mod->name) || !q.path || image)
		return 0;
	if (!vec_push(&f->modules, (struct feedback_module){.module = module, .samples = samples}))
		return error_memory(e, sizeof *m);
	m = &f->modules.at[f->modules.len - 1];
	if (read_places(m, f->symbolizer, &q, where, e) != 0)
		return -1;
	place_samples(m, where);
	return 1;
}

/* Executions tell how often functions were called, and this tells executions. */
static bool estimate(struct feedback *f)
{
	struct calls calls = {0};
	bool ok = calls_find(&calls, f);

	for (int round = 0; ok && round <= CALL_ROUNDS; round++) {
		for (size_t i = 0; ok && i < f->modules.len; i++)
			ok = frequencies_estimate(&f->modules.at[i]);
		if (ok)
			calls_solve(&calls);
	}
	calls_deinit(&calls);
	return ok;
}

int feedback_read(struct feedback *f, const struct model *m, const struct symbolized *c,
		  const struct common *o, const uint64_t *samples, struct error *e)
{
	struct symbolizer_options options = correlate_symbolizer(o);
	struct frame_samples own = {0};
	places where = {0};
	int rc = 0;

	f->m = m;
	f->c = c;
	f->symbolizer = symbolizer_create(&options);
	f->index = malloc((m->modules.len + 1) * sizeof *f->index);
	if (f->index && f->symbolizer && taken_find(f, samples)) {
		own.taken = by_frame(m, f->taken);
		own.exact = by_frame(m, f->exact);
	}
	if (!own.taken || !own.exact)
		rc = error_memory(e, m->frames.len * sizeof *own.taken);
	for (size_t i = 0; rc == 0 && i < m->frames.len; i++)
		f->samples += own.taken[i] + own.exact[i];
	/* until they are found in a module */
	f->no_file = f->samples;
	for (uint32_t i = 0; rc == 0 && i < m->modules.len; i++) {
		size_t before = f->modules.len;
		f->index[i] = FEEDBACK_NONE;
		if (!find_places(f, &m->modules.at[i], &own, &where))
			rc = error_memory(e, where.len * sizeof *where.at);
		else if (read_module(f, i, &where, e) < 0)
			rc = -1;
		else if (f->modules.len > before)
			f->index[i] = (uint32_t)before;
	}
	if (rc == 0 && !estimate(f))
		rc = error_memory(e, sizeof(struct feedback_call));
	vec_free(&where);
	free(own.taken);
	free(own.exact);
	return rc;
}

void feedback_deinit(struct feedback *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < f->modules.len; i++)
		feedback_deinit_module(&f->modules.at[i]);
	vec_free(&f->modules);
	free(f->index);
	free(f->taken);
	free(f->exact);
	symbolizer_destroy(f->symbolizer);
	*f = (struct feedback){0};
}
