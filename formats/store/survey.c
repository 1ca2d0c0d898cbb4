#include "formats/store/survey.h"

#include <errno.h>
#include <string.h>

#define HELD UINT32_MAX /* number of a grain that is part of a record */
#define USED (1u << 31) /* in order: a tree refers to this epoch; refs are smaller */

const void *store_at(const struct store_view *v, store_ref ref, size_t bytes)
{
	uint32_t block = ref / STORE_BLOCK_GRAINS;
	size_t offset = (size_t)(ref % STORE_BLOCK_GRAINS) * STORE_GRAIN;
	if (block >= v->num_blocks || !v->blocks[block])
		return NULL;
	const uint8_t *p = v->blocks[block] + offset;
	size_t covered = STORE_BLOCK - offset;
	while (covered < bytes) {
		if (++block >= v->num_blocks ||
		    v->blocks[block] != v->blocks[block - 1] + STORE_BLOCK)
			return NULL;
		covered += STORE_BLOCK;
	}
	return p;
}

/* The number of columns that all nodes have. */
static uint32_t common_columns(const struct store_header *h)
{
	uint32_t n = store_node_columns(h, 0);
	return n < h->num_metrics ? n : h->num_metrics;
}

/* Whether those of what is sampled are among them, each V with its N: others are the program's own.
 */
static bool has_columns_of_events(const struct store_header *h)
{
	uint32_t n = common_columns(h);
	for (uint32_t i = n; i < h->num_metrics; i++)
		if (h->metrics[i].flags & CSP_METRIC_ASYNC)
			return false;
	uint64_t last = n ? h->metrics[n - 1].flags : 0;
	bool is_v = (last & CSP_METRIC_ASYNC) && !(last & CSP_METRIC_SAMPLES);
	return !is_v || n == h->num_metrics || !(h->metrics[n].flags & CSP_METRIC_SAMPLES);
}

const struct store_header *store_check(const struct store_view *v)
{
	const struct store_header *h = store_at(v, 0, sizeof *h);
	size_t least = sizeof(struct store_node);
	if (!h || v->num_blocks > STORE_MAX_BLOCKS ||
	    memcmp(h->magic, STORE_MAGIC, sizeof h->magic) != 0 || h->version != STORE_VERSION ||
	    h->order_mark != STORE_ORDER_MARK || h->block_bytes != STORE_BLOCK ||
	    h->num_metrics > STORE_MAX_METRICS || h->num_events == 0 ||
	    h->num_events > STORE_MAX_METRICS || h->node_bytes < least ||
	    h->recorded_bytes < h->node_bytes ||
	    h->recorded_bytes < least + h->num_metrics * sizeof(uint64_t) ||
	    h->recorded_bytes > least + (STORE_MAX_METRICS + 1) * sizeof(uint64_t))
		return NULL;
	return has_columns_of_events(h) ? h : NULL;
}

uint32_t store_value_column(const struct store_header *h, uint32_t e)
{
	for (uint32_t i = 0; i < common_columns(h); i++)
		if (h->metrics[i].event == e && (h->metrics[i].flags & CSP_METRIC_ASYNC) &&
		    !(h->metrics[i].flags & CSP_METRIC_SAMPLES))
			return i;
	return CSP_NONE;
}

uint32_t store_samples_column(const struct store_header *h, uint32_t e)
{
	uint32_t v = store_value_column(h, e);
	if (v == CSP_NONE || v + 1 >= common_columns(h) ||
	    !(h->metrics[v + 1].flags & CSP_METRIC_SAMPLES))
		return CSP_NONE;
	return v + 1;
}

/* Claim the record at ref: returns it if it is complete and none of its bytes was claimed
 * before. */
static const void *claim(struct store_survey *s, store_ref ref, size_t bytes)
{
	size_t grains = (bytes + STORE_GRAIN - 1) / STORE_GRAIN;
	const void *record = store_at(&s->view, ref, bytes);
	if (!record)
		return NULL;
	for (size_t i = 0; i < grains; i++)
		if (s->number[ref + i])
			return NULL;
	for (size_t i = 0; i < grains; i++)
		s->number[ref + i] = HELD;
	return record;
}

static void add(struct store_survey *s, store_ref ref)
{
	s->number[ref] = s->next;
	s->order[s->next++] = ref;
}

static void add_epochs(struct store_survey *s)
{
	const struct store_epoch *epoch;
	for (store_ref ref = s->header->first_epoch;
	     ref && (epoch = claim(s, ref, sizeof *epoch)) != NULL; ref = epoch->next)
		add(s, ref);
}

