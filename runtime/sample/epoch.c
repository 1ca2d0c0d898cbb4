#include "runtime/sample/epoch.h"

#include "runtime/interpreters/interpreters.h"
#include "runtime/os/os.h"
#include "runtime/process/state.h"
#include "runtime/trees/output.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DEAD = 64, TRY_EPOCHS = 64 };

/* The former addresses of unloaded modules of the current epoch. Handlers read it while changing
 * > 0. */
static struct {
	uintptr_t low, high;
} dead[MAX_DEAD];
static CSPROF_TOGETHER _Atomic(uint32_t) num_dead;
static CSPROF_TOGETHER atomic_uint changing; /* number of threads in dlopen */
static atomic_uint generation;
static _Atomic(uint64_t) seen_changes;

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

static void copy_path(char *out, const char *path)
{
	size_t n = strnlen(path, PATH_MAX - 1);
	memcpy(out, path, n);
	out[n] = '\0';
}

/* The name of a module in the datafile. out has PATH_MAX bytes. */
static void name_module(char *out, const struct os_module *m)
{
	if (m->vdso)
		memcpy(out, CSP_MODULE_VDSO, sizeof CSP_MODULE_VDSO);
	else if (m->name[0] == '\0')
		copy_path(out, csprof_output_executable());
	else if (m->name[0] == '/' || os_real_path(m->name, out, PATH_MAX) < 0)
		copy_path(out, m->name);
}

/* The relation of a loaded module to one of an epoch. */
enum fit { APART, SAME, CLASH };

static enum fit fits(const struct store_module *s, const struct os_module *m)
{
	char name[PATH_MAX];
	if (m->mapped_address >= s->mapped_address + s->extent ||
	    s->mapped_address >= m->mapped_address + m->extent)
		return APART;
	if (s->mapped_address != m->mapped_address || s->extent != m->extent ||
	    s->virtual_address != m->virtual_address)
		return CLASH;
	if (m->build_id[0])
		return same_text(s->build_id, m->build_id) ? SAME : CLASH;
	/* The content is not read again each time that the list changes: the name says enough. */
	name_module(name, m);
	return same_text(s->name, name) ? SAME : CLASH;
}

/* A comparison of an epoch with the loader's list. Both have nearly the same order, so the
 * module after the last match is tried first; else the cost of dlopen would grow with the square
 * of the number of modules. */
struct update {
	store_ref epoch;
	bool clash;
	size_t ranges;                   /* modules that the unwinder's table must contain */
	const struct store_module *next; /* module to try first, or NULL */
};

/* SAME: the epoch contains m. CLASH: it has something else at m's address. */
static enum fit fits_epoch(struct update *u, const struct os_module *m)
{
	if (u->next && fits(u->next, m) == SAME) { /* modules of an epoch never overlap */
		u->next = module_at(u->next->next);
		return SAME;
	}
	for (struct store_module *s = module_at(epoch_at(u->epoch)->first_module); s;
	     s = module_at(s->next)) {
		enum fit f = fits(s, m);
		if (f == SAME)
			u->next = module_at(s->next);
		if (f != APART)
			return f;
	}
	return APART;
}

/* Append m to the epoch's list, under that name. */
static void append_module(store_ref epoch, const struct os_module *m, const char *name)
{
	struct csprof_arena *a = &csprof_process.arena;
	store_ref ref = csprof_malloc(a, sizeof(struct store_module));
	if (!ref)
		return;
	struct store_module *s = csprof_store_at(ref);
	const char *id = m->build_id;
	char content[CONTENT_ID_BYTES];
	if (!id[0]) {
		os_module_content(m, content);
		id = content;
	}
	s->name = csprof_store_string(a, name, strlen(name));
	if (id[0])
		s->build_id = csprof_store_string(a, id, strlen(id));
	s->virtual_address = m->virtual_address;
	s->mapped_address = m->mapped_address;
	s->extent = m->extent;
	store_ref *link = &epoch_at(epoch)->first_module;
	while (*link)
		link = &module_at(*link)->next;
	__atomic_store_n(link, ref, __ATOMIC_RELEASE);
}

/* Modules that are no files: see formats/identity. */
static const struct os_module kernel_module = {.name = "",
					       .virtual_address = CSP_KERNEL_BASE,
					       .mapped_address = CSP_KERNEL_BASE,
					       .extent = CSP_KERNEL_EXTENT};
static const struct os_module region_module = {.name = "",
					       .virtual_address = CSP_REGION_BASE,
					       .mapped_address = CSP_REGION_BASE,
					       .extent = CSP_NOTE_EXTENT};
static const struct os_module label_module = {.name = "",
					      .virtual_address = CSP_LABEL_BASE,
					      .mapped_address = CSP_LABEL_BASE,
					      .extent = CSP_NOTE_EXTENT};
