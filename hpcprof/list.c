#include "hpcprof/list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int add(struct list *l, const char *name, size_t n, struct error *e)
{
	const char *copy = n ? arena_strndup(&l->arena, name, n) : NULL;

	return !n || (copy && vec_push(&l->at, copy)) ? 0 : error_memory(e, n);
}

int list_read(struct list *l, const char *path, bool nul, struct error *e)
{
	bool standard = strcmp(path, "-") == 0;
	FILE *in = standard ? stdin : fopen(path, "re");
	char *line = NULL;
	size_t room = 0;
	ssize_t n;
	int rc = 0;

	if (!in)
		return error_system(e, "%s cannot be read", path);
	while (rc == 0 && (n = getdelim(&line, &room, nul ? '\0' : '\n', in)) >= 0) {
		if (n && line[n - 1] == (nul ? '\0' : '\n'))
			n--;
		if (memchr(line, '\0', (size_t)n))
			rc = error_set(e, ERROR_USAGE,
				       "%s has NULs within a line (-0 takes names that NULs end)",
				       path);
		else
			rc = add(l, line, (size_t)n, e);
	}
	if (rc == 0 && ferror(in))
		rc = error_system(e, "%s cannot be read", path);
	free(line);
	if (!standard)
		fclose(in);
	return rc;
}

void list_deinit(struct list *l)
{
	if (!l)
		return;
	vec_free(&l->at);
	arena_deinit(&l->arena);
}
