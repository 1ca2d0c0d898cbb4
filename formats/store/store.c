/* Making a datafile from a store. Linked into the preloaded library: no malloc, no stdio.
 * survey.c has checked everything that is written. */
#include "formats/store/store.h"

#include "formats/identity/content_id.h"
#include "formats/store/survey.h"

#include <string.h>

/* The state of a conversion. Values that the program may still change during it, and that have a
 * variable length, are read once. */
struct conversion {
	const struct store_survey *s;
	const struct store_header *header;
	struct csp_sink *sink;
	uint32_t num_metrics;
	uint64_t cpu;                         /* of all threads */
	uint64_t cost;                        /* ns of CPU time that measuring took */
	uint64_t achieved[STORE_MAX_METRICS]; /* handled samples per second of CPU time */
	struct turns {
		uint64_t enabled, running; /* of all threads' clocks of an event */
	} turns[STORE_MAX_METRICS];
};

/* What a clock has advanced; if the thread still runs, up to its last sample. */
static uint64_t elapsed(const struct store_clock *clock)
{
	return (clock->end ? clock->end : clock->last) - clock->start;
}

static const struct store_thread *thread_at(const struct conversion *c, uint32_t i)
{
	return store_at(&c->s->view, store_survey_thread(c->s, i), store_thread_bytes(c->header));
}

/* Strings longer than programs write are treated as empty. */
static const struct store_string *string_at(const struct conversion *c, store_ref ref)
{
	static const struct store_string none;
	const struct store_string *s = ref ? store_at(&c->s->view, ref, sizeof *s) : NULL;
	if (!s || s->n > STORE_MAX_STRING || !store_at(&c->s->view, ref, sizeof *s + s->n))
		return &none;
	return s;
}

static const struct store_epoch *epoch_at(const struct conversion *c, uint32_t i)
{
	return store_at(&c->s->view, c->s->order[1 + i], sizeof(struct store_epoch));
}

/* The module at ref if the survey gave it this number, else NULL: the end of the epoch's list. */
static const struct store_module *module_at(const struct conversion *c, store_ref ref,
					    uint32_t number)
{
	if (!ref || ref >= c->s->slots || c->s->number[ref] != number)
		return NULL;
	return store_at(&c->s->view, ref, sizeof(struct store_module));
}

/* The end of the addresses of source i's module. */
static uint64_t source_extent(const struct conversion *c, uint32_t i)
{
	return __atomic_load_n(&store_survey_source(c->s, i)->extent, __ATOMIC_RELAXED);
}

static uint64_t source_address(const struct store_source *source)
{
	return CSP_SOURCE_BASE + ((uint64_t)source->number << CSP_SOURCE_SHIFT);
}

static uint32_t count_modules(const struct conversion *c, uint32_t epoch, uint32_t first)
{
	const struct store_module *m;
	uint32_t n = 0;
	for (store_ref ref = epoch_at(c, epoch)->first_module;
	     (m = module_at(c, ref, first + n)) != NULL; ref = m->next)
		n++;
	return n;
}

/* Put the number of modules of each epoch, and each module. Source files are in all epochs. */
static void put_epochs(struct conversion *c,
		       void (*put)(struct conversion *c, const struct store_module *m),
		       void (*put_source)(struct conversion *c, uint32_t source))
{
	uint32_t number = c->s->first_module;
	csp_put_u32(c->sink, c->s->num_epochs);
	for (uint32_t e = 0; e < c->s->num_epochs; e++) {
		const struct store_module *m;
		csp_put_u32(c->sink, count_modules(c, e, number) + c->s->num_sources);
		for (store_ref ref = epoch_at(c, e)->first_module;
		     (m = module_at(c, ref, number)) != NULL; ref = m->next) {
			put(c, m);
			number++;
		}
		for (uint32_t i = 0; i < c->s->num_sources; i++)
			put_source(c, i);
	}
}

static void put_module(struct conversion *c, const struct store_module *m)
{
	const struct store_string *name = string_at(c, m->name);
	uint32_t n = name->n <= STORE_MAX_MODULE_NAME ? name->n : 0;
	csp_put_module(c->sink, name->bytes, n, m->virtual_address, m->mapped_address);
}

static void put_source(struct conversion *c, uint32_t i)
{
	const struct store_source *source = store_survey_source(c->s, i);
	csp_put_module(c->sink, source->text, source->n, 0, source_address(source));
}

