// Trees by callers: the contexts that have a value of their own, grouped by function, then by caller,
// by the caller's caller, and so on. A list of contexts is two arrays: leaf, the contexts with the
// values, and at, how far up from there the group is.

import { Tree } from './tree.js';

/** The contexts with a value, as a list for groups(). */
export function leaves(tree, prefix) {
	const list = new Int32Array(tree.count);
	let n = 0;

	for (let i = 0; i < tree.count; i++)
		if (prefix[i + 1] > prefix[i])
			list[n++] = i;
	return { leaf: list.slice(0, n), at: list.slice(0, n) };
}

/** The same leaves, one caller further up; those that have none are left out. */
export function callers(tree, list) {
	const n = list.leaf.length, leaf = new Int32Array(n), at = new Int32Array(n);
	let k = 0;

	for (let i = 0; i < n; i++) {
		const up = tree.parent[list.at[i]];
		if (up >= 0) {
			leaf[k] = list.leaf[i];
			at[k++] = up;
		}
	}
	return { leaf: leaf.subarray(0, k), at: at.subarray(0, k) };
}

/** Room for grouping, one per function; make it once and use it often. */
export function grouper(functionCount) {
	return { slot: new Int32Array(functionCount).fill(-1), total: new Float64Array(functionCount) };
}

/**
 * Groups a list by the function of `at`: [{fn, total, leaf, at}], largest total first, of those of at
 * least `least`. Room is as it was afterwards.
 */
export function groups(tree, prefix, list, room, least = 0) {
	const n = list.leaf.length, { slot, total } = room, found = [];

	for (let i = 0; i < n; i++) {
		const f = tree.fn[list.at[i]], l = list.leaf[i];
		if (slot[f] < 0) {
			slot[f] = 0;
			total[f] = 0;
			found.push(f);
		}
		slot[f]++;
		total[f] += prefix[l + 1] - prefix[l];
	}
	found.sort((a, b) => total[b] - total[a] || a - b);
	const out = [];
	for (const f of found) {
		if (total[f] >= least) {
			out.push({ fn: f, total: total[f], leaf: new Int32Array(slot[f]),
				at: new Int32Array(slot[f]), used: 0 });
			slot[f] = out.length - 1;
		} else {
			slot[f] = -1;
		}
	}
	for (let i = 0; i < n; i++) {
		const k = slot[tree.fn[list.at[i]]];
		if (k >= 0) {
			const g = out[k];
			g.leaf[g.used] = list.leaf[i];
			g.at[g.used++] = list.at[i];
		}
	}
	for (const f of found)
		slot[f] = -1;
	return out;
}

/**
 * The tree by callers, made level by level; a generator that yields now and then, so that the caller
 * can let the page answer. Returns {tree, prefix, pruned, cut, base}.
 *
 * options.path: functions, innermost first: only contexts of the first that were called by the second,
 *     and so on; the tree then begins with that path, and base is the node of its end, or -1.
 * options.share: a node with less than this share of what the path has is left out. pruned is the
 *     number of nodes whose callers were left out.
 * options.steps: how many times a context may be moved up in all, which bounds the time. cut is true
 *     if that was not enough, so that the tree ends early.
 */
export function* invert(tree, prefix, functionCount, options = {}) {
	const { path = [], share = 0, steps = Infinity } = options;
	const room = grouper(functionCount);
	const out = { fn: [], parent: [], total: [] };
	let list = leaves(tree, prefix), base = -1, total = prefix[tree.count];

	for (let k = 0; k < path.length; k++) {
		yield;
		const g = groups(tree, prefix, list, room).find((x) => x.fn === path[k]);
		if (!g)
			break;
		base = add(out, g, base);
		total = g.total;
		list = callers(tree, g);
	}
	const found = yield* grow(tree, prefix, room, out, {
		list, base, least: Math.max(total * share, Number.MIN_VALUE), steps });
	return { ...layOut(out), ...found };
}

function add(out, group, parent) {
	out.fn.push(group.fn);
	out.parent.push(parent);
	out.total.push(group.total);
	return out.fn.length - 1;
}

/** Adds the callers of a list, level by level. */
function* grow(tree, prefix, room, out, { list, base, least, steps }) {
	let level = [{ node: base, list }], pruned = 0, done = 0, sinceYield = 0;

	while (level.length && done < steps) {
		const next = [];
		for (const { node, list: from } of level) {
			let kept = 0, had = 0;
			for (const g of groups(tree, prefix, from, room, least)) {
				const child = add(out, g, node), up = callers(tree, g);
				kept += g.used;
				if (up.leaf.length)
					next.push({ node: child, list: up });
			}
			had = from.leaf.length;
			if (kept < had)
				pruned++;
			done += had;
			sinceYield += had + 100;
			if (sinceYield > 50000) {
				sinceYield = 0;
				yield;
			}
		}
		level = next;
	}
	return { pruned, cut: level.length > 0, base };
}

/** Nodes that were made level by level, put in preorder; those of one parent stay in their order. */
function layOut(out) {
	const n = out.fn.length, size = new Int32Array(n).fill(1), number = new Int32Array(n);
	const own = Float64Array.from(out.total), next = new Int32Array(n + 1);

	for (let i = n - 1; i >= 0; i--)
		if (out.parent[i] >= 0) {
			size[out.parent[i]] += size[i];
			own[out.parent[i]] -= out.total[i];
		}
	// next[p + 1]: where the next child of p goes.
	const fn = new Uint32Array(n), depth = new Int32Array(n), parent = new Int32Array(n);
	const end = new Int32Array(n), prefix = new Float64Array(n + 1);
	let maxDepth = -1;
	for (let i = 0; i < n; i++) {
		const p = out.parent[i], at = next[p + 1];
		number[i] = at;
		next[p + 1] += size[i];
		next[i + 1] = at + 1;
		fn[at] = out.fn[i];
		parent[at] = p < 0 ? -1 : number[p];
		depth[at] = p < 0 ? 0 : depth[number[p]] + 1;
		end[at] = at + size[i];
		prefix[at + 1] = own[i];
		maxDepth = Math.max(maxDepth, depth[at]);
	}
	for (let i = 0; i < n; i++)
		prefix[i + 1] += prefix[i];
	return { tree: new Tree(fn, new Uint8Array(n), depth, parent, end, maxDepth), prefix, number };
}
