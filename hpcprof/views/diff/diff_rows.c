/* The rows of a comparison: what is the same on both sides, though it may be of another build.
 *
 * Load modules are the same if their files' names are, without a version after ".so". If each side
 * ran one program, these are the same by any name. Functions are the same if module, name (without
 * what compilers append to it) and the name of the file of their declaration are; several with the
 * same are paired in the order of their lines. Lines are the same if function, file and distance
 * from the function's first line are. So a change above a function changes no line of it. Files are
 * the same if their paths are: their last parts alone are often those of other files, too. */
#include "formats/base/path.h"
#include "hpcprof/correlate/label.h"
#include "hpcprof/views/diff/diff.h"

#include <stdlib.h>
#include <string.h>

/* Keys are texts whose parts end with NUL. */
typedef VEC(char) key_text;

struct matching {
	struct diff *d;
	struct strings *keys;
	key_text key;
	const char *programs[SIDES]; /* if each side ran a single one, under different names */
};

static bool add_text(key_text *k, const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!vec_push(k, s[i]))
			return false;
	return vec_push(k, '\0');
}

static bool add_number(key_text *k, uint64_t n)
{
	return add_text(k, (const char *)&n, sizeof n);
}

/* ---- modules ----------------------------------------------------------------------- */

/* The length of a file's name without a version after ".so". */
static size_t stem(const char *base)
{
	const char *so = strstr(base, ".so");

	return so && (so[3] == '.' || !so[3]) ? (size_t)(so - base) + 3 : strlen(base);
}

static bool add_module(struct matching *x, uint32_t module)
{
	const char *name = x->d->m->modules.at[module].name, *base = path_basename(name);

	if (x->programs[BEFORE] && strcmp(name, x->programs[AFTER]) == 0)
		base = path_basename(x->programs[BEFORE]);
	return add_text(&x->key, base, stem(base));
}

size_t diff_run_of(const struct diff *d, const struct model_process *p)
{
	size_t r = 0;

	for (; r < d->num_runs; r++) {
		size_t n = strlen(d->runs[r].name);
		if (strncmp(p->path, d->runs[r].name, n) == 0 && (!p->path[n] || p->path[n] == '/'))
			break;
	}
	return r;
}

/* Whether the side has values of the program. */
static bool has_program(const struct diff *d, const char *executable, enum diff_side side)
{
	bool has = false;

	for (size_t i = 0; d->has[side] && i < d->m->modules.len; i++)
		has |= d->has[side][i] && strcmp(d->m->modules.at[i].name, executable) == 0;
	return has;
}

/* The program of each side, if it ran one. */
static void find_programs(struct matching *x)
{
	const char *programs[SIDES] = {NULL};
	bool several = false;

	for (size_t i = 0; i < x->d->m->processes.len; i++) {
		const struct model_process *p = &x->d->m->processes.at[i];
		size_t run = diff_run_of(x->d, p);
		for (int s = 0; s < SIDES; s++) {
			if (run < x->d->num_runs
				? (int)x->d->runs[run].side != s
				: !has_program(x->d, p->executable, (enum diff_side)s))
				continue;
			several |= programs[s] && strcmp(programs[s], p->executable) != 0;
			programs[s] = p->executable;
		}
	}
	if (!several && programs[BEFORE] && programs[AFTER])
		memcpy(x->programs, programs, sizeof x->programs);
}

/* ---- functions --------------------------------------------------------------------- */

/* A function, and the key that others may have, too. */
struct keyed {
	uint32_t key, module, function;
};

/* The length of a symbol without what compilers append to the names of copies and parts of
 * functions: ".constprop.0", ".cold", ".llvm.123". */
static size_t without_suffixes(const char *name)
{
	static const char *const suffixes[] = {".constprop", ".isra", ".part",
					       ".cold",      ".llvm", ".lto_priv"};
	size_t n = strlen(name);

	for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
		const char *at = strstr(name, suffixes[i]);
		char after = at ? at[strlen(suffixes[i])] : 'x';
		if (at > name && (!after || after == '.') && (size_t)(at - name) < n)
			n = (size_t)(at - name);
	}
	return n;
}

