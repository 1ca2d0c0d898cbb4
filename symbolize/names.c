#include "symbolize/names.h"

#include "formats/base/arena.h"
#include "formats/base/vec.h"
#include "symbolize/demangle.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct symbol_names {
	struct strings *pool;
	/* By the id of a linkage name: its demangled form, or NULL if not demangled yet. */
	VEC(const char *) demangled;
	VEC(char) text; /* scratch */
	struct demangled plain;
};

struct symbol_names *symbol_names_create(void)
{
	struct symbol_names *n = calloc(1, sizeof *n);
	if (n && !(n->pool = strings_create())) {
		free(n);
		n = NULL;
	}
	return n;
}

void symbol_names_destroy(struct symbol_names *n)
{
	if (!n)
		return;
	strings_destroy(n->pool);
	vec_free(&n->demangled);
	vec_free(&n->text);
	vec_free(&n->plain.text);
	free(n);
}

const char *symbol_names_intern(struct symbol_names *n, const char *s, size_t length)
{
	uint32_t id = strings_intern(n->pool, s, length);
	return id == UINT32_MAX ? NULL : strings_get(n->pool, id);
}

const char *symbol_names_format(struct symbol_names *n, const char *format, ...)
{
	for (;;) {
		va_list args;
		va_start(args, format);
		int length = vsnprintf(n->text.at, n->text.cap, format, args);
		va_end(args);
		if (length < 0)
			return NULL;
		if ((size_t)length < n->text.cap)
			return symbol_names_intern(n, n->text.at, (size_t)length);
		if (!vec_reserve(&n->text, (size_t)length + 1))
			return NULL;
	}
}

static const char *demangled(struct symbol_names *n, const char *linkage)
{
	enum demangle_result result = demangle(&n->plain, linkage);

	if (result != DEMANGLE_DONE)
		return result == DEMANGLE_NOT ? linkage : NULL;
	if (demangle_is_deleting(linkage))
		return symbol_names_format(n, "%.*s [deleting]", (int)n->plain.text.len,
					   n->plain.text.at);
	return symbol_names_intern(n, n->plain.text.at, n->plain.text.len);
}

const char *symbol_names_demangle(struct symbol_names *n, const char *linkage, const char **plain)
{
	/* A leading '@' is part of the name, which would be empty without it. */
	const char *at = *linkage ? strchr(linkage + 1, '@') : NULL;
	uint32_t id =
	    strings_intern(n->pool, linkage, at ? (size_t)(at - linkage) : strlen(linkage));
	if (id == UINT32_MAX)
		return NULL;
	if (plain)
		*plain = strings_get(n->pool, id);
	if (!vec_reserve(&n->demangled, (size_t)id + 1))
		return NULL;
	while (n->demangled.len <= id)
		n->demangled.at[n->demangled.len++] = NULL;
	if (!n->demangled.at[id])
		n->demangled.at[id] = demangled(n, strings_get(n->pool, id));
	return n->demangled.at[id];
}

/* Append the components of path to the normalised scratch path. */
static bool append_components(struct symbol_names *n, const char *path)
{
	while (*path) {
		size_t length = strcspn(path, "/");
		size_t have = n->text.len;
		if (length == 2 && path[0] == '.' && path[1] == '.') {
			size_t cut = have;
			while (cut > 0 && n->text.at[cut - 1] != '/')
				cut--;
			bool up = have - cut == 2 && memcmp(n->text.at + cut, "..", 2) == 0;
			if (have > cut && !up) {
				n->text.len = cut > 1 ? cut - 1 : cut; /* keeps a root's '/' */
				length = 0;
			} else if (have == 1 && n->text.at[0] == '/') {
				length = 0; /* the root's parent is the root */
			}
		} else if (length == 1 && path[0] == '.') {
			length = 0;
		}
		if (length) {
			if (!vec_reserve(&n->text, n->text.len + length + 1))
				return false;
			if (n->text.len && n->text.at[n->text.len - 1] != '/')
				n->text.at[n->text.len++] = '/';
			memcpy(n->text.at + n->text.len, path, length);
			n->text.len += length;
			path += length;
		} else {
			path += strcspn(path, "/");
		}
		path += strspn(path, "/");
	}
	return true;
}

const char *symbol_names_path(struct symbol_names *n, const char *base, const char *directory,
			      const char *file)
{
	const char *parts[] = {base, directory, file};
	size_t first = 0;
	n->text.len = 0;
	for (size_t i = 1; i < 3; i++)
		if (parts[i] && parts[i][0] == '/')
			first = i;
	if (parts[first] && parts[first][0] == '/' && !vec_push(&n->text, '/'))
		return NULL;
	for (size_t i = first; i < 3; i++)
		if (parts[i] && !append_components(n, parts[i]))
			return NULL;
	return symbol_names_intern(n, n->text.at ? n->text.at : "", n->text.len);
}
