#include "hpcprof/export/feedback/frequencies.h"

#include "formats/base/search.h"
#include "hpcprof/export/feedback/code.h"

#include <stdlib.h>
#include <string.h>

/* Chosen by how close the results come to the true numbers of executions, which Valgrind counts;
 * they hardly depend on these values. */
#define BIAS 0.3        /* the error by waits, as a part of the number */
#define FLOW_WEIGHT 100 /* of a difference between entries and exits; 1: that of the samples */
#define LEAST 0.05      /* fewer samples than this to be expected are none */
enum { ROUNDS = 8, SWEEPS = 100 };

#define NO_BLOCK UINT32_MAX
enum { MOST_NEXT = 2 };

struct block {
	uint32_t first, end; /* instructions */
	double measured;     /* samples of an instruction */
	double weight;       /* of the samples: the inverse of the expected squared error */
	double count;        /* the estimate */
	double in, out;      /* sums of the edges */
	uint32_t next[MOST_NEXT];
	double edge[MOST_NEXT]; /* how often it went to each */
	bool all_in, all_out;   /* no other edges lead there, or from there */
	bool is_target;         /* a jump leads there */
};

/* A procedure's instructions. */
struct flow {
	struct feedback_instruction *code;
	uint32_t num;
	uint32_t *block_of; /* [num]; first 1 where a block begins */
	struct block *blocks;
	uint32_t num_blocks;
	/* of the first block, by calls: see code.h; and the estimate */
	double entered, entered_weight, entry;
};

/* ---- blocks ------------------------------------------------------------------------ */

/* The number of the instruction at an address; num if there is none. */
static uint32_t instruction_at(const struct flow *w, uint64_t address)
{
	size_t i = SEARCH_FIRST(k, 0, w->num, w->code[k].address >= address);

	return i < w->num && w->code[i].address == address ? (uint32_t)i : w->num;
}

static bool ends_block(const struct feedback_instruction *one)
{
	return one->flow == INSTRUCTION_BRANCH || one->flow == INSTRUCTION_LEAVES;
}

static void mark_begins(struct flow *w)
{
	w->block_of[0] = 1;
	for (uint32_t i = 0; i < w->num; i++) {
		const struct feedback_instruction *one = &w->code[i];
		uint32_t to;
		if (!ends_block(one))
			continue;
		to = one->target ? instruction_at(w, one->target) : w->num;
		if (to < w->num)
			w->block_of[to] = 1;
		if (i + 1 < w->num)
			w->block_of[i + 1] = 1;
	}
}

/* What the samples of a block of n instructions count for, if its number is count. One sample more,
 * as that none was seen does not say that there is none. */
static double weight_of(double count, double n)
{
	double by_waits = BIAS * count;

	return 1 / ((count * n + 1) / (n * n) + by_waits * by_waits);
}

static void measure(const struct flow *w, struct block *b)
{
	double n = b->end - b->first, samples = 0;

	for (uint32_t i = b->first; i < b->end; i++)
		samples += (double)w->code[i].samples;
	b->measured = b->count = samples / n;
	b->weight = weight_of(b->measured, n);
}

static void link_block(struct flow *w, uint32_t at)
{
	struct block *b = &w->blocks[at];
	const struct feedback_instruction *last = &w->code[b->end - 1];
	uint32_t to = ends_block(last) && last->target ? instruction_at(w, last->target) : w->num;

	b->next[0] = b->next[1] = NO_BLOCK;
	if (to < w->num)
		b->next[0] = w->block_of[to];
	if (last->flow != INSTRUCTION_LEAVES && b->end < w->num)
		b->next[1] = at + 1;
	b->all_out = last->flow == INSTRUCTION_LEAVES ? b->next[0] != NO_BLOCK
		     : last->flow == INSTRUCTION_BRANCH
			 ? b->next[0] != NO_BLOCK && b->next[1] != NO_BLOCK
			 : b->next[1] != NO_BLOCK;
}

static bool is_padding(const struct flow *w, const struct block *b)
{
	for (uint32_t i = b->first; i < b->end; i++)
		if (w->code[i].flow != INSTRUCTION_PADS || w->code[i].samples)
			return false;
	return true;
}

/* What is aligned behind a jump looks as if it could be entered through the padding before it. And
 * where code goes through padding, that no samples are there does not say that it does not. */
static void bypass_padding(struct flow *w)
{
	for (uint32_t i = 0; i < w->num_blocks; i++)
		if (w->blocks[i].next[0] != NO_BLOCK)
			w->blocks[w->blocks[i].next[0]].is_target = true;
	for (uint32_t i = 1; i < w->num_blocks; i++) {
		struct block *b = &w->blocks[i], *before = b - 1;
		if (b->is_target || !is_padding(w, b))
			continue;
		if (before->next[1] == i) {
			before->next[1] = b->next[1];
			before->all_out &= b->all_out;
		}
		b->next[1] = NO_BLOCK;
		b->all_out = false;
	}
}

