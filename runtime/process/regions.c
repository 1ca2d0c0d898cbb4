/* How often a region was entered is counted in the tree of complete paths, in nodes below its root:
 * one for each region in others (formats/identity/notes.h). So these counts are merged, written and
 * recovered like all others.
 *
 * A count is added while `counting` is set: whoever moves the trees of a thread waits for that, as
 * for `busy` (csprof_thread_wait_idle). It is not `busy` itself, because a handler of the program
 * may leave by longjmp just then, and no sample would be taken any more. */
#include "runtime/process/regions.h"

#include "formats/identity/label_list.h"
#include "formats/identity/notes.h"
#include "runtime/cpu/slots.h"
#include "runtime/csprof.h"
#include "runtime/os/os.h"
#include "runtime/sample/epoch.h"
#include "runtime/trees/cct.h"

#include <errno.h>
#include <string.h>

static CSPROF_TOGETHER struct csprof_regions *kept;

static struct csprof_regions *regions_of(csprof_state_t *state)
{
	if (!state->regions)
		state->regions = os_map(sizeof *state->regions);
	return state->regions;
}

static uint32_t kept_of(const struct csprof_regions *r)
{
	uint32_t n = atomic_load_explicit(&r->n, memory_order_relaxed);
	return n < CSPROF_REGIONS_KEPT ? n : CSPROF_REGIONS_KEPT;
}

/* ---- counts ------------------------------------------------------------------------ */

static uint64_t key_of(struct csprof_name *name)
{
	return (CSP_REGION_BASE | (uint64_t)csprof_name_number(name) << CSP_NOTE_SHIFT) |
	       STORE_ROLE_RECORDED << STORE_ROLE_SHIFT;
}

/* The node of the region n - 1, below that of the region outside of it; 0 if they are not known. */
static store_ref known_node(const csprof_state_t *state, uint32_t n)
{
	const struct csprof_cct *cct = &state->cct[CSP_TREE_COMPLETE];
	struct csprof_region *in = &state->regions->in[n - 1];
	if (!cct->tree || !atomic_load(&csprof_process.measuring) || atomic_load(&state->stopped))
		return 0;
	if (in->node && in->tree == cct->tree)
		return in->node;
	if (n > 1 && (!in[-1].node || in[-1].tree != cct->tree))
		return 0;
	struct store_node *parent = csprof_store_at(n > 1 ? in[-1].node : cct->root);
	in->node = *csprof_cct_find_child(&parent->child, key_of(in->name));
	in->tree = cct->tree;
	return in->node;
}

static bool add_one(csprof_state_t *state, uint32_t n, uint32_t column)
{
	atomic_store(&state->counting, true);
	store_ref node = known_node(state, n);
	if (node) {
		uint64_t *at = &((struct store_node *)csprof_store_at(node))->metrics[column];
		for (int i = 0; i < CSPROF_EVENT_COLUMNS; i++)
			__atomic_store_n(&at[i], at[i] + 1, __ATOMIC_RELAXED);
	}
	atomic_store_explicit(&state->counting, false, memory_order_release);
	return node != 0;
}

/* Count one in the node of the n outermost regions. If it is not known, all of theirs are found or
 * made. */
static void count(csprof_state_t *state, uint32_t n, uint32_t column)
{
	struct csprof_region *in = state->regions->in;
	uint64_t keys[CSPROF_REGIONS_KEPT];
	store_ref nodes[CSPROF_REGIONS_KEPT], tree;
	if (add_one(state, n, column))
		return;
	for (uint32_t i = 0; i < n; i++)
		keys[i] = key_of(in[i].name);
	if (!csprof_record_path(keys, n, &tree, nodes))
		return;
	for (uint32_t i = 0; i < n; i++) {
		in[i].tree = tree;
		in[i].node = nodes[i];
	}
	add_one(state, n, column);
}

/* The columns of the two metrics, once they are made; or why they cannot be. */
struct own_column {
	bool known;
	int id;
};
static CSPROF_TOGETHER struct own_column entries, unbalanced;

void csprof_regions_attach(void)
{
	__atomic_store_n(&entries.known, false, __ATOMIC_RELEASE);
	__atomic_store_n(&unbalanced.known, false, __ATOMIC_RELEASE);
}

static int column_of(struct own_column *column, const char *name)
{
	if (!__atomic_load_n(&column->known, __ATOMIC_ACQUIRE)) {
		int id = csprof_metric_of_program(name, "count");
		csprof_epoch_add_notes();
		if (id == -ENOTSUP) /* not measured just now */
			return id;
		__atomic_store_n(&column->id, id, __ATOMIC_RELAXED);
		__atomic_store_n(&column->known, true, __ATOMIC_RELEASE);
	}
	return __atomic_load_n(&column->id, __ATOMIC_RELAXED);
}

static void count_entry(csprof_state_t *state, uint32_t n)
{
	int column = column_of(&entries, CSP_ENTRIES);
	if (column >= 0)
		count(state, n, (uint32_t)column);
}

static void count_unbalanced(csprof_state_t *state, uint32_t n)
{
	int column = column_of(&unbalanced, CSP_UNBALANCED);
	if (column >= 0)
		count(state, n, (uint32_t)column);
}

/* ---- regions ------------------------------------------------------------------------ */

