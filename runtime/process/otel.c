/* The names of the threads' attributes are in the process's context, which the program writes anew
 * when there are more. It then gives the memory its name again, by prctl, which we see; if it does
 * that without libc, we look for the memory when a thread has an attribute without a name.
 *
 * What was read remains in memory that handlers use without a lock, and is never changed. */
#include "runtime/process/otel.h"

#include "formats/identity/label_list.h"
#include "formats/identity/otel.h"
#include "runtime/base/options.h"
#include "runtime/csprof.h"
#include "runtime/os/os.h"
#include "runtime/process/labels.h"
#include "runtime/sample/epoch.h"
#include "runtime/sample/fault.h"
#include "runtime/sandboxes/seccomp.h"

#include <string.h>

struct kept_text {
	_Atomic uint64_t numbered; /* see csprof_name_value */
	uint32_t n;
	bool is_number, is_id;
	char at[];
};

struct pair {
	struct kept_text *key, *value;
};

enum { OF_PROCESS = 8, OF_THREAD = CSPROF_OTEL_LABELS - OF_PROCESS - 2 };

struct attributes {
	uint32_t n;
	struct pair at[OF_PROCESS];
};

/* What the process has published: one for each place where it did. */
struct published {
	uintptr_t header;
	_Atomic uint64_t time; /* of what was read */
	struct kept_text *_Atomic keys[OTEL_KEYS];
	struct attributes *_Atomic attributes; /* NULL: none */
};

static struct published *_Atomic published;
static _Atomic(uintptr_t) named;   /* where the header is; 0: not known */
static atomic_bool changed;        /* the program has named it since */
static _Atomic uint64_t next_look; /* not before that, by the monotonic clock */
static atomic_bool reading;        /* by one thread at a time */

/* ---- memory that remains: of whoever reads ---------------------------------------------- */

static struct {
	uint8_t *at;
	size_t left;
	uint32_t pieces;
} pool;

static void *take(size_t bytes)
{
	enum { PIECE = 16 * 1024, MOST_PIECES = 16, ALIGN = 8 };
	bytes = (bytes + ALIGN - 1) & ~(size_t)(ALIGN - 1);
	if (pool.left < bytes && bytes <= PIECE && pool.pieces < MOST_PIECES) {
		pool.at = os_map(PIECE);
		pool.left = pool.at ? PIECE : 0;
		pool.pieces++;
	}
	if (pool.left < bytes)
		return NULL;
	pool.left -= bytes;
	pool.at += bytes;
	return pool.at - bytes;
}

static struct kept_text *make_text(struct otel_text from, size_t most)
{
	size_t n = strnlen(from.at, from.n < most ? from.n : most);
	struct kept_text *t = take(sizeof *t + n + 1);
	if (!t)
		return NULL;
	t->n = (uint32_t)n;
	memcpy(t->at, from.at, n);
	t->at[n] = '\0';
	t->is_number = label_list_is_number(t->at);
	t->is_id = otel_is_id(from);
	return t;
}

static bool is_same(const struct kept_text *t, struct otel_text text, size_t most)
{
	size_t n = strnlen(text.at, text.n < most ? text.n : most);
	return t->n == n && memcmp(t->at, text.at, n) == 0;
}

/* ---- reading what the process has published --------------------------------------------- */

/* A copy of the program's memory, which may not be there, by csprof_attempt. */
struct copy {
	void *to;
	const void *from;
	size_t n;
};

static void do_copy(csprof_state_t *state, void *arg)
{
	const struct copy *c = arg;
	(void)state;
	memcpy(c->to, c->from, c->n);
}

static bool copy(csprof_state_t *state, void *to, uintptr_t from, size_t n)
{
	struct copy c = {to, (const void *)from, n};
	return csprof_attempt(state, do_copy, &c);
}

static bool read_header(csprof_state_t *state, uintptr_t at, struct otel_header *h)
{
	enum { MOST = 64 * 1024 };
	return copy(state, h, at, sizeof *h) &&
	       memcmp(h->signature, OTEL_NAME, sizeof h->signature) == 0 &&
	       h->version == OTEL_VERSION && h->payload_bytes <= MOST;
}