static bool has_notes; /* the program has used them; under the lock */

static bool is_no_memory(uintptr_t mapped)
{
	return mapped == CSP_KERNEL_BASE || mapped == CSP_REGION_BASE || mapped == CSP_LABEL_BASE;
}

static void append_notes(store_ref epoch)
{
	append_module(epoch, &region_module, CSP_MODULE_REGION);
	append_module(epoch, &label_module, CSP_MODULE_LABEL);
}

static store_ref append_epoch(void)
{
	store_ref ref = csprof_malloc(&csprof_process.arena, sizeof(struct store_epoch));
	if (!ref)
		return 0;
	append_module(ref, &kernel_module, CSP_MODULE_KERNEL);
	if (has_notes)
		append_notes(ref);
	store_ref *link = &csprof_store_header()->first_epoch;
	while (*link)
		link = &epoch_at(*link)->next;
	__atomic_store_n(link, ref, __ATOMIC_RELEASE);
	return ref;
}

void csprof_epoch_add_notes(void)
{
	csprof_lock();
	if (!has_notes && csprof_process.epoch) {
		has_notes = true;
		append_notes(csprof_process.epoch);
	}
	csprof_unlock();
}

/* ---- one update ------------------------------------------------------------------- */

enum { MAX_ALIVE = 4096 };

/* Where modules are mapped now. If there are more, none is considered unloaded. */
static CSPROF_LARGE uintptr_t alive[MAX_ALIVE];
static size_t num_alive;

static void check_one(const struct os_module *m, void *arg)
{
	struct update *u = arg;
	if (!u->clash)
		u->clash = fits_epoch(u, m) == CLASH;
}

static bool needs_range(const struct os_module *m)
{
	return m->gaps || csprof_unwind_needs_modules();
}

static void add_one(const struct os_module *m, void *arg)
{
	struct update *u = arg;
	char name[PATH_MAX];
	if (fits_epoch(u, m) == APART) {
		name_module(name, m);
		append_module(u->epoch, m, name);
	}
	if (num_alive < MAX_ALIVE)
		alive[num_alive++] = m->mapped_address;
	csprof_interpreters_look(m);
	u->ranges += needs_range(m);
}

static bool can_use(store_ref epoch)
{
	struct update u = {.epoch = epoch};
	os_modules(check_one, &u);
	return !u.clash;
}

/* Choose an epoch that does not contradict the modules that are loaded now: the current one, one
 * of the latest, or a new one. So a program that repeatedly loads and unloads the same plugins
 * does not create more and more epochs. */
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

/* *from: the index after the last match, as in struct update. */
static bool is_alive(uintptr_t mapped_address, size_t *from)
{
	for (size_t n = 0; n < num_alive; n++) {
		size_t i = (*from + n) % num_alive;
		if (alive[i] == mapped_address) {
			*from = i + 1;
			return true;
		}
	}
	return num_alive == MAX_ALIVE;
}

static void list_dead(store_ref epoch)
{
	uint32_t n = 0;
	size_t from = 0;
	atomic_store(&num_dead, 0);
	for (struct store_module *s = module_at(epoch_at(epoch)->first_module); s && n < MAX_DEAD;
	     s = module_at(s->next)) {
		if (is_alive(s->mapped_address, &from) || is_no_memory(s->mapped_address) ||
		    same_text(s->name, CSP_MODULE_ANONYMOUS))
			continue;
		dead[n].low = s->mapped_address;
		dead[n].high = s->mapped_address + s->extent;
		n++;
	}
	atomic_store(&num_dead, n);
}

/* ---- the unwinder's table --------------------------------------------------------
 *
 * For modules with gaps the C library reports one segment at a time, and an old C library
 * reports nothing. The unwinder finds these modules in our table. */

static void put_range(const struct os_module *m, void *arg)
{
	struct csprof_module_table *table = arg;
	size_t i = table->count;
	if (!needs_range(m) || i == num_alive)
		return; /* no room: it was loaded just now, and the next update has it */
	while (i > 0 && table->range[i - 1].start > m->mapped_address) {
		table->range[i] = table->range[i - 1];
		i--;
	}
	table->range[i] = (struct csprof_module_range){
	    m->mapped_address, m->mapped_address + m->extent, m->eh_frame_hdr};
	table->count++;
}

static size_t table_bytes(const struct csprof_module_table *table)
{
	return sizeof *table + table->count * sizeof table->range[0];
}

static bool same_table(const struct csprof_module_table *a, const struct csprof_module_table *b)
{
	return a->count == b->count && memcmp(a, b, table_bytes(a)) == 0;
}

/* Old tables stay readable, because a handler may be using any of them. A program that
 * repeatedly loads and unloads the same modules has only few. */
