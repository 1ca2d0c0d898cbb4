/* Copies of stores, and making the account of one agree with its trees. */
#include "formats/store/recover.h"

#include "formats/base/regular_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- copying ---------------------------------------------------------------------------- */

/* A store has holes where little of a run of blocks was used. Untouched pages of the copy cost
 * nothing, either. */
static void *map(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	return p == MAP_FAILED ? NULL : p;
}

static void unmap(void *p, size_t bytes)
{
	munmap(p, bytes);
}

static const struct store_memory memory = {map, unmap};

static int refuse(const struct store_header *h, struct error *e)
{
	if (memcmp(h->magic, STORE_MAGIC, sizeof h->magic) != 0)
		return error_format(e, 0, "a store (" STORE_MAGIC ")", "other bytes");
	if (h->order_mark != STORE_ORDER_MARK)
		return error_format(e, offsetof(struct store_header, order_mark),
				    "this machine's byte order", "another");
	if (h->version != STORE_VERSION)
		return error_format(e, offsetof(struct store_header, version),
				    "a store of this version", "one of version %u", h->version);
	return error_format(e, offsetof(struct store_header, block_bytes),
			    "the sizes and counts of this version", "others");
}

/* Memory for a store of n bytes, zeroed. */
static int prepare(struct store_copy *c, uint64_t n, struct error *e)
{
	uint64_t blocks = (n + STORE_BLOCK - 1) / STORE_BLOCK;
	memset(c, 0, sizeof *c);
	if (n < sizeof(struct store_header))
		return error_format(e, n, "a store's header", "the end of the file");
	if (blocks > STORE_MAX_BLOCKS)
		return error_format(e, (uint64_t)STORE_MAX_BLOCKS * STORE_BLOCK,
				    "the end of the store", "more");
	c->memory = map(blocks * STORE_BLOCK);
	c->blocks = calloc(blocks, sizeof *c->blocks);
	if (c->memory)
		c->bytes = blocks * STORE_BLOCK;
	if (!c->memory || !c->blocks)
		return error_memory(e, blocks * STORE_BLOCK);
	for (uint64_t i = 0; i < blocks; i++)
		c->blocks[i] = c->memory + i * STORE_BLOCK;
	c->view = (struct store_view){c->blocks, (uint32_t)blocks};
	return 0;
}

static int survey(struct store_copy *c, struct error *e)
{
	if (!store_check(&c->view))
		return refuse((const struct store_header *)c->memory, e);
	if (store_survey_make(&c->survey, &c->view, &memory) < 0)
		return error_memory(e, c->bytes);
	return 0;
}

/* Read [from, to) of the file; what no longer exists stays zero. */
static int read_part(struct store_copy *c, int fd, uint64_t from, uint64_t to, struct error *e)
{
	while (from < to) {
		ssize_t n = pread(fd, c->memory + from, to - from, (off_t)from);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return error_system(e, "cannot be read");
		if (n == 0)
			return 0;
		from += (uint64_t)n;
	}
	return 0;
}

/* Read the file, without its holes if the file system reports them. */
static int read_all(struct store_copy *c, int fd, uint64_t size, struct error *e)
{
	for (uint64_t at = 0; at < size;) {
		off_t data = lseek(fd, (off_t)at, SEEK_DATA), hole;
		if (data < 0 && errno == ENXIO)
			return 0;
		hole = data < 0 ? -1 : lseek(fd, data, SEEK_HOLE);
		if (hole < 0)
			return read_part(c, fd, at, size, e);
		at = (uint64_t)hole < size ? (uint64_t)hole : size;
		if (read_part(c, fd, (uint64_t)data, at, e))
			return -1;
	}
	return 0;
}

int store_copy_file(struct store_copy *c, int fd, struct error *e)
{
	struct stat st;
	int result;
	memset(c, 0, sizeof *c);
	if (fstat(fd, &st) < 0)
		return error_system(e, "cannot be examined");
	if (!S_ISREG(st.st_mode))
		return error_set(e, ERROR_USAGE, "is not a regular file");
	result = prepare(c, (uint64_t)st.st_size, e);
	if (result == 0)
		result = read_all(c, fd, (uint64_t)st.st_size, e);
	if (result == 0)
		result = survey(c, e);
	if (result < 0)
		store_copy_free(c);
	return result;
}