/* A payload as it was while the header did not change. Returns the bytes, mapped, or NULL. */
static void *read_payload(csprof_state_t *state, uintptr_t at, struct otel_header *h)
{
	enum { TRIES = 3 };
	for (int i = 0; i < TRIES && read_header(state, at, h) && h->published; i++) {
		struct otel_header after = {.published = 0};
		void *bytes = os_map(h->payload_bytes + 1);
		if (!bytes)
			return NULL;
		if (copy(state, bytes, h->payload, h->payload_bytes) &&
		    read_header(state, at, &after) && after.published == h->published)
			return bytes;
		os_unmap(bytes, h->payload_bytes + 1);
	}
	return NULL;
}

struct reading {
	struct published *to;
	struct attributes wanted;
	bool is_other; /* the threads' contexts are not as described */
};

static bool is_wanted(struct otel_text key)
{
	for (const char *k = csprof_options.otel_keys; *k; k += strlen(k) + 1)
		if (strlen(k) == key.n && memcmp(k, key.at, key.n) == 0)
			return true;
	return false;
}

/* The text of the value before, if it is the same. */
static struct pair find_or_make(const struct published *p, struct otel_text key,
				struct otel_text value)
{
	const struct attributes *a = atomic_load(&p->attributes);
	for (uint32_t i = 0; a && i < a->n; i++)
		if (is_same(a->at[i].key, key, CSP_NAME_BYTES) &&
		    is_same(a->at[i].value, value, CSP_LABEL_BYTES))
			return a->at[i];
	return (struct pair){make_text(key, CSP_NAME_BYTES), make_text(value, CSP_LABEL_BYTES)};
}

static void take_attribute(void *context, struct otel_text key, struct otel_text value)
{
	static const char schema[] = "threadlocal.schema_version";
	struct reading *r = context;
	if (key.n == strlen(schema) && memcmp(key.at, schema, key.n) == 0)
		r->is_other = value.n < 3 || memcmp(value.at, "tls", 3) != 0;
	if (r->wanted.n == OF_PROCESS || value.n == 0 || !is_wanted(key))
		return;
	struct pair pair = find_or_make(r->to, key, value);
	if (pair.key && pair.value)
		r->wanted.at[r->wanted.n++] = pair;
}

static void take_key(void *context, uint32_t number, struct otel_text name)
{
	struct reading *r = context;
	if (name.n && !atomic_load(&r->to->keys[number]))
		atomic_store(&r->to->keys[number], make_text(name, CSP_NAME_BYTES));
}

static bool is_equal(const struct attributes *a, const struct attributes *b)
{
	return a->n == b->n && memcmp(a->at, b->at, a->n * sizeof *a->at) == 0;
}

static void put_attributes(struct published *p, const struct attributes *new)
{
	const struct attributes *old = atomic_load(&p->attributes);
	if (old ? is_equal(old, new) : new->n == 0)
		return;
	struct attributes *made = take(sizeof *made);
	if (made)
		memcpy(made, new, sizeof *made);
	atomic_store(&p->attributes, made);
}

static struct published *published_at(uintptr_t header)
{
	struct published *p = atomic_load(&published);
	if (p && p->header == header)
		return p;
	p = take(sizeof *p);
	if (p)
		p->header = header;
	return p;
}

/* Read what is published, unless another thread, or what this one has interrupted, does that. */
static void refresh(csprof_state_t *state)
{
	struct otel_header h = {.published = 0};
	if (atomic_exchange(&reading, true))
		return;
	atomic_store(&changed, false);
	uintptr_t at = atomic_load(&named);
	void *payload = at ? read_payload(state, at, &h) : NULL;
	struct reading r = {.to = payload ? published_at(at) : NULL};
	if (r.to) {
		const struct otel_process out = {take_attribute, take_key, &r};
		otel_process_read(payload, h.payload_bytes, &out);
		put_attributes(r.to, &r.wanted);
		for (uint32_t i = 0; r.is_other && i < OTEL_KEYS; i++)
			atomic_store(&r.to->keys[i], NULL);
		atomic_store(&r.to->time, h.published);
		atomic_store(&published, r.to);
	}
	if (payload)
		os_unmap(payload, h.payload_bytes + 1);
	atomic_store(&reading, false);
}

void csprof_otel_named(uintptr_t at, const char *name)
{
	if (!csprof_options.otel || !name || csprof_confined() || !os_readable((uintptr_t)name) ||
	    !os_readable((uintptr_t)name + sizeof OTEL_NAME - 1) || strcmp(name, OTEL_NAME) != 0)
		return;
	csprof_epoch_add_notes();
	atomic_store(&named, at);
	atomic_store(&changed, true);
	if (csprof_own_begin()) { /* else before the next sample */
		refresh(csprof_self);
		csprof_own_end();
	}
}

