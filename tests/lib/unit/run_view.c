#include "tests/lib/unit/run_view.h"

#include "hpcprof/commands.h"
#include "hpcprof/load/profile.h"

#include <stdlib.h>
#include <string.h>

static char word_hpcprof[] = "hpcprof";

int view_line_parse(struct view_line *v, const char *line, const char *const *more, size_t n,
		    struct error *e)
{
	int argc = 0;
	char *at, *word;

	*v = (struct view_line){.text = strdup(line)};
	*e = (struct error){0};
	v->argv = calloc(strlen(line) + n + 3, sizeof(char *));
	if (!v->text || !v->argv)
		return error_memory(e, strlen(line));
	v->argv[argc++] = word_hpcprof;
	for (at = v->text; (word = strsep(&at, " "));)
		if (word[0])
			v->argv[argc++] = word;
	for (size_t i = 0; i < n; i++)
		v->argv[argc++] = (char *)(uintptr_t)more[i];
	if (command_line_parse(&v->parsed, commands_all, argc, v->argv, stdout, e) != 0)
		return -1;
	v->common = v->parsed.options;
	v->common->threads = 1;
	v->common->width = 100;
	return 0;
}

void view_line_free(struct view_line *v)
{
	command_line_deinit(&v->parsed);
	free(v->text);
	free(v->argv);
}

int run_view(const char *line, const char *const *more, size_t n, FILE *out, struct error *e)
{
	struct diag d = {.out = fopen("/dev/null", "w"), .quiet = true};
	struct view_line v;
	int rc;

	if (!d.out)
		return error_system(e, "/dev/null");
	rc = view_line_parse(&v, line, more, n, e);
	if (rc == 0)
		rc = v.parsed.command->run(out, v.parsed.options, &d, e);
	view_line_free(&v);
	fclose(d.out);
	return rc;
}

int print_view(const char *line, unsigned width, const struct profile *p, FILE *out,
	       struct error *e)
{
	static const char *const none[] = {"none"};
	struct view_line v;
	int rc = view_line_parse(&v, line, none, 1, e);

	if (rc == 0) {
		v.common->width = width;
		rc = v.parsed.command->print(out, p, v.parsed.options, e);
	}
	view_line_free(&v);
	return rc;
}

int run_db(const char *to, const char *const *from, size_t n, bool append, struct error *e)
{
	const char **words = calloc(n + 2, sizeof(char *));
	int rc;

	if (!words)
		return error_memory(e, n * sizeof(char *));
	words[0] = "-o";
	words[1] = to;
	memcpy(words + 2, from, n * sizeof(char *));
	rc = run_view(append ? "db --append" : "db", words, n + 2, stdout, e);
	free(words);
	return rc;
}

char *run_query(const char *const *words, size_t n, struct error *e)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	int rc = out ? run_view("query --format csv", words, n, out, e) : error_system(e, "memory");

	if (out)
		fclose(out);
	if (rc == 0)
		return text;
	free(text);
	return NULL;
}

char *read_file(const char *path, size_t *n)
{
	FILE *in = fopen(path, "rb");
	char *bytes = NULL;
	size_t room = 0;

	*n = 0;
	if (!in)
		return NULL;
	do {
		room = room ? 2 * room : 65536;
		bytes = realloc(bytes, room + 1);
		if (!bytes)
			abort();
		*n += fread(bytes + *n, 1, room - *n, in);
	} while (*n == room);
	bytes[*n] = 0;
	fclose(in);
	return bytes;
}
