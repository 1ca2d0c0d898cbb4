#include "symbolize/symbolize.h"

#include "formats/base/arena.h"
#include "formats/base/vec.h"
#include "symbolize/binary.h"
#include "symbolize/bounds.h"
#include "symbolize/dwarf.h"
#include "symbolize/functions.h"
#include "symbolize/kernel.h"
#include "symbolize/names.h"
#include "symbolize/pack.h"
#include "symbolize/plt.h"
#include "symbolize/symbols.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define USUAL_DEBUG_DIR "/usr/lib/debug"

struct symbolizer {
	struct arena arena; /* functions and options */
	struct symbol_names *names;
	struct search_paths where;
	char **pack_folders;
	size_t num_pack_folders;
	bool packs_only;
	uint64_t module_limit;
};

/* One module while it is being resolved. */
struct module {
	struct symbolizer *s;
	const struct symbolize_request *request;
	struct work reading, naming; /* the frames are made of what was read until it was over */
	struct binary binary;
	struct symbols plt, symtab, dynsym;
	struct bounds bounds;
	struct functions functions;
	struct dwarf_pass dwarf;
	VEC(struct symbol_pack) packs; /* with better names than the files */
	VEC(struct symbol_frame) frames;
	size_t num_kept; /* addresses whose names are from a pack */
	struct error pack_unread;
};

/* A copy of n texts, with room for one more; NULL if memory ran out. */
static char **copy_texts(struct arena *a, const char *const *from, size_t n)
{
	char **to = arena_alloc(a, (n + 1) * sizeof *to);
	for (size_t i = 0; to && i < n; i++)
		if (!(to[i] = arena_strndup(a, from[i], strlen(from[i]))))
			return NULL;
	return to;
}

static bool copy_options(struct symbolizer *s, const struct symbolizer_options *o)
{
	static const struct symbolizer_options none;
	if (!o)
		o = &none;
	size_t n = o->num_debug_dirs;
	const char *root = o->sysroot ? o->sysroot : "";
	char **dirs = copy_texts(&s->arena, o->debug_dirs, n);
	size_t usual = strlen(root) + sizeof USUAL_DEBUG_DIR;
	s->where.sysroot = arena_strndup(&s->arena, root, strlen(root));
	s->pack_folders = copy_texts(&s->arena, o->pack_folders, o->num_pack_folders);
	s->num_pack_folders = o->num_pack_folders;
	s->packs_only = o->packs_only;
	s->module_limit = o->module_limit;
	if (!dirs || !s->where.sysroot || !s->pack_folders ||
	    !(dirs[n] = arena_alloc(&s->arena, usual)))
		return false;
	snprintf(dirs[n], usual, "%s%s", root, USUAL_DEBUG_DIR);
	s->where.debug_dirs = dirs;
	s->where.num_debug_dirs = n + 1;
	return true;
}

struct symbolizer *symbolizer_create(const struct symbolizer_options *options)
{
	struct symbolizer *s = calloc(1, sizeof *s);
	if (!s)
		return NULL;
	elf_version(EV_CURRENT);
	s->names = symbol_names_create();
	if (!s->names || !copy_options(s, options)) {
		symbolizer_destroy(s);
		return NULL;
	}
	return s;
}

void symbolizer_destroy(struct symbolizer *s)
{
	if (!s)
		return;
	symbol_names_destroy(s->names);
	arena_deinit(&s->arena);
	free(s);
}

const struct search_paths *symbolizer_places(const struct symbolizer *s)
{
	return &s->where;
}

static bool push_frame(struct module *m, const struct symbol_function *f, const char *file,
		       uint32_t line, uint32_t discriminator, bool inlined)
{
	return f &&
	       vec_push(&m->frames, (struct symbol_frame){f, file, line, discriminator, inlined});
}

/* NULL if memory ran out, possibly before this call: then wanted has no name. */
static const struct symbol_function *get_function(struct module *m,
						  const struct symbol_function *wanted)
{
	struct function_record *r = wanted->name ? functions_get(&m->functions, wanted) : NULL;
	return r ? &r->f : NULL;
}

static const struct symbol_function *
function_of_symbol(struct module *m, const struct code_symbol *sym, enum symbol_source source)
{
	struct symbol_function wanted = {.low = sym->low, .source = source};
	wanted.name = symbol_names_demangle(m->s->names, sym->name, &wanted.linkage_name);
	return get_function(m, &wanted);
}

