#include "hpcprof/load/choice.h"

#include "formats/base/path.h"
#include "hpcprof/command/expression.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_BYTES = 4096 }; /* of a name that is compared; longer ones are cut */

struct expressions {
	regex_t *at;
	size_t n;
};

struct choice {
	const struct common *o;
	struct expressions programs, hosts, threads;
	struct expressions labels; /* of the values; the keys are before the '=' in o->labels */
};

static int compile(struct expressions *out, const option_strings_field *texts, const char *option,
		   struct error *e)
{
	out->at = calloc(texts->len + 1, sizeof *out->at);
	if (!out->at)
		return error_memory(e, texts->len * sizeof *out->at);
	for (; out->n < texts->len; out->n++)
		if (expression_compile(&out->at[out->n], option, texts->at[out->n], e) != 0)
			return -1;
	return 0;
}

static int compile_labels(struct choice *c, struct error *e)
{
	const option_strings_field *texts = &c->o->labels;
	struct expressions *out = &c->labels;

	out->at = calloc(texts->len + 1, sizeof *out->at);
	if (!out->at)
		return error_memory(e, texts->len * sizeof *out->at);
	for (; out->n < texts->len; out->n++)
		if (expression_compile(&out->at[out->n], "--label",
				       strchr(texts->at[out->n], '=') + 1, e) != 0)
			return -1;
	return 0;
}

static void expressions_deinit(struct expressions *x)
{
	for (size_t i = 0; i < x->n; i++)
		regfree(&x->at[i]);
	free(x->at);
}

int choice_create(struct choice **out, const struct common *o, struct error *e)
{
	struct choice *c;

	*out = NULL;
	if (!o->programs.len && !o->processes.len && !o->hosts.len && !o->ranks.len &&
	    !o->threads_named.len && !o->labels.len)
		return 0;
	*out = c = calloc(1, sizeof *c);
	if (!c)
		return error_memory(e, sizeof *c);
	c->o = o;
	if (compile(&c->programs, &o->programs, "--program", e) == 0 &&
	    compile(&c->hosts, &o->hosts, "--host", e) == 0 &&
	    compile(&c->threads, &o->threads_named, "--thread", e) == 0 &&
	    compile_labels(c, e) == 0)
		return 0;
	choice_destroy(c);
	*out = NULL;
	return -1;
}

void choice_destroy(struct choice *c)
{
	if (!c)
		return;
	expressions_deinit(&c->programs);
	expressions_deinit(&c->hosts);
	expressions_deinit(&c->threads);
	expressions_deinit(&c->labels);
	free(c);
}

static bool any_matches(const struct expressions *x, struct reader_text t, bool is_path)
{
	char text[TEXT_BYTES];

	snprintf(text, sizeof text, "%.*s", (int)(t.n < sizeof text ? t.n : sizeof text - 1), t.at);
	for (size_t i = 0; i < x->n; i++)
		if (regexec(&x->at[i], is_path ? path_basename(text) : text, 0, NULL, 0) == 0)
			return true;
	return !x->n;
}

/* The texts are decimal numbers. */
static bool any_equals(const option_strings_field *texts, struct reader_pairs about,
		       const char *key)
{
	uint64_t value;

	if (texts->len && reader_pairs_u64(about, key, &value))
		for (size_t i = 0; i < texts->len; i++)
			if (strtoull(texts->at[i], NULL, 10) == value)
				return true;
	return !texts->len;
}

static bool any_thread(const struct choice *c, const struct reader *r)
{
	for (uint32_t i = 0; i < reader_num_threads(r); i++)
		if (choice_thread(c, reader_thread(r, i)))
			return true;
	return !choice_has_threads(c);
}

bool choice_process(const struct choice *c, const struct reader *r)
{
	struct reader_pairs about = reader_process(r);
	struct reader_text program = reader_pairs_get(about, "executable");

	if (!c)
		return true;
	if (!program.n)
		program = reader_header(r)->target;
	return any_matches(&c->programs, program, true) &&
	       any_matches(&c->hosts, reader_pairs_get(about, "host"), false) &&
	       any_equals(&c->o->processes, about, "pid") &&
	       any_equals(&c->o->ranks, about, "rank") && any_thread(c, r);
}

bool choice_has_processes(const struct choice *c)
{
	return c && (c->programs.n || c->hosts.n || c->threads.n || c->o->processes.len ||
		     c->o->ranks.len);
}

bool choice_has_threads(const struct choice *c)
{
	return c && c->threads.n;
}

bool choice_thread(const struct choice *c, const struct reader_thread *t)
{
	return any_matches(&c->threads, t->name, false);
}

bool choice_has_labels(const struct choice *c)
{
	return c && c->labels.n;
}

static bool label_matches(const struct choice *c, size_t i, const struct choice_label *label)
{
	const char *wanted = c->o->labels.at[i];
	size_t n = strcspn(wanted, "=");
	char text[TEXT_BYTES];

	if (label->key.n != n || memcmp(label->key.at, wanted, n) != 0)
		return false;
	snprintf(text, sizeof text, "%.*s", (int)label->value.n,
		 label->value.n ? label->value.at : "");
	return regexec(&c->labels.at[i], text, 0, NULL, 0) == 0;
}

static bool same_key(const char *a, const char *b)
{
	size_t n = strcspn(a, "=") + 1;

	return strncmp(a, b, n) == 0;
}

/* Of each key that was named, one of the expressions must match. */
bool choice_labels(const struct choice *c, const struct choice_label *labels, size_t n)
{
	for (size_t i = 0; c && i < c->labels.n; i++) {
		bool any = false;
		for (size_t j = 0; j < c->labels.n; j++)
			for (size_t k = 0;
			     same_key(c->o->labels.at[i], c->o->labels.at[j]) && k < n; k++)
				any |= label_matches(c, j, &labels[k]);
		if (!any)
			return false;
	}
	return true;
}