static void put_head(struct conversion *c)
{
	const struct store_header *h = c->header;
	const struct store_string *target = string_at(c, h->executable);
	csp_put_file_header(c->sink, CSP_VERSION_FILE);
	csp_put_string(c->sink, CSP_TAG_TARGET, target->bytes, target->n);
	csp_put_u32(c->sink, c->num_metrics);
	for (uint32_t i = 0; i < c->num_metrics; i++) {
		const struct store_metric *m = &h->metrics[i];
		csp_put_metric(c->sink, m->name, (uint32_t)strnlen(m->name, sizeof m->name), true,
			       m->flags, m->period);
	}
	put_epochs(c, put_module, put_source);
	csp_put_u32(c->sink, c->s->num_trees);
	csp_put_u64(c->sink, h->tramp_samples);
}

static bool has_returns(const struct conversion *c)
{
	for (uint32_t i = 0; i < c->num_metrics; i++)
		if (c->header->metrics[i].flags & CSP_METRIC_RETURNS)
			return true;
	return false;
}

static void put_node(struct conversion *c, uint64_t id, uint64_t parent,
		     const struct store_node *node)
{
	uint64_t metrics[STORE_MAX_METRICS] = {0};
	uint32_t columns = store_node_columns(c->header, node->key);
	for (uint32_t i = 0; i < c->num_metrics && i < columns; i++)
		metrics[i] = node->metrics[i];
	csp_put_node(c->sink, 8, id, parent, node->key & STORE_IP_MASK, node->sp, metrics,
		     c->num_metrics);
}

static void put_tree(struct conversion *c, uint32_t i)
{
	const struct store_survey *s = c->s;
	uint32_t first = store_survey_first_node(s, i), end = store_survey_first_node(s, i + 1);
	csp_put_tree_header(c->sink, has_returns(c) ? CSP_VERSION_TREE_T : CSP_VERSION_TREE, 8,
			    end - first, s->number[store_survey_tree(s, i)->epoch] - 1);
	for (uint32_t k = first; k < end; k++) {
		const struct store_node *node = store_survey_node(s, k);
		put_node(c, k - first, s->number[node->parent] - first, node);
	}
}

/* ---- the trailer --------------------------------------------------------------- */

static void put_pair_ref(struct conversion *c, const char *key, store_ref ref)
{
	const struct store_string *s = string_at(c, ref);
	csp_put_pair(c->sink, key, s->bytes, s->n);
}

static void put_pair_chars(struct conversion *c, const char *key, const char *value, size_t max)
{
	csp_put_pair(c->sink, key, value, (uint32_t)strnlen(value, max));
}

static void put_process(struct conversion *c)
{
	const struct store_header *h = c->header;
	bool ranked = h->rank != CSP_NONE;
	csp_put_u32(c->sink, 11 + 2 * ranked + (h->process != 0) + (h->unmarked != 0) +
				 (h->marks_lost != 0) + (h->uncounted != 0) +
				 (h->uninterpreted != 0));
	put_pair_ref(c, "command", h->command);
	put_pair_ref(c, "executable", h->executable);
	put_pair_ref(c, "host", h->host);
	csp_put_pair_u64(c->sink, "pid", h->pid);
	csp_put_pair_u64(c->sink, "ppid", h->ppid);
	csp_put_pair_u64(c->sink, "start_ns", h->start_ns);
	csp_put_pair_u64(c->sink, "wall_ns",
			 h->end_mono_ns ? h->end_mono_ns - h->start_mono_ns : 0);
	csp_put_pair_u64(c->sink, "cpu_ns", c->cpu);
	csp_put_pair_u64(c->sink, "outside_ns", h->outside);
	if (h->process)
		csp_put_pair_u64(c->sink, "process_ns", h->process);
	if (h->end[0])
		put_pair_chars(c, "end", h->end, sizeof h->end);
	else
		csp_put_pair(c->sink, "end", "unknown", 7);
	put_pair_ref(c, "tool", h->tool);
	if (h->unmarked)
		put_pair_ref(c, "unmarked", h->unmarked);
	if (h->marks_lost)
		csp_put_pair_u64(c->sink, "marks_lost", h->marks_lost);
	if (h->uncounted)
		csp_put_pair_u64(c->sink, "uncounted", h->uncounted);
	if (h->uninterpreted)
		put_pair_ref(c, "uninterpreted", h->uninterpreted);
	if (ranked) {
		csp_put_pair_u64(c->sink, "rank", h->rank);
		csp_put_pair_u64(c->sink, "ranks", h->ranks);
	}
}