/* "name@plt" with name demangled. */
static const struct symbol_function *function_of_plt(struct module *m,
						     const struct code_symbol *sym)
{
	struct symbol_function wanted = {
	    .low = sym->low, .source = SYMBOL_DYNSYM, .linkage_name = sym->name};
	const char *target = symbol_names_demangle(m->s->names, sym->name, NULL);
	if (target)
		wanted.name = symbol_names_format(m->s->names, "%s@plt", target);
	return get_function(m, &wanted);
}

/* The name contains the start of the function, if it is in the unwind tables, so that a function
 * has only one name. The entry point of a program is known without a symbol. */
static const struct symbol_function *function_without_symbol(struct module *m, uint64_t address)
{
	uint64_t high;
	bool bounded = bounds_find(&m->bounds, address, &address, &high);
	struct symbol_function wanted = {.low = address, .source = SYMBOL_NONE};
	if (bounded && address == m->binary.entry)
		wanted.name = symbol_names_format(m->s->names, "_start");
	else
		wanted.name =
		    symbol_names_format(m->s->names, "%s+0x%" PRIx64, m->request->name, address);
	wanted.linkage_name = wanted.name;
	return get_function(m, &wanted);
}

/* Its source is as good as a symbol: there is nothing to install that would give a better name. */
static const struct symbol_function *function_of_kernel(struct module *m, uint64_t address)
{
	struct symbol_function wanted = {.low = address, .source = SYMBOL_DWARF};
	char name[KERNEL_NAME_BYTES];

	kernel_name(name, address);
	wanted.name = wanted.linkage_name = symbol_names_format(m->s->names, "%s", name);
	return get_function(m, &wanted);
}

static const struct symbol_function *function_without_dwarf(struct module *m, uint64_t address)
{
	const struct code_symbol *sym;
	if (kernel_is_module(m->request))
		return function_of_kernel(m, address);
	if ((sym = symbols_find(&m->plt, address)) && work_pay_text(&m->naming, sym->name))
		return function_of_plt(m, sym);
	if ((sym = symbols_find(&m->symtab, address)) && work_pay_text(&m->naming, sym->name))
		return function_of_symbol(m, sym, SYMBOL_SYMTAB);
	if ((sym = symbols_find(&m->dynsym, address)) && work_pay_text(&m->naming, sym->name))
		return function_of_symbol(m, sym, SYMBOL_DYNSYM);
	return function_without_symbol(m, address);
}

/* Steps for a frame. */
enum { STEPS_PER_FRAME = 32 };

/* Append the frames of one address. The innermost has the line table's file and line, each outer
 * one the place of the inlined call. */
static bool add_frames(struct module *m, uint64_t address, const struct debug_place *place)
{
	const char *file = place->file;
	uint32_t line = place->line, discriminator = place->discriminator;
	uint32_t i = place->scope;
	size_t first = m->frames.len;
	if (i == SCOPE_NONE)
		return push_frame(m, function_without_dwarf(m, address), file, line, discriminator,
				  false);
	for (; i != SCOPE_NONE; i = m->dwarf.scopes[i].parent) {
		const struct scope *s = &m->dwarf.scopes[i];
		if (!work_pay(&m->naming, STEPS_PER_FRAME)) {
			m->frames.len = first;
			return push_frame(m, function_without_dwarf(m, address), NULL, 0, 0, false);
		}
		if (!push_frame(m, s->function, file, line, discriminator, s->parent != SCOPE_NONE))
			return false;
		file = s->call_file;
		line = s->call_line;
		discriminator = s->call_discriminator;
	}
	return true;
}

static const struct code_symbol *symbol_at(const struct module *m, uint64_t low)
{
	const struct code_symbol *sym = symbols_find(&m->symtab, low);
	if (!sym || sym->low != low)
		sym = symbols_find(&m->dynsym, low);
	return sym && sym->low == low ? sym : NULL;
}

/* Use the symbol at a function's entry as its linkage name: it distinguishes a part that the
 * compiler split off from the whole. The name stays as it is, as it must not depend on whether this
 * copy was sampled. */
static int name_linkage(struct module *m)
{
	for (struct function_record *r = m->functions.newest; r; r = r->older) {
		const struct code_symbol *sym = r->entry ? symbol_at(m, r->entry) : NULL;
		if (sym && work_pay_text(&m->naming, sym->name) &&
		    !symbol_names_demangle(m->s->names, sym->name, &r->f.linkage_name))
			return -1;
	}
	return 0;
}

