#include "hpcprof/import/import.h"

#include "formats/datafile.h"
#include "formats/store/store.h"

#include <stdlib.h>
#include <string.h>

/* The strictest first. */
static const struct import_format *const formats[] = {&import_callgrind, &import_pprof,
						      &import_perf_script, &import_folded, NULL};

/* Bytes that are looked at; the first line of collapsed stacks may be longer than the usual. */
enum { HEAD = 8192, LONG_HEAD = 1 << 20 };

static bool is_ours(const uint8_t *at, size_t n)
{
	static const char *const magics[] = {CSP_MAGIC_FILE, STORE_MAGIC};

	for (size_t i = 0; i < sizeof magics / sizeof *magics; i++)
		if (n >= strlen(magics[i]) && memcmp(at, magics[i], strlen(magics[i])) == 0)
			return true;
	return false;
}

static const struct import_format *format_of(const uint8_t *at, size_t n, bool whole)
{
	if (!n || is_ours(at, n))
		return NULL;
	for (size_t i = 0; formats[i]; i++)
		if (formats[i]->is(at, n, whole))
			return formats[i];
	return NULL;
}

/* Whether these n bytes of a file do not tell its format because its first line does not end. */
static bool is_one_line(const uint8_t *at, size_t n)
{
	return n == HEAD && !is_ours(at, n) && !memchr(at, '\n', n) && !memchr(at, '\0', n);
}

static bool is(const char *path)
{
	uint8_t head[HEAD], *longer = NULL;
	bool whole = false, found;
	size_t n = input_head(path, head, sizeof head, &whole);

	found = format_of(head, n, whole) != NULL;
	if (!found && !whole && is_one_line(head, n))
		longer = malloc(LONG_HEAD);
	if (longer) {
		n = input_head(path, longer, LONG_HEAD, &whole);
		found = format_of(longer, n, whole) != NULL;
	}
	free(longer);
	return found;
}

int import_parse(struct parsed *p, const void *at, size_t n, struct error *e)
{
	const struct import_format *f = format_of(at, n < HEAD ? n : HEAD, n <= HEAD);
	int rc;

	if (!f && n > HEAD && is_one_line(at, HEAD))
		f = format_of(at, n < LONG_HEAD ? n : LONG_HEAD, n <= LONG_HEAD);
	if (!f)
		return error_set(e, ERROR_VERSION, "no profile that can be read");
	p->tool = f->name;
	rc = f->read(p, at, n, e);
	if (rc == 0 && !p->metrics.len)
		rc = error_set(e, ERROR_FORMAT, "a %s file without any metric", f->name);
	return rc;
}

static int parse_file(struct parsed *p, const char *path, struct error *e)
{
	struct input in;
	int rc = input_open(&in, path, e);

	if (rc == 0)
		rc = import_parse(p, in.at, in.n, e);
	if (rc == 0)
		rc = input_check(&in, e);
	input_close(&in);
	return rc;
}

/* The status of importer.add for a file that could not be read. */
static int refused(const struct error *e)
{
	return e->kind == ERROR_MEMORY ? -1 : 1;
}

#define CALLS "the call graph: numbers of calls, and costs with those of called functions"
#define LABELS "labels that do not name a thread"
#define TEXTS "names beyond their first 8192 bytes"
_Static_assert(PARSED_TEXT_MOST == 8192, "TEXTS says it");

/* NULL: nothing is lost. */
static const char *words_of(unsigned lost)
{
	if (lost & PARSED_LOST_CALLS)
		return lost & PARSED_LOST_TEXT ? TEXTS ", and " CALLS : CALLS;
	if (lost & PARSED_LOST_LABELS)
		return lost & PARSED_LOST_TEXT ? TEXTS ", and " LABELS : LABELS;
	return lost & PARSED_LOST_TEXT ? TEXTS : NULL;
}

static int add_input(struct model *m, const char *path, const struct input *in, const char **lost,
		     struct error *e)
{
	struct parsed p;
	int rc;

	if (!parsed_init(&p))
		rc = error_memory(e, 0);
	else if (import_parse(&p, in->at, in->n, e) != 0 || input_check(in, e) != 0)
		rc = refused(e);
	else
		rc = parsed_fill(&p, m, path, PARSED_ALL, e);
	if (rc == 0)
		*lost = words_of(p.lost);
	parsed_deinit(&p);
	return rc;
}

int import_memory(struct model *m, const char *path, const void *at, size_t n, const char **lost,
		  struct error *e)
{
	return add_input(m, path, &(struct input){.at = at, .n = n}, lost, e);
}

static int add(struct model *m, const char *path, const char **lost, struct error *e)
{
	struct input in;
	int rc = input_open(&in, path, e);

	rc = rc == 0 ? add_input(m, path, &in, lost, e) : refused(e);
	input_close(&in);
	return rc;
}

static int parts(const char *path, struct importer_part **out, size_t *n, struct arena *a,
		 struct error *e)
{
	struct parsed p;
	int rc = parsed_init(&p) ? parse_file(&p, path, e) : error_memory(e, 0);

	*n = 0;
	if (rc == 0)
		rc = parsed_parts(&p, path, out, n, a, e);
	parsed_deinit(&p);
	return rc;
}

static int add_part(struct model *m, const char *path, const struct importer_part *part,
		    struct error *e)
{
	uint32_t of = part->thread == CSP_NONE ? PARSED_OF_NONE : part->thread;

	return parsed_fill(part->data, m, path, of, e);
}

struct importer import_importer = {.is = is, .add = add, .parts = parts, .add_part = add_part};
