#include "hpcprof/load/unmeasured.h"

#include "formats/base/cursor.h"
#include "formats/base/regular_file.h"
#include "formats/datafile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LARGEST = 4 << 20 }; /* bytes of a list that are read */

static const char *reason_of(const uint8_t *at, size_t n)
{
	static const struct {
		const char *word, *reason;
	} reasons[] = CSP_UNMEASURED_TEXTS;

	for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
		if (strlen(reasons[i].word) == n && memcmp(reasons[i].word, at, n) == 0)
			return reasons[i].reason;
	return NULL;
}

/* A line without its newline: the reason, a tab, and the path. */
static int add_line(unmeasured_list *to, const uint8_t *at, size_t n, struct arena *a,
		    struct error *e)
{
	const uint8_t *tab = memchr(at, '\t', n);
	struct unmeasured u = {.starts = 1};
	size_t begin;

	if (tab)
		u.reason = reason_of(at, (size_t)(tab - at));
	if (!u.reason || memchr(at, '\0', n))
		return 0;
	for (begin = n; at + begin > tab + 1 && at[begin - 1] != '/'; begin--)
		;
	if (begin == n)
		return 0;
	u.name = arena_strndup(a, (const char *)at + begin, n - begin);
	return u.name && vec_push(to, u) ? 0 : error_memory(e, n);
}

int unmeasured_add(unmeasured_list *to, const char *text, size_t n, struct arena *a,
		   struct error *e)
{
	struct cursor c = cursor_of(text, n, false);

	while (cursor_left(&c)) {
		const uint8_t *line = c.base + c.pos, *end = memchr(line, '\n', cursor_left(&c));
		size_t length = end ? (size_t)(end - line) : cursor_left(&c);
		if (add_line(to, line, length, a, e) != 0)
			return -1;
		cursor_skip(&c, length + (end != NULL));
	}
	return 0;
}

int unmeasured_read(unmeasured_list *to, const char *folder, struct arena *a, struct error *e)
{
	char *path, *text = NULL;
	struct stat st;
	size_t size;
	ssize_t n;
	int fd, rc;

	if (asprintf(&path, "%s/" CSP_UNMEASURED_FILE, folder) < 0)
		return error_memory(e, strlen(folder));
	fd = regular_file_open(path, &st, NULL);
	free(path);
	if (fd < 0)
		return 0;
	size = st.st_size < LARGEST ? (size_t)st.st_size : LARGEST;
	text = malloc(size + 1);
	rc = text ? 0 : error_memory(e, size);
	n = text ? pread(fd, text, size, 0) : 0;
	close(fd);
	if (n > 0)
		rc = unmeasured_add(to, text, (size_t)n, a, e);
	free(text);
	return rc;
}

static int by_name(const void *pa, const void *pb)
{
	const struct unmeasured *a = pa, *b = pb;
	int order = strcmp(a->name, b->name);

	return order ? order : strcmp(a->reason, b->reason);
}

static int by_starts(const void *pa, const void *pb)
{
	const struct unmeasured *a = pa, *b = pb;

	if (a->starts != b->starts)
		return a->starts > b->starts ? -1 : 1;
	return by_name(pa, pb);
}

void unmeasured_sort(unmeasured_list *list)
{
	size_t kept = 0;

	if (!list->len)
		return;
	qsort(list->at, list->len, sizeof *list->at, by_name);
	for (size_t i = 0; i < list->len; i++) {
		struct unmeasured *last = kept ? &list->at[kept - 1] : NULL;
		if (last && by_name(last, &list->at[i]) == 0)
			last->starts += list->at[i].starts;
		else
			list->at[kept++] = list->at[i];
	}
	list->len = kept;
	qsort(list->at, list->len, sizeof *list->at, by_starts);
}
