// What is derived from a tree. Nodes stand in preorder, so the subtree of node i is the range from
// i to end[i], and sums over subtrees are differences of sums over all nodes before. Nothing
// recurses.

import { drain } from './drain.js';

const CHUNK = 1 << 17;  // nodes in a step

/** A tree of count nodes. parent is -1 for the outermost ones. */
export class Tree {
	constructor(fn, inlined, depth, parent, end, maxDepth) {
		this.count = fn.length;
		this.fn = fn;
		this.inlined = inlined;
		this.depth = depth;
		this.parent = parent;
		this.end = end;
		this.maxDepth = maxDepth;
		this.levelIndex = null;
	}

	/**
	 * {start, nodes}: the nodes of depth d, in order, are nodes[start[d]] to nodes[start[d +
	 * 1] - 1].
	 */
	levels() {
		if (this.levelIndex)
			return this.levelIndex;
		const n = this.count, depth = this.depth;
		const start = new Int32Array(this.maxDepth + 2), nodes = new Int32Array(n);

		for (let i = 0; i < n; i++)
			start[depth[i] + 1]++;
		for (let d = 0; d <= this.maxDepth; d++)
			start[d + 1] += start[d];
		const next = start.slice();
		for (let i = 0; i < n; i++)
			nodes[next[depth[i]]++] = i;
		this.levelIndex = { start, nodes };
		return this.levelIndex;
	}

	/** The first child of node, or the first outermost node for -1; -1 if there is none. */
	firstChild(node) {
		const c = node + 1;
		return c < this.count && this.parent[c] === node ? c : -1;
	}

	/** The next sibling, or -1. */
	nextSibling(node) {
		const next = this.end[node];
		return next < this.count && this.parent[next] === this.parent[node] ? next : -1;
	}

	previousSibling(node) {
		const { start, nodes } = this.levels();
		const at = lowerBound(nodes, start[this.depth[node]], start[this.depth[node] + 1],
				   node) -
			1;

		if (at < start[this.depth[node]])
			return -1;
		return this.parent[nodes[at]] === this.parent[node] ? nodes[at] : -1;
	}

	/** Nodes from the outermost one to node. */
	path(node) {
		const path = [];
		for (let i = node; i >= 0; i = this.parent[i])
			path.push(i);
		return path.reverse();
	}
}

/** The first index in [a, b) whose value is at least x, or b. Values rise. */
export function lowerBound(values, a, b, x) {
	while (a < b) {
		const mid = (a + b) >>> 1;
		if (values[mid] < x)
			a = mid + 1;
		else
			b = mid;
	}
	return a;
}

/** Int32Array with room for more than size numbers, which keeps what it had. */
function grown(array, size) {
	if (size < array.length)
		return array;
	const more = new Int32Array(Math.max(2 * array.length, size + 1));
	more.set(array);
	return more;
}

/** The tree of the columns pops and functions, or null if pops is impossible. */
export function buildTree(pops, code) {
	const n = pops.length;
	const depth = new Int32Array(n), parent = new Int32Array(n), end = new Int32Array(n);
	const inlined = new Uint8Array(n);
	let open = new Int32Array(1024), top = -1, maxDepth = -1;

	for (let i = 0; i < n; i++) {
		if (pops[i] > top + 1)
			return null;
		for (let k = pops[i]; k > 0; k--)
			end[open[top--]] = i;
		parent[i] = top < 0 ? -1 : open[top];
		open = grown(open, ++top);
		open[top] = i;
		depth[i] = top;
		if (top > maxDepth)
			maxDepth = top;
		inlined[i] = code[i] & 1;
		code[i] >>>= 1;
	}
	while (top >= 0)
		end[open[top--]] = n;
	return new Tree(code, inlined, depth, parent, end, maxDepth);
}

/** sums[i] is the sum of own[0] to own[i - 1], whole numbers; of 32-bit numbers where these suffice. */
export function prefixSums(own) {
	const n = own.length;
	let sum = 0, small = true;

	for (let i = 0; i < n; i++) {
		sum += own[i];
		small &&= own[i] >= 0;
	}
	return addUp(own, small && sum < 2 ** 32 ? new Uint32Array(n + 1) : new Float64Array(n + 1));
}

/** The same of values that are not whole. */
export function realSums(own) {
	return addUp(own, new Float64Array(own.length + 1));
}

function addUp(own, sums) {
	let sum = 0;

	for (let i = 0; i < own.length; i++) {
		sum += own[i];
		sums[i + 1] = sum;
	}
	return sums;
}