static int read_symbols(struct module *m)
{
	struct binary *b = &m->binary;
	if (b->main.elf)
		bounds_read(&m->bounds, b->main.elf);
	if (b->main.elf && (symbols_read(&m->symtab, b->main.elf, SHT_SYMTAB) != 0 ||
			    symbols_read(&m->dynsym, b->main.elf, SHT_DYNSYM) != 0 ||
			    plt_read(&m->plt, b->main.elf, m->s->names, &m->reading) != 0))
		return -1;
	if (b->debug.elf && !m->symtab.all.len)
		return symbols_read(&m->symtab, b->debug.elf, SHT_SYMTAB);
	return 0;
}

/* The frames that were kept of the address. 1, 0 if there are none, or -1. */
static int add_kept(struct module *m, uint64_t address)
{
	for (size_t p = 0; p < m->packs.len; p++) {
		const struct symbol_pack *pack = &m->packs.at[p];
		size_t i = symbol_pack_find(pack, address);
		if (i == pack->num_addresses)
			continue;
		for (size_t k = pack->table.first[i]; k < pack->table.first[i + 1]; k++)
			if (!vec_push(&m->frames, pack->table.frames[k]))
				return -1;
		m->num_kept++;
		return 1;
	}
	return 0;
}

static int fill_table(struct module *m, const struct debug_place *places, struct symbol_table *out)
{
	size_t n = m->request->num_addresses;
	out->first = malloc((n + 1) * sizeof *out->first);
	if (!out->first)
		return -1;
	for (size_t i = 0; i < n; i++) {
		out->first[i] = m->frames.len;
		int kept = add_kept(m, m->request->addresses[i]);
		if (kept < 0 || (!kept && !add_frames(m, m->request->addresses[i], &places[i])))
			return -1;
	}
	out->first[n] = m->frames.len;
	out->num_addresses = n;
	return 0;
}

/* What the module's files have. */
static enum symbol_source best_of_files(const struct module *m)
{
	return m->binary.dwarf     ? SYMBOL_DWARF
	       : m->symtab.all.len ? SYMBOL_SYMTAB
	       : m->dynsym.all.len ? SYMBOL_DYNSYM
				   : SYMBOL_NONE;
}

/* Read what was kept of the module, where it is better than what its files have. */
static int read_packs(struct module *m)
{
	const struct symbolize_request *q = m->request;
	enum symbol_source best = best_of_files(m);
	if (!q->build_id || !q->path || best == SYMBOL_DWARF || !m->s->num_pack_folders)
		return 0;
	if (!vec_reserve(&m->packs, m->s->num_pack_folders))
		return -1;
	for (size_t i = 0; i < m->s->num_pack_folders; i++) {
		struct symbol_pack p;
		if (symbol_pack_read(&p, m->s->pack_folders[i], q->build_id, &m->functions,
				     m->s->names, &m->pack_unread) != 0)
			return -1;
		if (p.num_addresses && p.table.best < best)
			m->packs.at[m->packs.len++] = p;
		else
			symbol_pack_free(&p);
	}
	return 0;
}

static int resolve(struct module *m, struct symbol_table *out)
{
	const struct symbolize_request *q = m->request;
	struct debug_place *places = calloc(q->num_addresses + 1, sizeof *places);
	if (!places)
		return -1;
	for (size_t i = 0; i < q->num_addresses; i++)
		places[i] = (struct debug_place){.scope = SCOPE_NONE};
	int result = read_symbols(m);
	if (result == 0 && m->binary.dwarf) {
		m->dwarf = (struct dwarf_pass){.dwarf = m->binary.dwarf,
					       .fd = m->binary.debug.elf ? m->binary.debug.fd
									 : m->binary.main.fd,
					       .split = &m->binary.split,
					       .work = &m->reading,
					       .names = m->s->names,
					       .functions = &m->functions,
					       .symbols = &m->symtab,
					       .addresses = q->addresses,
					       .num_addresses = q->num_addresses,
					       .wants_statements = q->statements,
					       .places = places};
		result = dwarf_resolve(&m->dwarf);
	}
	if (result == 0)
		result = read_packs(m);
	if (result == 0)
		result = name_linkage(m);
	if (result == 0)
		result = fill_table(m, places, out);
	free(places);
	return result;
}

int symbol_pack_of(struct symbolizer *s, const char *folder, const char *build_id,
		   struct symbol_pack *out, struct error *why)
{
	struct functions t;
	functions_init(&t, &s->arena);
	int rc = symbol_pack_read(out, folder, build_id, &t, s->names, why);
	functions_deinit(&t);
	return rc;
}

