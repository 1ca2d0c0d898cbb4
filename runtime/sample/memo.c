#include "runtime/sample/memo.h"

#include "runtime/os/os.h"
#include "runtime/process/state.h"
#include "runtime/sample/marks.h"

#include <string.h>

/* After a path that is worth it the next few are remembered, however long they are. */
enum { STAY_ON = 100, FIRST_MAX = 512 };

static size_t bytes_for(uint32_t max)
{
	return max * (sizeof(struct csprof_memo_frame) + 2 * sizeof(struct csprof_memo_check) +
		      sizeof(struct csprof_memo_step));
}

static void use(struct csprof_memo *m, void *memory, uint32_t max)
{
	m->frames = memory;
	m->checks = (void *)(m->frames + max);
	m->steps = (void *)(m->checks + 2 * (size_t)max);
	m->max = max;
}

/* Have room for at least n frames. */
static bool have_room(struct csprof_memo *m, uint32_t n)
{
	uint32_t max = m->max ? m->max : FIRST_MAX;
	while (max < n)
		max *= 2;
	if (max == m->max)
		return true;
	void *memory = max <= CSPROF_MAX_FRAMES ? os_map(bytes_for(max)) : NULL;
	if (!memory)
		return false;
	struct csprof_memo old = *m;
	use(m, memory, max);
	if (old.max) {
		memcpy(m->frames, old.frames, old.num_frames * sizeof *m->frames);
		memcpy(m->checks, old.checks, old.num_checks * sizeof *m->checks);
		memcpy(m->steps, old.steps, old.num_steps * sizeof *m->steps);
		os_unmap(old.frames, bytes_for(old.max));
	}
	return true;
}

void csprof_memo_deinit(struct csprof_memo *m)
{
	if (m->max)
		os_unmap(m->frames, bytes_for(m->max));
	memset(m, 0, sizeof *m);
}

/* What was compared was right for code that may not be there any more. Code that a mark leads to
 * is. */
static void forget_checks(struct csprof_memo *m)
{
	for (uint32_t k = 0; k < m->num_frames && m->marks; k++)
		m->frames[k].checks = CSPROF_MEMO_UNCHECKED;
	if (!m->marks)
		m->num_frames = m->num_checks = m->inserted = 0;
}

void csprof_memo_begin(struct csprof_memo *m, bool worth_it, unsigned generation, bool own)
{
	if (worth_it || m->marks)
		m->stay_on = STAY_ON;
	else if (m->stay_on)
		m->stay_on--;
	if (m->generation != generation)
		forget_checks(m);
	m->generation = generation;
	m->num_steps = 0;
	m->next = m->num_frames;
	m->usable = m->stay_on && (m->max || have_room(m, FIRST_MAX));
	/* on another stack the marks of this one stay as they are */
	m->recording = m->usable && (own || !m->marks);
	m->current = m->whole = m->in_flight = m->lost = m->by_mark = false;
	m->met = 0;
}

/* One load and one comparison each; a difference is rare. */
static bool unchanged(const struct csprof_memo_check *check, uint32_t n)
{
	enum { AT_ONCE = 8 };
	uint32_t i = 0;
	for (; i + AT_ONCE <= n; i += AT_ONCE) {
		uintptr_t differ = 0;
		for (uint32_t k = 0; k < AT_ONCE; k++)
			differ |= *check[i + k].at ^ check[i + k].value;
		if (differ)
			return false;
	}
	for (; i < n; i++)
		if (*check[i].at != check[i].value)
			return false;
	return true;
}

/* What is outside of a marked frame is as it was, if the frame still has its mark: that is the
 * first check behind those of the frame. So the checks before are left out. */
static uint32_t first_check(const struct csprof_memo *m, uint32_t k)
{
	for (uint32_t i = k; m->marks && i-- > 0;)
		if (m->frames[i].marked)
			return m->frames[i].checks;
	return 0;
}

