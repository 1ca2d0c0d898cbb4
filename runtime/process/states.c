#include "runtime/process/states.h"

#include "runtime/interpreters/interpreters.h"
#include "runtime/os/os.h"
#include "runtime/process/labels.h"
#include "runtime/process/regions.h"
#include "runtime/sample/unwind.h"
#include "runtime/sample/values.h"
#include "runtime/sample/wall.h"
#include "runtime/trees/cct.h"

#include <stddef.h>
#include <string.h>

enum { STATES_AT_ONCE = 16 };

/* Free states, of one page and of two, which are for several events: a thread that begins maps
 * nothing, except pages for long paths. */
enum { SIZES = 2 };
static CSPROF_TOGETHER csprof_state_t *spare_states[SIZES];

/* States that were never used: linking them would touch their pages, and each costs a page fault
 * in every image. */
static CSPROF_TOGETHER struct {
	uint8_t *at;
	uint32_t left;
} fresh_states[SIZES];

_Static_assert(CSPROF_MAX_MEASURED * sizeof(struct csprof_sampler) + sizeof(struct csprof_wall) <=
		   CSPROF_STATE_BYTES,
	       "the page after it");

static size_t state_size(void)
{
	return csprof_process.num_measured > 1;
}

static csprof_state_t *take(void)
{
	size_t size = state_size(), bytes = (size + 1) * CSPROF_STATE_BYTES;
	csprof_state_t *state = spare_states[size];
	if (state) {
		spare_states[size] = state->next;
		return state;
	}
	if (!fresh_states[size].left) {
		fresh_states[size].at = os_map(STATES_AT_ONCE * bytes);
		fresh_states[size].left = fresh_states[size].at ? STATES_AT_ONCE : 0;
	}
	if (!fresh_states[size].left)
		return NULL;
	state = (void *)fresh_states[size].at;
	fresh_states[size].at += bytes;
	fresh_states[size].left--;
	return state;
}

static void init_samplers(csprof_state_t *state)
{
	uint32_t n = csprof_process.num_measured;
	state->samplers = &state->the_sampler;
	if (n > 1) {
		state->samplers = (void *)((uint8_t *)state + CSPROF_STATE_BYTES);
		memset(state->samplers, 0, n * sizeof *state->samplers);
	}
	for (uint32_t e = 0; e < n; e++)
		state->samplers[e].measured = &csprof_process.measured[e];
}

csprof_state_t *csprof_state_new(void)
{
	csprof_state_t *state = take();
	if (state) {
		memset(state, 0, offsetof(csprof_state_t, few_keys));
		init_samplers(state);
		csprof_unwind_init(state);
		csprof_cct_init(state);
	}
	return state;
}

void csprof_state_free(csprof_state_t *state)
{
	size_t size = state->samplers != &state->the_sampler;
	for (int kind = 0; kind < CSPROF_TREE_KINDS; kind++)
		csprof_cct_deinit(&state->cct[kind]);
	csprof_unwind_deinit(state);
	csprof_memo_deinit(&state->memo);
	csprof_regions_deinit(state);
	csprof_labels_deinit(state);
	csprof_interpreters_deinit(state);
	csprof_values_deinit(state);
	state->next = spare_states[size];
	spare_states[size] = state;
}

void csprof_state_link(csprof_state_t *state)
{
	state->next = csprof_process.threads;
	if (state->next)
		state->next->previous = state;
	csprof_process.threads = state;
}

void csprof_state_unlink(csprof_state_t *state)
{
	*(state->previous ? &state->previous->next : &csprof_process.threads) = state->next;
	if (state->next)
		state->next->previous = state->previous;
}
