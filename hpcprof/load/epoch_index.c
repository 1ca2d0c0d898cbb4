#include "hpcprof/load/epoch_index.h"

#include "formats/base/path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NO_NAME "[unknown]"
enum { NOTE_BYTES = 2 * CSP_NAME_BYTES + sizeof CSP_MODULE_REGION + 2 };

/* A relocate_extent_fn. It opens the file of a module once, for all datafiles. */
static uint64_t known_extent(void *context, const struct reader_module *module)
{
	struct epoch_index_extents *x = context;
	uint32_t id = EPOCH_INDEX_UNSEEN;

	if (!x->names)
		x->names = strings_create();
	if (x->names)
		id =
		    strings_intern(x->names, module->name.n ? module->name.at : "", module->name.n);
	if (id < x->bytes.len)
		return x->bytes.at[id];
	if (id != x->bytes.len || !vec_reserve(&x->bytes, (size_t)id + 1))
		return relocate_elf_extent((void *)x->sysroot, module);
	x->bytes.at[x->bytes.len++] = relocate_elf_extent((void *)x->sysroot, module);
	return x->bytes.at[id];
}

void epoch_index_extents_deinit(struct epoch_index_extents *x)
{
	strings_destroy(x->names);
	vec_free(&x->bytes);
}

int epoch_index_open(struct epoch_index *p, const struct reader *r, uint32_t number,
		     struct epoch_index_extents *extents, struct error *e)
{
	const struct reader_epoch *epoch = reader_epoch(r, number);

	memset(p, 0, sizeof *p);
	p->names = r;
	p->unknown = EPOCH_INDEX_UNSEEN;
	if (relocate_init(&p->relocator, epoch, known_extent, extents, e) != 0)
		return -1;
	p->spans = calloc((size_t)p->relocator.num_spans + 1, sizeof *p->spans);
	if (!p->spans) {
		relocate_deinit(&p->relocator);
		return error_memory(e, p->relocator.num_spans * sizeof *p->spans);
	}
	for (uint32_t i = 0; i <= p->relocator.num_spans; i++) {
		const struct relocate_span *s = &p->relocator.spans[i];
		p->spans[i].module = EPOCH_INDEX_UNSEEN;
		if (i == p->relocator.num_spans)
			break;
		p->spans[i].start = s->start;
		p->spans[i].length = s->last - s->start;
		p->spans[i].shift = epoch->modules[s->module].virtual_address - s->start;
		if (epoch_index_is_source(s->start))
			p->spans[i].shift = 0; /* no short path: their frames have names */
	}
	p->ready = true;
	return 0;
}

void epoch_index_close(struct epoch_index *p)
{
	if (!p->ready)
		return;
	relocate_deinit(&p->relocator);
	free(p->spans);
	interpreters_deinit(&p->interpreters);
	interner_deinit(&p->source_keys);
	vec_free(&p->source_steps);
	p->ready = false;
}

/* Set the path under which the image of the vdso was saved beside the datafile. */
static bool note_image(struct model *m, struct model_module *mod, const char *path)
{
	int folder = (int)path_folder_length(path);
	const char *image;
	char *text;
	int n;

	n = asprintf(&text, "%.*s" CSP_VDSO_PREFIX "%s", folder, path, mod->build_id);
	if (n < 0)
		return false;
	image = model_text(m, text, (size_t)n);
	free(text);
	if (image && (!mod->image || strcmp(image, mod->image) < 0))
		mod->image = image;
	return image;
}

static uint32_t new_module(struct model *m, const char *path, const struct reader_module *module,
			   bool assumed)
{
	static const struct reader_text unknown = {MODEL_UNKNOWN_MODULE,
						   sizeof MODEL_UNKNOWN_MODULE - 1};
	struct reader_text none = {"", 0};
	struct reader_text name = module ? module->name : unknown;
	struct reader_text build_id = module ? module->build_id : none;
	uint32_t id = model_module(m, name, build_id);
	/* by this name, as the module may have another one elsewhere */
	bool is_vdso = build_id.n && name.n == sizeof CSP_MODULE_VDSO - 1 &&
		       memcmp(name.at, CSP_MODULE_VDSO, name.n) == 0;

	if (id == UINT32_MAX || (is_vdso && !note_image(m, &m->modules.at[id], path)))
		return UINT32_MAX;
	m->modules.at[id].assumed |= assumed;
	return id;
}

/* ---- what a program says of itself: formats/identity/notes.h ----------------------------- */

static bool is_module(const struct reader_module *module, uint64_t base, const char *name)
{
	return module->mapped_address == base && module->name.n == strlen(name) &&
	       memcmp(module->name.at, name, module->name.n) == 0;
}

static struct reader_text name_in(const struct epoch_index *p, uint64_t number, const char *none)
{
	struct reader_text name =
	    reader_name_of(p->names, (uint32_t)number & (uint32_t)(CSP_NAMES - 1));

	return name.n ? name : (struct reader_text){none, (uint32_t)strlen(none)};
}

/* "[region] assembly" or "[label] request=17". A key has no '='. */
static void format_note(const struct epoch_index *p, uint64_t ip, bool label, char text[NOTE_BYTES])
{
	uint64_t number = ip >> CSP_NOTE_SHIFT;
	struct reader_text first = name_in(p, number, NO_NAME), second = name_in(p, ip, "(other)");

	if (!label) {
		snprintf(text, NOTE_BYTES, CSP_MODULE_REGION " %.*s", (int)first.n, first.at);
		return;
	}
	snprintf(text, NOTE_BYTES, CSP_MODULE_LABEL " %.*s=%.*s", (int)first.n, first.at,
		 (int)second.n, second.at);
	for (uint32_t i = 0; i < first.n && text[sizeof CSP_MODULE_LABEL + i]; i++)
		if (text[sizeof CSP_MODULE_LABEL + i] == '=')
			text[sizeof CSP_MODULE_LABEL + i] = '_';
}