static void put_extent(struct conversion *c, const struct store_module *m)
{
	const struct store_string *id = string_at(c, m->build_id);
	csp_put_u64(c->sink, m->extent);
	csp_put_text(c->sink, id->bytes, content_id_or_build_id(id->bytes, id->n) ? id->n : 0);
}

static void put_source_extent(struct conversion *c, uint32_t i)
{
	csp_put_u64(c->sink, source_extent(c, i));
	csp_put_text(c->sink, "", 0);
}

static void put_modules(struct conversion *c)
{
	put_epochs(c, put_extent, put_source_extent);
}

/* Where a thread was created: the index of a tree and the id of a node in it; CSP_NONE if its
 * record does not refer to such a node. */
static uint32_t creator_of(const struct conversion *c, const struct store_thread *t, uint64_t *node)
{
	const struct store_survey *s = c->s;
	uint32_t tree = t->creator_tree < s->slots ? s->number[t->creator_tree] : 0;
	uint32_t at = t->creator_node < s->slots ? s->number[t->creator_node] : 0;
	*node = 0;
	if (tree < s->first_tree || tree - s->first_tree >= s->num_trees)
		return CSP_NONE;
	tree -= s->first_tree;
	if (at < store_survey_first_node(s, tree) || at >= store_survey_first_node(s, tree + 1))
		return CSP_NONE;
	*node = at - store_survey_first_node(s, tree);
	return tree;
}

static void put_tree_rows(struct conversion *c)
{
	const struct store_survey *s = c->s;
	csp_put_u32(c->sink, s->num_trees);
	for (uint32_t i = 0; i <= s->num_threads; i++) {
		bool shared = i == s->num_threads;
		uint64_t node = 0;
		uint32_t creator = shared ? CSP_NONE : creator_of(c, thread_at(c, i), &node);
		for (uint32_t k = store_survey_first_tree(s, i);
		     k < store_survey_first_tree(s, i + 1); k++) {
			csp_put_u32(c->sink, shared ? CSP_NONE : i);
			csp_put_u32(c->sink, store_survey_tree(s, k)->kind);
			csp_put_u32(c->sink, creator);
			csp_put_u64(c->sink, node);
		}
	}
}

/* The number of events that have a column. */
static uint32_t count_events(const struct store_header *h)
{
	uint32_t n = 0;
	for (uint32_t e = 0; e < h->num_events; e++)
		n += store_value_column(h, e) != CSP_NONE;
	return n;
}

static void put_account(struct conversion *c)
{
	static const char *const names[CSP_DISPOSITIONS] = CSP_DISPOSITION_NAMES;
	const struct store_header *h = c->header;
	csp_put_u32(c->sink, c->s->num_threads * count_events(h) * CSP_DISPOSITIONS);
	for (uint32_t i = 0; i < c->s->num_threads; i++)
		for (uint32_t e = 0; e < h->num_events; e++) {
			const struct store_clock *clock = &thread_at(c, i)->clocks[e];
			uint32_t column = store_value_column(h, e);
			for (int d = 0; column != CSP_NONE && d < CSP_DISPOSITIONS; d++) {
				csp_put_u32(c->sink, i);
				csp_put_u32(c->sink, column);
				csp_put_text(c->sink, names[d], (uint32_t)strlen(names[d]));
				csp_put_u64(c->sink, clock->account[d].samples);
				csp_put_u64(c->sink, clock->account[d].weight);
			}
		}
}

static void put_metrics(struct conversion *c)
{
	const struct store_header *h = c->header;
	bool told = false; /* what measuring took: all events together */
	csp_put_u32(c->sink, c->num_metrics);
	for (uint32_t i = 0; i < c->num_metrics; i++) {
		const struct store_metric *m = &h->metrics[i];
		bool event = m->event < h->num_events && store_value_column(h, m->event) == i;
		const struct turns *turns = &c->turns[event ? m->event : 0];
		bool shared = event && turns->running < turns->enabled;
		csp_put_u32(c->sink,
			    !event ? 1 : 5u + !told + (m->requested != 0) + (shared ? 2u : 0));
		put_pair_chars(c, "unit", m->unit, sizeof m->unit);
		if (!event)
			continue;
		put_pair_chars(c, "source", m->source, sizeof m->source);
		if (m->requested)
			csp_put_pair_u64(c->sink, "requested", m->requested);
		csp_put_pair_u64(c->sink, "achieved", c->achieved[m->event]);
		if (!told)
			csp_put_pair_u64(c->sink, "cost_ns", c->cost);
		told = true;
		put_pair_chars(c, "kernel", m->kernel ? "yes" : "no", 3);
		put_pair_chars(c, "jitter", m->jitter, sizeof m->jitter);
		if (shared) {
			csp_put_pair_u64(c->sink, "enabled_ns", turns->enabled);
			csp_put_pair_u64(c->sink, "running_ns", turns->running);
		}
	}
}

