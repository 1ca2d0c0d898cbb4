#include "runtime/epoch.h"

#include "runtime/os/os.h"
#include "runtime/state.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DEAD = 64, TRY_EPOCHS = 64 };

/* Where modules of the current epoch stood that are gone by now. Handlers read it
 * while changing > 0. */
static struct {
	uintptr_t low, high;
} dead[MAX_DEAD];
static _Atomic(uint32_t) num_dead;
static atomic_uint changing;
static unsigned generation;
static uint64_t seen_changes;

static struct store_epoch *epoch_at(store_ref ref)
{
	return csprof_store_at(ref);
}

static struct store_module *module_at(store_ref ref)
{
	return ref ? csprof_store_at(ref) : NULL;
}

static bool same_text(store_ref ref, const char *s)
{
	size_t n = strlen(s);
	if (!ref)
		return n == 0;
	const struct store_string *t = csprof_store_at(ref);
	return t->n == n && memcmp(t->bytes, s, n) == 0;
}

/* A module as the loader has it now, under the name that we give it. */
struct loaded {
	char name[PATH_MAX];
	char build_id[41];
	uintptr_t virtual_address, mapped_address;
	uint64_t extent;
};

static void name_module(struct loaded *out, const struct os_module *m)
{
	if (m->vdso)
		memcpy(out->name, CSP_MODULE_VDSO, sizeof CSP_MODULE_VDSO);
	else if (m->name[0] == '\0')
		os_executable(out->name, sizeof out->name);
	else if (m->name[0] == '/' || !realpath(m->name, out->name)) {
		size_t n = strnlen(m->name, sizeof out->name - 1);
		memcpy(out->name, m->name, n);
		out->name[n] = '\0';
	}
	memcpy(out->build_id, m->build_id, sizeof out->build_id);
	out->virtual_address = m->virtual_address;
	out->mapped_address = m->mapped_address;
	out->extent = m->extent;
}

/* How m and a module of an epoch relate. */
enum fit { APART, SAME, CLASH };

static enum fit fits(const struct store_module *s, const struct loaded *m)
{
	if (m->mapped_address >= s->mapped_address + s->extent ||
	    s->mapped_address >= m->mapped_address + m->extent)
		return APART;
	bool same = s->mapped_address == m->mapped_address && s->extent == m->extent &&
		    s->virtual_address == m->virtual_address &&
		    same_text(s->build_id, m->build_id) && same_text(s->name, m->name);
	return same ? SAME : CLASH;
}

/* SAME: the epoch has m; CLASH: something else stands in its place there. */
static enum fit fits_epoch(store_ref epoch, const struct loaded *m)
{
	for (struct store_module *s = module_at(epoch_at(epoch)->first_module); s;
	     s = module_at(s->next)) {
		enum fit f = fits(s, m);
		if (f != APART)
			return f;
	}
	return APART;
}

static void append_module(store_ref epoch, const struct loaded *m)
{
	struct csprof_arena *a = &csprof_process.arena;
	store_ref ref = csprof_malloc(a, sizeof(struct store_module));
	if (!ref)
		return;
	struct store_module *s = csprof_store_at(ref);
	s->name = csprof_store_string(a, m->name, strlen(m->name));
	if (m->build_id[0])
		s->build_id = csprof_store_string(a, m->build_id, strlen(m->build_id));
	s->virtual_address = m->virtual_address;
	s->mapped_address = m->mapped_address;
	s->extent = m->extent;
	store_ref *link = &epoch_at(epoch)->first_module;
	while (*link)
		link = &module_at(*link)->next;
	__atomic_store_n(link, ref, __ATOMIC_RELEASE);
}

static store_ref append_epoch(void)
{
	store_ref ref = csprof_malloc(&csprof_process.arena, sizeof(struct store_epoch));
	if (!ref)
		return 0;
	store_ref *link = &csprof_store_header()->first_epoch;
	while (*link)
		link = &epoch_at(*link)->next;
	__atomic_store_n(link, ref, __ATOMIC_RELEASE);
	return ref;
}

/* ---- one update ------------------------------------------------------------------- */

struct update {
	store_ref epoch; /* the one that is tried */
	bool clash;
};

