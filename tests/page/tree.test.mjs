import test from 'node:test';
import assert from 'node:assert/strict';
import {
	buildTree, inlining, lowerBound, partOf, prefixSums, selfByFunction, totalByFunction,
} from '../../share/html/src/tree.js';
import { TreeRows } from '../../share/html/src/rows.js';
import { deepest, graphOf, nodeAt, seeLevel } from '../../share/html/src/flame_paint.js';
import { SEEDS, flatOf, profileOf, randomPaths } from './lib/naive.mjs';

test('parents, ends, depths and levels', () => {
	//    0: a, 1: a b, 2: a b c, 3: a d, 4: e
	const t = buildTree(Uint32Array.of(0, 0, 0, 2, 2), Uint32Array.of(0, 2, 5, 6, 8));
	assert.deepEqual([...t.parent], [-1, 0, 1, 0, -1]);
	assert.deepEqual([...t.end], [4, 3, 3, 4, 5]);
	assert.deepEqual([...t.depth], [0, 1, 2, 1, 0]);
	assert.deepEqual([...t.fn], [0, 1, 2, 3, 4]);
	assert.deepEqual([...t.inlined], [0, 0, 1, 0, 0]);
	assert.deepEqual([...t.levels().nodes], [0, 4, 1, 3, 2]);
	assert.deepEqual([...t.levels().start], [0, 2, 4, 5]);
	assert.deepEqual([-1, 0, 1, 2, 4].map((i) => t.firstChild(i)), [0, 1, 2, -1, -1]);
	assert.deepEqual([0, 1, 2, 3, 4].map((i) => t.nextSibling(i)), [4, 3, -1, -1, -1]);
	assert.deepEqual([0, 1, 2, 3, 4].map((i) => t.previousSibling(i)), [-1, -1, -1, 1, 0]);
	assert.deepEqual(t.path(2), [0, 1, 2]);
	assert.equal(buildTree(Uint32Array.of(1), Uint32Array.of(0)), null);
	assert.equal(buildTree(Uint32Array.of(0, 2), Uint32Array.of(0, 0)), null);
});

test('a chain of a million nodes', () => {
	const n = 1e6, t = buildTree(new Uint32Array(n), new Uint32Array(n));
	const prefix = prefixSums(new Float64Array(n).fill(1));
	assert.equal(t.maxDepth, n - 1);
	assert.deepEqual([...totalByFunction(t, prefix, 1)], [n]);
	assert.equal(t.levels().nodes[n - 1], n - 1);
});

test('sums, small and large', () => {
	assert.deepEqual([...prefixSums([1, 2, 3])], [0, 1, 3, 6]);
	assert.ok(prefixSums([1, 2]) instanceof Uint32Array);
	assert.deepEqual([...prefixSums([2 ** 40, 1])], [0, 2 ** 40, 2 ** 40 + 1]);
	assert.deepEqual([...prefixSums([3, -1])], [0, 3, 2]);
	assert.equal(lowerBound([1, 3, 3, 7], 0, 4, 3), 1);
	assert.equal(lowerBound([1, 3, 3, 7], 0, 4, 8), 4);
});

test('functions: self, and total of the outermost occurrences', () => {
	for (const seed of SEEDS) {
		const list = randomPaths(seed), p = profileOf(list), want = flatOf(list, 2);
		const { prefix } = p.values(0, 'events');
		const self = selfByFunction(p.tree, prefix, p.functionCount);
		const total = totalByFunction(p.tree, prefix, p.functionCount);
		const kernel = p.functions.name.map((_, f) => p.isKernel(f));
		const part =
			totalByFunction(p.tree, partOf(p.tree, prefix, kernel), p.functionCount);
		p.functions.name.forEach((name, f) => {
			assert.equal(self[f], want.self.get(name) ?? 0);
			assert.equal(total[f], want.total.get(name));
			// The kernel's part: paths through the function that end in the kernel.
			const in_ = list.filter((r) => r[0].some((x) => x.name === name) &&
					r[0].at(-1).module === '[kernel]');
			assert.equal(part[f], in_.reduce((sum, r) => sum + r[2], 0));
		});
	}
});

test('functions that are inlined never, sometimes, always', () => {
	const f = (name, inlined) => ({ name, inlined });
	const p = profileOf([[[f('a'), f('b', true), f('c', true)], 1, 1], [[f('b')], 1, 1]]);
	const kinds = inlining(p.tree, p.functionCount);
	assert.deepEqual(['a', 'b', 'c'].map((n) => kinds[p.functions.name.indexOf(n)]), [0, 1, 2]);
});