/* A thread has an attribute whose name is not known. */
static void look_again(csprof_state_t *state, const struct published *p)
{
	enum { REST = 100 }; /* pause after a lookup, as a multiple of its cost: at most 1% */
	struct otel_header h = {.published = 0};
	if (p && p->header && read_header(state, p->header, &h)) {
		if (h.published != atomic_load(&p->time))
			refresh(state);
		return;
	}
	uint64_t now = os_clock_mono();
	uint64_t next = atomic_load(&next_look);
	if (now < next || !atomic_compare_exchange_strong(&next_look, &next, UINT64_MAX))
		return;
	atomic_store(&named, os_mapping_named(OTEL_NAME));
	refresh(state);
	uint64_t after = os_clock_mono();
	atomic_store(&next_look, after + REST * (after - now));
}

/* ---- the thread's ----------------------------------------------------------------------- */

/* The variables with that name. The turn is odd while they are written. */
static struct {
	_Atomic uint32_t turn;
	uint32_t n;
	struct os_tls at[OS_TLS_MOST];
} variables;

static void put_variables(const struct os_tls found[OS_TLS_MOST], uint32_t n)
{
	atomic_fetch_add(&variables.turn, 1);
	variables.n = n;
	memcpy(variables.at, found, n * sizeof *found);
	atomic_fetch_add(&variables.turn, 1);
}

/* How many there are; 0 also while they are written. */
static uint32_t get_variables(struct os_tls out[OS_TLS_MOST])
{
	uint32_t turn = atomic_load(&variables.turn), n = variables.n;
	if (n == 0)
		return 0;
	memcpy(out, variables.at, sizeof variables.at);
	atomic_thread_fence(memory_order_acquire);
	return turn % 2 == 0 && atomic_load(&variables.turn) == turn ? n : 0;
}

void csprof_otel_look(void)
{
	static _Atomic uint64_t seen; /* written under the lock */
	enum { TRIES = 8 };
	bool done = !csprof_options.otel_threads;
	for (int i = 0; !done && i < TRIES; i++) {
		struct os_tls found[OS_TLS_MOST];
		uint64_t changes = os_module_changes();
		if (changes == atomic_load(&seen))
			return;
		uint32_t n = os_tls_find(OTEL_THREAD_VARIABLE, found);
		csprof_lock();
		done = os_module_changes() == changes;
		if (done && (n || variables.n))
			put_variables(found, n);
		if (done)
			atomic_store(&seen, changes);
		csprof_unlock();
		if (done && n)
			csprof_epoch_add_notes();
	}
}

/* A valid record with its attributes, as far as there is room. */
struct thread_context {
	struct otel_record head;
	uint8_t attributes[OTEL_RECORD_BYTES - sizeof(struct otel_record)];
	size_t n;
	struct os_tls variables[OS_TLS_MOST];
	uint32_t num_variables;
	bool valid;
};

static void read_context(csprof_state_t *state, void *arg)
{
	struct thread_context *c = arg;
	(void)state;
	for (uint32_t i = 0; i < c->num_variables && !c->valid; i++) {
		const uint8_t *const *pointer = os_tls_address(&c->variables[i]);
		const uint8_t *at = pointer ? *pointer : NULL;
		if (!at)
			continue;
		memcpy(&c->head, at, sizeof c->head);
		if (c->head.valid != 1)
			continue;
		size_t n = c->head.bytes;
		c->n = n < sizeof c->attributes ? n : sizeof c->attributes;
		memcpy(c->attributes, at + sizeof c->head, c->n);
		c->valid = true;
	}
}

/* ---- as labels -------------------------------------------------------------------------- */

static uint32_t number_of(struct kept_text *t)
{
	return csprof_name_value(&t->numbered, t->at, t->n);
}

/* key, value: numbers. A key has none if there was no room. */
static uint32_t put(uint64_t *ips, uint32_t n, enum csp_label_kind kind, uint64_t key,
		    uint64_t value)
{
	if (key == 0)
		return n;
	return csprof_labels_add(ips, n, csprof_label_ip(kind, key, value));
}

static enum csp_label_kind kind_of(bool is_number)
{
	return is_number ? CSP_LABEL_NUMBER : CSP_LABEL_TEXT;
}

