#include "hpcprof/command/path_list.h"

#include <stdio.h>
#include <string.h>

enum { READ_BYTES = 1 << 16 };

typedef VEC(char) bytes;

static int read_all(FILE *in, const char *path, bytes *to, struct error *e)
{
	size_t n;

	do {
		if (!vec_reserve(to, to->len + READ_BYTES))
			return error_memory(e, to->len + READ_BYTES);
		n = fread(to->at + to->len, 1, READ_BYTES, in);
		to->len += n;
	} while (n);
	return ferror(in) ? error_system(e, "%s cannot be read", path) : 0;
}

/* Add a name, unless it is empty. */
static int add(struct path_list *l, const char *name, size_t n, struct error *e)
{
	const char *copy = n ? arena_strndup(&l->arena, name, n) : NULL;

	return !n || (copy && vec_push(&l->at, copy)) ? 0 : error_memory(e, n);
}

static int split(struct path_list *l, const bytes *text, char end, struct error *e)
{
	int rc = 0;

	for (size_t at = 0, n; rc == 0 && at < text->len; at += n + 1) {
		const char *stop = memchr(text->at + at, end, text->len - at);
		n = stop ? (size_t)(stop - (text->at + at)) : text->len - at;
		rc = add(l, text->at + at, n, e);
	}
	return rc;
}

int path_list_read(struct path_list *l, const char *path, bool nul, struct error *e)
{
	bool standard = strcmp(path, "-") == 0;
	FILE *in = standard ? stdin : fopen(path, "re");
	bytes text = {0};
	int rc;

	if (!in)
		return error_system(e, "%s cannot be read", path);
	rc = read_all(in, path, &text, e);
	if (rc == 0 && !nul && memchr(text.at, '\0', text.len))
		rc = error_set(e, ERROR_USAGE,
			       "%s contains NUL bytes (use -0 if NUL ends each name)", path);
	if (rc == 0)
		rc = split(l, &text, nul ? '\0' : '\n', e);
	vec_free(&text);
	if (!standard)
		fclose(in);
	return rc;
}

void path_list_deinit(struct path_list *l)
{
	if (!l)
		return;
	vec_free(&l->at);
	arena_deinit(&l->arena);
}
