#include "runtime/process/labels.h"

#include "formats/identity/label_list.h"
#define HPCRUN_INTERFACE_ONLY
#include "runtime/hpcrun.h"
#include "runtime/os/os.h"
#include "runtime/sample/epoch.h"

#include <string.h>

static CSPROF_TOGETHER struct csprof_labels *kept;

static void set_n(struct csprof_labels *l, uint32_t n)
{
	atomic_signal_fence(memory_order_seq_cst);
	atomic_store_explicit(&l->n, n, memory_order_relaxed);
	atomic_signal_fence(memory_order_seq_cst);
}

static uint32_t get_n(const struct csprof_labels *l)
{
	return l ? atomic_load_explicit(&l->n, memory_order_relaxed) : 0;
}

/* The last one of a key, or n. */
static uint32_t find(const struct csprof_labels *l, const struct csprof_name *key)
{
	uint32_t n = get_n(l);
	for (uint32_t i = n; i > 0; i--)
		if (l->at[i - 1].key == key)
			return i - 1;
	return n;
}

static struct csprof_labels *labels_of(csprof_state_t *state)
{
	if (!state->labels) {
		state->labels = os_map(sizeof *state->labels);
		csprof_epoch_add_notes();
	}
	return state->labels;
}

/* A sample that comes while labels change is one of our own code, and has no labels. */
static void put(csprof_state_t *state, const char *key, enum csp_label_kind kind, const char *value,
		size_t bytes, bool push)
{
	struct csprof_labels *l = labels_of(state);
	struct csprof_name *name = l ? csprof_name_known(&l->known, key) : NULL;
	if (!name)
		return;
	uint32_t n = get_n(l), i = push ? n : find(l, name);
	if (i == CSPROF_LABELS_KEPT)
		return;
	struct csprof_label *label = &l->at[i];
	set_n(l, 0);
	label->key = name;
	label->kind = (uint8_t)kind;
	label->n = (uint8_t)bytes;
	memcpy(label->value, value, bytes);
	label->value[bytes] = '\0';
	atomic_store_explicit(&label->numbered, 0, memory_order_relaxed);
	set_n(l, i == n ? n + 1 : n);
}

static void take_away(csprof_state_t *state, const char *key)
{
	struct csprof_labels *l = state->labels;
	struct csprof_name *name = l ? csprof_name_known(&l->known, key) : NULL;
	uint32_t n = get_n(l), i = name ? find(l, name) : n;
	if (i == n)
		return;
	set_n(l, 0);
	if (i + 1 < n)
		memmove(&l->at[i], &l->at[i + 1], (n - i - 1) * sizeof *l->at);
	set_n(l, n - 1);
}

void csprof_label_text(const char *key, const char *value, bool push)
{
	csprof_state_t *state = csprof_self;
	if (!state || !key)
		return;
	if (value)
		put(state, key, CSP_LABEL_TEXT, value, strnlen(value, CSP_LABEL_BYTES), push);
	else
		take_away(state, key);
}

void csprof_label_number(const char *key, int64_t value, bool push)
{
	csprof_state_t *state = csprof_self;
	char digits[24] = "-";
	if (!state || !key)
		return;
	bool minus = value < 0;
	uint64_t size = minus ? -(uint64_t)value : (uint64_t)value;
	put(state, key, CSP_LABEL_NUMBER, digits, minus + csp_format_u64(digits + minus, size),
	    push);
}

void csprof_label_put(const char *key, enum csp_label_kind kind, const char *value)
{
	if (csprof_self)
		put(csprof_self, key, kind, value, strnlen(value, CSP_LABEL_BYTES), false);
}

/* ---- of other programs ----------------------------------------------------------------- */

size_t csprof_labels_list(char *list, size_t n)
{
	const struct csprof_labels *l = csprof_self ? csprof_self->labels : NULL;
	uint32_t num = get_n(l);
	for (uint32_t i = 0; i < num; i++)
		if (find(l, l->at[i].key) == i)
			n = label_list_add(list, n, l->at[i].key->text, l->at[i].value,
					   l->at[i].kind == CSP_LABEL_TEXT);
	return n;
}

/* ---- in samples ---------------------------------------------------------------------- */

static uint64_t ip_of(struct csprof_label *label)
{
	return csprof_label_ip(label->kind, csprof_name_number(label->key),
			       csprof_name_value(&label->numbered, label->value, label->n));
}

static uint64_t key_of(uint64_t ip)
{
	return ip >> CSP_NOTE_SHIFT & (CSP_NAMES - 1);
}

uint32_t csprof_labels_ips(const csprof_state_t *state, uint64_t *ips, uint32_t n)
{
	struct csprof_labels *l = state->labels;
	for (uint32_t i = 0, num = get_n(l); i < num; i++)
		if (find(l, l->at[i].key) == i) /* else another one is in force */
			n = csprof_labels_add(ips, n, ip_of(&l->at[i]));
	return n;
}

uint32_t csprof_labels_add(uint64_t *ips, uint32_t n, uint64_t ip)
{
	uint32_t k = 0;
	while (k < n && key_of(ips[k]) < key_of(ip))
		k++;
	bool there = k < n && key_of(ips[k]) == key_of(ip);
	for (uint32_t i = n; !there && i > k; i--)
		ips[i] = ips[i - 1];
	ips[k] = ip;
	return there ? n : n + 1;
}

uint64_t csprof_label_fixed(struct hpcrun_fixed_label *label)
{
	_Static_assert(sizeof(_Atomic uint64_t) == sizeof label->internal[1], "its number");
	struct csprof_name *key =
	    (struct csprof_name *)__atomic_load_n(&label->internal[0], __ATOMIC_RELAXED);
	if (!key) {
		key = label->key && label->value ? csprof_name_of(label->key) : NULL;
		if (!key)
			return 0;
		csprof_epoch_add_notes();
		__atomic_store_n(&label->internal[0], (uintptr_t)key, __ATOMIC_RELAXED);
	}
	uint64_t value = csprof_name_value((_Atomic uint64_t *)&label->internal[1], label->value,
					   (uint32_t)strnlen(label->value, CSP_LABEL_BYTES));
	return csprof_label_ip(CSP_LABEL_TEXT, csprof_name_number(key), value);
}

/* ---- threads and processes ------------------------------------------------------------ */

struct csprof_labels *csprof_labels_copy(void)
{
	csprof_state_t *state = csprof_self;
	if (!state || get_n(state->labels) == 0)
		return NULL;
	struct csprof_labels *copy = os_map(sizeof *copy);
	csprof_saying_begin(state);
	if (copy)
		memcpy(copy, state->labels, sizeof *copy);
	csprof_saying_end(state);
	return copy;
}

void csprof_labels_free(struct csprof_labels *labels)
{
	if (labels)
		os_unmap(labels, sizeof *labels);
}

void csprof_labels_keep(csprof_state_t *state)
{
	kept = state->labels;
	state->labels = NULL;
}

void csprof_labels_begin(csprof_state_t *state)
{
	state->labels = kept;
	kept = NULL;
}

void csprof_labels_deinit(csprof_state_t *state)
{
	csprof_labels_free(state->labels);
	state->labels = NULL;
}