static int describe_packs(struct module *m, struct symbol_table *out, struct error *why)
{
	size_t n = m->request->num_addresses;
	out->kept = true;
	for (size_t i = 0; i < m->packs.len; i++)
		if (m->packs.at[i].table.best < out->best) {
			out->best = m->packs.at[i].table.best;
			out->debug_file = m->packs.at[i].table.debug_file;
		}
	if (m->num_kept == n) {
		out->stale = false;
		if (why)
			why->kind = ERROR_NONE;
	} else {
		error_set(why, ERROR_FORMAT,
			  "%zu of its %zu addresses have the names that were kept when it was "
			  "measured; it was replaced or is not there",
			  m->num_kept, n);
	}
	return 0;
}

static int describe_source(struct module *m, struct symbol_table *out, struct error *why)
{
	const char *source = binary_source(&m->binary);
	if (kernel_is_module(m->request)) {
		out->best = SYMBOL_DWARF;
		if (why) /* it is not in a file, and needs none */
			why->kind = ERROR_NONE;
		return 0;
	}
	out->stale = m->binary.stale;
	out->best = best_of_files(m);
	out->compilers = m->dwarf.compilers;
	if (m->num_kept)
		return describe_packs(m, out, why);
	if (source) {
		out->debug_file = symbol_names_intern(m->s->names, source, strlen(source));
		if (!out->debug_file)
			return -1;
	}
	if (m->dwarf.refused.kind != ERROR_NONE)
		binary_refuses_dwo(&m->binary, &m->dwarf.refused);
	if (m->dwarf.missing)
		binary_misses_dwo(&m->binary, m->dwarf.folder, m->dwarf.dwo, m->dwarf.missing);
	if ((m->reading.over || m->naming.over) && source)
		binary_is_too_much(&m->binary);
	binary_check_cut(&m->binary);
	if (why && source)
		*why = m->binary.unread;
	if (out->best == SYMBOL_NONE && source && m->binary.unread.kind == ERROR_NONE)
		error_set(why, ERROR_FORMAT, "%s: no symbols", source);
	return 0;
}

static void tell_unread(struct symbol_table *out, const struct error *what, struct error *why)
{
	out->unread = true;
	if (why)
		*why = *what;
}

static int compare_statements(const void *left, const void *right)
{
	const struct symbol_statement *a = left, *b = right;
	return a->address < b->address ? -1 : a->address > b->address;
}

int symbolize_module(struct symbolizer *s, const struct symbolize_request *request,
		     struct symbol_table *out, struct error *why)
{
	struct module m = {.s = s, .request = request};
	*out = (struct symbol_table){0};
	if (why)
		*why = (struct error){.kind = ERROR_NONE};
	functions_init(&m.functions, &s->arena);
	work_init(&m.reading, s->module_limit, request->num_addresses);
	m.naming = m.reading;
	binary_open(&m.binary, s->packs_only ? NULL : request->path,
		    s->packs_only ? NULL : request->build_id, &s->where, &m.reading, why);
	work_add_file(&m.naming, m.binary.bytes);
	int result = resolve(&m, out);
	if (result == 0)
		result = describe_source(&m, out, why);
	if (result == 0 && m.binary.refused && m.num_kept < request->num_addresses)
		tell_unread(out, &m.binary.unread, why);
	if (result == 0 && m.pack_unread.kind != ERROR_NONE)
		tell_unread(out, &m.pack_unread, why);
	out->frames = m.frames.at;
	out->statements = m.dwarf.statements.at;
	out->num_statements = m.dwarf.statements.len;
	if (out->num_statements)
		qsort(out->statements, out->num_statements, sizeof *out->statements,
		      compare_statements);
	if (result != 0) {
		symbol_table_free(out);
		error_set(why, ERROR_MEMORY, "%s: not enough memory for its symbols",
			  request->name);
	}
	for (size_t i = 0; i < m.packs.len; i++)
		symbol_pack_free(&m.packs.at[i]);
	vec_free(&m.packs);
	free(m.dwarf.scopes);
	functions_deinit(&m.functions);
	symbols_free(&m.plt);
	symbols_free(&m.symtab);
	symbols_free(&m.dynsym);
	binary_close(&m.binary);
	return result;
}

void symbol_table_free(struct symbol_table *t)
{
	if (!t)
		return;
	free(t->first);
	free(t->frames);
	free(t->statements);
	*t = (struct symbol_table){0};
}
