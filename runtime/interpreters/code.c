#include "runtime/interpreters/code.h"

#include "runtime/base/sections.h"
#include "runtime/process/state.h"
#include "runtime/trees/mem.h"
#include "runtime/trees/names.h"
#include "runtime/trees/shared.h"

#include <string.h>

/* Where a function was found last, by its key. */
enum { HITS = 4096 };
static CSPROF_LARGE _Atomic store_ref hits[HITS];
static atomic_bool used;

void csprof_code_begin(void)
{
	if (!atomic_exchange(&used, false))
		return;
	for (uint32_t i = 0; i < HITS; i++)
		atomic_store_explicit(&hits[i], 0, memory_order_relaxed);
}

static _Atomic store_ref *hit_of(uint64_t key)
{
	return &hits[store_hash(key) >> 32 & (HITS - 1)];
}

/* The code below **link, or 0; then *link is where it is to be put, unless another one is there by
 * now. */
static store_ref search_code(store_ref **link, uint64_t key)
{
	store_ref ref;
	while ((ref = __atomic_load_n(*link, __ATOMIC_ACQUIRE)) != 0) {
		struct store_code *at = csprof_store_at(ref);
		if (at->key == key)
			return ref;
		*link = key < at->key ? &at->left : &at->right;
	}
	return 0;
}

store_ref csprof_code_find(uint64_t key)
{
	_Atomic store_ref *hit = hit_of(key);
	store_ref ref = atomic_load_explicit(hit, memory_order_acquire);
	if (ref && ((const struct store_code *)csprof_store_at(ref))->key == key)
		return ref;
	store_ref *link = &csprof_store_header()->codes;
	ref = search_code(&link, key);
	if (!ref)
		return 0;
	atomic_store_explicit(&used, true, memory_order_relaxed);
	atomic_store_explicit(hit, ref, memory_order_release);
	return ref;
}

/* ---- sources ------------------------------------------------------------------------ */

static int compare(const struct store_source *a, uint64_t hash, const char *text, uint32_t n)
{
	if (a->hash != hash)
		return hash < a->hash ? -1 : 1;
	if (a->n != n)
		return n < a->n ? -1 : 1;
	return memcmp(text, a->text, n);
}

static store_ref search_source(store_ref **link, uint64_t hash, const char *text, uint32_t n)
{
	store_ref ref;
	while ((ref = __atomic_load_n(*link, __ATOMIC_ACQUIRE)) != 0) {
		struct store_source *at = csprof_store_at(ref);
		int order = compare(at, hash, text, n);
		if (order == 0)
			return ref;
		*link = order < 0 ? &at->left : &at->right;
	}
	return 0;
}

static store_ref make_source(uint64_t hash, const char *text, uint32_t n)
{
	struct store_header *h = csprof_store_header();
	uint32_t number = __atomic_fetch_add(&h->num_sources, 1, __ATOMIC_RELAXED);
	store_ref ref =
	    number < CSP_SOURCES ? csprof_shared_take(sizeof(struct store_source) + n) : 0;
	if (!ref) {
		__atomic_fetch_sub(&h->num_sources, 1, __ATOMIC_RELAXED);
		return 0;
	}
	struct store_source *made = csprof_store_at(ref);
	made->hash = hash;
	made->number = number;
	made->n = n;
	memcpy(made->text, text, n);
	return ref;
}

/* If another thread puts a source where this one is to be, the search goes on below that. The
 * number of a record that is not needed then remains unused. */
static store_ref source_of(const char *text, uint32_t n)
{
	uint64_t hash = csprof_text_hash(text, n);
	store_ref *link = &csprof_store_header()->sources, made = 0;
	for (;;) {
		store_ref none = 0, there = search_source(&link, hash, text, n);
		if (there)
			return there;
		if (!made && !(made = make_source(hash, text, n)))
			return 0;
		if (__atomic_compare_exchange_n(link, &none, made, false, __ATOMIC_RELEASE,
						__ATOMIC_RELAXED))
			return made;
	}
}

/* Addresses in the source for a function; false: it has too many. */
static bool take_addresses(struct store_source *source, uint32_t n, uint32_t *start)
{
	*start = __atomic_load_n(&source->extent, __ATOMIC_RELAXED);
	do
		if (n > UINT32_MAX - 1 - *start)
			return false;
	while (!__atomic_compare_exchange_n(&source->extent, start, *start + n, false,
					    __ATOMIC_RELAXED, __ATOMIC_RELAXED));
	return true;
}

/* ---- functions ---------------------------------------------------------------------- */

static store_ref make_code(uint64_t key, const struct csprof_code_facts *f)
{
	store_ref source = source_of(f->file, f->file_bytes);
	store_ref ref =
	    source ? csprof_shared_take(sizeof(struct store_code) + f->name_bytes + f->lines_bytes)
		   : 0;
	if (!ref)
		return 0;
	struct store_code *made = csprof_store_at(ref);
	if (!take_addresses(csprof_store_at(source), f->extent, &made->start))
		return 0;
	made->key = key;
	made->source = source;
	made->extent = f->extent;
	made->line = f->line;
	made->name_bytes = f->name_bytes;
	made->lines_bytes = f->lines_bytes;
	memcpy(made->bytes, f->name, f->name_bytes);
	memcpy(made->bytes + f->name_bytes, f->lines, f->lines_bytes);
	return ref;
}

store_ref csprof_code_add(uint64_t key, const struct csprof_code_facts *facts)
{
	store_ref *link = &csprof_store_header()->codes, made = 0;
	for (;;) {
		store_ref none = 0, there = search_code(&link, key);
		if (there)
			return there;
		if (!made && !(made = make_code(key, facts)))
			return 0;
		if (__atomic_compare_exchange_n(link, &none, made, false, __ATOMIC_RELEASE,
						__ATOMIC_RELAXED))
			return made;
	}
}

uint64_t csprof_code_ip(store_ref ref, uint64_t n)
{
	const struct store_code *code = csprof_store_at(ref);
	const struct store_source *source = csprof_store_at(code->source);
	if (n >= code->extent)
		n = code->extent - 1;
	return CSP_SOURCE_BASE + ((uint64_t)source->number << CSP_SOURCE_SHIFT) + code->start + n;
}
