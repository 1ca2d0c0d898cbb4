import test from 'node:test';
import assert from 'node:assert/strict';
import { callers, grouper, groups, invert, leavesOf } from '../../share/html/src/merge.js';
import { Profile } from '../../share/html/src/data.js';
import { deep } from './lib/sample.mjs';
import { SEEDS, namesOf, profileOf, randomPaths } from './lib/naive.mjs';

function run(generator) {
	for (;;) {
		const { done, value } = generator.next();
		if (done)
			return value;
	}
}

/** Map of "innermost>caller>..." to its value, for all beginnings of the reversed paths. */
function reversed(list) {
	const sums = new Map();
	for (const [path, , events] of list) {
		const names = path.map((f) => f.name).reverse();
		for (let k = 1; events && k <= names.length; k++) {
			const key = names.slice(0, k).join('>');
			sums.set(key, (sums.get(key) ?? 0) + events);
		}
	}
	return sums;
}

/** The same of a tree that invert() made. */
function ofTree(profile, { tree, prefix }) {
	const sums = new Map();
	for (let i = 0; i < tree.count; i++) {
		const key = tree.path(i).map((n) => profile.functions.name[tree.fn[n]]).join('>');
		assert.ok(!sums.has(key), key);
		sums.set(key, prefix[tree.end[i]] - prefix[i]);
	}
	return sums;
}

const sorted = (map) => [...map].sort((a, b) => (a[0] < b[0] ? -1 : 1));

test('the whole tree by callers', () => {
	for (const seed of SEEDS) {
		const list = randomPaths(seed), p = profileOf(list),
		      { prefix } = p.values(0, 'events');
		const made = run(invert(p.tree, prefix, p.functionCount));
		assert.deepEqual(sorted(ofTree(p, made)), sorted(reversed(list)));
		assert.deepEqual([made.pruned, made.cut, made.base], [0, false, -1]);
		assert.equal(made.prefix[made.tree.count], prefix[p.tree.count]);
		const { tree } = made;
		for (let i = 0; i < tree.count; i++) {
			const next = tree.nextSibling(i);
			assert.equal(tree.depth[i],
				tree.parent[i] < 0 ? 0 : tree.depth[tree.parent[i]] + 1);
			if (next >= 0)
				assert.ok(made.prefix[tree.end[i]] - made.prefix[i] >=
					made.prefix[tree.end[next]] - made.prefix[next]);
		}
	}
});

test('narrow ones are left out, all others are right', () => {
	for (const seed of SEEDS) {
		const list = randomPaths(seed), p = profileOf(list),
		      { prefix } = p.values(0, 'events');
		const share = 0.05, least = share * prefix[p.tree.count];
		const made = run(invert(p.tree, prefix, p.functionCount, { share }));
		const all = reversed(list), want = [...all].filter(([, v]) => v >= least);
		assert.deepEqual(sorted(ofTree(p, made)), sorted(new Map(want)));
		assert.equal(made.pruned > 0, want.length < all.size);
	}
});

test('beyond a path, with less left out', () => {
	for (const seed of SEEDS) {
		const list = randomPaths(seed), p = profileOf(list),
		      { prefix } = p.values(0, 'events');
		const all = reversed(list),
		      [key, total] = sorted(all).find(([k]) => k.split('>').length === 2);
		const path = key.split('>').map((n) => p.functions.name.indexOf(n)), share = 0.1;
		const made = run(invert(p.tree, prefix, p.functionCount, { path, share }));
		const want =
			[...all].filter(([k, v]) => k.startsWith(`${key}>`) && v >= share * total);
		const got = sorted(ofTree(p, made));
		assert.equal(p.functions.name[made.tree.fn[made.base]], key.split('>')[1]);
		assert.deepEqual(got, sorted(new Map([
			...want, [key, total], [key.split('>')[0], all.get(key.split('>')[0])]
		])));
	}
});

test('a path that is not there is followed as far as it is', () => {
	const p = profileOf([[['a', 'b'], 1, 5]]), { prefix } = p.values(0, 'events');
	const f = (n) => p.functions.name.indexOf(n);
	assert.equal(run(invert(p.tree, prefix, 2, { path: [f('a')] })).base, -1);
	const made = run(invert(p.tree, prefix, 2, { path: [f('b'), f('b')] }));
	assert.equal(made.base, 0);
	assert.equal(made.prefix[made.tree.end[0]], 5);
});

test('deep recursion ends after so many steps, and says so', () => {
	const made = deep(3000), p = new Profile(made.meta, made.columns),
	      { prefix } = p.values(0, 'events');
	const result = run(invert(p.tree, prefix, p.functionCount, { steps: 100000, share: 1e-4 }));
	assert.equal(result.cut, true);
	assert.ok(result.tree.maxDepth > 5 && result.tree.maxDepth < 3000);
});

test('it yields, so that the page can answer', () => {
	const made = deep(3000), p = new Profile(made.meta, made.columns),
	      { prefix } = p.values(0, 'events');
	const work = invert(p.tree, prefix, p.functionCount, { steps: 1e6 });
	let slices = 0;
	while (!work.next().done)
		slices++;
	assert.ok(slices > 10);
});

test('groups, one caller at a time', () => {
	for (const seed of SEEDS) {
		const list = randomPaths(seed), p = profileOf(list),
		      { prefix } = p.values(0, 'events');
		const room = grouper(p.functionCount), all = reversed(list);
		for (let f = 0; f < p.functionCount; f++) {
			const name = p.functions.name[f], leaves = leavesOf(p.tree, prefix, f);
			assert.equal(leaves.total, all.get(name) ?? 0);
			for (const i of leaves.leaf)
				assert.equal(namesOf(p, i).at(-1), name);
			for (const g of groups(p.tree, prefix, callers(p.tree, leaves), room))
				assert.equal(g.total, all.get(`${name}>${p.functions.name[g.fn]}`));
		}
	}
});
