#include "runtime/trees/names.h"

#include "formats/identity/notes.h"
#include "runtime/os/os.h"
#include "runtime/process/state.h"
#include "runtime/trees/mem.h"
#include "runtime/trees/shared.h"

#include <string.h>

/* FNV-1a (Fowler, Noll, Vo). */
uint64_t csprof_text_hash(const char *text, size_t n)
{
	uint64_t hash = 0xcbf29ce484222325ull;
	for (size_t i = 0; i < n; i++)
		hash = (hash ^ (uint8_t)text[i]) * 0x100000001b3ull;
	return hash;
}

/* ---- in memory ---------------------------------------------------------------------- */

enum { BUCKETS = 64, PIECE_BYTES = 16 * 1024 };

/* Names are added under the process's lock, and found without it. */
static CSPROF_LARGE struct csprof_name *_Atomic buckets[BUCKETS];
static struct {
	uint8_t *at;
	size_t left;
} piece;

static void *take(size_t bytes)
{
	bytes = (bytes + _Alignof(struct csprof_name) - 1) & ~(_Alignof(struct csprof_name) - 1);
	if (piece.left < bytes) {
		piece.at = os_map(PIECE_BYTES);
		piece.left = piece.at ? PIECE_BYTES : 0;
	}
	if (!piece.left)
		return NULL;
	piece.left -= bytes;
	piece.at += bytes;
	return piece.at - bytes;
}

static struct csprof_name *find(uint32_t bucket, const char *text, size_t n)
{
	struct csprof_name *name = atomic_load_explicit(&buckets[bucket], memory_order_acquire);
	while (name && (name->n != n || memcmp(name->text, text, n) != 0))
		name = name->next;
	return name;
}

static struct csprof_name *add(uint32_t bucket, const char *text, size_t n)
{
	struct csprof_name *name = take(sizeof *name + n + 1);
	if (!name)
		return NULL;
	name->n = (uint32_t)n;
	memcpy(name->text, text, n);
	name->next = atomic_load_explicit(&buckets[bucket], memory_order_relaxed);
	atomic_store_explicit(&buckets[bucket], name, memory_order_release);
	return name;
}

struct csprof_name *csprof_name_of(const char *text)
{
	size_t n = strnlen(text, CSP_NAME_BYTES);
	uint32_t bucket = csprof_text_hash(text, n) % BUCKETS;
	struct csprof_name *name = find(bucket, text, n);
	if (name)
		return name;
	csprof_lock();
	name = find(bucket, text, n);
	if (!name)
		name = add(bucket, text, n);
	csprof_unlock();
	return name;
}

struct csprof_name *csprof_name_known(struct csprof_known_names *known, const char *text)
{
	enum { KNOWN = sizeof known->at / sizeof *known->at };
	struct csprof_known_name *k = &known->at[((uintptr_t)text >> 3) % KNOWN];
	if (k->text == text && strcmp(k->name->text, text) == 0)
		return k->name;
	struct csprof_name *name = csprof_name_of(text);
	if (name && name->n < CSP_NAME_BYTES)
		*k = (struct csprof_known_name){text, name};
	return name;
}

/* ---- in the store -------------------------------------------------------------------- */

static _Atomic uint32_t stores; /* the number of the present one */

void csprof_names_begin(void)
{
	atomic_fetch_add(&stores, 1);
}

static int compare(const struct store_name *a, uint64_t hash, const char *text, uint32_t n)
{
	if (a->hash != hash)
		return hash < a->hash ? -1 : 1;
	if (a->n != n)
		return n < a->n ? -1 : 1;
	return memcmp(text, a->text, n);
}

/* The name below **link, or NULL; then *link is where it is to be put, unless another one is there
 * by now. */
static struct store_name *search(store_ref **link, uint64_t hash, const char *text, uint32_t n)
{
	store_ref ref;
	while ((ref = __atomic_load_n(*link, __ATOMIC_ACQUIRE)) != 0) {
		struct store_name *at = csprof_store_at(ref);
		int order = compare(at, hash, text, n);
		if (order == 0)
			return at;
		*link = order < 0 ? &at->left : &at->right;
	}
	return NULL;
}

static store_ref make(uint64_t hash, const char *text, uint32_t n, uint32_t most)
{
	struct store_header *h = csprof_store_header();
	uint32_t number = __atomic_add_fetch(&h->num_names, 1, __ATOMIC_RELAXED);
	if (number > most) {
		__atomic_fetch_sub(&h->num_names, 1, __ATOMIC_RELAXED);
		return 0;
	}
	store_ref ref = csprof_shared_take(sizeof(struct store_name) + n);
	if (!ref)
		return 0;
	struct store_name *made = csprof_store_at(ref);
	made->hash = hash;
	made->number = number;
	made->n = n;
	memcpy(made->text, text, n);
	return ref;
}

/* most: no greater number is given. If another thread puts a name where this one is to be, the
 * search goes on below that. The number of a record that is not needed then remains unused. */
static uint32_t number_of(const char *text, uint32_t n, uint32_t most)
{
	uint64_t hash = csprof_text_hash(text, n);
	store_ref *link = &csprof_store_header()->names, made = 0;
	for (;;) {
		store_ref none = 0;
		const struct store_name *there = search(&link, hash, text, n);
		if (there)
			return there->number;
		if (!made && !(made = make(hash, text, n, most)))
			return 0;
		if (__atomic_compare_exchange_n(link, &none, made, false, __ATOMIC_RELEASE,
						__ATOMIC_RELAXED))
			return ((struct store_name *)csprof_store_at(made))->number;
	}
}

static uint32_t number(_Atomic uint64_t *numbered, const char *text, uint32_t n, uint32_t most)
{
	uint64_t store = atomic_load_explicit(&stores, memory_order_relaxed);
	uint64_t known = atomic_load_explicit(numbered, memory_order_relaxed);
	if (known >> 32 == store)
		return (uint32_t)known;
	uint32_t got = number_of(text, n, most);
	if (got)
		atomic_store_explicit(numbered, store << 32 | got, memory_order_relaxed);
	return got;
}

uint32_t csprof_name_number(struct csprof_name *name)
{
	return number(&name->numbered, name->text, name->n, CSP_NAMES - 1);
}

uint32_t csprof_name_value(_Atomic uint64_t *numbered, const char *text, uint32_t n)
{
	return number(numbered, text, n, CSP_MOST_VALUES);
}
