import test from 'node:test';
import assert from 'node:assert/strict';
import { Profile } from '../../share/html/src/data.js';
import { byFunctionAndGroup, strip, summarize, valuesOf } from '../../share/html/src/stats.js';
import { drain } from '../../share/html/src/drain.js';
import { deep, fromPaths, random, synthetic } from './lib/sample.mjs';
import { SEEDS, flatOfGroups, profileOf, randomPaths } from './lib/naive.mjs';

const UNITS = Array.from({ length: 6 }, (_, i) => ({ name: `u${i}`, tid: i }));
const GROUPS = [
	UNITS.map((_, u) => [u]), [[0, 2, 4], [1, 3, 5]], [[5], [1, 2]], [[0, 1, 2, 3, 4, 5]],
];
const near = (a, b) => assert.ok(Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(b)), `${a} ${b}`);

test('statistics, beside naive code', () => {
	for (const seed of SEEDS) {
		const rnd = random(seed + 900);
		const list = randomPaths(seed).map((row) => [...row, Math.floor(UNITS.length * rnd())]);
		const p = profileOf(list, { units: UNITS });
		for (const [of, k] of [['samples', 1], ['events', 2]])
			for (const what of ['self', 'total'])
				for (const groups of GROUPS) {
					const cells = drain(p.unitValues.read(0, of)), n = groups.length;
					const made = drain(
						byFunctionAndGroup(p.tree, cells, groups, p.functionCount, what));
					const got = summarize(made), want = flatOfGroups(list, k, groups);
					p.functions.name.forEach((name, f) => {
						const values = want.map((w) => w[what].get(name) ?? 0);
						assert.deepEqual([...valuesOf(made, f)], values);
						const sum = values.reduce((a, b) => a + b, 0), mean = sum / n;
						const squares = values.reduce((s, v) => s + (v - mean) ** 2, 0);
						assert.equal(got.present[f], values.filter((v) => v > 0).length);
						near(got.mean[f], mean);
						near(got.deviation[f], n > 1 ? Math.sqrt(squares / (n - 1)) : 0);
						assert.equal(got.least[f], Math.min(...values));
						assert.equal(got.most[f], Math.max(...values));
						near(got.imbalance[f], sum ? Math.max(...values) / mean - 1 : 0);
					});
				}
	}
});

test('recursion that is deep counts once, and it yields', () => {
	const made = deep(20000), p = new Profile(made.meta, made.columns), { prefix } = p.values(0, 'events');
	const n = p.tree.count, own = Float64Array.from({ length: n }, (_, i) => prefix[i + 1] - prefix[i]);
	const cells = { start: Int32Array.of(0, n), node: Int32Array.from(own.keys()), value: own };
	const work = byFunctionAndGroup(p.tree, cells, [[0]], p.functionCount, 'total');
	let slices = 0, result;
	do {
		result = work.next();
		slices++;
	} while (!result.done);
	assert.equal(valuesOf(result.value, 0)[0], prefix[n]);
	assert.ok(slices > 3);
});

test('many units in reasonable time', () => {
	const made = synthetic(100000, { units: 100, functions: 5000 });
	const p = new Profile(made.meta, made.columns), cells = drain(p.unitValues.read(0, 'events'));
	const groups = p.units.map((_, u) => [u]), begin = performance.now();
	for (const what of ['self', 'total']) {
		const all = summarize(drain(byFunctionAndGroup(p.tree, cells, groups, 5000, what)));
		assert.ok(all.present.some((v) => v > 50));
	}
	assert.ok(performance.now() - begin < 20000);
});

test('strips', () => {
	const values = Float64Array.of(3, 0, 5, 1, 4);
	assert.deepEqual(strip(values, 64, false).map((c) => c.value), [3, 0, 5, 1, 4]);
	assert.deepEqual(strip(values, 64, true).map((c) => [c.value, ...c.groups]),
		[[5, 2], [4, 4], [3, 0], [1, 3], [0, 1]]);
	assert.deepEqual(strip(values, 2, false), [{ value: 3, groups: [0, 1] }, { value: 5, groups: [2, 3, 4] }]);
	assert.deepEqual(strip(values, 2, true).map((c) => c.groups), [[2, 4], [0, 3, 1]]);
	for (const n of [1, 63, 64, 65, 1000])
		assert.deepEqual(strip(new Float64Array(n), 64, false).flatMap((c) => c.groups),
			Array.from({ length: n }, (_, i) => i));
});

test('a unit without values is one', () => {
	const { meta, columns } = fromPaths([[['a'], 1, 6, 0], [['a', 'b'], 1, 2, 0]], { units: UNITS });
	const p = new Profile(meta, columns), cells = drain(p.unitValues.read(0, 'events'));
	const all = summarize(drain(byFunctionAndGroup(p.tree, cells, [[0], [1]], 2, 'total')));
	assert.deepEqual([[...all.present], [...all.mean], [...all.least]], [[1, 1], [4, 1], [0, 0]]);
});
