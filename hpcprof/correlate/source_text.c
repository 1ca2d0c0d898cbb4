#include "hpcprof/correlate/source_text.h"

#include "formats/base/regular_file.h"
#include "hpcprof/terminal/layout.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- places ---------------------------------------------------------------------------- */

int source_places_map(const struct option_row *row, const char *text, void *field, struct error *e)
{
	struct source_places *p = field;
	struct source_map map;

	(void)row;
	if (source_map_parse(&map, text, &p->arena, e) != 0)
		return -1;
	return vec_push(&p->maps, map) ? 0 : error_memory(e, sizeof map);
}

int source_places_directory(const struct option_row *row, const char *text, void *field,
			    struct error *e)
{
	struct source_places *p = field;

	(void)row;
	return vec_push(&p->directories, text) ? 0 : error_memory(e, sizeof text);
}

void source_places_deinit(struct source_places *p)
{
	vec_free(&p->maps);
	vec_free(&p->directories);
	arena_deinit(&p->arena);
}

int source_map_parse(struct source_map *out, const char *text, struct arena *a, struct error *e)
{
	const char *equals = strchr(text, '=');

	if (!equals || equals == text || !equals[1])
		return error_set(e, ERROR_USAGE, "-I takes FROM=TO, two directories, not '%.200s'",
				 text);
	out->from = arena_strndup(a, text, (size_t)(equals - text));
	out->to = arena_strndup(a, equals + 1, strlen(equals + 1));
	return out->from && out->to ? 0 : error_memory(e, strlen(text));
}

/* ---- finding files --------------------------------------------------------------------- */

/* Whether path, in which links are resolved, is root or is below it. */
static bool is_below(const char *path, const char *root)
{
	size_t n = strlen(root);

	if (strcmp(root, "/") == 0)
		return true;
	return strncmp(path, root, n) == 0 && (path[n] == '/' || !path[n]);
}

/* The part of name below from, or NULL. */
static const char *below(const char *name, const char *from)
{
	size_t n = strlen(from);

	while (n > 1 && from[n - 1] == '/')
		n--;
	if (strncmp(name, from, n) != 0)
		return NULL;
	if (n == 1 && from[0] == '/')
		return name + 1;
	if (name[n] != '/')
		return NULL;
	return name + n + 1;
}

static bool climbs(const char *path)
{
	for (const char *at = path, *slash;; at = slash + 1) {
		if (strncmp(at, "..", 2) == 0 && (!at[2] || at[2] == '/'))
			return true;
		slash = strchr(at, '/');
		if (!slash)
			return false;
	}
}

enum attempt { READ, MISSING, REFUSED };

/* Read the whole file. A file that is not text is refused. */
static enum attempt read_text(struct source_text *s, int fd, const struct stat *st,
			      const char *path, struct error *e)
{
	struct error why;

	if (st->st_size > SOURCE_TEXT_MOST) {
		error_set(e, ERROR_LIMIT, "%.300s: larger than %d MiB", path,
			  SOURCE_TEXT_MOST >> 20);
		return REFUSED;
	}
	s->text = regular_file_read(fd, st, &why);
	if (!s->text) {
		error_set(e, why.kind, "%.300s: %.200s", path, why.text);
		return REFUSED;
	}
	if (memchr(s->text, '\0', (size_t)st->st_size)) {
		error_set(e, ERROR_FORMAT, "%.300s: not a text file", path);
		return REFUSED;
	}
	s->modified = st->st_mtim;
	return READ;
}

/* Split the text into lines. */
static bool find_lines(struct source_text *s)
{
	char *at = s->text, *end;

	while (*at) {
		if (!vec_push(&s->lines, (size_t)(at - s->text)))
			return false;
		end = at + strcspn(at, "\n");
		if (!*end)
			break;
		if (end > at && end[-1] == '\r')
			end[-1] = '\0';
		*end = '\0';
		at = end + 1;
	}
	return true;
}

/* Try root/rest, or rest itself if root is NULL. */
static enum attempt try_path(struct source_text *s, const char *root, const char *rest,
			     struct error *e)
{
	char path[PATH_MAX], real[PATH_MAX], real_root[PATH_MAX];
	int n = snprintf(path, sizeof path, "%s%s%s", root ? root : "", root ? "/" : "", rest);
	enum attempt result;
	struct error why;
	struct stat st;
	int fd;

	if (n < 0 || (size_t)n >= sizeof path || !realpath(path, real) ||
	    (root && !realpath(root, real_root)))
		return MISSING;
	if (climbs(rest) || (root && !is_below(real, real_root))) {
		error_set(e, ERROR_USAGE, "%.300s: leads out of the given directory", path);
		return REFUSED;
	}
	fd = regular_file_open(real, &st, &why);
	if (fd < 0) {
		error_set(e, why.kind, "%.300s %.200s", path, why.text);
		return why.sys_errno == ENOENT ? MISSING : REFUSED;
	}
	result = read_text(s, fd, &st, path, e);
	close(fd);
	if (result == READ && (!(s->path = strdup(real)) || !find_lines(s))) {
		error_memory(e, sizeof real);
		result = REFUSED;
	}
	if (result != READ)
		source_text_free(s);
	return result;
}

/* Try the directories: with the whole name, then with more and more of its beginning removed. */
static enum attempt try_directories(struct source_text *s, const char *name,
				    const struct source_places *where, struct error *e)
{
	enum attempt result = MISSING;

	for (const char *rest = name; rest; rest = strchr(rest, '/')) {
		rest += strspn(rest, "/");
		for (size_t i = 0; *rest && i < where->directories.len; i++) {
			enum attempt a = try_path(s, where->directories.at[i], rest, e);
			if (a == READ)
				return READ;
			result = a == REFUSED ? REFUSED : result;
		}
	}
	return result;
}

int source_text_read(struct source_text *s, const char *name, const struct source_places *where,
		     struct error *e)
{
	enum attempt a = MISSING, worst = MISSING;
	struct error why = {0};

	memset(s, 0, sizeof *s);
	for (size_t i = 0; a != READ && i < where->maps.len; i++) {
		const char *rest = below(name, where->maps.at[i].from);
		if (rest)
			a = try_path(s, where->maps.at[i].to, rest, &why);
		worst = a == REFUSED ? REFUSED : worst;
	}
	if (a != READ && name[0] == '/')
		a = try_path(s, NULL, name, &why);
	worst = a == REFUSED ? REFUSED : worst;
	if (a != READ)
		a = try_directories(s, name, where, &why);
	worst = a == REFUSED ? REFUSED : worst;
	if (a == READ)
		return 0;
	if (worst == REFUSED) {
		if (e)
			*e = why;
		return -1;
	}
	return error_set(e, ERROR_SYSTEM, "not found");
}

void source_text_free(struct source_text *s)
{
	if (!s)
		return;
	free(s->path);
	free(s->text);
	vec_free(&s->lines);
	s->path = s->text = NULL;
}

const char *source_text_line(const struct source_text *s, uint32_t line, unsigned tab,
			     struct arena *a)
{
	const char *text;
	size_t tabs = 0, at = 0;
	char *out;

	if (!line || line > s->lines.len)
		return "";
	text = s->text + s->lines.at[line - 1];
	for (size_t i = 0; text[i]; i++)
		tabs += text[i] == '\t';
	out = arena_alloc(a, strlen(text) + tabs * (tab - 1) + 1);
	for (size_t i = 0; out && text[i]; i++) {
		if (text[i] != '\t')
			out[at++] = text[i];
		else
			do
				out[at++] = ' ';
			while (at % tab);
	}
	return out ? layout_clean(a, out) : NULL;
}