/** Sums over the nodes of functions for which keep[function] is set. */
export function partOf(tree, prefix, keep) {
	const n = tree.count, sums = new Float64Array(n + 1);
	let sum = 0;

	for (let i = 0; i < n; i++) {
		if (keep[tree.fn[i]])
			sum += prefix[i + 1] - prefix[i];
		sums[i + 1] = sum;
	}
	return sums;
}

/**
 * What is on call paths through each function: a path counts once even if the function is on it
 * several times. As nodes stand in preorder, a node is an outermost occurrence if it is behind the
 * subtree of the last one that was.
 */
export function totalByFunction(tree, prefix, functionCount) {
	return drain(totalInSteps(tree, prefix, functionCount));
}

/** The sum of each function's own values alone. */
export function selfByFunction(tree, prefix, functionCount) {
	return drain(selfInSteps(tree, prefix, functionCount));
}

/** Calls step(from, to) for all of count nodes, some at a time; a generator. */
function* parts(count, step) {
	for (let from = 0; from < count; from += CHUNK) {
		step(from, Math.min(count, from + CHUNK));
		yield;
	}
}

/** totalByFunction as a generator. */
export function* totalInSteps(tree, prefix, functionCount) {
	const total = new Float64Array(functionCount), until = new Int32Array(functionCount);
	yield* parts(tree.count, (from, to) => addTotals(tree, prefix, total, until, from, to));
	return total;
}

/**
 * What is innermost in the frame of a node: its own, that of what was inlined into it, and what the
 * kernel did for it. kernel: [function] 1 if it is code in the kernel.
 */
export function inFrameOf({ fn, inlined, end }, prefix, kernel, node) {
	let sum = prefix[node + 1] - prefix[node];
	for (let i = node + 1; i < end[node];) {
		const within = inlined[i] || kernel[fn[i]];
		sum += within ? prefix[i + 1] - prefix[i] : 0;
		i = within ? i + 1 : end[i];
	}
	return sum;
}

/** The same of all nodes of each function. */
export function* inFramesInSteps({ count, fn, inlined, parent }, prefix, kernel, functionCount) {
	const sums = new Float64Array(functionCount), frame = new Int32Array(count);
	yield* parts(count, (from, to) => {
		for (let i = from; i < to; i++) {
			const within = parent[i] >= 0 && (inlined[i] || kernel[fn[i]]);
			frame[i] = within ? frame[parent[i]] : i;
			sums[fn[frame[i]]] += prefix[i + 1] - prefix[i];
		}
	});
	return sums;
}

/** As totalInSteps, but each node that is not inlined counts. */
export function* framesInSteps({ count, fn, inlined, end }, prefix, functionCount) {
	const sums = new Float64Array(functionCount);
	yield* parts(count, (from, to) => {
		for (let i = from; i < to; i++)
			if (!inlined[i])
				sums[fn[i]] += prefix[end[i]] - prefix[i];
	});
	return sums;
}

function addTotals({ fn, end }, prefix, total, until, from, to) {
	for (let i = from; i < to; i++) {
		const f = fn[i];
		if (i >= until[f]) {
			total[f] += prefix[end[i]] - prefix[i];
			until[f] = end[i];
		}
	}
}

/** selfByFunction as a generator. */
export function* selfInSteps(tree, prefix, functionCount) {
	const self = new Float64Array(functionCount);
	yield* parts(tree.count, (from, to) => addSelf(tree, prefix, self, from, to));
	return self;
}

function addSelf({ fn }, prefix, self, from, to) {
	for (let i = from; i < to; i++)
		self[fn[i]] += prefix[i + 1] - prefix[i];
}

/** A generator: of how many contexts with a value each function is. */
export function* contextsInSteps(tree, prefix, functionCount) {
	const contexts = new Int32Array(functionCount), { fn, end } = tree;
	yield* parts(tree.count, (from, to) => {
		for (let i = from; i < to; i++)
			contexts[fn[i]] += prefix[end[i]] > prefix[i] ? 1 : 0;
	});
	return contexts;
}

/** For each function: 0 never inlined, 1 sometimes, 2 always. */
export function inlining(tree, functionCount) {
	const seen = new Uint8Array(functionCount);

	for (let i = 0; i < tree.count; i++)
		seen[tree.fn[i]] |= tree.inlined[i] ? 2 : 1;
	return seen.map((s) => (s === 3 ? 1 : s === 2 ? 2 : 0));
}
