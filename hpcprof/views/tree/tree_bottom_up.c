/* The tree view's bottom-up tree: each function, with its callers below it.
 *
 * A node stands for a set of frames of the call tree: those of one function that were called by the
 * functions on the node's path. Its exclusive values are the sum over these frames, so that callers
 * divide the function's values among them. Its inclusive values are the sum over the frames that
 * are below no other frame of the set, so that recursion counts once. */
#include "hpcprof/model/sum.h"
#include "hpcprof/views/tree/tree.h"

#include <stdlib.h>
#include <string.h>

/* A frame of the call tree, and the outermost of its callers that was followed. */
struct instance {
	uint32_t frame, outer;
};

struct instances {
	struct instance *at; /* in depth-first order of the call tree */
	size_t len;
};

/* The frames of a node that may be made. */
struct group {
	uint32_t key;
	uint32_t end; /* of the last subtree that was added to inclusive */
	size_t len;
	size_t values; /* index of its first value */
	struct instances members;
	bool kept;
};

/* A node whose callers were not looked for yet. */
struct waiting {
	struct instances members;
	uint32_t id;
	uint64_t depth;
};

struct up {
	struct tree *t;
	uint32_t *place, *end; /* per frame: its depth-first number; the number after its subtree */
	uint32_t *slot;        /* per key: its group + 1, or 0 */
	VEC(struct group) groups;
	VEC(uint64_t) values; /* per group: exclusive, then inclusive */
	tree_candidates candidates;
	VEC(struct waiting) waiting; /* nodes of one depth before those of the next */
	struct tree_rest rest;
	uint64_t limit; /* of the depth */
	uint64_t steps; /* callers that may still be followed */
};

/* The keys after the functions' numbers. */
static uint32_t key_outermost(const struct up *u)
{
	return (uint32_t)u->t->c->functions.len;
}
static uint32_t key_missing(const struct up *u)
{
	return key_outermost(u) + 1;
}

/* Number the frames depth first, and list them in this order. */
static bool number(struct up *u, struct instances *all)
{
	const struct calltree *calls = &u->t->calls;
	uint32_t n = calls->nodes.len, *next = calloc(n, sizeof *next);

	u->place = calloc(n, sizeof *u->place);
	u->end = calloc(n, sizeof *u->end);
	all->at = calloc(n, sizeof *all->at);
	if (!next || !u->place || !u->end || !all->at) {
		free(next);
		return false;
	}
	for (uint32_t i = n; i-- > CALLTREE_ROOTS;) {
		u->end[i]++; /* the size of the subtree until the second loop */
		u->end[calltree_parent(calls, i)] += u->end[i];
	}
	next[CALLTREE_PARTIAL_ROOT] = u->end[CALLTREE_ROOT];
	for (uint32_t i = CALLTREE_ROOTS; i < n; i++) {
		uint32_t *at = &next[calltree_parent(calls, i)];
		u->place[i] = *at;
		*at += u->end[i];
		next[i] = u->place[i] + 1;
		u->end[i] += u->place[i];
		all->at[u->place[i]] = (struct instance){i, i};
	}
	all->len = n - CALLTREE_ROOTS;
	free(next);
	return true;
}

static uint32_t key_of(const struct up *u, const struct instance *x, bool innermost,
		       uint32_t *outer)
{
	*outer = innermost ? x->frame : calltree_parent(&u->t->calls, x->outer);
	if (*outer == CALLTREE_ROOT)
		return key_outermost(u);
	if (*outer == CALLTREE_PARTIAL_ROOT)
		return key_missing(u);
	return calltree_function(&u->t->calls, *outer);
}

static bool has_value(const struct up *u, uint32_t frame)
{
	for (size_t i = 0; i < u->t->columns.len; i++)
		if (u->t->calls.inclusive[frame * u->t->columns.len + i])
			return true;
	return false;
}