static void put_threads(struct conversion *c)
{
	csp_put_u32(c->sink, c->s->num_threads);
	for (uint32_t i = 0; i < c->s->num_threads; i++) {
		const struct store_thread *t = thread_at(c, i);
		csp_put_u64(c->sink, t->tid);
		csp_put_text(c->sink, t->name, (uint32_t)strnlen(t->name, sizeof t->name));
		csp_put_u64(c->sink, t->start_ns);
		csp_put_u64(c->sink, t->end_ns);
		csp_put_u64(c->sink, elapsed(&t->clocks[0]));
	}
}

static void put_names(struct conversion *c)
{
	csp_put_u32(c->sink, c->s->num_names);
	for (uint32_t i = 0; i < c->s->num_names; i++) {
		const struct store_name *name = store_survey_name(c->s, i);
		csp_put_u32(c->sink, name->number);
		csp_put_text(c->sink, name->text, name->n);
	}
}

static void put_codes(struct conversion *c)
{
	csp_put_u32(c->sink, c->s->num_codes);
	for (uint32_t i = 0; i < c->s->num_codes; i++) {
		const struct store_code *code = store_survey_code(c->s, i);
		const struct store_source *source =
		    store_at(&c->s->view, code->source, sizeof *source);
		csp_put_code(c->sink, &(struct csp_code){.ip = source_address(source) + code->start,
							 .extent = code->extent,
							 .line = code->line,
							 .name = code->bytes,
							 .name_bytes = code->name_bytes,
							 .lines = code->bytes + code->name_bytes,
							 .lines_bytes = code->lines_bytes});
	}
}

static uint64_t least_count(const struct store_value *v)
{
	uint64_t least = v->top[0].count;
	for (int i = 1; i < CSP_VALUE_TOP; i++)
		least = v->top[i].count < least ? v->top[i].count : least;
	return least;
}

static void put_value(struct conversion *c, uint32_t epoch, const struct store_value *v)
{
	uint32_t n = 0;
	while (n < CSP_VALUE_TOP && v->top[n].count)
		n++;
	csp_put_u32(c->sink, epoch);
	csp_put_u64(c->sink, v->key & ((1ull << STORE_VALUE_SHIFT) - 1));
	csp_put_u32(c->sink, (uint32_t)(v->key >> STORE_VALUE_SHIFT));
	csp_put_u32(c->sink, v->bytes);
	csp_put_u64(c->sink, v->count);
	csp_put_u64(c->sink, v->zeros);
	csp_put_u64(c->sink, v->same);
	csp_put_u64(c->sink, n == CSP_VALUE_TOP ? least_count(v) : 0);
	csp_put_u32(c->sink, n);
	for (uint32_t i = 0; i < n; i++) {
		csp_put_u64(c->sink, v->top[i].value);
		csp_put_u64(c->sink, v->top[i].count);
		csp_put_u64(c->sink, v->top[i].error);
	}
}

static void put_values(struct conversion *c)
{
	const struct store_windows *w = c->s->windows;
	uint32_t epoch = 0;
	csp_put_u64(c->sink, w->windows);
	csp_put_u64(c->sink, w->steps);
	csp_put_u64(c->sink, w->ns);
	csp_put_u64(c->sink, w->dropped);
	csp_put_u32(c->sink, CSP_VALUE_REFUSALS);
	for (int i = 0; i < CSP_VALUE_REFUSALS; i++)
		csp_put_u64(c->sink, w->refused[i]);
	csp_put_u32(c->sink, c->s->num_values);
	for (uint32_t i = c->s->first_value; i < c->s->next; i++) {
		uint32_t entry = c->s->order[i];
		if (entry & STORE_SURVEY_EPOCH)
			epoch = entry & ~STORE_SURVEY_EPOCH;
		else
			put_value(c, epoch,
				  store_at(&c->s->view, entry, sizeof(struct store_value)));
	}
}