static void tell_unwinder(size_t ranges)
{
	enum { REMEMBERED = 64 };
	static const struct csprof_module_table *told, *before[REMEMBERED];
	static uint32_t next;
	if (!told && ranges == 0)
		return;
	size_t bytes = sizeof *told + num_alive * sizeof told->range[0];
	struct csprof_module_table *table = os_map(bytes);
	if (!table)
		return;
	os_modules(put_range, table);
	const struct csprof_module_table *same = NULL;
	for (uint32_t i = 0; i < REMEMBERED && !same; i++)
		if (before[i] && same_table(before[i], table))
			same = before[i];
	if (same) {
		os_unmap(table, bytes);
	} else {
		before[next++ % REMEMBERED] = table;
		same = table;
	}
	if (same && same != told)
		csprof_unwind_set_modules(told = same);
}

bool csprof_epoch_is_old(void)
{
	return os_module_changes() != seen_changes;
}

void csprof_epoch_update(void)
{
	uint64_t changes = os_module_changes();
	if (changes != seen_changes || !csprof_process.epoch) {
		store_ref epoch = choose_epoch();
		if (epoch) {
			struct update u = {.epoch = epoch};
			num_alive = 0;
			csprof_interpreters_begin_look();
			os_modules(add_one, &u);
			csprof_interpreters_end_look();
			list_dead(epoch);
			tell_unwinder(u.ranges);
			seen_changes = changes;
			atomic_store_explicit(&csprof_process.epoch, epoch, memory_order_release);
		}
		csprof_cpu.set_generation(++generation);
	}
}

unsigned csprof_epoch_generation(void)
{
	return atomic_load_explicit(&generation, memory_order_relaxed);
}

void csprof_epoch_get_loaded_modules(void)
{
	csprof_lock();
	if (csprof_store_header()) /* the measurement may just have ended */
		csprof_epoch_update();
	csprof_unlock();
}

static bool stands_in(const struct store_module *s, uintptr_t low, uintptr_t high)
{
	return low < s->mapped_address + s->extent && s->mapped_address < high;
}

/* A module of epoch that overlaps [low, high), or 0. */
static store_ref covering_module(store_ref epoch, uintptr_t low, uintptr_t high)
{
	for (store_ref ref = epoch_at(epoch)->first_module; ref; ref = module_at(ref)->next)
		if (stands_in(module_at(ref), low, high))
			return ref;
	return 0;
}

/* The module of the frame that was looked up last, for each of some parts of the address space:
 * epoch << 32 | module. */
enum { HITS = 64, PART_BITS = 16 };
static CSPROF_TOGETHER _Atomic(uint64_t) last_hits[HITS];

static void add_range(uintptr_t low, uintptr_t high, void *arg)
{
	(void)arg;
	struct os_module m = {
	    .name = "", .virtual_address = low, .mapped_address = low, .extent = high - low};
	if (!covering_module(csprof_process.epoch, low,
			     high)) /* else it is a module's own memory, or known already */
		append_module(csprof_process.epoch, &m, CSP_MODULE_ANONYMOUS);
}

/* A sample found code that no module covers, and it was not looked up since. */
static CSPROF_TOGETHER atomic_bool unknown_code;

void csprof_epoch_add_anonymous(void)
{
	if (!csprof_process.epoch)
		return;
	atomic_store(&unknown_code, false);
	os_anonymous_code(add_range, NULL);
}

void csprof_epoch_add_missed(void)
{
	if (atomic_load(&unknown_code))
		csprof_epoch_add_anonymous();
}

void csprof_epoch_notice_code(uintptr_t ip)
{
	enum { REST = 100 }; /* pause after a lookup, as a multiple of its cost: at most 1% */
	static _Atomic(uint64_t) next_look;
	store_ref epoch = atomic_load_explicit(&csprof_process.epoch, memory_order_acquire);
	_Atomic(uint64_t) *last_hit = &last_hits[(ip >> PART_BITS) % HITS];
	uint64_t hit = atomic_load_explicit(last_hit, memory_order_relaxed);
	if (hit >> 32 == epoch && stands_in(module_at((store_ref)hit), ip, ip + 1))
		return; /* the common case */
	store_ref module = covering_module(epoch, ip, ip + 1);
	if (module) {
		atomic_store_explicit(last_hit, (uint64_t)epoch << 32 | module,
				      memory_order_relaxed);
		return;
	}
	atomic_store(&unknown_code, true);
	uint64_t now = os_clock_mono();
	if (now < atomic_load(&next_look) || !csprof_try_lock())
		return;
	csprof_epoch_add_anonymous();
	uint64_t after = os_clock_mono();
	atomic_store(&next_look, after + REST * (after - now));
	csprof_unlock();
}

/* The outermost dlopen that this thread is in. cfa 0: it is in none. A forked child inherits it. */
static __thread struct {
	uintptr_t cfa, caller;
} opening;

