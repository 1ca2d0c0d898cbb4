/* What stands out among values, and what can be done about it. */
#include "hpcprof/views/values/values.h"

#include "formats/base/search.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 64 }; /* bytes of a cache line */

struct search {
	struct values_view *v;
	const struct instructions *p;
	const struct listed_instruction *at;
	uint8_t used; /* arguments that the procedure uses, by bit */
	findings *out;
};

/* ---- arguments that are used ------------------------------------------------------------------
 */

/* Whether the bits that are live at an instruction change. */
static bool step_back(const struct instructions *p, uint8_t *live, size_t i)
{
	const struct listed_instruction *at = &p->list.at[i];
	uint8_t after = 0, before;

	if (at->flow == INSTRUCTION_CALL) { /* it takes its own, and leaves none */
		before = at->reads;
	} else {
		if (at->flow != INSTRUCTION_LEAVES && i + 1 < p->list.len)
			after = live[i + 1];
		if (at->target >= p->code.low && at->target < p->code.high)
			after |= live[instructions_at(p, at->target)];
		before = (uint8_t)((after & ~at->writes) | at->reads);
	}
	if (before == live[i])
		return false;
	live[i] = before;
	return true;
}

/* The arguments that are read before anything else is in their registers: live variables at the
 * entry. An argument that is only passed on by a call is not among them. */
uint8_t values_arguments(struct values_view *v, const struct instructions *p)
{
	uint8_t *live = calloc(p->list.len + 1, sizeof *live), used;
	bool changed = live != NULL;

	v->starved |= !live;
	while (changed) {
		changed = false;
		for (size_t i = p->list.len; i-- > 0;)
			changed |= step_back(p, live, i);
	}
	used = live && p->list.len ? live[0] : 0;
	free(live);
	return used;
}

/* ---- findings ---------------------------------------------------------------------------------
 */

/* "all 240 times", "in 93% of 240 times". */
static const char *how_often(struct search *s, const struct model_value *row, double share)
{
	if (share >= 1)
		return values_format(s->v, "all %" PRIu64 " times", row->count);
	return values_format(s->v, "in %.0f%% of %" PRIu64 " times", 100 * share, row->count);
}

static void add(struct search *s, const struct model_value *row, double share, const char *what,
		const char *advice)
{
	struct finding f = {row->address, share, row->count, what, advice};

	s->v->starved |= !what || !vec_push(s->out, f);
}

/* An address of memory differs from run to run, and says little. */
static bool is_pointer(const struct model_value *row, uint64_t value)
{
	enum { LOWEST = 40, HIGHEST = 47 };

	return row->bytes == sizeof value && value >> LOWEST && !(value >> HIGHEST);
}

static void find_argument(struct search *s, const struct model_value *row,
			  const struct model_frequent *f, double share)
{
	uint32_t number = row->what - CSP_VALUE_ARGUMENT;

	if (row->address != s->p->code.low || !(s->used >> number & 1) || share < VALUES_NEARLY ||
	    is_pointer(row, f->value))
		return;
	add(s, row, share,
	    values_format(s->v, "argument %" PRIu32 " is %s %s", number + 1,
			  values_text(s->v, s->p, row, f), how_often(s, row, share)),
	    "A copy of the function for this value, or inlining it, lets the compiler compute with "
	    "it.");
}

/* Loops are branches back that are usually taken. */
static void find_branch(struct search *s, const struct model_value *row,
			const struct model_frequent *f, double share)
{
	if (!f->value || share < VALUES_NEARLY || s->at->target <= s->at->address)
		return;
	add(s, row, share, values_format(s->v, "the branch is taken %s", how_often(s, row, share)),
	    "Code for this case should come next: profile-guided optimization, or "
	    "__builtin_expect, puts it there.");
}

static bool is_power_of_2(uint64_t n)
{
	return n && !(n & (n - 1));
}

static bool divides(const struct listed_instruction *at)
{
	return strstr(at->text, "div") != NULL;
}

static void find_operand(struct search *s, const struct model_value *row,
			 const struct model_frequent *f, double share)
{
	const char *value = values_text(s->v, s->p, row, f);
	const char *often = how_often(s, row, share);

	if (share < VALUES_NEARLY)
		return;
	if (divides(s->at))
		add(s, row, share, values_format(s->v, "it divides by %s %s", value, often),
		    is_power_of_2(f->value)
			? "A test for this divisor lets a shift do it instead."
			: "A test for this divisor lets a multiplication do it instead.");
	else if (f->value <= 1)
		add(s, row, share, values_format(s->v, "it multiplies by %s %s", value, often),
		    "A test for this factor saves the multiplication, and what depends on it.");
}