bool csprof_memo_meets(struct csprof_memo *m, const struct csprof_cursor *c, uint32_t *known)
{
	while (m->next && m->frames[m->next - 1].sp < c->sp)
		m->next--;
	for (uint32_t k = m->next; k && m->frames[k - 1].sp == c->sp; k--) {
		const struct csprof_memo_frame *f = &m->frames[k - 1];
		if (f->ip != c->ip || f->exact != c->exact || (f->bp_matters && f->bp != c->bp) ||
		    f->checks == CSPROF_MEMO_UNCHECKED)
			continue;
		uint32_t first = first_check(m, k - 1);
		*known = k;
		m->usable = unchanged(m->checks + first, f->checks - first);
		return m->usable;
	}
	return false;
}

void csprof_memo_more_steps(struct csprof_memo *m)
{
	if (!have_room(m, m->max + 1))
		m->recording = false;
}

/* Whether the next steps can be repeated by comparing what they read. */
static bool is_checked(const struct csprof_memo *m, uint32_t known)
{
	return known == 0 || m->frames[known - 1].checks != CSPROF_MEMO_UNCHECKED;
}

void csprof_memo_end(struct csprof_memo *m, const struct csprof_cursor *c, uint32_t known,
		     uintptr_t low, uintptr_t high)
{
	bool bp_matters = true; /* to the step from the outermost frame, which is made again */
	uint32_t leaf = 0;      /* it is in the tree as what was sampled, and is not remembered */
	if (!m->recording || !have_room(m, known + m->num_steps + 1) ||
	    (m->marks && csprof_marks_must_stay(m)))
		return;
	/* the cell of a frame that was found by comparing has no mark, or the walk had met it */
	csprof_marks_drop(m, known && !m->by_mark ? known - 1 : known,
			  m->num_steps ? m->steps[0].sp : c->sp);
	while (leaf < m->num_steps && m->steps[leaf].own)
		leaf++;
	bool checked = is_checked(m, known);
	m->num_frames = known;
	m->fresh = known ? known - 1 : 0;
	m->num_checks = 0;
	if (known) {
		m->num_checks = checked ? m->frames[known - 1].checks : 0;
		bp_matters = m->frames[known - 1].bp_matters;
		if (m->num_steps)
			csprof_marks_judge(m, known - 1, m->num_steps - 1);
	} else if (leaf < m->num_steps && c->sp >= low && c->sp < high) {
		m->frames[m->num_frames++] = (struct csprof_memo_frame){
		    .ip = c->ip, .sp = c->sp, .bp = c->bp, .bp_matters = true, .exact = c->exact};
	} else {
		m->num_steps = 0;
	}
	if (m->inserted > m->num_frames)
		m->inserted = m->num_frames;
	for (uint32_t i = m->num_steps; i-- > leaf + 1;) {
		const struct csprof_memo_step *s = &m->steps[i];
		checked = checked && s->basis != CSPROF_BASIS_OTHER;
		if ((!checked && !m->marks) || s->sp < low || s->sp >= high)
			break;
		if (checked)
			m->checks[m->num_checks++] = (struct csprof_memo_check){s->cell, *s->cell};
		if (checked && s->fp_cell && bp_matters)
			m->checks[m->num_checks++] =
			    (struct csprof_memo_check){s->fp_cell, *s->fp_cell};
		bp_matters = s->basis == CSPROF_BASIS_FRAME || (bp_matters && !s->fp_cell);
		if (s->own)
			continue;
		m->frames[m->num_frames++] = (struct csprof_memo_frame){
		    .ip = s->ip,
		    .sp = s->sp,
		    .bp = s->bp,
		    .checks = checked ? m->num_checks : CSPROF_MEMO_UNCHECKED,
		    .exact = s->exact,
		    .bp_matters = bp_matters,
		    .after_call = (s->traits & CSPROF_TRAIT_AFTER_CALL) != 0};
		csprof_marks_judge(m, m->num_frames - 1, i - 1);
	}
	m->current = true;
}

void csprof_memo_inserted(struct csprof_memo *m, uint32_t total, uint32_t same)
{
	uint32_t limit = m->current ? total - 1 : same;
	uint32_t have = m->current ? m->num_frames : m->inserted;
	m->inserted = have < limit ? have : limit;
}
