/* Marked frames (`--mark marks`): return addresses are replaced by slots (cpu/slots.h), so that a
 * walk ends at the first frame that it has seen before, and returns are counted. marks.md says
 * which frames are marked, and why the program does not notice.
 *
 * The frames are those of the memo (memo.h): the slot of frame k is the k-th of the thread's. It
 * is in the cell to which the callee of frame k returns, frame k + 1. So that is the activation
 * that begins when the mark is made, for the profile, and ends when the slot is passed. Its node
 * gets the counts.
 * Async-signal-safe; used by its thread alone, unless it says otherwise. */
#ifndef RUNTIME_SAMPLE_MARKS_H
#define RUNTIME_SAMPLE_MARKS_H

#include "runtime/sample/memo.h"

/* Why a thread's frames are not marked. */
enum csprof_marks_end {
	CSPROF_MARKS_LOST, /* a slot was met that the thread does not know */
	CSPROF_MARKS_APART /* see marks_apart.h */
};

/* A thread begins, whose frames are to be marked. In a forked child the first one continues with
 * the slots of the thread that forked. */
void csprof_marks_begin(struct csprof_memo *m);

/* The walk has come to a slot: let c be at the real return address, and set m->met, m->in_flight or
 * m->lost. */
void csprof_marks_resolve(struct csprof_memo *m, struct csprof_cursor *c);

/* Whether the walk that is recorded must change no mark: an unwinder is about to continue in one of
 * its frames, code in a slot was interrupted, or code that counts calls (marks_unsafe.h). */
bool csprof_marks_must_stay(struct csprof_memo *m);

/* Then, if not: whether frame k may be marked, which step number `callee` has come to. */
bool csprof_marks_may(const struct csprof_memo *m, uint32_t k, uint32_t callee);

static inline void csprof_marks_judge(struct csprof_memo *m, uint32_t k, uint32_t callee)
{
	m->frames[k].may_mark = m->marks && csprof_marks_may(m, k, callee);
}

/* Count what has returned since the last sample, and what was left in another way. sp: the stack
 * pointer of the program, or 0 if it is not on this stack; what is below was left. The marks stay.
 */
void csprof_marks_count(struct csprof_memo *m, uintptr_t sp);

/* The thread's trees were moved: what is marked now is not counted any more. */
void csprof_marks_moved(struct csprof_memo *m);

/* Drop the marks of all frames but the first `known`. sp: the stack pointer of the program. */
void csprof_marks_drop(struct csprof_memo *m, uint32_t known, uintptr_t sp);

/* Mark the frames that were walked last, whose nodes in the tree are nodes[k] for k < num_nodes. */
void csprof_marks_put(struct csprof_memo *m, const store_ref *nodes, uint32_t num_nodes);

/* The slot of frame k, which has one if it is marked. */
uint32_t csprof_marks_slot(const struct csprof_memo *m, uint32_t k);

/* Restore all return addresses, and mark no more. */
void csprof_marks_give_up(struct csprof_memo *m, enum csprof_marks_end why);

/* The thread ends: restore its return addresses, and free its slots. */
void csprof_marks_end(struct csprof_memo *m);

/* In a forked child, of the thread that forked: restore its return addresses, and keep its slots
 * for csprof_marks_begin. Of the others, whose stacks nobody uses: free their slots. */
void csprof_marks_keep(struct csprof_memo *m);
void csprof_marks_forget(struct csprof_memo *m);

#endif
