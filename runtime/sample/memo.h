/* Remembered frames (`--mark memo`): a walk ends where it meets the last one, if the stack from
 * there on still holds what that one read there. README.md, "Remembered frames", says why the
 * result is the same.
 *
 * Of each thread the last complete walk is remembered, from the outermost frame inwards, as far as
 * it has used nothing but its own stack, the stack pointer and the frame pointer. With marks
 * (marks.h), which need no comparison, it is remembered whatever it has used.
 * Async-signal-safe; used by its thread alone. */
#ifndef RUNTIME_SAMPLE_MEMO_H
#define RUNTIME_SAMPLE_MEMO_H

#include "formats/store/store.h"
#include "runtime/cpu/cpu.h"

#include <stdbool.h>
#include <stdint.h>

/* Instead of a number of checks: the frame is found by a mark only. */
enum { CSPROF_MEMO_UNCHECKED = (1 << 24) - 1 };

/* A frame of a path. A walk that is at this ip and sp, and at this bp if that matters, goes on as
 * the remembered one did if the first `checks` words are as they were. */
struct csprof_memo_frame {
	uintptr_t ip, sp, bp;
	store_ref node; /* of its callee, in the tree, if open */
	uint32_t checks : 24;
	uint32_t exact : 1, bp_matters : 1;
	uint32_t after_call : 1, may_mark : 1, marked : 1; /* see marks.h */
	uint32_t open : 1; /* the activation of its callee is counted, and its end is not */
};

/* A word of the stack that the walk has used, and its value. */
struct csprof_memo_check {
	const uintptr_t *at;
	uintptr_t value;
};

/* A frame of the walk that is under way, and the step that left it: see struct csprof_cursor. */
struct csprof_memo_step {
	uintptr_t ip, sp, bp;
	const uintptr_t *cell, *fp_cell;
	uint8_t basis, traits;
	bool exact, own; /* own: it is in no path */
};

struct csprof_memo {
	struct csprof_memo_frame *frames; /* outermost first */
	struct csprof_memo_check *checks;
	struct csprof_memo_step *steps; /* innermost first */
	uint32_t num_frames, num_checks, num_steps;
	uint32_t max;      /* frames and steps, and half the checks; 0: no memory yet */
	uint32_t next;     /* frames that the walk has not passed yet */
	uint32_t inserted; /* frames whose nodes are those of the path inserted last */
	uint32_t stay_on;  /* walks still to be remembered, however short they are */
	unsigned generation;
	bool recording; /* this walk is remembered */
	bool usable;    /* this walk may end at a remembered frame; */
	bool whole;     /* not even at a marked one */
	bool current;   /* the remembered frames are the last walk's */

	bool marks;       /* frames are marked */
	bool in_flight;   /* the walk has met code that was interrupted in a slot */
	bool lost;        /* the walk has met a slot that it does not know */
	bool by_mark;     /* the walk has ended there, not by comparing */
	uint32_t met;     /* the number of frames from the marked one that it is at; 0: none */
	uint32_t certain; /* steps before this one are by rules, not guesses */
	uint32_t fresh;   /* marks are still to be made from this frame on */
	uint32_t first;   /* frames up to the innermost that was marked at the last sample */
	uint16_t *chunks; /* of slots: see marks.c */
};

/* A walk begins. worth_it: the last path was so long that frames are to be remembered. generation:
 * see csprof_epoch_generation. own: the stack pointer is on the thread's own stack. */
void csprof_memo_begin(struct csprof_memo *m, bool worth_it, unsigned generation, bool own);

/* Whether the walk may end at c, a frame of a path. Then *known is the number of frames from there
 * to the outermost one, which are the first remembered ones. */
bool csprof_memo_meets(struct csprof_memo *m, const struct csprof_cursor *c, uint32_t *known);

/* There is no room for another step, so make some. */
void csprof_memo_more_steps(struct csprof_memo *m);

/* The walk is about to leave c. Then, if it has: left. */
static inline void csprof_memo_leaves(struct csprof_memo *m, const struct csprof_cursor *c,
				      bool own)
{
	if (m->recording && m->num_steps == m->max)
		csprof_memo_more_steps(m);
	if (!m->recording)
		return;
	struct csprof_memo_step *s = &m->steps[m->num_steps];
	s->ip = c->ip;
	s->sp = c->sp;
	s->bp = c->bp;
	s->exact = c->exact;
	s->own = own;
}

static inline void csprof_memo_left(struct csprof_memo *m, const struct csprof_cursor *c)
{
	if (!m->recording)
		return;
	struct csprof_memo_step *s = &m->steps[m->num_steps++];
	s->cell = c->cell;
	s->fp_cell = c->fp_cell;
	s->basis = c->basis;
	s->traits = c->traits;
}

/* The walk has ended: at c, the outermost frame, or, if known > 0, where csprof_memo_meets said so.
 * Only frames in [low, high), the thread's own stack, are remembered. */
void csprof_memo_end(struct csprof_memo *m, const struct csprof_cursor *c, uint32_t known,
		     uintptr_t low, uintptr_t high);

/* A path of total frames, without notes, was inserted, and its nodes remembered. same: so many of
 * the outer ones are as in the path before. */
void csprof_memo_inserted(struct csprof_memo *m, uint32_t total, uint32_t same);

void csprof_memo_deinit(struct csprof_memo *m);

#endif