static bool has_values(const struct conversion *c)
{
	const struct store_windows *w = c->s->windows;
	uint64_t n = w ? w->windows : 0;
	for (int i = 0; w && i < CSP_VALUE_REFUSALS; i++)
		n += w->refused[i];
	return n != 0;
}

struct chunk {
	uint32_t tag;
	void (*put)(struct conversion *);
};

static int swallow(void *ctx, const uint8_t *bytes, size_t n)
{
	(void)ctx, (void)bytes, (void)n;
	return 0;
}

/* The length of a chunk comes before it: first put it into a counter to find the length. */
static void put_chunk(struct conversion *c, const struct chunk *chunk)
{
	uint8_t buf[256];
	struct csp_sink counter = {.buf = buf, .cap = sizeof buf, .flush = swallow};
	struct csp_sink *out = c->sink;
	c->sink = &counter;
	chunk->put(c);
	c->sink = out;
	csp_put_chunk_header(out, chunk->tag, csp_sink_offset(&counter));
	chunk->put(c);
}

static void put_trailer(struct conversion *c)
{
	static const struct chunk chunks[] = {
	    {CSP_CHUNK_PROCESS, put_process}, {CSP_CHUNK_MODULES, put_modules},
	    {CSP_CHUNK_TREES, put_tree_rows}, {CSP_CHUNK_ACCOUNT, put_account},
	    {CSP_CHUNK_METRICS, put_metrics}, {CSP_CHUNK_THREADS, put_threads},
	    {CSP_CHUNK_NAMES, put_names},     {CSP_CHUNK_VALUES, put_values},
	    {CSP_CHUNK_CODE, put_codes},
	};
	bool names = c->s->num_names != 0, values = has_values(c), codes = c->s->num_codes != 0;
	uint32_t n = sizeof chunks / sizeof *chunks;
	csp_put_trailer_header(c->sink, n - !names - !values - !codes);
	for (uint32_t i = 0; i < n; i++)
		if ((names || chunks[i].put != put_names) &&
		    (values || chunks[i].put != put_values) &&
		    (codes || chunks[i].put != put_codes))
			put_chunk(c, &chunks[i]);
}

/* Rounded. A division of 128 bits would be a call of a library, which is not for handlers. */
static uint64_t per_second(double samples, double ns)
{
	double rate = samples * 1e9 / ns + 0.5;
	return rate < (double)UINT64_MAX ? (uint64_t)rate : UINT64_MAX;
}

/* Sum up the clocks: CPU time, cost, and handled samples of each event per second. */
static void sum_clocks(struct conversion *c)
{
	double samples[STORE_MAX_METRICS] = {0}, cpu = 0;
	for (uint32_t i = 0; i < c->s->num_threads; i++) {
		const struct store_thread *t = thread_at(c, i);
		const struct store_clock *clock = &t->clocks[0]; /* of CPU time */
		c->cpu += elapsed(clock);
		c->cost += clock->cost + clock->account[CSP_OWN_CODE].weight;
		for (int d = 0; d < CSP_DISPOSITIONS; d++)
			cpu += (double)clock->account[d].weight;
		for (uint32_t e = 0; e < c->header->num_events; e++)
			for (int d = 0; d < CSP_DISPOSITIONS; d++)
				samples[e] += (double)t->clocks[e].account[d].samples;
		for (uint32_t e = 0; e < c->header->num_events; e++) {
			c->turns[e].enabled += t->clocks[e].enabled;
			c->turns[e].running += t->clocks[e].running;
		}
	}
	for (uint32_t e = 0; e < c->header->num_events; e++)
		if (cpu > 0)
			c->achieved[e] = per_second(samples[e], cpu);
}

int store_survey_put(const struct store_survey *s, struct csp_sink *sink)
{
	struct conversion c = {.s = s, .header = s->header, .sink = sink};
	c.num_metrics = __atomic_load_n(&s->header->num_metrics, __ATOMIC_ACQUIRE);
	if (c.num_metrics > STORE_MAX_METRICS)
		c.num_metrics = STORE_MAX_METRICS;
	sum_clocks(&c);
	put_head(&c);
	for (uint32_t i = 0; i < s->num_trees; i++)
		put_tree(&c, i);
	put_trailer(&c);
	csp_sink_flush(sink);
	return sink->error;
}

int store_write_datafile(const struct store_view *v, const struct store_memory *memory,
			 struct csp_sink *sink)
{
	struct store_survey s;
	int result = store_survey_make(&s, v, memory);
	if (result == 0)
		result = store_survey_put(&s, sink);
	store_survey_free(&s, memory);
	return result;
}