int store_copy_read(struct store_copy *c, int dirfd, const char *path, struct error *e)
{
	struct stat st;
	int fd = regular_file_open_at(dirfd, path, O_RDONLY, &st, e);
	memset(c, 0, sizeof *c);
	if (fd < 0)
		return -1;
	int result = store_copy_file(c, fd, e);
	close(fd);
	return result;
}

int store_copy_from(struct store_copy *c, const void *bytes, size_t n, struct error *e)
{
	int result = prepare(c, n, e);
	if (result == 0) {
		memcpy(c->memory, bytes, n);
		result = survey(c, e);
	}
	if (result < 0)
		store_copy_free(c);
	return result;
}

void store_copy_free(struct store_copy *c)
{
	store_survey_free(&c->survey, &memory);
	if (c->memory)
		unmap(c->memory, c->bytes);
	free(c->blocks);
	memset(c, 0, sizeof *c);
}

const struct store_header *store_copy_header(const struct store_copy *c)
{
	return c->survey.header;
}

/* ---- settling --------------------------------------------------------------------------- */

enum { KINDS = 2 };
/* The rows of the account that are in trees, by kind of tree. */
static const enum csp_disposition row_of_kind[KINDS] = {CSP_RECORDED, CSP_PARTIAL};

/* The sums over the trees of some threads, by event and kind. */
struct held {
	struct store_count by[STORE_MAX_METRICS][KINDS];
	bool trees; /* there is at least one tree */
};

struct settling {
	struct store_copy *c;
	struct store_header *h;
	uint32_t num_threads;
};

static struct store_thread *thread_at(const struct settling *s, uint32_t i)
{
	return (struct store_thread *)store_at(&s->c->view, store_survey_thread(&s->c->survey, i),
					       store_thread_bytes(s->h));
}

/* Add *v to *sum, or set *v to 0 if no clock reaches such a sum. */
static void bound(uint64_t *sum, uint64_t *v)
{
	if (*v > INT64_MAX - *sum)
		*v = 0;
	*sum += *v;
}

/* Bound all counts, so that no sum over nodes, over rows or over both can overflow. */
static void bound_all(struct settling *s)
{
	const struct store_survey *sv = &s->c->survey;
	uint32_t first = store_survey_first_node(sv, 0);
	for (uint32_t e = 0; e < s->h->num_events; e++) {
		uint64_t samples = 0, weight = 0;
		for (uint32_t i = 0; i < s->num_threads; i++)
			for (int d = 0; d < CSP_DISPOSITIONS; d++) {
				struct store_count *row = &thread_at(s, i)->clocks[e].account[d];
				bound(&samples, &row->samples);
				bound(&weight, &row->weight);
			}
		const uint32_t columns[] = {store_value_column(s->h, e),
					    store_samples_column(s->h, e)};
		for (int k = 0; k < 2; k++) {
			uint64_t sum = 0;
			for (uint32_t n = first; columns[k] != CSP_NONE && n < sv->first_name; n++)
				bound(&sum,
				      (uint64_t *)&store_survey_node(sv, n)->metrics[columns[k]]);
		}
	}
}

/* Add the sums over the trees of thread i; i == num_threads: over the shared trees. */
static void add_held(const struct settling *s, uint32_t i, struct held *held)
{
	const struct store_survey *sv = &s->c->survey;
	uint32_t end = store_survey_first_tree(sv, i + 1);
	for (uint32_t t = store_survey_first_tree(sv, i); t < end; t++) {
		uint32_t kind = store_survey_tree(sv, t)->kind;
		held->trees = true;
		for (uint32_t e = 0; e < s->h->num_events; e++) {
			uint32_t v = store_value_column(s->h, e), n = store_samples_column(s->h, e);
			struct store_count *to = &held->by[e][kind];
			for (uint32_t k = store_survey_first_node(sv, t);
			     k < store_survey_first_node(sv, t + 1); k++) {
				const struct store_node *node = store_survey_node(sv, k);
				to->weight += v == CSP_NONE ? 0 : node->metrics[v];
				to->samples += n == CSP_NONE ? 0 : node->metrics[n];
			}
		}
	}
}