static bool find_blocks(struct flow *w)
{
	uint32_t n = 0;

	mark_begins(w);
	for (uint32_t i = 0; i < w->num; i++)
		n += w->block_of[i];
	w->blocks = calloc(n + 1, sizeof *w->blocks);
	if (!w->blocks)
		return false;
	for (uint32_t i = 0; i < w->num; i++) {
		if (w->block_of[i])
			w->blocks[w->num_blocks++].first = i;
		w->block_of[i] = w->num_blocks - 1;
		w->blocks[w->num_blocks - 1].end = i + 1;
	}
	for (uint32_t i = 0; i < n; i++) {
		measure(w, &w->blocks[i]);
		link_block(w, i);
	}
	bypass_padding(w);
	/* the entry is also entered by calls; a block without an edge, in a way that is not seen */
	for (uint32_t i = 0; i < n; i++)
		for (unsigned k = 0; k < MOST_NEXT; k++)
			if (w->blocks[i].next[k] != NO_BLOCK && w->blocks[i].next[k] != 0)
				w->blocks[w->blocks[i].next[k]].all_in = true;
	w->blocks[0].all_in = w->entered_weight > 0;
	return true;
}

/* ---- least squares ----------------------------------------------------------------- */

/* What a difference between a block and its edges counts for. */
static double flow_weight(const struct block *b)
{
	return FLOW_WEIGHT * b->weight;
}

/* The edge that is best while all else stays. */
static void improve_edge(struct flow *w, struct block *from, unsigned k)
{
	struct block *to = &w->blocks[from->next[k]];
	double a = from->all_out ? flow_weight(from) : 0, b = to->all_in ? flow_weight(to) : 0;
	double old = from->edge[k], want;

	if (a + b == 0)
		return;
	want = (a * (from->count - from->out + old) + b * (to->count - to->in + old)) / (a + b);
	from->edge[k] = want > 0 ? want : 0;
	from->out += from->edge[k] - old;
	to->in += from->edge[k] - old;
}

/* The same of a block. */
static void improve_block(struct block *b)
{
	double sum = b->weight * b->measured, weights = b->weight, flow = flow_weight(b);

	if (b->all_out) {
		sum += flow * b->out;
		weights += flow;
	}
	if (b->all_in) {
		sum += flow * b->in;
		weights += flow;
	}
	b->count = sum / weights;
}

/* The same of the calls. */
static void improve_entry(struct flow *w)
{
	struct block *b = &w->blocks[0];
	double flow = flow_weight(b), old = w->entry, want;

	want = (w->entered_weight * w->entered + flow * (b->count - b->in + old)) /
	       (w->entered_weight + flow);
	w->entry = want > 0 ? want : 0;
	b->in += w->entry - old;
}

static void improve(struct flow *w, uint32_t i)
{
	struct block *b = &w->blocks[i];

	if (!i && w->entered_weight > 0)
		improve_entry(w);
	for (unsigned k = 0; k < MOST_NEXT; k++)
		if (b->next[k] != NO_BLOCK)
			improve_edge(w, b, k);
	improve_block(b);
}

/* Each step makes the sum of the squares less, which has one minimum. Forth and back, as flow goes
 * both ways. */
static void solve(struct flow *w)
{
	for (int sweep = 0; sweep < SWEEPS; sweep++) {
		for (uint32_t i = 0; i < w->num_blocks; i++)
			improve(w, i);
		for (uint32_t i = w->num_blocks; i-- > 0;)
			improve(w, i);
	}
}

/* The expected error is that of the true number. The estimate is closer to it than what was
 * measured, so it gives better weights, which give a better estimate. */
static void balance(struct flow *w)
{
	solve(w);
	for (int round = 1; round < ROUNDS; round++) {
		for (uint32_t i = 0; i < w->num_blocks; i++) {
			struct block *b = &w->blocks[i];
			b->weight = weight_of(b->count, b->end - b->first);
		}
		solve(w);
	}
}

/* Least squares leave a little everywhere. Where hardly a sample was to be expected and none was
 * taken, the code was most likely not executed. */
static bool is_unseen(const struct block *b)
{
	return b->measured == 0 && b->count * (b->end - b->first) < LEAST;
}

static bool estimate(struct flow *w)
{
	w->block_of = calloc(w->num, sizeof *w->block_of);
	if (!w->block_of || !find_blocks(w))
		return false;
	balance(w);
	for (uint32_t i = 0; i < w->num_blocks; i++)
		if (is_unseen(&w->blocks[i]))
			w->blocks[i].count = 0;
	for (uint32_t i = 0; i < w->num; i++)
		w->code[i].executions = w->blocks[w->block_of[i]].count;
	return true;
}

bool frequencies_estimate(struct feedback_module *m)
{
	bool ok = true;

	for (size_t i = 0; ok && i < m->procedures.len; i++) {
		const struct feedback_procedure *p = &m->procedures.at[i];
		struct flow w = {.code = m->code.at + p->first,
				 .num = (uint32_t)p->num,
				 .entered = p->entered,
				 .entered_weight = p->entered_weight};
		ok = !p->num || !p->samples || estimate(&w);
		free(w.block_of);
		free(w.blocks);
	}
	return ok;
}