static void add_threads(struct store_survey *s)
{
	const struct store_thread *t;
	size_t bytes = store_thread_bytes(s->header);
	s->first_thread = s->next;
	for (store_ref ref = s->header->first_thread; ref && (t = claim(s, ref, bytes)) != NULL;
	     ref = t->next)
		add(s, ref);
	s->num_threads = s->next - s->first_thread;
	if (s->header->shared && claim(s, s->header->shared, bytes))
		s->shared = s->header->shared;
}

/* Whether a tree has a valid epoch and a root that no other record uses. */
static bool sound_tree(struct store_survey *s, const struct store_tree *tree)
{
	uint32_t epoch = tree->epoch < s->slots ? s->number[tree->epoch] : 0;
	const struct store_node *root;
	if (tree->kind > CSP_TREE_PARTIAL || epoch == 0 || epoch >= s->first_thread)
		return false;
	root = tree->root ? claim(s, tree->root, s->header->node_bytes) : NULL;
	if (!root || root->parent != tree->root)
		return false;
	s->order[epoch] |= USED;
	return true;
}

static void add_trees_of(struct store_survey *s, store_ref thread)
{
	const struct store_thread *t = store_at(&s->view, thread, sizeof *t);
	const struct store_tree *tree;
	s->number[thread] = s->next;
	for (store_ref ref = t->first_tree; ref && (tree = claim(s, ref, sizeof *tree)) != NULL;
	     ref = tree->next)
		if (sound_tree(s, tree))
			add(s, ref);
}

static void add_trees(struct store_survey *s)
{
	s->first_tree = s->next;
	for (uint32_t i = 0; i < s->num_threads; i++)
		add_trees_of(s, store_survey_thread(s, i));
	if (s->shared)
		add_trees_of(s, s->shared);
	s->num_trees = s->next - s->first_tree;
}

/* Keep the epochs to which trees refer, in their order, and number their modules. */
static void add_modules(struct store_survey *s)
{
	const struct store_epoch *epoch;
	const struct store_module *m;
	s->first_module = s->next;
	for (uint32_t i = 1; i < s->first_thread; i++) {
		store_ref ref = s->order[i] & ~USED;
		bool used = s->order[i] & USED;
		s->number[ref] = used ? ++s->num_epochs : HELD;
		if (!used)
			continue;
		s->order[s->num_epochs] = ref;
		epoch = store_at(&s->view, ref, sizeof *epoch);
		for (ref = epoch->first_module; ref && (m = claim(s, ref, sizeof *m)) != NULL;
		     ref = m->next)
			add(s, ref);
	}
}

/* Add the nodes of one tree, without recursion. Nodes that are still to be added are at the end
 * of order; there is room, because each node is in one of the two places. */
static void add_nodes(struct store_survey *s, store_ref root)
{
	const struct store_header *h = s->header;
	store_ref *stack = s->order + s->slots, *top = stack;
	*--top = root;
	while (top < stack) {
		store_ref ref = *top++;
		const struct store_node *node = store_at(&s->view, ref, h->node_bytes);
		const store_ref links[3][2] = {
		    {node->left, node->parent}, {node->right, node->parent}, {node->child, ref}};
		add(s, ref);
		for (int i = 0; i < 3; i++) {
			const struct store_node *next =
			    links[i][0] ? store_at(&s->view, links[i][0], h->node_bytes) : NULL;
			if (next && next->parent == links[i][1] &&
			    claim(s, links[i][0], store_node_bytes(h, next->key)))
				*--top = links[i][0];
		}
	}
}

static void push_name(struct store_survey *s, store_ref ref, store_ref **top)
{
	const struct store_name *name =
	    ref ? store_at(&s->view, ref, sizeof(struct store_name)) : NULL;
	if (name && name->n <= CSP_NAME_BYTES && name->number < CSP_NAMES &&
	    claim(s, ref, sizeof *name + name->n))
		*--*top = ref;
}

/* As above. */
static void add_names(struct store_survey *s)
{
	store_ref *stack = s->order + s->slots, *top = stack;
	s->first_name = s->next;
	push_name(s, s->header->names, &top);
	while (top < stack) {
		store_ref ref = *top++;
		const struct store_name *name = store_at(&s->view, ref, sizeof *name);
		add(s, ref);
		push_name(s, name->left, &top);
		push_name(s, name->right, &top);
	}
	s->num_names = s->next - s->first_name;
}