static uint64_t excess(uint64_t old, uint64_t now)
{
	return old > now ? old - now : 0;
}

/* Set the rows of thread i to the sums over its trees. If the rows had more, the difference is
 * lost (out of memory); if they had less, the trees are right. */
static void reconcile(const struct settling *s, uint32_t i, const struct held *held)
{
	for (uint32_t e = 0; e < s->h->num_events; e++) {
		struct store_count *account = thread_at(s, i)->clocks[e].account;
		struct store_count said = {0, 0}, hold = {0, 0};
		bool v = store_value_column(s->h, e) != CSP_NONE;
		bool n = store_samples_column(s->h, e) != CSP_NONE;
		for (int k = 0; k < KINDS; k++) {
			struct store_count *row = &account[row_of_kind[k]];
			const struct store_count *now = &held->by[e][k];
			said.weight += row->weight;
			said.samples += row->samples;
			hold.weight += now->weight;
			hold.samples += now->samples;
			row->weight = v ? now->weight : row->weight;
			row->samples = n ? now->samples : row->samples;
		}
		if (v)
			account[CSP_OUT_OF_MEMORY].weight += excess(said.weight, hold.weight);
		if (n)
			account[CSP_OUT_OF_MEMORY].samples += excess(said.samples, hold.samples);
	}
}

/* Set a row of `ended` to the sum over its trees. The difference is counts of the thread that is
 * being merged that have already arrived in the trees, or have not: subtract or add it in that
 * thread's row. */
static void even_out(uint64_t *row, uint64_t hold, uint64_t *merging)
{
	if (hold > *row)
		*merging -= hold - *row < *merging ? hold - *row : *merging;
	else
		*merging += *row - hold;
	*row = hold;
}

/* The process died while counts of thread `merging` were moved to thread `ended`: some are in
 * the trees of one and in the rows of the other. */
static void part_merged(const struct settling *s, uint32_t merging, uint32_t ended)
{
	struct held held = {0};
	add_held(s, ended, &held);
	for (uint32_t e = 0; e < s->h->num_events; e++)
		for (int k = 0; k < KINDS; k++) {
			enum csp_disposition d = row_of_kind[k];
			struct store_count *to = &thread_at(s, ended)->clocks[e].account[d];
			struct store_count *from = &thread_at(s, merging)->clocks[e].account[d];
			if (store_value_column(s->h, e) != CSP_NONE)
				even_out(&to->weight, held.by[e][k].weight, &from->weight);
			if (store_samples_column(s->h, e) != CSP_NONE)
				even_out(&to->samples, held.by[e][k].samples, &from->samples);
		}
}

/* A number in the row of thread i, event e and disposition d: samples or weight. */
static uint64_t *number_of(const struct settling *s, uint32_t i, uint32_t e, int d, bool samples)
{
	struct store_count *row = &thread_at(s, i)->clocks[e].account[d];
	return samples ? &row->samples : &row->weight;
}

/* Make the rows of all threads sum up to hold by changing the row of thread i; other rows are
 * only changed if the rows have more than all trees. Returns the sum over the rows before. */
static uint64_t balance_row(const struct settling *s, uint32_t i, uint32_t e, int d, bool samples,
			    uint64_t hold)
{
	uint64_t said = 0;
	for (uint32_t t = 0; t < s->num_threads; t++)
		said += *number_of(s, t, e, d, samples);
	if (hold >= said)
		*number_of(s, i, e, d, samples) += hold - said;
	uint64_t over = excess(said, hold);
	for (uint32_t t = 0; over && t <= s->num_threads; t++) {
		uint64_t *row = number_of(s, t == 0 ? i : t - 1, e, d, samples);
		uint64_t part = over < *row ? over : *row;
		*row -= part;
		over -= part;
	}
	return said;
}

