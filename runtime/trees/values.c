#include "runtime/trees/values.h"

#include "runtime/process/state.h"
#include "runtime/trees/mem.h"
#include "runtime/trees/shared.h"

/* Records of one process: 10 MB. */
enum { MOST = 1 << 16 };

static struct store_windows nowhere;

void csprof_windows_begin(void)
{
	csprof_store_header()->windows = csprof_shared_take(sizeof(struct store_windows));
}

struct store_windows *csprof_windows(void)
{
	store_ref ref = csprof_store_header()->windows;
	return ref ? csprof_store_at(ref) : &nowhere;
}

static void drop(void)
{
	__atomic_fetch_add(&csprof_windows()->dropped, 1, __ATOMIC_RELAXED);
}

/* Above *link, or NULL; then *link is where it is to be put, unless another one is there by now. */
static struct store_value *search(store_ref **link, uint64_t key)
{
	uint64_t hash = store_hash(key);
	store_ref ref;
	while ((ref = __atomic_load_n(*link, __ATOMIC_ACQUIRE)) != 0) {
		struct store_value *at = csprof_store_at(ref);
		if (at->key == key)
			return at;
		*link = hash < store_hash(at->key) ? &at->left : &at->right;
	}
	return NULL;
}

static struct store_value *find(uint64_t key, uint32_t bytes)
{
	struct store_epoch *epoch = csprof_store_at(atomic_load(&csprof_process.epoch));
	store_ref *link = &epoch->values, ref = 0;
	for (;;) {
		store_ref none = 0;
		struct store_value *at = search(&link, key);
		if (at)
			return at;
		if (!ref &&
		    (csprof_windows()->made >= MOST || !(ref = csprof_shared_take(sizeof *at))))
			return NULL;
		at = csprof_store_at(ref);
		at->key = key;
		at->bytes = (uint16_t)bytes;
		if (__atomic_compare_exchange_n(link, &none, ref, false, __ATOMIC_RELEASE,
						__ATOMIC_RELAXED)) {
			__atomic_fetch_add(&csprof_windows()->made, 1, __ATOMIC_RELAXED);
			return at;
		}
	}
}

/* A value that is not among them takes the place of the least frequent one, and its count: it
 * cannot have come more often than that before. */
static void count_often(struct store_value *at, uint64_t value)
{
	struct store_often *least = &at->top[0];
	for (int i = 0; i < CSP_VALUE_TOP; i++) {
		struct store_often *o = &at->top[i];
		if (o->count && o->value == value) {
			o->count++;
			return;
		}
		if (o->count < least->count)
			least = o;
	}
	*least = (struct store_often){value, least->count + 1, least->count};
}

/* Whether the window has seen it before; then *difference is that of the values. */
static bool count(struct store_value *at, const struct csprof_value *v, uint64_t *difference)
{
	bool again = at->window == v->window && at->count;
	*difference = v->value - at->last;
	at->same += at->count && at->last == v->value;
	at->zeros += v->value == 0;
	at->last = v->value;
	at->window = v->window;
	count_often(at, v->value);
	at->count++;
	return again;
}

/* Returns as count does. */
static bool add(const struct csprof_value *v, uint64_t *difference)
{
	struct store_value *at = find(v->pc | (uint64_t)v->what << STORE_VALUE_SHIFT, v->bytes);
	if (!at || __atomic_exchange_n(&at->busy, 1, __ATOMIC_ACQUIRE)) {
		drop();
		return false;
	}
	bool again = count(at, v, difference);
	__atomic_store_n(&at->busy, 0, __ATOMIC_RELEASE);
	return again;
}

static bool has_differences(uint32_t what)
{
	return what < CSP_VALUE_REGISTERS || what == CSP_VALUE_ADDRESS ||
	       what == CSP_VALUE_STORED || what == CSP_VALUE_LOADED;
}

void csprof_value_add(const struct csprof_value *v)
{
	struct csprof_value d = *v;
	if (!add(v, &d.value) || !has_differences(v->what))
		return;
	if (v->bytes < sizeof d.value) { /* signed, of as many bytes */
		unsigned shift = 8 * (unsigned)(sizeof d.value - v->bytes);
		d.value = (uint64_t)((int64_t)(d.value << shift) >> shift);
	}
	d.what |= CSP_VALUE_DIFFERENCE;
	uint64_t ignored;
	add(&d, &ignored);
}
