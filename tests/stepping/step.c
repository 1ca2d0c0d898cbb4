/* Linked into a test build of libhpcrun.so (tests.mk: stepping) for tests/programs/stepped.cc:
 * between stepping_begin and stepping_end a sample is taken after each instruction of the thread,
 * by the processor's single-step flag. Its path in the tree, and the frames that are remembered
 * after it, are compared with a whole walk that knows nothing of them.
 *
 * With $STEPPING_GAP=N a sample is taken after 1 to N instructions, at random: what is remembered
 * is then older than the stack.
 *
 * With $STEPPING_ALONE nothing is compared: samples with a complete path are counted as such.
 *
 * $STEPPING_WITHOUT switches off a rule, to show that it is needed. Those of sample/memo.c: "cells"
 * (return addresses are not compared), "frames" (saved frame pointers), "bp" (the frame pointer
 * itself). The others of its rules (steps that use anything else are not remembered, the step from
 * the outermost frame is made again, a dlclose forgets all) have no operation that shows them
 * needed. Those of sample/marks.c are in rules.c.
 */
#include "formats/identity/kernel.h"
#include "runtime/csprof.h"
#include "runtime/os/os.h"
#include "runtime/process/state.h"
#include "runtime/sample/unwind.h"
#include "tests/stepping/stepping.h"

#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#define EXPORTED __attribute__((visibility("default")))

struct stepping_counts {
	unsigned long steps;    /* instructions */
	unsigned long compared; /* samples with a complete path; others are in our own code */
	unsigned long known;    /* of these ended at a remembered frame */
	unsigned long different;
};
EXPORTED void stepping_begin(void);
EXPORTED struct stepping_counts stepping_end(void);
/* This thread is not stepped in between: libc blocks all signals while it makes or ends a thread,
 * and a step would then kill the process. A new thread, and a handler, is not stepped before go_on.
 */
EXPORTED void stepping_pause(void);
EXPORTED void stepping_go_on(void);

enum { TRAP_FLAG = 0x100 };
static volatile bool stepping;
static __thread volatile bool paused;
static struct stepping_counts counts;
static csprof_state_t whole; /* walks without a memo */
static const char *without;  /* $STEPPING_WITHOUT, or "" */
static atomic_bool taking;   /* a sample is being taken */
static unsigned gap, left;   /* $STEPPING_GAP, and instructions up to the next sample */
static bool alone;           /* $STEPPING_ALONE */

bool stepping_is_without(const char *rule)
{
	return without && strcmp(without, rule) == 0;
}

void stepping_is_wrong(void)
{
	counts.different++;
}

static unsigned next_gap(void)
{
	static uint64_t x = 88172645463325252ull;
	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return 1 + (unsigned)(x % gap);
}

static bool is_kernel(uint64_t key)
{
	uint64_t ip = key & STORE_IP_MASK;
	return ip >= CSP_KERNEL_BASE && ip - CSP_KERNEL_BASE < CSP_KERNEL_EXTENT;
}

/* Whether the tree's path to the node remembered last is that of the whole walk. After a system
 * call its innermost node is the kernel's. */
static bool same_path(const struct csprof_cct *cct)
{
	uint32_t n = whole.num_frames, len = cct->len;
	bool kernel = len && is_kernel(cct->keys[len - 1]);
	if (len != n + kernel)
		return false;
	const struct store_node *node = csprof_store_at(cct->nodes[len - 1]);
	for (uint32_t depth = len; depth-- > 0; node = csprof_store_at(node->parent)) {
		if (node->key != cct->keys[depth])
			return false;
		if (depth == n)
			continue;
		const struct csprof_frame *f = &whole.frames[n - 1 - depth];
		uint64_t ip = node->key & STORE_IP_MASK;
		bool inner = depth == n - 1; /* exact or not: see add_kernel_frame */
		/* a wrong one, found while an unwinder changes the stack, may be any number */
		uint64_t want = (f->ip + (f->exact && !inner)) & STORE_IP_MASK;
		if (ip != want && !(inner && kernel && ip == f->ip + 1))
			return false;
	}
	return true;
}

static bool same_memo(const struct csprof_memo *m)
{
	for (uint32_t i = 0; m->current && i < m->num_frames; i++) {
		const struct csprof_frame *f = &whole.frames[whole.num_frames - 1 - i];
		if (i >= whole.num_frames || m->frames[i].ip != f->ip || m->frames[i].sp != f->sp)
			return false;
	}
	return true;
}

