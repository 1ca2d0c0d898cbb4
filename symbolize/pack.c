#include "symbolize/pack.h"

#include "formats/base/cursor.h"
#include "formats/base/regular_file.h"
#include "formats/base/search.h"
#include "symbolize/binary.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	NO_TEXT = UINT32_MAX,
	MOST_BYTES = 1 << 30, /* of a file; a larger one is damaged */
	TEXT_BYTES = 4,       /* at least, of each element */
	FUNCTION_BYTES = 7 * 4,
	ADDRESS_BYTES = 8 + 4 + 4 * 4
};

/* The file while it is read. */
struct pack_reader {
	struct cursor c;
	struct symbol_names *names;
	struct functions *functions;
	const char **texts;
	uint32_t num_texts;
	const struct symbol_function **known;
	uint32_t num_functions;
	bool memory; /* ran out; else the file is damaged */
};

static bool no_memory(struct pack_reader *r)
{
	r->memory = true;
	return false;
}

static bool read_text(struct pack_reader *r, const uint8_t **at, uint32_t *n)
{
	return cursor_u32(&r->c, n) && cursor_bytes(&r->c, *n, at) && !memchr(*at, '\0', *n);
}

/* Whether n elements of at least this size can be left. */
static bool has_room(const struct pack_reader *r, uint64_t n, size_t size)
{
	return n <= cursor_left(&r->c) / size;
}

static bool read_header(struct pack_reader *r, const char *build_id)
{
	const uint8_t *magic, *id;
	uint8_t order;
	uint32_t n;

	if (!cursor_bytes(&r->c, sizeof SYMBOL_PACK_MAGIC - 1 + sizeof SYMBOL_PACK_VERSION - 1,
			  &magic) ||
	    memcmp(magic, SYMBOL_PACK_MAGIC SYMBOL_PACK_VERSION,
		   sizeof SYMBOL_PACK_MAGIC SYMBOL_PACK_VERSION - 1) != 0 ||
	    !cursor_u8(&r->c, &order) || (order != 'l' && order != 'b'))
		return false;
	r->c.big = order == 'b';
	return read_text(r, &id, &n) && n == strlen(build_id) && memcmp(id, build_id, n) == 0;
}

static bool read_texts(struct pack_reader *r)
{
	const uint8_t *at;
	uint32_t n;

	if (!cursor_u32(&r->c, &r->num_texts) || !has_room(r, r->num_texts, TEXT_BYTES))
		return false;
	r->texts = malloc(((size_t)r->num_texts + 1) * sizeof *r->texts);
	if (!r->texts)
		return no_memory(r);
	for (uint32_t i = 0; i < r->num_texts; i++) {
		if (!read_text(r, &at, &n))
			return false;
		r->texts[i] = symbol_names_intern(r->names, (const char *)at, n);
		if (!r->texts[i])
			return no_memory(r);
	}
	return true;
}

/* A text that may be missing: NULL. */
static bool text_or_none(const struct pack_reader *r, uint32_t i, const char **out)
{
	*out = i < r->num_texts ? r->texts[i] : NULL;
	return i < r->num_texts || i == NO_TEXT;
}

static bool read_function(struct pack_reader *r, const struct symbol_function **out)
{
	uint32_t name, linkage, file, source;
	struct symbol_function f = {0};
	struct function_record *record;

	if (!cursor_u32(&r->c, &name) || !cursor_u32(&r->c, &linkage) ||
	    !cursor_u32(&r->c, &file) || !cursor_u32(&r->c, &f.line) ||
	    !cursor_u64(&r->c, &f.low) || !cursor_u32(&r->c, &source) || source > SYMBOL_NONE ||
	    name >= r->num_texts || !r->texts[name][0] || linkage >= r->num_texts ||
	    !text_or_none(r, file, &f.file))
		return false;
	f.name = r->texts[name];
	f.linkage_name = r->texts[linkage];
	f.source = (enum symbol_source)source;
	record = functions_get(r->functions, &f);
	if (!record)
		return no_memory(r);
	functions_add_copy(record, 0, f.low);
	*out = &record->f;
	return true;
}

static bool read_functions(struct pack_reader *r)
{
	if (!cursor_u32(&r->c, &r->num_functions) || !has_room(r, r->num_functions, FUNCTION_BYTES))
		return false;
	r->known = malloc(((size_t)r->num_functions + 1) * sizeof(const struct symbol_function *));
	if (!r->known)
		return no_memory(r);
	for (uint32_t i = 0; i < r->num_functions; i++)
		if (!read_function(r, &r->known[i]))
			return false;
	return true;
}

static bool read_frame(struct pack_reader *r, bool last, struct symbol_frame *out)
{
	uint32_t function, file, inlined;

	if (!cursor_u32(&r->c, &function) || !cursor_u32(&r->c, &file) ||
	    !cursor_u32(&r->c, &out->line) || !cursor_u32(&r->c, &inlined) ||
	    function >= r->num_functions || !text_or_none(r, file, &out->file) || inlined != !last)
		return false;
	out->function = r->known[function];
	out->inlined = inlined;
	return true;
}

