// Trees by callers: the contexts that have a value of their own, grouped by function, then by
// caller, by the caller's caller, and so on. A list of contexts is two arrays: leaf, the contexts
// with the values, and at, how far up from there the group is.
//
// In a comparison there are two values of each context: prefix has those that are shown, and second
// those of the other side, which are added up beside them.

import { Tree } from './tree.js';

const CHUNK = 1 << 18;

/** The contexts of function f that have a value of their own, as a group. */
export function leavesOf(tree, prefix, f, second) {
	const list = [];
	let total = 0, other = 0;

	for (let i = 0; i < tree.count; i++)
		if (tree.fn[i] === f && (prefix[i + 1] > prefix[i] || isMore(second, i))) {
			list.push(i);
			total += prefix[i + 1] - prefix[i];
			other += second ? second[i + 1] - second[i] : 0;
		}
	const leaf = Int32Array.from(list);
	return { fn: f, total, second: other, leaf, at: leaf };
}

const isMore = (second, i) => second !== undefined && second[i + 1] > second[i];

/**
 * All contexts with a value, grouped by function as in groups(). A generator: of a million contexts
 * it takes too long for one step.
 */
function* leafGroups(tree, prefix, functionCount, least, second) {
	const n = tree.count, count = new Int32Array(functionCount);
	const total = new Float64Array(functionCount), next = new Int32Array(functionCount);
	const other = new Float64Array(second ? functionCount : 0);

	for (let i = 0; i < n; i++) {
		const v = prefix[i + 1] - prefix[i];
		if (v > 0 || isMore(second, i)) {
			count[tree.fn[i]]++;
			total[tree.fn[i]] += v;
			if (second)
				other[tree.fn[i]] += second[i + 1] - second[i];
		}
		if (i % CHUNK === CHUNK - 1)
			yield;
	}
	const kept = [];
	let room = 0, missing = 0;
	for (let f = 0; f < functionCount; f++) {
		next[f] = -1;
		if (count[f] && total[f] >= least) {
			kept.push(f);
			next[f] = room;
			room += count[f];
		} else if (count[f]) {
			missing++;
		}
	}
	const leaf = new Int32Array(room);
	for (let i = 0; i < n; i++) {
		const f = tree.fn[i];
		if (next[f] >= 0 && (prefix[i + 1] > prefix[i] || isMore(second, i)))
			leaf[next[f]++] = i;
		if (i % CHUNK === CHUNK - 1)
			yield;
	}
	kept.sort((a, b) => total[b] - total[a] || a - b);
	return {
		missing,
		groups: kept.map((f) => {
			const part = leaf.subarray(next[f] - count[f], next[f]);
			return {
				fn: f,
				total: total[f],
				second: other[f],
				leaf: part,
				at: part,
				used: count[f]
			};
		})
	};
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
	return {
		slot: new Int32Array(functionCount).fill(-1),
		total: new Float64Array(functionCount),
		second: new Float64Array(functionCount)
	};
}

/**
 * Groups a list by the function of `at`: [{fn, total, leaf, at}], largest total first, of those of
 * at least `least`. Room is as it was afterwards.
 */
