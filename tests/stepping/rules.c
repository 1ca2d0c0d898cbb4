/* The rules of sample/marks.c, each of which $STEPPING_WITHOUT switches off, to show that it is
 * needed: the linker puts these functions before the library's own (ld(1), --wrap). */
#include "runtime/cpu/slots.h"
#include "runtime/sample/marks.h"
#include "tests/stepping/stepping.h"

bool __real_csprof_marks_may(const struct csprof_memo *m, uint32_t k, uint32_t callee);
bool __wrap_csprof_marks_may(const struct csprof_memo *m, uint32_t k, uint32_t callee);
bool __real_csprof_marks_must_stay(struct csprof_memo *m);
bool __wrap_csprof_marks_must_stay(struct csprof_memo *m);
void __real_csprof_marks_resolve(struct csprof_memo *m, struct csprof_cursor *c);
void __wrap_csprof_marks_resolve(struct csprof_memo *m, struct csprof_cursor *c);
void __real_csprof_marks_drop(struct csprof_memo *m, uint32_t known, uintptr_t sp);
void __wrap_csprof_marks_drop(struct csprof_memo *m, uint32_t known, uintptr_t sp);
void __real_csprof_memo_begin(struct csprof_memo *m, bool worth_it, unsigned generation, bool own);
void __wrap_csprof_memo_begin(struct csprof_memo *m, bool worth_it, unsigned generation, bool own);

void __real_csprof_marks_give_up(struct csprof_memo *m, enum csprof_marks_end why);
void __wrap_csprof_marks_give_up(struct csprof_memo *m, enum csprof_marks_end why);

/* No operation may be a reason to. */
void __wrap_csprof_marks_give_up(struct csprof_memo *m, enum csprof_marks_end why)
{
	stepping_is_wrong();
	__real_csprof_marks_give_up(m, why);
}

/* "leaf": the caller of interrupted code may be marked. "system": callers of the system's
 * libraries, too. "call": also what follows no call. "guess": beyond frames without rules. */
bool __wrap_csprof_marks_may(const struct csprof_memo *m, uint32_t k, uint32_t callee)
{
	struct csprof_memo relaxed = *m;
	struct csprof_memo_step step = m->steps[callee];
	struct csprof_memo_frame frame = m->frames[k];
	relaxed.steps = &step;
	relaxed.frames = &frame;
	relaxed.certain = callee < m->certain || stepping_is_without("guess");
	if (stepping_is_without("leaf"))
		step.exact = false;
	if (stepping_is_without("system"))
		step.traits &= (uint8_t)~CSPROF_TRAIT_SYSTEM;
	if (stepping_is_without("call"))
		frame.after_call = true;
	return __real_csprof_marks_may(&relaxed, 0, 0);
}

/* "unwinder": marks are changed while an unwinder runs. "flight": and where code in a slot was
 * interrupted. */
bool __wrap_csprof_marks_must_stay(struct csprof_memo *m)
{
	if (stepping_is_without("unwinder"))
		for (uint32_t i = 0; i < m->num_steps; i++)
			m->steps[i].traits &= (uint8_t)~CSPROF_TRAIT_UNWINDER;
	if (stepping_is_without("flight"))
		m->in_flight = false;
	return __real_csprof_marks_must_stay(m);
}

/* "cell": a slot is known wherever it is met. */
void __wrap_csprof_marks_resolve(struct csprof_memo *m, struct csprof_cursor *c)
{
	uintptr_t slot = c->ip;
	__real_csprof_marks_resolve(m, c);
	if (!stepping_is_without("cell") || !m->lost)
		return;
	m->lost = false;
	for (uint32_t k = 0; k < m->num_frames; k++)
		if (m->frames[k].marked && csprof_marks_slot(m, k) == csprof_slot_of(slot))
			m->met = k + 1;
}

/* "restore": a mark is dropped wherever its cell is, and whatever that holds. */
void __wrap_csprof_marks_drop(struct csprof_memo *m, uint32_t known, uintptr_t sp)
{
	for (uint32_t k = known; k < m->num_frames && stepping_is_without("restore"); k++)
		m->frames[k].marked = false;
	__real_csprof_marks_drop(m, known, sp);
}

/* "stack": marks are changed on other stacks, too. */
void __wrap_csprof_memo_begin(struct csprof_memo *m, bool worth_it, unsigned generation, bool own)
{
	__real_csprof_memo_begin(m, worth_it, generation, own || stepping_is_without("stack"));
}
