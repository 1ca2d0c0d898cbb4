import test from 'node:test';
import assert from 'node:assert/strict';
import { mergeCallees, mergeCallers, occurrences } from '../../share/html/src/merge.js';
import { drain } from '../../share/html/src/drain.js';
import { Profile } from '../../share/html/src/data.js';
import { deep, synthetic } from './lib/sample.mjs';
import { SEEDS, flatOf, profileOf, randomPaths } from './lib/naive.mjs';

const sorted = (map) => [...map].sort((a, b) => (a[0] < b[0] ? -1 : 1));
const add = (map, key, v) => v && map.set(key, (map.get(key) ?? 0) + v);

/**
 * What the callers and callees of a name have, by path from it, and callees' own: of each call path
 * all beginnings of the part before, and of the part behind, its outermost occurrence.
 */
function naive(list, name) {
	const callers = new Map(), callees = new Map(), self = new Map();
	for (const [path, , events] of list) {
		const names = path.map((f) => f.name), k = names.indexOf(name);
		if (k < 0)
			continue;
		for (let i = k; i >= 0; i--)
			add(callers, names.slice(i, k + 1).reverse().join('>'), events);
		for (let i = k; i < names.length; i++)
			add(callees, names.slice(k, i + 1).join('>'), events);
		add(self, names.slice(k).join('>'), events);
	}
	return { callers, callees, self };
}

/** The values of a merged tree by path. */
function ofTree(p, { tree, prefix, self }) {
	const total = new Map(), own = new Map();
	for (let i = 0; i < tree.count; i++) {
		const key = tree.path(i).map((n) => p.functions.name[tree.fn[n]]).join('>');
		assert.ok(!total.has(key), key);
		total.set(key, prefix[tree.end[i]] - prefix[i]);
		add(own, key, self?.[i]);
	}
	return { total, own };
}

test('callers and callees, beside naive code', () => {
	for (const seed of SEEDS) {
		const list = randomPaths(seed), p = profileOf(list), flat = flatOf(list, 2);
		const { prefix } = p.values(0, 'events'), n = p.functionCount;
		p.functions.name.forEach((name, f) => {
			const want = naive(list, name), found = occurrences(p.tree, prefix, f);
			assert.equal(found.total, flat.total.get(name));
			assert.equal(found.self, flat.self.get(name) ?? 0);
			const up = drain(mergeCallers(p.tree, prefix, n, found.nodes));
			const down = drain(mergeCallees(p.tree, prefix, n, found.nodes));
			assert.deepEqual(sorted(ofTree(p, up).total), sorted(want.callers));
			assert.deepEqual(sorted(ofTree(p, down).total), sorted(want.callees));
			assert.deepEqual(sorted(ofTree(p, down).own), sorted(want.self));
			assert.deepEqual([up.pruned, down.pruned], [0, 0]);
			// Both are as wide as the function's total.
			if (found.total)
				assert.deepEqual(
					[up.prefix[up.tree.count], down.prefix[down.tree.count]],
					[found.total, found.total]);
		});
	}
});

test('contexts are those with a value', () => {
	const p = profileOf([[['a', 'f', 'b', 'f'], 1, 5], [['f'], 1, 2], [['c', 'f'], 0, 0]]);
	const f = p.functions.name.indexOf('f'), { prefix } = p.values(0, 'events');
	const found = occurrences(p.tree, prefix, f);
	assert.deepEqual([found.contexts, found.nodes.length, found.total, found.self], [3, 2, 7, 7]);
});

test('a function without a value has nothing', () => {
	const p = profileOf([[['a'], 0, 0], [['b'], 1, 1]]);
	const f = p.functions.name.indexOf('a'), { prefix } = p.values(0, 'events');
	const { nodes } = occurrences(p.tree, prefix, f);
	assert.equal(nodes.length, 0);
	assert.equal(drain(mergeCallers(p.tree, prefix, 2, nodes, { steps: 100 })).base, -1);
	assert.equal(drain(mergeCallees(p.tree, prefix, 2, nodes)).tree.count, 0);
});

test('narrow ones are left out, all others are right', () => {
	for (const seed of SEEDS) {
		const list = randomPaths(seed), p = profileOf(list), share = 0.1;
		const { prefix } = p.values(0, 'events'), name = p.functions.name[0];
		const { nodes, total } = occurrences(p.tree, prefix, 0), want = naive(list, name);
		const wide = (map) => sorted(new Map([...map].filter(([, v]) => v >= share * total)));
		const up = drain(mergeCallers(p.tree, prefix, p.functionCount, nodes, { share }));
		const down = drain(mergeCallees(p.tree, prefix, p.functionCount, nodes, { share }));
		assert.deepEqual(sorted(ofTree(p, up).total), wide(want.callers));
		assert.deepEqual(sorted(ofTree(p, down).total), wide(want.callees));
		for (const [key, v] of ofTree(p, down).own)
			assert.equal(v, want.self.get(key));
		assert.equal(down.pruned > 0, wide(want.callees).length < want.callees.size);
	}
});

test('deep recursion, and many contexts', () => {
	const made = deep(20000), p = new Profile(made.meta, made.columns);
	const { prefix } = p.values(0, 'events');
	for (const f of [0, 1]) {
		const { nodes, total } = occurrences(p.tree, prefix, f);
		assert.equal(nodes.length, 1);
		const down = drain(mergeCallees(p.tree, prefix, p.functionCount, nodes, { share: 1e-3 }));
		assert.equal(down.prefix[down.tree.count], total);
		assert.ok(down.tree.maxDepth > 1000);
	}
	const big = synthetic(100000, { functions: 50 }), q = new Profile(big.meta, big.columns);
	const v = q.values(0, 'events').prefix, { nodes } = occurrences(q.tree, v, 1);
	const work = mergeCallees(q.tree, v, q.functionCount, nodes, { share: 1 / 4000 });
	let slices = 0;
	while (!work.next().done)
		slices++;
	assert.ok(slices > 1, String(slices));
});