static uint32_t put_process(const struct published *p, uint64_t *ips)
{
	const struct attributes *a = p ? atomic_load(&p->attributes) : NULL;
	uint32_t n = 0;
	for (uint32_t i = 0; a && i < a->n; i++) {
		struct kept_text *value = a->at[i].value;
		n = put(ips, n, kind_of(value->is_number), number_of(a->at[i].key),
			number_of(value));
	}
	return n;
}

static struct kept_text *key_of(csprof_state_t *state, uint32_t number)
{
	const struct published *p = atomic_load(&published);
	struct kept_text *key = p ? atomic_load(&p->keys[number]) : NULL;
	if (key)
		return key;
	look_again(state, p);
	p = atomic_load(&published);
	return p ? atomic_load(&p->keys[number]) : NULL;
}

/* Whether a later attribute has that key. */
static bool is_replaced(const struct thread_context *c, size_t at, uint32_t key)
{
	struct otel_value later;
	while (otel_record_next(c->attributes, c->n, &at, &later))
		if (later.key == key)
			return true;
	return false;
}

static uint32_t put_value(uint64_t *ips, uint32_t n, struct kept_text *key, struct otel_text value)
{
	char text[CSP_LABEL_BYTES + 1];
	_Atomic uint64_t once = 0;
	size_t bytes = strnlen(value.at, value.n < CSP_LABEL_BYTES ? value.n : CSP_LABEL_BYTES);
	memcpy(text, value.at, bytes);
	text[bytes] = '\0';
	return put(ips, n, kind_of(label_list_is_number(text)), number_of(key),
		   csprof_name_value(&once, text, (uint32_t)bytes));
}

static uint32_t put_attributes_of(csprof_state_t *state, const struct thread_context *c,
				  uint64_t *ips, uint32_t n)
{
	struct otel_value v;
	size_t at = 0;
	uint32_t most = n + OF_THREAD;
	while (n < most && otel_record_next(c->attributes, c->n, &at, &v)) {
		if (v.value.n == 0 || is_replaced(c, at, v.key))
			continue;
		struct kept_text *key = key_of(state, v.key);
		if (key && (csprof_options.otel_ids || !key->is_id))
			n = put_value(ips, n, key, v.value);
	}
	return n;
}

/* Zeros: there is none. */
static uint32_t put_id(uint64_t *ips, uint32_t n, const char *name, const uint8_t *id, size_t bytes)
{
	static const char digits[] = "0123456789abcdef";
	_Atomic uint64_t key = 0, value = 0;
	char text[2 * sizeof((struct otel_record *)NULL)->trace];
	bool any = false;
	for (size_t i = 0; i < bytes; i++) {
		text[2 * i] = digits[id[i] >> 4];
		text[2 * i + 1] = digits[id[i] & 15];
		any |= id[i] != 0;
	}
	if (!any)
		return n;
	return put(ips, n, CSP_LABEL_TEXT, csprof_name_value(&key, name, (uint32_t)strlen(name)),
		   csprof_name_value(&value, text, (uint32_t)(2 * bytes)));
}

static uint32_t put_thread(csprof_state_t *state, uint64_t *ips, uint32_t n)
{
	struct thread_context c;
	c.valid = false;
	c.num_variables = get_variables(c.variables);
	if (!c.num_variables || !csprof_attempt(state, read_context, &c) || !c.valid)
		return n;
	n = put_attributes_of(state, &c, ips, n);
	if (csprof_options.otel_ids) {
		n = put_id(ips, n, "trace_id", c.head.trace, sizeof c.head.trace);
		n = put_id(ips, n, "span_id", c.head.span, sizeof c.head.span);
	}
	return n;
}

uint32_t csprof_otel_ips(csprof_state_t *state, uint64_t ips[CSPROF_OTEL_LABELS])
{
	if (atomic_load_explicit(&changed, memory_order_relaxed))
		refresh(state);
	uint32_t n = put_process(atomic_load(&published), ips);
	return variables.n ? put_thread(state, ips, n) : n;
}

void csprof_otel_in_child(void)
{
	struct published *p = atomic_load(&published);
	if (p) {
		p->header = 0;
		atomic_store(&p->attributes, NULL);
	}
	atomic_store(&named, 0);
	atomic_store(&next_look, 0);
	atomic_store(&changed, false);
	atomic_store(&reading, false);
}