static void find_stride(struct search *s, const struct model_value *row,
			const struct model_frequent *f, double share)
{
	int64_t stride = (int64_t)f->value;

	if (share < VALUES_NEARLY || (stride > -LINE && stride < LINE))
		return;
	add(s, row, share,
	    values_format(s->v, "its address moves by %" PRId64 " bytes %s", stride,
			  how_often(s, row, share)),
	    "Each access is in another cache line: another order of the loops, or another layout "
	    "of the "
	    "data, would use more of each.");
}

static void find_replay(struct search *s, const struct model_value *row,
			const struct model_frequent *f, double share)
{
	bool alias = row->what == CSP_VALUE_ALIAS;
	const char *store, *often = how_often(s, row, share);

	if (!f->value || share < 0.5)
		return;
	store = values_text(s->v, s->p, row, f);
	if (alias)
		add(s, row, share,
		    values_format(
			s->v,
			"its address is a multiple of 4096 away from that of the store at "
			"%s just before %s",
			store, often),
		    "The CPU takes it for the same memory at first: move one of them by a cache "
		    "line.");
	else
		add(s, row, share,
		    values_format(s->v, "it reads what the store at %s has just written %s", store,
				  often),
		    "A local variable would stay in a register, unless others may change the "
		    "memory.");
}

/* Calls through the tables of a dynamic linker go to the same place always. */
static void find_target(struct search *s, const struct model_value *row,
			const struct model_frequent *f, double share)
{
	if (share < VALUES_NEARLY || strstr(s->at->text, "(%rip)"))
		return;
	add(s, row, share,
	    values_format(s->v, "it goes to %s %s", values_text(s->v, s->p, row, f),
			  how_often(s, row, share)),
	    s->at->flow == INSTRUCTION_CALL
		? "A test for this target allows a direct call, which can be inlined: "
		  "profile-guided "
		  "optimization does that."
		: "A test for this case first saves the indirect jump.");
}

/* What a load reads: it has an address and a register. */
static void find_load(struct search *s, const struct model_value *row,
		      const struct model_frequent *f, double share, bool has_address)
{
	if (!has_address || share < 1 || s->at->flow != INSTRUCTION_NEXT ||
	    strncmp(s->at->text, "lea", 3) == 0 || is_pointer(row, f->value))
		return;
	add(s, row, share,
	    values_format(s->v, "it always gives %s (%" PRIu64 " times)",
			  values_text(s->v, s->p, row, f), row->count),
	    "If it cannot change, compute it once before; or test for this value.");
}

static void find_row(struct search *s, const struct model_value *row, bool has_address)
{
	const struct model_frequent *f = values_best(s->v, row);
	double share = f ? values_share(row, f) : 0;

	if (!f || row->count < VALUES_SEEN)
		return;
	if (row->what >= CSP_VALUE_ARGUMENT && row->what < CSP_VALUE_ARGUMENT + CSP_VALUE_ARGUMENTS)
		find_argument(s, row, f, share);
	else if (row->what == CSP_VALUE_BRANCH)
		find_branch(s, row, f, share);
	else if (row->what == CSP_VALUE_OPERAND)
		find_operand(s, row, f, share);
	else if (row->what == (CSP_VALUE_ADDRESS | CSP_VALUE_DIFFERENCE))
		find_stride(s, row, f, share);
	else if (row->what == CSP_VALUE_REPLAY || row->what == CSP_VALUE_ALIAS)
		find_replay(s, row, f, share);
	else if (row->what == CSP_VALUE_TARGET)
		find_target(s, row, f, share);
	else if (row->what < CSP_VALUE_REGISTERS || row->what == CSP_VALUE_LOADED)
		find_load(s, row, f, share, has_address);
}

static int by_share(const void *pa, const void *pb)
{
	const struct finding *a = pa, *b = pb;

	if (a->share != b->share)
		return a->share > b->share ? -1 : 1;
	if (a->count != b->count)
		return a->count > b->count ? -1 : 1;
	return (a->address > b->address) - (a->address < b->address);
}

void values_find(struct values_view *v, const struct instructions *p, findings *out)
{
	struct value_span all = values_between(v, p, p->code.low, p->code.high);
	struct search s = {.v = v, .p = p, .used = values_arguments(v, p), .out = out};

	for (size_t i = all.first, end; i < all.end; i = end) {
		bool has_address = false;
		uint64_t address = v->m->values.at[i].address;
		s.at = &p->list.at[instructions_at(p, address)];
		for (end = i; end < all.end && v->m->values.at[end].address == address; end++)
			has_address |= v->m->values.at[end].what == CSP_VALUE_ADDRESS;
		for (size_t k = i; k < end; k++)
			find_row(&s, &v->m->values.at[k], has_address);
	}
	if (out->len)
		qsort(out->at, out->len, sizeof *out->at, by_share);
}