/* The group of a key, which is added if it is new. NULL if memory ran out. */
static struct group *group_of(struct up *u, uint32_t key)
{
	size_t n = 2 * u->t->columns.len;

	if (!u->slot[key]) {
		struct group g = {.key = key, .values = u->groups.len * n};
		if (!vec_push(&u->groups, g))
			return NULL;
		u->slot[key] = (uint32_t)u->groups.len;
		for (size_t i = 0; i < n; i++)
			if (!vec_push(&u->values, 0))
				return NULL;
	}
	return &u->groups.at[u->slot[key] - 1];
}

static void count(struct up *u, struct group *g, uint32_t frame)
{
	size_t n = u->t->columns.len;
	uint64_t *exclusive = u->values.at + g->values, *inclusive = exclusive + n;
	bool outermost = !g->len || u->place[frame] >= g->end, saturated = false;

	for (size_t i = 0; exclusive && i < n; i++) {
		exclusive[i] =
		    sum_add(exclusive[i], u->t->calls.exclusive[frame * n + i], &saturated);
		if (outermost)
			inclusive[i] =
			    sum_add(inclusive[i], u->t->calls.inclusive[frame * n + i], &saturated);
	}
	if (outermost)
		g->end = u->end[frame];
	g->len++;
}

static bool make_groups(struct up *u, const struct instances *members, bool innermost)
{
	u->groups.len = 0;
	u->values.len = 0;
	for (size_t k = 0; k < members->len; k++) {
		uint32_t outer, key;
		struct group *g;
		if (!has_value(u, members->at[k].frame))
			continue;
		key = key_of(u, &members->at[k], innermost, &outer);
		g = group_of(u, key);
		if (!g)
			return false;
		count(u, g, members->at[k].frame);
	}
	return true;
}

/* Decide which groups become nodes. The others are the rest. */
static bool choose(struct up *u, bool deep, bool innermost)
{
	size_t n = u->t->columns.len;
	bool saturated = false;

	u->candidates.len = 0;
	u->rest.kind = deep ? TREE_DEEPER : TREE_CUT;
	u->rest.count = 0;
	memset(u->rest.exclusive, 0, 2 * n * sizeof *u->rest.exclusive);
	for (uint32_t g = 0; g < u->groups.len; g++) {
		struct group *group = &u->groups.at[g];
		const uint64_t *exclusive = u->values.at + group->values;
		struct tree_candidate c = {
		    .exclusive = exclusive, .inclusive = exclusive + n, .from = g};
		uint64_t own = 0;
		bool ends = group->key >= key_outermost(u);
		for (size_t i = 0; i < n; i++)
			own |= exclusive[i];
		group->kept = !deep && tree_reaches(u->t, tree_by_inclusive(u->t->own) ? c.inclusive
										       : exclusive);
		if (group->kept && group->key == key_outermost(u) && u->groups.len == 1)
			group->kept = false; /* all paths end here: no need to distinguish */
		else if (!group->kept && own) {
			u->rest.count++;
			for (size_t i = 0; i < n; i++)
				u->rest.exclusive[i] =
				    sum_add(u->rest.exclusive[i], exclusive[i], &saturated);
		}
		if (!group->kept)
			continue;
		c.node.kind = !ends                            ? TREE_FUNCTION
			      : group->key == key_outermost(u) ? TREE_OUTERMOST
							       : TREE_MISSING;
		c.node.function = ends ? 0 : group->key;
		c.node.innermost = innermost;
		if (!vec_push(&u->candidates, c))
			return false;
	}
	/* there is nothing deeper than the outermost callers */
	if (deep && u->groups.len == 1 && u->groups.at[0].key >= key_outermost(u))
		u->rest.count = 0;
	return true;
}

