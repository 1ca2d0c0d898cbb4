#include "symbolize/pack.h"

#include "formats/base/atomic_file.h"
#include "formats/base/interner.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* The file while it is put together. Texts and functions are told apart by their pointers, which
 * are equal for equal ones of one symbolizer. */
struct pack_writer {
	VEC(uint8_t) bytes;
	VEC(const char *) texts;
	VEC(const struct symbol_function *) functions;
	struct interner text_ids, function_ids;
	bool failed; /* memory ran out */
};

static void put_bytes(struct pack_writer *w, const void *at, size_t n)
{
	if (!vec_reserve(&w->bytes, w->bytes.len + n)) {
		w->failed = true;
		return;
	}
	if (n)
		memcpy(w->bytes.at + w->bytes.len, at, n);
	w->bytes.len += n;
}

static void put_u32(struct pack_writer *w, uint32_t v)
{
	put_bytes(w, &v, sizeof v);
}

static void put_u64(struct pack_writer *w, uint64_t v)
{
	put_bytes(w, &v, sizeof v);
}

static void put_text(struct pack_writer *w, const char *text)
{
	put_u32(w, (uint32_t)strlen(text));
	put_bytes(w, text, strlen(text));
}

static uint32_t text_id(struct pack_writer *w, const char *text)
{
	uint32_t id;

	if (!text)
		return UINT32_MAX;
	id = interner_add(&w->text_ids, (uintptr_t)text);
	if (id == INTERNER_NONE || (id == w->texts.len && !vec_push(&w->texts, text)))
		w->failed = true;
	return id;
}

static uint32_t function_id(struct pack_writer *w, const struct symbol_function *f)
{
	uint32_t id = interner_add(&w->function_ids, (uintptr_t)f);

	if (id == INTERNER_NONE || (id == w->functions.len && !vec_push(&w->functions, f)))
		w->failed = true;
	text_id(w, f->name);
	text_id(w, f->linkage_name);
	text_id(w, f->file);
	return id;
}

/* Whether what is known of the address is worth keeping: if the module was there, it is all that
 * there is, even if that is no name. */
static bool is_known(const struct symbol_table *t, size_t i)
{
	return (!t->stale && !t->kept) ||
	       t->frames[t->first[i + 1] - 1].function->source != SYMBOL_NONE;
}

/* Number the texts and functions. Returns how many addresses are worth keeping. */
static uint64_t number(struct pack_writer *w, const struct symbol_table *t)
{
	uint64_t known = 0;

	text_id(w, t->debug_file);
	for (size_t i = 0; i < t->num_addresses; i++) {
		if (!is_known(t, i))
			continue;
		known++;
		for (size_t k = t->first[i]; k < t->first[i + 1]; k++) {
			function_id(w, t->frames[k].function);
			text_id(w, t->frames[k].file);
		}
	}
	return known;
}

static void put_functions(struct pack_writer *w)
{
	put_u32(w, (uint32_t)w->functions.len);
	for (size_t i = 0; i < w->functions.len; i++) {
		const struct symbol_function *f = w->functions.at[i];
		put_u32(w, text_id(w, f->name));
		put_u32(w, text_id(w, f->linkage_name));
		put_u32(w, text_id(w, f->file));
		put_u32(w, f->line);
		put_u64(w, f->low);
		put_u32(w, f->source);
	}
}

static void put_addresses(struct pack_writer *w, const struct symbolize_request *request,
			  const struct symbol_table *t, uint64_t known)
{
	put_u64(w, known);
	for (size_t i = 0; i < t->num_addresses; i++) {
		if (!is_known(t, i))
			continue;
		put_u64(w, request->addresses[i]);
		put_u32(w, (uint32_t)(t->first[i + 1] - t->first[i]));
		for (size_t k = t->first[i]; k < t->first[i + 1]; k++) {
			put_u32(w, function_id(w, t->frames[k].function));
			put_u32(w, text_id(w, t->frames[k].file));
			put_u32(w, t->frames[k].line);
			put_u32(w, t->frames[k].inlined);
		}
	}
}

/* Put the file together. False if there is nothing to keep. */
static bool put_all(struct pack_writer *w, const struct symbolize_request *request,
		    const struct symbol_table *t)
{
	uint64_t known = number(w, t);
	const uint32_t one = 1;

	if (!known)
		return false;
	put_bytes(w, SYMBOL_PACK_MAGIC SYMBOL_PACK_VERSION,
		  sizeof SYMBOL_PACK_MAGIC SYMBOL_PACK_VERSION - 1);
	put_bytes(w, *(const uint8_t *)&one ? "l" : "b", 1);
	put_text(w, request->build_id);
	put_u32(w, t->best);
	put_u32(w, text_id(w, t->debug_file));
	put_u32(w, (uint32_t)w->texts.len);
	for (size_t i = 0; i < w->texts.len; i++)
		put_text(w, w->texts.at[i]);
	put_functions(w);
	put_addresses(w, request, t, known);
	return true;
}