test('frames of a level: by pixels, as if each were looked at', () => {
	for (const seed of SEEDS) {
		const p = profileOf(randomPaths(seed, 300)), { prefix } = p.values(0, 'events');
		const { tree } = p, graph = graphOf(tree, prefix), total = prefix[tree.count];
		for (const [x0, x1, width] of [
			     [0, total, 97], [total * 0.3, total * 0.41, 50], [0, total, 5]])
			for (let d = 0; d <= tree.maxDepth; d++) {
				const seen = new Int32Array(width).fill(-1),
				      want = new Uint8Array(width);
				seeLevel(graph, d, x0, x1, width, null, (i, left, right) => {
					assert.ok(left >= 0 && right > left && right <= width &&
						tree.depth[i] === d);
					seen.fill(i, left, right);
				});
				for (let i = 0; i < tree.count; i++)
					if (tree.depth[i] === d &&
						prefix[tree.end[i]] > Math.max(x0, prefix[i]) &&
						prefix[i] < x1) {
						const k = width / (x1 - x0),
						      a = Math.max(
							      0, Math.floor((prefix[i] - x0) * k));
						const b = Math.min(width,
							Math.floor((prefix[tree.end[i]] - x0) * k));
						want.fill(1, a, Math.max(a + 1, b));
						if (b - a >= 2)	 // the first pixel may be that of
								 // narrow ones before it
							assert.equal(seen[b - 1], i);
					}
				assert.deepEqual([...seen].map((i) => (i >= 0 ? 1 : 0)), [...want]);
			}
	}
});

test('a match within a pixel is seen', () => {
	const list = Array.from({ length: 100 }, (_, i) => [['a', `f${i}`], 1, 1]);
	const p = profileOf(list), { prefix } = p.values(0, 'events');
	const hits = Uint8Array.from(p.functions.name, (n) => (n === 'f57' ? 1 : 0)), seen = [];
	seeLevel(graphOf(p.tree, prefix), 1, 0, 100, 3, hits, (i) => seen.push(hits[p.tree.fn[i]]));
	assert.equal(seen.filter(Boolean).length, 1);
});

test('the node at a point', () => {
	for (const seed of SEEDS) {
		const p = profileOf(randomPaths(seed)), { prefix } = p.values(0, 'events'),
		      { tree } = p;
		const graph = graphOf(tree, prefix);
		for (let x = 0; x < prefix[tree.count]; x += 997)
			for (let d = -1; d <= tree.maxDepth + 1; d++) {
				const want = [...tree.fn.keys()].find((i) => tree.depth[i] === d &&
						prefix[i] <= x && x < prefix[tree.end[i]]);
				assert.equal(nodeAt(graph, d, x), want ?? -1);
			}
		for (let i = -1; i < tree.count; i++) {
			const below = [...tree.depth].filter(
				(_, k) => i < 0 || (k >= i && k < tree.end[i]));
			assert.equal(deepest(tree, i), Math.max(...below));
		}
	}
});

/** Rows of a random tree as a recursion would list them. */
test('rows of an open and closed tree', () => {
	for (const seed of SEEDS) {
		const p = profileOf(randomPaths(seed)), { tree } = p,
		      { prefix } = p.values(0, 'samples');
		const kids = (i) => [...tree.fn.keys()].filter((c) => tree.parent[c] === i);
		const source = {
			roots: () => kids(-1),
			children: kids,
			depth: (i) => tree.depth[i],
			total: (i) => prefix[tree.end[i]] - prefix[i],
			weight: (i) => prefix[tree.end[i]] - prefix[i]
		};
		const compare = (a, b) => tree.fn[b] - tree.fn[a] || a - b;
		const rows = new TreeRows(source, compare), open = new Set();
		const list = (i) =>
			kids(i).sort(compare).flatMap((c) => [c, ...(open.has(c) ? list(c) : [])]);
		const close = (i) => {
			open.delete(i);
			kids(i).forEach(close);
		};
		for (let k = 0; k < 60; k++) {
			const row = (k * 7919) % rows.count, id = rows.ids[row];
			if (open.has(id)) {
				rows.collapse(row);
				close(id);
			} else if (rows.expand(row)) {
				open.add(id);
			}
			assert.deepEqual([...rows.ids.subarray(0, rows.count)], list(-1));
		}
		rows.rebuild();
		assert.deepEqual([...rows.ids.subarray(0, rows.count)], list(-1));
		const last = tree.count - 1;
		assert.equal(rows.ids[rows.reveal(tree.path(last))], last);
		rows.closeAll();
		assert.equal(rows.count, kids(-1).length);
		const end = rows.ids[rows.hotPath(0)];
		for (const i of tree.path(end).slice(1))
			assert.ok(2 * source.total(i) >= source.total(tree.parent[i]));
		for (const c of kids(end))
			assert.ok(2 * source.total(c) < source.total(end));
	}
});