static void push_source(struct store_survey *s, store_ref ref, store_ref **top)
{
	const struct store_source *source =
	    ref ? store_at(&s->view, ref, sizeof(struct store_source)) : NULL;
	if (source && source->n <= CSP_SOURCE_NAME_BYTES && source->number < CSP_SOURCES &&
	    claim(s, ref, sizeof *source + source->n))
		*--*top = ref;
}

/* As above. */
static void add_sources(struct store_survey *s)
{
	store_ref *stack = s->order + s->slots, *top = stack;
	s->first_source = s->next;
	push_source(s, s->header->sources, &top);
	while (top < stack) {
		store_ref ref = *top++;
		const struct store_source *source = store_at(&s->view, ref, sizeof *source);
		add(s, ref);
		push_source(s, source->left, &top);
		push_source(s, source->right, &top);
	}
	s->num_sources = s->next - s->first_source;
}

static bool is_source(const struct store_survey *s, store_ref ref)
{
	uint32_t number = ref < s->slots ? s->number[ref] : 0;
	return number >= s->first_source && number - s->first_source < s->num_sources;
}

static void push_code(struct store_survey *s, store_ref ref, store_ref **top)
{
	const struct store_code *code =
	    ref ? store_at(&s->view, ref, sizeof(struct store_code)) : NULL;
	if (code && code->name_bytes <= CSP_CODE_NAME_BYTES &&
	    code->lines_bytes <= CSP_CODE_LINES_BYTES &&
	    claim(s, ref, sizeof *code + code->name_bytes + code->lines_bytes))
		*--*top = ref;
}

/* As above. Those that belong to no source are left out, and not what is below them. */
static void add_codes(struct store_survey *s)
{
	store_ref *stack = s->order + s->slots, *top = stack;
	s->first_code = s->next;
	push_code(s, s->header->codes, &top);
	while (top < stack) {
		store_ref ref = *top++;
		const struct store_code *code = store_at(&s->view, ref, sizeof *code);
		if (is_source(s, code->source) && code->extent &&
		    code->start <= UINT32_MAX - code->extent)
			add(s, ref);
		push_code(s, code->left, &top);
		push_code(s, code->right, &top);
	}
	s->num_codes = s->next - s->first_code;
}

static void push_value(struct store_survey *s, store_ref ref, store_ref **top)
{
	if (ref && claim(s, ref, sizeof(struct store_value)))
		*--*top = ref;
}

/* As above, of each epoch that has any, after its mark. */
static void add_values(struct store_survey *s)
{
	store_ref *stack = s->order + s->slots, *top = stack;
	if (s->header->windows)
		s->windows = claim(s, s->header->windows, sizeof *s->windows);
	s->first_value = s->next;
	for (uint32_t e = 1; e <= s->num_epochs; e++) {
		const struct store_epoch *epoch = store_at(&s->view, s->order[e], sizeof *epoch);
		push_value(s, epoch->values, &top);
		if (top < stack)
			s->order[s->next++] = STORE_SURVEY_EPOCH | (e - 1);
		while (top < stack) {
			store_ref ref = *top++;
			const struct store_value *value = store_at(&s->view, ref, sizeof *value);
			add(s, ref);
			s->num_values++;
			push_value(s, value->left, &top);
			push_value(s, value->right, &top);
		}
	}
}

int store_survey_make(struct store_survey *s, const struct store_view *v,
		      const struct store_memory *memory)
{
	memset(s, 0, sizeof *s);
	s->view = *v;
	s->header = store_check(v);
	if (!s->header)
		return -EINVAL;
	s->slots = (size_t)v->num_blocks * STORE_BLOCK_GRAINS;
	s->number = memory->map(s->slots * sizeof *s->number);
	s->order = memory->map(s->slots * sizeof *s->order);
	if (!s->number || !s->order)
		return -ENOMEM;
	claim(s, 0, sizeof *s->header);
	s->next = 1;
	add_epochs(s);
	add_threads(s);
	add_trees(s);
	add_modules(s);
	for (uint32_t i = 0; i < s->num_trees; i++)
		add_nodes(s, store_survey_tree(s, i)->root);
	add_names(s);
	add_sources(s);
	add_codes(s);
	add_values(s);
	return 0;
}

void store_survey_free(struct store_survey *s, const struct store_memory *memory)
{
	if (s->number)
		memory->unmap(s->number, s->slots * sizeof *s->number);
	if (s->order)
		memory->unmap(s->order, s->slots * sizeof *s->order);
	s->number = NULL;
	s->order = NULL;
}