static bool read_addresses(struct pack_reader *r, struct symbol_pack *p)
{
	VEC(struct symbol_frame) frames = {0};
	uint64_t n;
	bool ok;

	if (!cursor_u64(&r->c, &n) || !n || !has_room(r, n, ADDRESS_BYTES))
		return false;
	p->addresses = malloc(n * sizeof *p->addresses);
	p->table.first = malloc((n + 1) * sizeof *p->table.first);
	ok = (p->addresses && p->table.first) || no_memory(r);
	for (size_t i = 0; ok && i < n; i++) {
		uint32_t chain;
		p->table.first[i] = frames.len;
		ok = cursor_u64(&r->c, &p->addresses[i]) && cursor_u32(&r->c, &chain) && chain &&
		     (!i || p->addresses[i] > p->addresses[i - 1]);
		for (uint32_t k = 0; ok && k < chain; k++) {
			struct symbol_frame f;
			ok = read_frame(r, k + 1 == chain, &f) &&
			     (vec_push(&frames, f) || no_memory(r));
		}
	}
	p->table.frames = frames.at;
	if (!ok)
		return false;
	p->table.first[n] = frames.len;
	p->num_addresses = p->table.num_addresses = n;
	return true;
}

static bool read_all(struct pack_reader *r, const char *build_id, struct symbol_pack *p)
{
	uint32_t best, debug;

	if (!read_header(r, build_id) || !cursor_u32(&r->c, &best) || best >= SYMBOL_NONE ||
	    !cursor_u32(&r->c, &debug) || !read_texts(r) ||
	    !text_or_none(r, debug, &p->table.debug_file) || !read_functions(r) ||
	    !read_addresses(r, p))
		return false;
	p->table.best = (enum symbol_source)best;
	return true;
}

int symbol_pack_parse(struct symbol_pack *out, const void *bytes, size_t n, const char *path,
		      const char *build_id, struct functions *t, struct symbol_names *names,
		      struct error *why)
{
	struct pack_reader r = {.c = cursor_of(bytes, n, false), .names = names, .functions = t};
	bool ok;

	*out = (struct symbol_pack){0};
	ok = read_all(&r, build_id, out);
	free(r.texts);
	free(r.known);
	if (ok)
		return 0;
	symbol_pack_free(out);
	if (r.memory)
		return -1;
	error_set(why, ERROR_FORMAT, "%s: damaged at byte %zu (remove it)", path, r.c.pos);
	return 0;
}

void symbol_pack_free(struct symbol_pack *p)
{
	free(p->addresses);
	symbol_table_free(&p->table);
	*p = (struct symbol_pack){0};
}

size_t symbol_pack_find(const struct symbol_pack *p, uint64_t address)
{
	size_t i = SEARCH_FIRST(k, 0, p->num_addresses, p->addresses[k] >= address);

	return i < p->num_addresses && p->addresses[i] == address ? i : p->num_addresses;
}

int symbol_pack_path(char **path, const char *folder, const char *build_id)
{
	size_t before = strlen(folder) + sizeof SYMBOL_PACK_FOLDER + 1;
	size_t size = before + strlen(build_id) + 1;

	*path = malloc(size);
	if (!*path)
		return -1;
	snprintf(*path, size, "%s/" SYMBOL_PACK_FOLDER "/%s", folder, build_id);
	for (char *c = *path + before; *c; c++)
		if (*c == ':' || *c == '/')
			*c = '-';
	return 0;
}

/* The bytes of the file, or NULL: it is not there, or *e says what is wrong. */
static uint8_t *read_bytes(const char *path, size_t *n, bool *memory, struct error *e)
{
	uint8_t *bytes = NULL;
	struct error problem;
	struct stat st;
	int fd = regular_file_open(path, &st, &problem);

	*n = 0;
	if (fd < 0 && problem.kind == ERROR_SYSTEM)
		return NULL;
	if (fd < 0 || st.st_size > MOST_BYTES)
		error_set(e, ERROR_FORMAT, "%s: not a file of names (remove it)", path);
	else if (!(bytes = regular_file_read(fd, &st, &problem)))
		error_set(e, problem.kind, "%s: %s", path, problem.text);
	else
		*n = (size_t)st.st_size;
	*memory = fd >= 0 && !bytes && problem.kind == ERROR_MEMORY;
	if (fd >= 0)
		close(fd);
	return bytes;
}

int symbol_pack_read(struct symbol_pack *out, const char *folder, const char *build_id,
		     struct functions *t, struct symbol_names *names, struct error *why)
{
	bool memory = false;
	uint8_t *bytes;
	size_t n;
	char *path;
	int rc = 0;

	*out = (struct symbol_pack){0};
	if (symbol_pack_path(&path, folder, build_id) != 0)
		return -1;
	bytes = read_bytes(path, &n, &memory, why);
	if (bytes)
		rc = symbol_pack_parse(out, bytes, n, path, build_id, t, names, why);
	free(bytes);
	free(path);
	return memory ? -1 : rc;
}