/* Add the name, without the lines and columns of lambdas ("{lambda at FILE:LINE:COLUMN}"). */
static bool add_name(key_text *k, const char *name)
{
	const char *at = name, *lambda;

	for (; (lambda = strstr(at, "{lambda at ")); at = lambda) {
		const char *colon = strpbrk(lambda, ":}");
		size_t n = colon ? (size_t)(colon - at) : strlen(at);
		for (size_t i = 0; i < n; i++)
			if (!vec_push(k, at[i]))
				return false;
		lambda = strchr(lambda, '}');
		if (!lambda)
			return vec_push(k, '\0');
	}
	return add_text(k, at, without_suffixes(at));
}

/* Find modules that were replaced between the sides: another with the same name is there. */
static bool find_replaced(struct matching *x)
{
	size_t n = x->d->m->modules.len;
	uint32_t *keys = malloc((n + 1) * sizeof *keys);
	bool *replaced = arena_alloc(&x->d->arena, n + 1);
	bool ok = replaced && keys;

	for (uint32_t i = 0; ok && i < n; i++) {
		x->key.len = 0;
		ok = add_module(x, i);
		keys[i] = ok ? strings_intern(x->keys, x->key.at, x->key.len) : UINT32_MAX;
		ok = keys[i] != UINT32_MAX;
		for (uint32_t k = 0; ok && k < i; k++)
			if (keys[k] == keys[i])
				replaced[k] = replaced[i] = true;
	}
	free(keys);
	x->d->replaced = replaced;
	return ok;
}

/* The key of a function, without its number among others with the same. The addresses that stand
 * for names have no meaning in another build. */
static uint32_t function_key(struct matching *x, uint32_t function)
{
	const struct code_function *f = &x->d->c->functions.at[function];
	const char *file = f->file ? path_basename(f->file) : "";
	bool ok;

	x->key.len = 0;
	ok = add_module(x, f->module);
	if (f->source == SYMBOL_NONE && x->d->replaced[f->module])
		ok =
		    ok && add_text(&x->key, MODEL_UNKNOWN_FUNCTION, strlen(MODEL_UNKNOWN_FUNCTION));
	else
		ok = ok && add_name(&x->key, f->name) && add_text(&x->key, file, strlen(file));
	return ok ? strings_intern(x->keys, x->key.at, x->key.len) : UINT32_MAX;
}

static int by_place(const void *pa, const void *pb, void *context)
{
	const struct keyed *a = pa, *b = pb;
	const struct diff *d = context;
	const struct code_function *x = &d->c->functions.at[a->function];
	const struct code_function *y = &d->c->functions.at[b->function];

	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	if (a->module != b->module)
		return a->module < b->module ? -1 : 1;
	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	return label_compare_functions(d->m, d->c, a->function, b->function);
}

/* Number functions with the same key in the order of their lines: the first ones of all modules
 * are a row, the second ones, and so on. All unnamed ones of a replaced module are one. */
static bool number_functions(struct diff *d, const struct keyed *all, size_t n,
			     struct strings *keys, uint32_t *row_of)
{
	uint64_t number = 0;

	for (size_t i = 0; i < n; i++) {
		const struct code_function *f = &d->c->functions.at[all[i].function];
		uint64_t key[2] = {all[i].key};
		bool same = i && all[i].key == all[i - 1].key && all[i].module == all[i - 1].module;
		if (!same)
			number = 0;
		else if (label_compare_functions(d->m, d->c, all[i - 1].function,
						 all[i].function) == 0)
			; /* from a database, and from a datafile */
		else if (f->source != SYMBOL_NONE || !d->replaced[f->module])
			number++;
		key[1] = number;
		row_of[all[i].function] = strings_intern(keys, (const char *)key, sizeof key);
		if (row_of[all[i].function] == UINT32_MAX)
			return false;
	}
	return true;
}

static bool match_functions(struct matching *x, uint32_t *row_of)
{
	struct diff *d = x->d;
	size_t n = d->c->functions.len;
	struct keyed *all = calloc(n + 1, sizeof *all);
	struct strings *numbered = strings_create();
	bool ok = all && numbered && find_replaced(x);

	for (uint32_t i = 0; ok && i < n; i++) {
		all[i] = (struct keyed){function_key(x, i), d->c->functions.at[i].module, i};
		ok = all[i].key != UINT32_MAX;
	}
	if (ok) {
		qsort_r(all, n, sizeof *all, by_place, d);
		ok = number_functions(d, all, n, numbered, row_of);
	}
	strings_destroy(numbered);
	free(all);
	return ok;
}

/* ---- lines and the rest ------------------------------------------------------------ */