export function groups(tree, prefix, list, room, least = 0, second = undefined) {
	const n = list.leaf.length, { slot, total, second: other } = room, found = [];

	for (let i = 0; i < n; i++) {
		const f = tree.fn[list.at[i]], l = list.leaf[i];
		if (slot[f] < 0) {
			slot[f] = 0;
			total[f] = 0;
			other[f] = 0;
			found.push(f);
		}
		slot[f]++;
		total[f] += prefix[l + 1] - prefix[l];
		if (second)
			other[f] += second[l + 1] - second[l];
	}
	found.sort((a, b) => total[b] - total[a] || a - b);
	const out = [];
	for (const f of found) {
		if (total[f] >= least) {
			out.push({
				fn: f,
				total: total[f],
				second: other[f],
				leaf: new Int32Array(slot[f]),
				at: new Int32Array(slot[f]),
				used: 0
			});
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
 * The tree by callers, made level by level; a generator that yields now and then, so that the
 * caller can let the page answer. Returns {tree, prefix, second, pruned, cut, base};
 * second[i] is what node i has on the other side, in all.
 *
 * options.path: functions, innermost first: only contexts of the first that were called by the
 * second, and so on; the tree then begins with that path, and base is the node of its end, or -1.
 * options.share: a node with less than this share of what the path has is left out. pruned is the
 *     number of nodes whose callers were left out.
 * options.second: the values of the other side.
 * options.steps: about how many times a context may be moved up in all, which bounds the time. cut
 * is true if that was not enough, so that the tree ends early.
 */
export function* invert(tree, prefix, functionCount, options = {}) {
	const { path = [], share = 0, steps = Infinity, second } = options;
	const room = grouper(functionCount);
	const out = { fn: [], parent: [], total: [], second: [] };
	const start = yield* follow(tree, prefix, room, out, path, second);
	const total = start ? start.total : prefix[tree.count];
	const least = Math.max(total * share, Number.MIN_VALUE);
	let level, pruned = 0;

	if (start) {
		level = [{ node: start.base, list: start.list }];
	} else {
		const first = yield* leafGroups(tree, prefix, functionCount, least, second);
		pruned = first.missing ? 1 : 0;
		level = first.groups.map(
			(g) => ({ node: add(out, g, -1), list: callers(tree, g) }));
		yield;
	}
	const found = yield* grow(
		tree, prefix, room, out, { level, least, steps, second });
	return {
		...layOut(out),
		cut: found.cut,
		pruned: pruned + found.pruned,
		base: start ? start.base : -1
	};
}

/** The list of the callers beyond a path, or of what is there of it; null for no path. */
function* follow(tree, prefix, room, out, path, second) {
	let found = null;

	for (let k = 0; k < path.length; k++) {
		const g = k ? groups(tree, prefix, found.list, room, 0, second)
				      .find((x) => x.fn === path[k])
			    : leavesOf(tree, prefix, path[0], second);
		if (!g || !g.leaf.length)
			break;
		found = {
			base: add(out, g, found ? found.base : -1),
			total: g.total,
			list: callers(tree, g)
		};
		yield;
	}
	return found;
}

/**
 * What merging the contexts of function f begins with. A call path on which it is several times
 * counts once, by its outermost occurrence: {nodes, total, self, contexts}, where nodes are the
 * outermost ones that have a value, self is that of all contexts, and contexts is how many have a
 * value.
 */
export function occurrences(tree, prefix, f, second) {
	const { fn, end, count } = tree, nodes = [];
	let until = 0, total = 0, self = 0, contexts = 0;

	for (let i = 0; i < count; i++) {
		const has = prefix[end[i]] > prefix[i] || (second && second[end[i]] > second[i]);
		if (fn[i] !== f || !has)
			continue;
		contexts++;
		self += prefix[i + 1] - prefix[i];
		if (i >= until) {
			nodes.push(i);
			total += prefix[end[i]] - prefix[i];
			until = end[i];
		}
	}
	return { nodes: Int32Array.from(nodes), total, self, contexts };
}

/**
 * The callers of these nodes of one function, merged: a tree as of invert(), whose node 0 is the
 * function with the sum of the nodes' totals. As the nodes are outermost ones, the function is not
 * among its callers, and what has no caller is not covered at the left. A generator.
 */
export function* mergeCallers(tree, prefix, functionCount, nodes, options = {}) {
	const sums = yield* totalsAt(tree, prefix, nodes);
	const second = options.second ? yield* totalsAt(tree, options.second, nodes) : undefined;
	const path = nodes.length ? [tree.fn[nodes[0]]] : [];
	return yield* invert(tree, sums, functionCount, { ...options, second, path });
}

/** Sums over the nodes before each, of the totals of some of them. */
function* totalsAt(tree, prefix, nodes) {
	const sums = new Float64Array(tree.count + 1);
	let k = 0, sum = 0;

	for (let i = 0; i < tree.count; i++) {
		if (i === nodes[k]) {
			sum += prefix[tree.end[i]] - prefix[i];
			k++;
		}
		sums[i + 1] = sum;
		if (i % CHUNK === CHUNK - 1)
			yield;
	}
	return sums;
}

/** The children of nodes by function: [{fn, total, self, nodes}], of at least `least`. */
function groupCallees(tree, prefix, nodes, room, least, second) {
	const { fn, end } = tree, { slot, total, second: other } = room, found = [];
	const each = (use) => {
		for (const i of nodes)
			for (let c = i + 1; c < end[i]; c = end[c])
				if (prefix[end[c]] > prefix[c] ||
					(second && second[end[c]] > second[c]))
					use(c, fn[c]);
	};

	each((c, f) => {
		if (slot[f] < 0) {
			slot[f] = 0;
			total[f] = 0;
			other[f] = 0;
			found.push(f);
		}
		slot[f]++;
		total[f] += prefix[end[c]] - prefix[c];
		if (second)
			other[f] += second[end[c]] - second[c];
	});
	found.sort((a, b) => total[b] - total[a] || a - b);
	const out = found.filter((f) => total[f] >= least).map((f) => ({
		fn: f,
		total: total[f],
		second: other[f],
		self: 0,
		nodes: new Int32Array(slot[f]),
		used: 0
	}));
	for (const f of found)
		slot[f] = -1;
	out.forEach((g, k) => {
		slot[g.fn] = k;
	});
	each((c, f) => {
		if (slot[f] >= 0) {
			const g = out[slot[f]];
			g.nodes[g.used++] = c;
			g.self += prefix[c + 1] - prefix[c];
		}
	});
	for (const g of out)
		slot[g.fn] = -1;
	return { groups: out, missing: found.length - out.length };
}

/**
 * The callees of these nodes of one function, merged, level by level: {tree, prefix, second, self,
 * pruned}.
 * Node 0 is the function. self[i] is what node i has of its own: what is not covered by callees is
 * more than that where some were left out, as they have less than `share` of all; pruned is at how
 * many nodes. No node is below another one, so no context is looked at twice. A generator.
 */
export function* mergeCallees(tree, prefix, functionCount, nodes, options = {}) {
	const { share = 0, second } = options, room = grouper(functionCount);
	const out = { fn: [], parent: [], total: [], second: [] }, own = [];
	let total = 0, other = 0, self = 0, pruned = 0, since = 0;

	for (const i of nodes) {
		total += prefix[tree.end[i]] - prefix[i];
		other += second ? second[tree.end[i]] - second[i] : 0;
		self += prefix[i + 1] - prefix[i];
	}
	const least = Math.max(total * share, Number.MIN_VALUE);
	let level = [];
	if (nodes.length) {
		const root = { fn: tree.fn[nodes[0]], total, second: other };
		level.push({ node: add(out, root, -1), nodes });
		own.push(self);
	}
	while (level.length) {
		const next = [];
		for (const from of level) {
			const { groups: kept, missing } =
				groupCallees(tree, prefix, from.nodes, room, least, second);
			pruned += missing ? 1 : 0;
			for (const g of kept) {
				next.push({ node: add(out, g, from.node), nodes: g.nodes });
				own.push(g.self);
			}
			since += from.nodes.length + 100;
			if (since > 20000) {
				since = 0;
				yield;
			}
		}
		level = next;
	}
	const made = layOut(out), bySelf = new Float64Array(own.length);
	own.forEach((v, k) => {
		bySelf[made.number[k]] = v;
	});
	return { ...made, self: bySelf, pruned };
}

function add(out, group, parent) {
	out.fn.push(group.fn);
	out.parent.push(parent);
	out.total.push(group.total);
	out.second.push(group.second);
	return out.fn.length - 1;
}

/** Adds the callers of a list, level by level. */
function* grow(tree, prefix, room, out, { level, least, steps, second }) {
	let pruned = 0, done = 0, sinceYield = 0;

	while (level.length && done < steps) {
		const next = [];
		for (const { node, list: from } of level) {
			const had = from.leaf.length;
			let kept = 0;
			for (const g of groups(tree, prefix, from, room, least, second)) {
				const child = add(out, g, node), up = callers(tree, g);
				kept += g.used;
				if (up.leaf.length)
					next.push({ node: child, list: up });
			}
			if (kept < had)
				pruned++;
			// A group costs something, however small it is.
			done += had + 20;
			sinceYield += had + 100;
			if (sinceYield > 50000) {
				sinceYield = 0;
				yield;
			}
		}
		level = next;
	}
	return { pruned, cut: level.length > 0 };
}

/**
 * Nodes that were made level by level, put in preorder; those of one parent stay in their order.
 */
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
	const second = new Float64Array(n);
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
		second[at] = out.second[i];
		maxDepth = Math.max(maxDepth, depth[at]);
	}
	for (let i = 0; i < n; i++)
		prefix[i + 1] += prefix[i];
	return {
		tree: new Tree(fn, new Uint8Array(n), depth, parent, end, maxDepth),
		prefix,
		second,
		number
	};
}