/* A handler sees the regions before n, which are complete. */
static void set_n(struct csprof_regions *r, uint32_t n)
{
	atomic_signal_fence(memory_order_seq_cst);
	atomic_store_explicit(&r->n, n, memory_order_relaxed);
	atomic_signal_fence(memory_order_seq_cst);
}

/* Leave the regions from n on, which were not ended. */
static void drop_from(csprof_state_t *state, uint32_t n)
{
	for (uint32_t i = kept_of(state->regions); i > n; i--)
		if (!state->regions->in[i - 1].given)
			count_unbalanced(state, i);
	set_n(state->regions, n);
}

/* Those whose function was left without them: see notes.c. */
static void drop_left(csprof_state_t *state)
{
	uint32_t left = atomic_load_explicit(&state->regions->left, memory_order_relaxed);
	if (!left)
		return;
	drop_from(state, left - 1);
	atomic_store_explicit(&state->regions->left, 0, memory_order_relaxed);
}

static void enter(const char *text, struct csprof_region region)
{
	csprof_state_t *state = csprof_self;
	struct csprof_regions *r = state && text ? regions_of(state) : NULL;
	struct csprof_name *name = r ? csprof_name_known(&r->known, text) : NULL;
	if (!name)
		return;
	drop_left(state);
	uint32_t n = atomic_load_explicit(&r->n, memory_order_relaxed);
	region.name = name;
	if (n < CSPROF_REGIONS_KEPT)
		r->in[n] = region;
	set_n(r, n + 1);
	if (n < CSPROF_REGIONS_KEPT)
		count_entry(state, n + 1);
}

void csprof_region_begin(const char *text, uintptr_t where, uintptr_t to, uint32_t script)
{
	enter(text, (struct csprof_region){
			.where = where, .to = csprof_is_slot(to) ? 0 : to, .script = script});
}

void csprof_region_begin_passed(const char *text)
{
	enter(text, (struct csprof_region){.passed = true});
}

/* An end of a region that the thread is not in, in the n regions that it is in. */
static void count_stray(csprof_state_t *state, const char *text, uint32_t n)
{
	struct csprof_regions *r = state->regions;
	struct csprof_name *name = csprof_name_known(&r->known, text ? text : "(none)");
	if (!name || n == CSPROF_REGIONS_KEPT)
		return;
	r->in[n] = (struct csprof_region){.name = name};
	count_unbalanced(state, n + 1);
}

static bool is_of_name(const struct csprof_region *in, const char *text)
{
	return !text || in->name->text == text ||
	       strncmp(in->name->text, text, CSP_NAME_BYTES) == 0;
}

void csprof_region_end(const char *text)
{
	csprof_state_t *state = csprof_self;
	struct csprof_regions *r = state ? regions_of(state) : NULL;
	if (!r)
		return;
	drop_left(state);
	uint32_t n = atomic_load_explicit(&r->n, memory_order_relaxed), at = n;
	if (n > CSPROF_REGIONS_KEPT) { /* it is not known which one that is */
		set_n(r, n - 1);
		return;
	}
	while (at > 0 && !r->in[at - 1].given && !is_of_name(&r->in[at - 1], text))
		at--;
	if (at == 0 || r->in[at - 1].given) {
		count_stray(state, text, n);
		return;
	}
	drop_from(state, at);
	set_n(r, at - 1);
}

/* ---- of other programs ---------------------------------------------------------------- */

enum { MOST_GIVEN = 8 };
static CSPROF_TOGETHER struct csprof_name *given[MOST_GIVEN];
static CSPROF_TOGETHER uint32_t num_given;

static void put_given(csprof_state_t *state, uint32_t i)
{
	struct csprof_regions *r = regions_of(state);
	if (!r)
		return;
	r->in[i] = (struct csprof_region){.name = given[i], .passed = true, .given = true};
	set_n(r, i + 1);
}

void csprof_region_give(const char *text)
{
	struct csprof_name *name =
	    csprof_self && num_given < MOST_GIVEN ? csprof_name_of(text) : NULL;
	if (!name)
		return;
	csprof_epoch_add_notes();
	given[num_given] = name;
	put_given(csprof_self, num_given++);
}

size_t csprof_regions_list(char *list, size_t n)
{
	const struct csprof_regions *r = csprof_self ? csprof_self->regions : NULL;
	uint32_t num = r ? kept_of(r) : 0;
	for (uint32_t i = 0; i < num; i++)
		if (r->in[i].passed)
			n = label_list_add_region(list, n, r->in[i].name->text);
	return n;
}

/* ---- threads and processes ----------------------------------------------------------- */

void csprof_regions_end(csprof_state_t *state)
{
	if (state->regions)
		drop_from(state, 0);
}

void csprof_regions_deinit(csprof_state_t *state)
{
	if (state->regions)
		os_unmap(state->regions, sizeof *state->regions);
	state->regions = NULL;
}

void csprof_regions_keep(csprof_state_t *state)
{
	kept = state->regions;
	state->regions = NULL;
}

void csprof_regions_begin(csprof_state_t *state)
{
	for (uint32_t i = 0; !kept && i < num_given; i++)
		put_given(state, i);
	if (!kept)
		return;
	state->regions = kept;
	kept = NULL;
	csprof_regions_forget(state);
}

void csprof_regions_forget(csprof_state_t *state)
{
	for (uint32_t i = 0; state->regions && i < CSPROF_REGIONS_KEPT; i++)
		state->regions->in[i].tree = state->regions->in[i].node = 0;
}
