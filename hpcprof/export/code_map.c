#include "hpcprof/export/code_map.h"

#include <string.h>

bool code_map_has(const struct model *m, const struct model_frame *f)
{
	return m->modules.at[f->module].is_source &&
	       (f->role == FRAME_NAMED_POINT || f->role == FRAME_NAMED_CALL);
}

/* LEB128: 7 bits in each byte, the lowest first. */
static bool put_unsigned(struct code_map *s, uint32_t v)
{
	bool ok = true;

	for (; ok && v > 0x7f; v >>= 7)
		ok = vec_push(&s->lines, (uint8_t)(v | 0x80));
	return ok && vec_push(&s->lines, (uint8_t)v);
}

static bool put_signed(struct code_map *s, int64_t v)
{
	bool ok = true;

	for (; ok && (v < -0x40 || v > 0x3f); v = (v - (v & 0x7f)) / 0x80)
		ok = vec_push(&s->lines, (uint8_t)(v & 0x7f) | 0x80);
	return ok && vec_push(&s->lines, (uint8_t)(v & 0x7f));
}

/* A run of one address on a line; 0: it is not known. */
static bool put_run(struct code_map *s, uint32_t line)
{
	int64_t more = (int64_t)line - s->line;

	if (!line)
		return put_unsigned(s, 1 << 1);
	s->line = line;
	return put_unsigned(s, 1 << 1 | 1) && put_signed(s, more);
}

static bool begin_function(struct code_map *s, const struct model *m, uint32_t function)
{
	s->line = m->functions.at[function].line;
	return vec_push(&s->codes, (struct mapped_code){
				       .function = function, .ip = s->end, .lines = s->lines.len});
}

int code_map_add(struct code_map *s, const struct model *m, const struct model_frame *f,
		 uint64_t *ip, uint64_t *first, struct error *e)
{
	uint32_t function = (uint32_t)(f->address >> 32);
	bool new_module = !s->num_sources || s->module != f->module, ok = true;
	bool new_function = new_module || s->frame >> 32 != function;
	struct mapped_code *code;

	if (new_module && s->num_sources == CSP_SOURCES)
		return error_set(e, ERROR_LIMIT, "more than %d source files of an interpreter",
				 CSP_SOURCES);
	if (new_module) {
		s->module = f->module;
		s->end = CSP_SOURCE_BASE + ((uint64_t)s->num_sources++ << CSP_SOURCE_SHIFT);
	}
	if (new_function)
		ok = begin_function(s, m, function);
	code = ok ? &s->codes.at[s->codes.len - 1] : NULL;
	if (ok && (new_function || s->frame != f->address)) {
		ok = put_run(s, (uint32_t)f->address);
		code->lines_bytes = s->lines.len - code->lines;
		code->extent++;
		s->end++;
	}
	s->frame = f->address;
	*ip = s->end - 1;
	*first = CSP_SOURCE_BASE + ((uint64_t)(s->num_sources - 1) << CSP_SOURCE_SHIFT);
	return ok ? 0 : error_memory(e, s->lines.len);
}

void code_map_put(const struct code_map *s, const struct model *m, struct csp_sink *sink)
{
	csp_put_u32(sink, (uint32_t)s->codes.len);
	for (size_t i = 0; i < s->codes.len; i++) {
		const struct mapped_code *code = &s->codes.at[i];
		const struct model_function *f = &m->functions.at[code->function];
		const char *name = f->name ? f->name : "";
		csp_put_code(sink, &(struct csp_code){.ip = code->ip,
						      .extent = code->extent,
						      .line = f->line,
						      .name = name,
						      .name_bytes = (uint32_t)strlen(name),
						      .lines = s->lines.at + code->lines,
						      .lines_bytes = (uint32_t)code->lines_bytes});
	}
}

void code_map_deinit(struct code_map *s)
{
	vec_free(&s->codes);
	vec_free(&s->lines);
}