static void check_one(const struct os_module *m, void *arg)
{
	struct update *u = arg;
	struct loaded now;
	if (u->clash)
		return;
	name_module(&now, m);
	u->clash = fits_epoch(u->epoch, &now) == CLASH;
}

static void add_one(const struct os_module *m, void *arg)
{
	struct update *u = arg;
	struct loaded now;
	name_module(&now, m);
	if (fits_epoch(u->epoch, &now) == APART)
		append_module(u->epoch, &now);
}

static bool can_use(store_ref epoch)
{
	struct update u = {.epoch = epoch};
	os_modules(check_one, &u);
	return !u.clash;
}

/* An epoch in which every module that is loaded now has its place: the current one,
 * one of the latest, or a new one. So a program that loads and unloads the same
 * plugins for ever does not make epochs for ever. */
static store_ref choose_epoch(void)
{
	store_ref now = csprof_process.epoch;
	if (now && can_use(now))
		return now;
	store_ref latest[TRY_EPOCHS];
	uint32_t n = 0;
	for (store_ref e = csprof_store_header()->first_epoch; e; e = epoch_at(e)->next)
		latest[n++ % TRY_EPOCHS] = e;
	for (uint32_t i = 0; i < n && i < TRY_EPOCHS; i++) {
		store_ref e = latest[(n - 1 - i) % TRY_EPOCHS];
		if (e != now && can_use(e))
			return e;
	}
	return append_epoch();
}

struct alive {
	const struct store_module *module;
	bool found;
};

static void find_alive(const struct os_module *m, void *arg)
{
	struct alive *a = arg;
	a->found |= m->mapped_address == a->module->mapped_address;
}

static void list_dead(store_ref epoch)
{
	uint32_t n = 0;
	atomic_store(&num_dead, 0);
	for (struct store_module *s = module_at(epoch_at(epoch)->first_module); s && n < MAX_DEAD;
	     s = module_at(s->next)) {
		struct alive a = {.module = s};
		os_modules(find_alive, &a);
		if (a.found || same_text(s->name, CSP_MODULE_ANONYMOUS))
			continue;
		dead[n].low = s->mapped_address;
		dead[n].high = s->mapped_address + s->extent;
		n++;
	}
	atomic_store(&num_dead, n);
}

void csprof_epoch_get_loaded_modules(void)
{
	csprof_lock();
	uint64_t changes = os_module_changes();
	if (changes != seen_changes || !csprof_process.epoch) {
		store_ref epoch = choose_epoch();
		if (epoch) {
			struct update u = {.epoch = epoch};
			os_modules(add_one, &u);
			list_dead(epoch);
			seen_changes = changes;
			atomic_store_explicit(&csprof_process.epoch, epoch, memory_order_release);
		}
		csprof_cpu.set_generation(++generation);
	}
	csprof_unlock();
}

static void add_range(uintptr_t low, uintptr_t high, void *arg)
{
	(void)arg;
	struct loaded m = {.name = CSP_MODULE_ANONYMOUS,
			   .virtual_address = low,
			   .mapped_address = low,
			   .extent = high - low};
	if (fits_epoch(csprof_process.epoch, &m) == APART)
		append_module(csprof_process.epoch, &m);
}

void csprof_epoch_add_anonymous(void)
{
	if (csprof_process.epoch)
		os_anonymous_code(add_range, NULL);
}

void csprof_epoch_change_begin(void)
{
	atomic_fetch_add(&changing, 1);
}

void csprof_epoch_change_end(void)
{
	atomic_fetch_sub(&changing, 1);
}

bool csprof_epoch_changing(void)
{
	return atomic_load_explicit(&changing, memory_order_relaxed) > 0 &&
	       atomic_load_explicit(&num_dead, memory_order_acquire) > 0;
}

bool csprof_epoch_doubtful(uintptr_t ip)
{
	uint32_t n = atomic_load_explicit(&num_dead, memory_order_acquire);
	for (uint32_t i = 0; i < n; i++)
		if (ip >= dead[i].low && ip < dead[i].high)
			return true;
	return false;
}

void csprof_epoch_reset(void)
{
	csprof_process.epoch = 0;
	atomic_store(&changing, 0);
	atomic_store(&num_dead, 0);
	seen_changes = 0;
}