/* Fill in the members of the groups that were kept. */
static bool fill(struct up *u, const struct instances *members, bool innermost)
{
	for (size_t g = 0; g < u->groups.len; g++) {
		struct group *group = &u->groups.at[g];
		if (!group->kept || group->key >= key_outermost(u))
			continue;
		group->members.at = malloc(group->len * sizeof *group->members.at);
		if (!group->members.at)
			return false;
	}
	for (size_t k = 0; k < members->len; k++) {
		uint32_t frame = members->at[k].frame, outer, key;
		struct instances *to;
		if (!has_value(u, frame))
			continue;
		key = key_of(u, &members->at[k], innermost, &outer);
		to = &u->groups.at[u->slot[key] - 1].members;
		if (to->at)
			to->at[to->len++] = (struct instance){frame, outer};
	}
	return true;
}

/* Count the frames of a node that is shown, as count() does for its group. */
static bool count_members(struct up *u, const struct waiting *at)
{
	uint32_t end = 0;
	bool ok = true;

	for (size_t k = 0; ok && at->id >= CALLTREE_ROOTS && k < at->members.len; k++) {
		uint32_t frame = at->members.at[k].frame;
		bool outermost = !k || u->place[frame] >= end;
		ok = tree_count(u->t, frame, at->id, false) &&
		     (!outermost || tree_count(u->t, frame, at->id, true));
		if (outermost)
			end = u->end[frame];
	}
	return ok;
}

static bool expand(struct up *u, struct waiting at, bool innermost)
{
	bool deep = at.depth >= u->limit || at.members.len > u->steps;
	bool ok = count_members(u, &at) && make_groups(u, &at.members, innermost) &&
		  choose(u, deep, innermost) && fill(u, &at.members, innermost) &&
		  tree_append(u->t, at.id, &u->candidates, &u->rest, innermost);

	u->steps -= deep ? 0 : at.members.len;
	for (size_t i = 0; ok && i < u->candidates.len; i++) {
		struct group *g = &u->groups.at[u->candidates.at[i].from];
		if (!g->members.at)
			continue;
		ok = vec_push(&u->waiting,
			      (struct waiting){g->members, u->candidates.at[i].id, at.depth + 1});
		if (ok)
			g->members.at = NULL;
	}
	for (size_t g = 0; g < u->groups.len; g++) {
		free(u->groups.at[g].members.at);
		u->slot[u->groups.at[g].key] = 0;
	}
	free(at.members.at);
	return ok;
}

/* The usual depth is within the steps. Paths of real programs, too: they have about so many frames,
 * or are few. Without a limit, paths of one recursion would take the square of their length. */
enum { USUAL_DEPTH = 32, STEPS_PER_FRAME = 64, MORE_STEPS = 1 << 22 };

bool tree_build_up(struct tree *t)
{
	struct up u = {.t = t, .limit = t->own->depth ? t->own->depth : USUAL_DEPTH};
	struct instances all = {0};
	size_t next = 0;
	bool ok;

	u.slot = calloc(t->c->functions.len + 2, sizeof *u.slot);
	u.rest.exclusive = calloc(2 * t->columns.len + 1, sizeof *u.rest.exclusive);
	ok = u.slot && u.rest.exclusive && number(&u, &all) && tree_add_root(t) && tree_add_root(t);
	u.steps = all.len * (uint64_t)STEPS_PER_FRAME + MORE_STEPS;
	if (ok)
		u.rest.inclusive = u.rest.exclusive + t->columns.len;
	if (ok)
		ok = expand(&u, (struct waiting){all, CALLTREE_ROOT, 0}, true);
	else
		free(all.at);
	for (; ok && next < u.waiting.len; next++)
		ok = expand(&u, u.waiting.at[next], false);
	for (; next < u.waiting.len; next++)
		free(u.waiting.at[next].members.at);
	free(u.place);
	free(u.end);
	free(u.slot);
	free(u.rest.exclusive);
	vec_free(&u.groups);
	vec_free(&u.values);
	vec_free(&u.candidates);
	vec_free(&u.waiting);
	return ok;
}