void csprof_epoch_change_begin(uintptr_t cfa, uintptr_t caller)
{
	if (cfa < opening.cfa)
		return;             /* nested in another dlopen */
	csprof_epoch_change_left(); /* the earlier dlopen was left without end */
	atomic_fetch_add(&changing, 1);
	opening.caller = caller;
	__atomic_store_n(&opening.cfa, cfa, __ATOMIC_RELEASE);
}

void csprof_epoch_change_end(uintptr_t cfa)
{
	if (cfa == opening.cfa)
		csprof_epoch_change_left();
}

/* A sample of this thread may interrupt this function. */
void csprof_epoch_change_left(void)
{
	if (__atomic_exchange_n(&opening.cfa, 0, __ATOMIC_ACQ_REL))
		atomic_fetch_sub(&changing, 1);
}

void csprof_epoch_change_look(const struct csprof_frame *frames, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (frames[i].sp == opening.cfa && frames[i].ip == opening.caller)
			return;
	csprof_epoch_change_left();
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

/* ---- fork ---------------------------------------------------------------------- */

/* The object at ref, or NULL if it is not in the blocks that the parent had when it forked. The
 * memory is still shared with the parent, which continues and may add modules. */
static const void *known(store_ref ref, size_t bytes)
{
	struct store_view view = csprof_store_view();
	return ref ? store_at(&view, ref, bytes) : NULL;
}

static const struct store_string *known_string(store_ref ref)
{
	const struct store_string *s = known(ref, sizeof *s);
	return s ? known(ref, sizeof *s + s->n) : NULL;
}

static const struct store_module *next_module(const struct store_module *m)
{
	const struct store_epoch *epoch = m ? NULL : known(csprof_process.epoch, sizeof *epoch);
	store_ref ref = m ? m->next : epoch ? epoch->first_module : 0;
	m = known(ref, sizeof *m);
	return m && known_string(m->name) ? m : NULL;
}

enum { FEW_KEPT = 2048 }; /* the modules of a small program */

/* A module of the kept epoch, followed by its name. */
struct kept_module {
	struct os_module m;
	size_t bytes; /* with the name and its NUL; 0: end of the list */
	char name[];
};

static size_t kept_bytes(const struct store_string *name)
{
	return (sizeof(struct kept_module) + name->n + 1 + 15) & ~(size_t)15;
}

static struct kept_module *behind(struct kept_module *k)
{
	return (struct kept_module *)((uint8_t *)k + k->bytes);
}

struct csprof_kept_epoch csprof_epoch_keep(void)
{
	const struct store_module *s = NULL;
	struct csprof_kept_epoch kept = {.bytes = sizeof(struct kept_module)};
	while ((s = next_module(s)))
		kept.bytes += kept_bytes(known_string(s->name));
	size_t left = kept.bytes - sizeof(struct kept_module);
	static CSPROF_TOGETHER _Alignas(16) uint8_t few[FEW_KEPT];
	kept.mapped = kept.bytes > sizeof few;
	struct kept_module *k = kept.memory = kept.mapped ? os_map(kept.bytes) : few;
	if (!k)
		return kept;
	if (!kept.mapped)
		memset(few, 0, kept.bytes);
	for (; (s = next_module(s)); k = behind(k)) {
		const struct store_string *name = known_string(s->name);
		const struct store_string *id = known_string(s->build_id);
		if (kept_bytes(name) > left)
			break; /* added by the parent after the sizes were summed up */
		k->bytes = kept_bytes(name);
		left -= k->bytes;
		memcpy(k->name, name->bytes, name->n);
		if (id)
			memcpy(k->m.build_id, id->bytes, id->n);
		k->m.virtual_address = s->virtual_address;
		k->m.mapped_address = s->mapped_address;
		k->m.extent = s->extent;
	}
	return kept;
}

void csprof_epoch_drop(struct csprof_kept_epoch kept)
{
	if (kept.mapped && kept.memory)
		os_unmap(kept.memory, kept.bytes);
}

void csprof_epoch_forget(void)
{
	atomic_store(&csprof_process.epoch, 0);
	atomic_store(&num_dead, 0);
	for (int i = 0; i < HITS; i++)
		atomic_store_explicit(&last_hits[i], 0, memory_order_relaxed);
	atomic_store(&unknown_code, false);
}

void csprof_epoch_restore(struct csprof_kept_epoch kept)
{
	store_ref epoch = kept.memory ? append_epoch() : 0;
	for (struct kept_module *k = kept.memory; epoch && k->bytes; k = behind(k))
		append_module(epoch, &k->m, k->name);
	csprof_epoch_drop(kept);
	atomic_store(&changing, opening.cfa != 0);
	atomic_store_explicit(&csprof_process.epoch, epoch, memory_order_release);
}