/* If threads share trees, only the sums over all rows can be correct, see reconcile. */
static void balance(const struct settling *s, uint32_t i, const struct held *held)
{
	for (uint32_t e = 0; e < s->h->num_events; e++)
		for (int samples = 0; samples < 2; samples++) {
			uint64_t said = 0, hold = 0;
			if ((samples ? store_samples_column(s->h, e)
				     : store_value_column(s->h, e)) == CSP_NONE)
				continue;
			for (int k = 0; k < KINDS; k++) {
				const struct store_count *now = &held->by[e][k];
				uint64_t part = samples ? now->samples : now->weight;
				said += balance_row(s, i, e, row_of_kind[k], samples, part);
				hold += part;
			}
			*number_of(s, i, e, CSP_OUT_OF_MEMORY, samples) += excess(said, hold);
		}
}

/* The index of the thread at ref, or num_threads. */
static uint32_t find_thread(const struct settling *s, store_ref ref)
{
	uint32_t i = 0;
	while (i < s->num_threads && store_survey_thread(&s->c->survey, i) != ref)
		i++;
	return i;
}

static void settle_account(const struct settling *s)
{
	uint32_t merging = find_thread(s, s->h->merging), ended = find_thread(s, s->h->ended);
	struct held all = {0};
	if (s->num_threads == 0)
		return;
	add_held(s, s->num_threads, &all);
	bool shared = all.trees;
	if (shared && merging == s->num_threads)
		merging = s->num_threads - 1;
	else if (!shared && merging < s->num_threads && ended < s->num_threads && merging != ended)
		part_merged(s, merging, ended);
	for (uint32_t i = 0; i < s->num_threads; i++) {
		struct held held = {0};
		add_held(s, i, &held);
		if (!shared || (held.trees && i != merging))
			reconcile(s, i, &held);
		add_held(s, i, &all);
	}
	if (shared)
		balance(s, merging, &all);
}

/* What the clock had advanced up to a sample that was never finished: it is in no row. It cannot
 * be found for shared trees, and for threads that are being merged. */
static uint64_t unfinished(const struct settling *s, uint32_t i, const struct store_clock *clock,
			   uint64_t sum)
{
	store_ref ref = store_survey_thread(&s->c->survey, i);
	if (s->h->shared || ref == s->h->ended || ref == s->h->merging ||
	    clock->last < clock->start)
		return 0;
	return excess(clock->last - clock->start, sum);
}

static uint64_t weights_of(const struct store_clock *clock)
{
	uint64_t sum = 0;
	for (int d = 0; d < CSP_DISPOSITIONS; d++)
		sum += clock->account[d].weight;
	return sum;
}

/* Set the end of each clock from its weights; a clock that would overflow begins at 0. */
static void settle_clocks(const struct settling *s)
{
	for (uint32_t e = 0; e < s->h->num_events; e++) {
		uint64_t all = 0;
		for (uint32_t i = 0; i < s->num_threads; i++)
			all += weights_of(&thread_at(s, i)->clocks[e]);
		for (uint32_t i = 0; i < s->num_threads; i++) {
			struct store_clock *clock = &thread_at(s, i)->clocks[e];
			uint64_t sum = weights_of(clock);
			uint64_t more = unfinished(s, i, clock, sum);
			bound(&all, &more);
			clock->account[CSP_TAIL].weight += more;
			sum += more;
			if (clock->start > UINT64_MAX - sum)
				clock->start = 0;
			clock->end = clock->last = clock->start + sum;
		}
	}
}

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* The earliest possible end of a thread: its start plus its CPU time. */
static uint64_t least_end(const struct store_thread *t)
{
	uint64_t cpu = t->clocks[0].end - t->clocks[0].start;
	return t->start_ns > UINT64_MAX - cpu ? t->start_ns : t->start_ns + cpu;
}

static void settle_times(const struct settling *s, const struct store_ending *ending)
{
	struct store_header *h = s->h;
	uint64_t last = 0;
	if (ending && !h->end_mono_ns)
		h->end_mono_ns = ending->end_mono_ns;
	if (h->end_mono_ns > h->start_mono_ns)
		last = h->end_mono_ns - h->start_mono_ns;
	for (uint32_t i = 0; i < s->num_threads; i++) {
		const struct store_thread *t = thread_at(s, i);
		last = later(last, later(t->end_ns, least_end(t)));
	}
	for (uint32_t i = 0; i < s->num_threads; i++)
		if (!thread_at(s, i)->end_ns)
			thread_at(s, i)->end_ns = last;
	if (!h->end_mono_ns)
		h->end_mono_ns = h->start_mono_ns + last;
	if (ending && ending->end && !h->end[0])
		memcpy(h->end, ending->end, strnlen(ending->end, sizeof h->end - 1));
}