/* Leave a rule out. */
static void cheat(struct csprof_memo *m)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < m->num_frames && strcmp(without, "bp") == 0; i++)
		m->frames[i].bp_matters = i == 0;
	for (uint32_t i = 0; i < m->num_frames && strcmp(without, "cells") == 0; i++)
		m->frames[i].checks = 0;
	if (strcmp(without, "frames") != 0)
		return;
	/* checks of saved frame pointers come after those of their frame's return address */
	for (uint32_t i = 1, c = 0; i < m->num_frames; i++) {
		for (uint32_t first = c; c < m->frames[i].checks; c++)
			if (c == first)
				m->checks[kept++] = m->checks[c];
		m->frames[i].checks = kept;
	}
	m->num_checks = kept;
}

/* Where an unwinder leaves for another frame (__builtin_eh_return), its unwind information is wrong
 * for some instructions: a walk goes astray, and may happen to meet a mark or not. */
static bool in_unwinder(const struct csprof_memo *m)
{
	uint8_t traits = 0;
	for (uint32_t i = 0; i < m->num_steps; i++)
		traits |= m->steps[i].traits;
	return traits & CSPROF_TRAIT_UNWINDER;
}

static void sample(csprof_state_t *state, const void *ucontext)
{
	state->memo.stay_on = UINT32_MAX;
	enum csp_disposition became =
	    csprof_sample_callstack(&state->samplers[0], ucontext, 1, NULL);
	if (became == CSP_OWN_CODE || became == CSP_LOAD_MAP_CHANGING)
		return;
	if (became != CSP_RECORDED && became != CSP_PARTIAL) {
		counts.different++;
		return;
	}
	if (alone) {
		counts.compared += became == CSP_RECORDED;
		return;
	}
	bool known = state->outer > 0, memo = csprof_process.use_memo;
	whole.stack_low = state->stack_low;
	whole.stack_high = state->stack_high;
	csprof_process.use_memo = false;
	bool complete = csprof_unwind_context(&whole, ucontext);
	csprof_process.use_memo = memo;
	if (complete != (became == CSP_RECORDED)) {
		counts.different += !in_unwinder(&state->memo);
		return;
	}
	if (!complete)
		return;
	counts.compared++;
	counts.known += known;
	if (!same_path(&state->cct[CSP_TREE_COMPLETE]) || !same_memo(&state->memo))
		counts.different++;
	if (*without)
		cheat(&state->memo);
}

static void trapped(int sig, siginfo_t *info, void *ucontext)
{
	csprof_state_t *state = csprof_self;
	greg_t *flags = &((ucontext_t *)ucontext)->uc_mcontext.gregs[REG_EFL];
	(void)sig, (void)info;
	*flags &= ~(greg_t)TRAP_FLAG;
	if (!stepping || paused)
		return;
	*flags |= TRAP_FLAG;
	counts.steps++;
	if (--left > 0)
		return;
	left = next_gap();
	if (!state || atomic_exchange(&taking, true))
		return; /* of another thread */
	if (!atomic_exchange(&state->busy, true)) {
		sample(state, ucontext);
		atomic_store(&state->busy, false);
	}
	atomic_store(&taking, false);
}

void stepping_begin(void)
{
	struct sigaction act = {.sa_sigaction = trapped, .sa_flags = SA_SIGINFO | SA_RESTART};
	const char *most = getenv("STEPPING_GAP");
	gap = most ? (unsigned)atoi(most) : 1;
	left = 1;
	alone = getenv("STEPPING_ALONE");
	without = getenv("STEPPING_WITHOUT");
	if (!without)
		without = "";
	memset(&act.sa_mask, 0xff, sizeof act.sa_mask);
	sigdelset(&act.sa_mask, SIGSEGV); /* as in the library's own handler */
	sigdelset(&act.sa_mask, SIGBUS);
	if (!whole.frames)
		csprof_unwind_init(&whole);
	memset(&counts, 0, sizeof counts);
	if (os_sigaction(SIGTRAP, &act, NULL) < 0)
		abort();
	stepping = true;
	__asm__ volatile("pushfq\n\torq %0, (%%rsp)\n\tpopfq" ::"i"(TRAP_FLAG) : "memory", "cc");
}

void stepping_pause(void)
{
	paused = true;
}

void stepping_go_on(void)
{
	paused = false;
	if (stepping)
		raise(SIGTRAP);
}

struct stepping_counts stepping_end(void)
{
	stepping = false;
	return counts;
}