static bool match_modules(struct matching *x, uint32_t *row_of)
{
	bool ok = true;

	for (uint32_t i = 0; ok && i < x->d->m->modules.len; i++) {
		x->key.len = 0;
		ok = add_module(x, i);
		row_of[i] = ok ? strings_intern(x->keys, x->key.at, x->key.len) : UINT32_MAX;
		ok = row_of[i] != UINT32_MAX;
	}
	return ok;
}

/* The row is that of the name; without one, that of the module's code. */
static bool match_name(struct matching *x, const char *name, uint32_t module, uint32_t *row)
{
	bool ok;

	x->key.len = 0;
	ok = name ? add_text(&x->key, name, strlen(name))
		  : add_text(&x->key, "", 0) && add_module(x, module);
	*row = ok ? strings_intern(x->keys, x->key.at, x->key.len) : UINT32_MAX;
	return *row != UINT32_MAX;
}

static bool match_files(struct matching *x, uint32_t *row_of)
{
	bool ok = true;

	for (uint32_t i = 0; ok && i < x->d->c->files.len; i++) {
		const struct code_file *f = &x->d->c->files.at[i];
		ok = match_name(x, f->name, f->module, &row_of[i]);
	}
	return ok;
}

static bool match_groups(struct matching *x, const code_groups *groups, uint32_t *row_of)
{
	bool ok = true;

	for (uint32_t i = 0; ok && i < groups->len; i++)
		ok = match_name(x, groups->at[i].name, groups->at[i].module, &row_of[i]);
	return ok;
}

static bool match_folders(struct matching *x, uint32_t *row_of)
{
	return match_groups(x, &x->d->c->folders, row_of);
}

static bool match_namespaces(struct matching *x, uint32_t *row_of)
{
	return match_groups(x, &x->d->c->namespaces, row_of);
}

static bool match_lines(struct matching *x, uint32_t *row_of)
{
	const struct symbolized *c = x->d->c;
	uint32_t *functions = malloc((c->functions.len + 1) * sizeof *functions);
	struct matching own = {.d = x->d, .keys = strings_create()}; /* ids of x are rows */
	bool ok;

	memcpy(own.programs, x->programs, sizeof own.programs);
	ok = functions && own.keys && match_functions(&own, functions);
	vec_free(&own.key);
	strings_destroy(own.keys);

	for (uint32_t i = 0; ok && i < c->lines.len; i++) {
		const struct code_line *l = &c->lines.at[i];
		const struct code_function *f = &c->functions.at[l->function];
		const char *file = c->files.at[l->file].name;
		bool near = file && f->file && l->line && f->line && strcmp(file, f->file) == 0;
		file = file ? path_basename(file) : "";
		x->key.len = 0;
		ok = add_number(&x->key, functions[l->function]) &&
		     add_text(&x->key, file, strlen(file)) && add_number(&x->key, near) &&
		     add_number(&x->key, near ? (uint64_t)l->line - f->line : l->line);
		row_of[i] = ok ? strings_intern(x->keys, x->key.at, x->key.len) : UINT32_MAX;
		ok = row_of[i] != UINT32_MAX;
	}
	free(functions);
	return ok;
}

int diff_make_rows(struct diff *d, enum grouping g, struct error *e)
{
	static bool (*const match[GROUPINGS])(struct matching *, uint32_t *) = {
	    [BY_MODULE] = match_modules,     [BY_FOLDER] = match_folders,
	    [BY_FILE] = match_files,         [BY_NAMESPACE] = match_namespaces,
	    [BY_FUNCTION] = match_functions, [BY_LINE] = match_lines};
	struct diff_table *t = &d->tables[g];
	size_t ids = attribute_num_rows(d->m, d->c, g);
	struct matching x = {.d = d, .keys = strings_create()};
	bool ok;

	t->grouping = g;
	t->row_of = malloc((ids + 1) * sizeof *t->row_of);
	find_programs(&x);
	ok = x.keys && t->row_of && match[g](&x, t->row_of);
	for (size_t i = 0; ok && i < ids; i++)
		if (t->row_of[i] >= t->num_rows)
			t->num_rows = t->row_of[i] + (size_t)1;
	t->rows = calloc(t->num_rows + 1, sizeof *t->rows);
	for (size_t i = 0; t->rows && i < t->num_rows; i++)
		t->rows[i].id[BEFORE] = t->rows[i].id[AFTER] = DIFF_NONE;
	vec_free(&x.key);
	strings_destroy(x.keys);
	return ok && t->rows ? 0 : error_memory(e, ids * sizeof *t->rows);
}
