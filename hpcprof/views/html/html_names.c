/* The names of functions, load modules and files: the column `names`. */
#include "formats/base/arena.h"
#include "hpcprof/correlate/label.h"
#include "hpcprof/terminal/json.h"
#include "hpcprof/terminal/layout.h"
#include "hpcprof/views/html/html.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct names {
	struct html *h;
	FILE *out;
	uint32_t *functions; /* [h->num_functions]: the model's id by the page's number */
	bool ok;
};

static void put_text(struct names *n, uint32_t i, const char *text)
{
	fputs(i ? ",\n" : "\n", n->out);
	if (text)
		json_string(n->out, text, strlen(text));
	n->ok &= text != NULL;
}

static void put_number(struct names *n, uint32_t i, int64_t number)
{
	fprintf(n->out, "%s%" PRId64, i ? "," : "", number);
}

/* Of a function by its number; NULL: it stands above partial paths. */
static const struct code_function *function_at(const struct names *n, uint32_t number)
{
	uint32_t id = n->functions[number];

	return id < n->h->c->functions.len ? &n->h->c->functions.at[id] : NULL;
}

static const char *name_of(struct html *h, uint32_t function)
{
	if (function >= h->c->functions.len)
		return MODEL_PARTIAL_PATHS;
	if (h->compare)
		return h->compare->names[function];
	return layout_clean(&h->arena, h->c->functions.at[function].name);
}

static void put_function_names(struct names *n)
{
	for (uint32_t i = 0; i < n->h->num_functions; i++) {
		put_text(n, i, name_of(n->h, n->functions[i]));
	}
}

static void put_function_modules(struct names *n)
{
	for (uint32_t i = 0; i < n->h->num_functions; i++) {
		const struct code_function *f = function_at(n, i);
		put_number(n, i, f ? (int64_t)f->module : -1);
	}
}

static void put_function_files(struct names *n)
{
	for (uint32_t i = 0; i < n->h->num_functions; i++) {
		const struct code_function *f = function_at(n, i);
		bool has = f && f->file;
		uint32_t id = has ? html_file(n->h, f->file) : 0;
		put_number(n, i, has ? (int64_t)id : -1);
		n->ok &= id != HTML_NO_NUMBER;
	}
}

static void put_function_lines(struct names *n)
{
	for (uint32_t i = 0; i < n->h->num_functions; i++) {
		const struct code_function *f = function_at(n, i);
		put_number(n, i, f ? f->line : 0);
	}
}

/* 0: not inlined; 1: inlined somewhere; 2: everywhere. */
static void put_function_inlining(struct names *n)
{
	for (uint32_t i = 0; i < n->h->num_functions; i++) {
		const struct code_function *f = function_at(n, i);
		/* of two sides, one may be inlined */
		bool inlined = f && f->inlined && !n->h->compare;
		put_number(n, i, !inlined ? 0 : f->standing ? 1 : 2);
	}
}

static void put_names(struct names *n)
{
	struct html *h = n->h;

	fputs("{\"functions\":{\"name\":[", n->out);
	put_function_names(n);
	fputs("],\n\"module\":[", n->out);
	put_function_modules(n);
	fputs("],\n\"file\":[", n->out);
	put_function_files(n);
	fputs("],\n\"line\":[", n->out);
	put_function_lines(n);
	fputs("],\n\"inlined\":[", n->out);
	put_function_inlining(n);
	fputs("]},\n\"modules\":[", n->out);
	for (uint32_t i = 0; i < h->m->modules.len; i++)
		put_text(n, i, label_module(h->m, &h->arena, i));
	fputs("],\n\"files\":[", n->out);
	for (uint32_t i = 0; n->ok && i < h->num_files; i++)
		put_text(n, i, layout_clean(&h->arena, html_file_name(h, i)));
	fputs("]}\n", n->out);
}

uint32_t html_file(struct html *h, const char *name)
{
	uint32_t id = strings_intern(h->files, name, strlen(name));

	if (id == INTERNER_NONE)
		return HTML_NO_NUMBER;
	if (id >= h->num_files)
		h->num_files = id + 1;
	return id;
}

const char *html_file_name(const struct html *h, uint32_t number)
{
	return strings_get(h->files, number);
}

/* The functions by their numbers; NULL if memory ran out. */
static uint32_t *by_number(const struct html *h)
{
	uint32_t *out = calloc(h->num_functions + (size_t)1, sizeof *out);

	for (uint32_t i = 0; out && i <= h->c->functions.len; i++)
		if (h->number[i] != HTML_NO_NUMBER)
			out[h->number[i]] = i;
	return out;
}

int html_put_names(struct html *h, struct error *e)
{
	struct names n = {.h = h, .functions = by_number(h), .ok = true};
	char *text = NULL;
	size_t len = 0;
	int rc = -1;

	n.out = open_memstream(&text, &len);
	if (n.out && n.functions)
		put_names(&n);
	else
		n.ok = false;
	if (n.out && fclose(n.out) != 0)
		n.ok = false;
	if (n.ok) {
		html_bytes b = {.at = (uint8_t *)text, .len = len};
		rc = html_put_column(h->out, "names", &b, e);
	} else {
		error_memory(e, len);
	}
	free(text);
	free(n.functions);
	return rc;
}