/* The tree of a node, by its number. */
static const struct store_tree *tree_of(const struct store_survey *sv, uint32_t node)
{
	uint32_t low = 0, high = sv->num_trees;
	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;
		if (store_survey_first_node(sv, middle) <= node)
			low = middle;
		else
			high = middle;
	}
	return store_survey_tree(sv, low);
}

/* Charge the wait in which thread i was up to the end. A wait that is not plausible is ignored. */
static void end_wait(const struct settling *s, uint32_t i, uint64_t end)
{
	const struct store_survey *sv = &s->c->survey;
	struct store_thread *t = thread_at(s, i);
	uint32_t number = t->wait_node < sv->slots ? sv->number[t->wait_node] : 0;
	uint32_t column =
	    t->wait_clock < s->h->num_events ? store_value_column(s->h, t->wait_clock) : CSP_NONE;
	if (t->end_ns || column == CSP_NONE || !sv->num_trees ||
	    number < store_survey_first_node(sv, 0) || number >= sv->first_name)
		return;
	struct store_clock *clock = &t->clocks[t->wait_clock];
	uint64_t now = excess(end, t->wait_ahead);
	if (clock->stopped && clock->stopped - 1 < now) /* what came after that is not measured */
		now = clock->stopped - 1;
	uint64_t weight = excess(now, clock->last);
	if (weight > end - s->h->start_mono_ns)
		return;
	struct store_node *node = (struct store_node *)store_survey_node(sv, number);
	struct store_count *row = &clock->account[row_of_kind[tree_of(sv, number)->kind]];
	if (node->metrics[column] > INT64_MAX - weight || row->weight > INT64_MAX - weight)
		return;
	node->metrics[column] += weight;
	row->weight += weight;
	clock->last += weight;
}

static void end_waits(const struct settling *s, const struct store_ending *ending)
{
	uint64_t end = s->h->end_mono_ns ? s->h->end_mono_ns : ending ? ending->end_mono_ns : 0;
	if (end <= s->h->start_mono_ns)
		return;
	for (uint32_t i = 0; i < s->num_threads; i++)
		end_wait(s, i, end);
}

void store_settle(struct store_copy *c, const struct store_ending *ending)
{
	/* the survey's pointers are const, but refer to the copy's own memory */
	struct settling s = {c, (struct store_header *)c->memory, c->survey.num_threads};
	end_waits(&s, ending);
	bound_all(&s);
	settle_account(&s);
	settle_clocks(&s);
	settle_times(&s, ending);
}

/* ---- the datafile ------------------------------------------------------------------------- */

struct recover_output {
	uint8_t *bytes;
	size_t n, cap;
};

static int keep(void *context, const uint8_t *bytes, size_t n)
{
	struct recover_output *o = context;
	if (o->n + n > o->cap) {
		size_t cap = 2 * (o->n + n);
		uint8_t *more = realloc(o->bytes, cap);
		if (!more)
			return -ENOMEM;
		o->bytes = more;
		o->cap = cap;
	}
	memcpy(o->bytes + o->n, bytes, n);
	o->n += n;
	return 0;
}

int store_copy_to_datafile(const struct store_copy *c, uint8_t **bytes, size_t *n, struct error *e)
{
	uint8_t buffer[16 * 1024];
	struct recover_output o = {0};
	struct csp_sink sink = {.buf = buffer,
				.cap = sizeof buffer,
				.flush = keep,
				.ctx = &o,
				.big = csp_host_is_big()};
	if (store_survey_put(&c->survey, &sink) < 0) {
		size_t had = o.n;
		free(o.bytes);
		return error_memory(e, had);
	}
	*bytes = o.bytes;
	*n = o.n;
	return 0;
}