static int write_file(const struct pack_writer *w, const char *path, struct error *e)
{
	struct atomic_file file;
	size_t done = 0;
	int fd = atomic_file_begin(&file, path, e);

	if (fd < 0)
		return -1;
	while (done < w->bytes.len) {
		ssize_t n = write(fd, w->bytes.at + done, w->bytes.len - done);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		done += (size_t)n;
	}
	if (done < w->bytes.len)
		error_writing(e);
	close(fd);
	if (done < w->bytes.len) {
		atomic_file_abandon(&file);
		return -1;
	}
	return atomic_file_finish(&file, e);
}

/* The folder, locked against others that add to it: they would lose what the other writes. -1: it
 * cannot be made; *e says why. */
static int lock_folder(const char *folder, struct error *e)
{
	char *path;
	int fd = -1;

	if (asprintf(&path, "%s/" SYMBOL_PACK_FOLDER, folder) < 0)
		return error_memory(e, strlen(folder));
	if (mkdir(path, 0700) == 0 || errno == EEXIST)
		fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		error_system(e, "%s", path);
	else
		while (flock(fd, LOCK_EX) != 0 && errno == EINTR)
			; /* where the file system has no locks, it goes on without */
	free(path);
	return fd;
}

static int compare_u64(const void *pa, const void *pb)
{
	const uint64_t *a = pa, *b = pb;

	return *a < *b ? -1 : *a > *b;
}

/* All addresses of the request and the pack, malloc'd; *news: whether the pack lacks one. */
static uint64_t *both(const struct symbolize_request *r, const struct symbol_pack *p, size_t *n,
		      bool *news)
{
	uint64_t *all = malloc((r->num_addresses + p->num_addresses + 1) * sizeof *all);

	*n = 0;
	*news = false;
	if (!all)
		return NULL;
	for (size_t i = 0; i < r->num_addresses; i++)
		if (symbol_pack_find(p, r->addresses[i]) == p->num_addresses) {
			all[(*n)++] = r->addresses[i];
			*news = true;
		}
	if (p->num_addresses)
		memcpy(all + *n, p->addresses, p->num_addresses * sizeof *all);
	*n += p->num_addresses;
	qsort(all, *n, sizeof *all, compare_u64);
	return all;
}

static int resolve_and_write(struct symbolizer *s, const char *path,
			     const struct symbolize_request *request, struct error *e)
{
	struct pack_writer w = {0};
	struct symbol_table t;
	int rc = 0;

	if (symbolize_module(s, request, &t, NULL) != 0)
		return error_memory(e, 0);
	if (t.best != SYMBOL_NONE && put_all(&w, request, &t))
		rc = w.failed                       ? error_memory(e, w.bytes.len)
		     : write_file(&w, path, e) == 0 ? 1
						    : -1;
	else if (w.failed)
		rc = error_memory(e, 0);
	symbol_table_free(&t);
	vec_free(&w.bytes);
	vec_free(&w.texts);
	vec_free(&w.functions);
	interner_deinit(&w.text_ids);
	interner_deinit(&w.function_ids);
	return rc;
}

static int add_locked(struct symbolizer *s, const char *folder,
		      const struct symbolize_request *request, struct error *e)
{
	struct symbolize_request all = *request;
	struct symbol_pack kept;
	uint64_t *addresses;
	char *path;
	bool news;
	int rc = 0;

	if (symbol_pack_of(s, folder, request->build_id, &kept, NULL) != 0)
		return error_memory(e, 0);
	addresses = both(request, &kept, &all.num_addresses, &news);
	all.addresses = addresses;
	symbol_pack_free(&kept);
	if (!addresses || symbol_pack_path(&path, folder, request->build_id) != 0) {
		free(addresses);
		return error_memory(e, 0);
	}
	if (news)
		rc = resolve_and_write(s, path, &all, e);
	free(path);
	free(addresses);
	return rc;
}

int symbol_pack_add(struct symbolizer *s, const char *folder,
		    const struct symbolize_request *request, struct error *e)
{
	int lock, rc;

	if (!request->num_addresses)
		return 0;
	lock = lock_folder(folder, e);
	if (lock < 0)
		return -1;
	rc = add_locked(s, folder, request, e);
	close(lock);
	return rc;
}