/* Its step, which is that of a frame with a name. Its depth, or that its value is a number, is kept
 * as the line. */
static uint64_t note_step(struct epoch_index *p, struct model *m, uint32_t module, uint64_t ip,
			  bool label, enum frame_role role)
{
	struct model_function f = {.module = module};
	uint32_t line = 0, id = UINT32_MAX, frame = UINT32_MAX;
	char text[NOTE_BYTES];

	format_note(p, ip, label, text);
	if (p->keep_notes || (p->every_label && label))
		line = label ? ip >> 2 * CSP_NOTE_SHIFT & CSP_LABEL_NUMBER : ip & CSP_NOTE_DEPTH;
	m->modules.at[module].has_names = true;
	f.name = model_text(m, text, strlen(text));
	if (f.name)
		id = model_function(m, &f);
	if (id != UINT32_MAX)
		frame = model_named_frame(
		    m, id, line, role == FRAME_POINT ? FRAME_NAMED_POINT : FRAME_NAMED_CALL);
	return frame == UINT32_MAX ? UINT64_MAX : MODEL_STEP_FRAME | frame;
}

/* ---- frames of an interpreter: formats/identity/sources.h --------------------------------- */

bool epoch_index_is_pseudo(const struct epoch_index *p, uint64_t ip)
{
	const struct relocator *r = &p->relocator;
	uint32_t i = relocate_find(r, ip);
	struct reader_text name = {NULL, 0};

	if (i < r->num_spans)
		name = r->epoch->modules[r->spans[i].module].name;
	return name.n == sizeof CSP_SOURCE_INTERPRETER - 1 &&
	       memcmp(name.at, CSP_SOURCE_INTERPRETER, name.n) == 0;
}

/* The function with that address in the source file, or one whose name is not known. */
static uint32_t source_function(struct model *m, uint32_t module, const struct reader_code *code)
{
	static const char unknown[] = MODEL_UNKNOWN_FUNCTION;
	const char *path = m->modules.at[module].name;
	struct model_function f = {.module = module, .line = code ? code->line : 0};
	bool named = code && code->name.n;

	if (path[0] != '[')
		f.file = path;
	f.name = model_text(m, named ? code->name.at : unknown,
			    named ? code->name.n : sizeof unknown - 1);
	/* also if a merged file says so */
	if (f.name && strcmp(f.name, unknown) == 0)
		f.source = SYMBOL_NONE;
	return f.name ? model_function(m, &f) : UINT32_MAX;
}

static uint64_t make_source_step(struct epoch_index *p, struct model *m, uint32_t module,
				 uint64_t at, enum frame_role role)
{
	const struct reader_code *code = reader_code_of(p->names, at);
	uint32_t line = code ? reader_code_line(code, at) : 0, frame = UINT32_MAX;
	uint32_t function = source_function(m, module, code);

	m->modules.at[module].has_names = true;
	m->modules.at[module].is_source = true;
	if (function != UINT32_MAX)
		frame = model_named_frame(m, function, line, role);
	return frame == UINT32_MAX ? UINT64_MAX : MODEL_STEP_FRAME | frame;
}

/* Each is made once. */
static uint64_t source_step(struct epoch_index *p, struct model *m, uint32_t module, uint64_t at,
			    enum frame_role role)
{
	enum frame_role named = role == FRAME_CALL ? FRAME_NAMED_CALL : FRAME_NAMED_POINT;
	uint32_t id = interner_add(&p->source_keys, at << 1 | (role == FRAME_CALL));
	uint64_t step;

	if (id < p->source_steps.len)
		return p->source_steps.at[id];
	step = id == INTERNER_NONE ? UINT64_MAX : make_source_step(p, m, module, at, named);
	return step != UINT64_MAX && vec_push(&p->source_steps, step) ? step : UINT64_MAX;
}

uint64_t epoch_index_slow_step(struct epoch_index *p, struct model *m, const char *path,
			       uint64_t ip, enum frame_role role)
{
	const struct relocator *r = &p->relocator;
	uint64_t at = ip - (role == FRAME_CALL && ip);
	uint32_t i = relocate_find(r, at), *module = &p->unknown, frame;
	const struct relocate_span *span = NULL;

	if (i < r->num_spans) {
		span = &r->spans[i];
		module = &p->spans[i].module;
		p->hints[(at >> 16) % EPOCH_INDEX_HINTS] = i;
		at += p->spans[i].shift;
	}
	if (*module == EPOCH_INDEX_UNSEEN)
		*module =
		    new_module(m, path, span ? &r->epoch->modules[span->module] : NULL,
			       span && (span->assumed || r->epoch->modules[span->module].assumed));
	if (*module == UINT32_MAX)
		return UINT64_MAX;
	if (span && is_module(&r->epoch->modules[span->module], CSP_REGION_BASE, CSP_MODULE_REGION))
		return note_step(p, m, *module, ip, false, role);
	if (span && is_module(&r->epoch->modules[span->module], CSP_LABEL_BASE, CSP_MODULE_LABEL))
		return note_step(p, m, *module, ip, true, role);
	if (span && epoch_index_is_source(span->start))
		return source_step(p, m, *module, ip - (role == FRAME_CALL), role);
	if (role != FRAME_ENTRY && model_step_is_plain(*module, at))
		return model_plain_step(*module, at, role);
	frame = model_frame(m, *module, at, role);
	return frame == UINT32_MAX ? UINT64_MAX : MODEL_STEP_FRAME | frame;
}
