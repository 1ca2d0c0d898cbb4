import test from 'node:test';
import assert from 'node:assert/strict';
import { activationColumns } from '../../share/html/src/activations.js';
import { DataError, Profile } from '../../share/html/src/data.js';
import { FunctionSums } from '../../share/html/src/function_sums.js';
import { fromPaths, varints } from './lib/sample.mjs';

const PATHS = [
	[['main', 'walk', 'walk', 'leaf'], 4, 4000],
	[['main', 'walk', { name: 'leaf', module: '/usr/bin/sample', inlined: true }], 2, 2000],
	[['main', 'leaf'], 1, 1000]
];

/** The page of PATHS, in which each node has the counts that counts(node, name) gives. */
function pageOf(counts, ends = 'all') {
	const { meta, columns } = fromPaths(PATHS), plain = new Profile(meta, columns);
	const name = (i) => plain.functions.name[plain.tree.fn[i]];
	const values = Array.from({ length: plain.tree.count }, (_, i) => counts(i, name(i))).flat();
	return new Profile({ ...meta, ends }, { ...columns, activations: varints(values) });
}

test('activations are those of nodes, and of functions', () => {
	const p = pageOf((i, name) => (name === 'walk' ? [10 + i, i, 1] : [0, 0, 0]));
	const walk = p.functions.name.indexOf('walk'), main = p.functions.name.indexOf('main');
	const nodes = [...p.tree.fn.keys()].filter((i) => p.tree.fn[i] === walk);
	assert.equal(nodes.length, 2);
	for (const i of nodes)
		assert.deepEqual(p.activations.ofNode(i), { entered: 10 + i, returned: i, abandoned: 1 });
	const sum = nodes[0] + nodes[1];
	assert.deepEqual(p.activations.ofFunction(walk),
		{ entered: 20 + sum, returned: sum, abandoned: 2 });
	assert.deepEqual(p.activations.ofFunction(main), { entered: 0, returned: 0, abandoned: 0 });
	assert.deepEqual(activationColumns(p).map((c) => c.key), ['activations', 'each']);
});

test('the time of activations counts each frame that is not inlined', () => {
	const p = pageOf(() => [1, 1, 0]), v = p.values(0, 'events');
	const { frames } = new FunctionSums(p.tree, p, v.prefix, p.values(0, 'samples').prefix);
	const of = (name) => frames[p.functions.name.indexOf(name)] * v.scale;
	assert.deepEqual(['main', 'walk', 'leaf'].map(of), [7000, 10000, 5000]);
});

test('what is said of them', () => {
	const c = { entered: 4, returned: 3, abandoned: 1 }, none = { entered: 0 };
	const all = pageOf(() => [0, 0, 0]).activations;
	const first = pageOf(() => [0, 0, 0], 'first').activations;
	assert.deepEqual(all.facts(c, 8e6, 'ns'),
		[['calls', '4 activations of 2.00 ms; 3 returned, 1 abandoned']]);
	assert.deepEqual(first.facts(c, null, 'ns'),
		[['calls', '4 activations; first after a sample: 3 returned, 1 abandoned']]);
	assert.deepEqual(all.facts(none, 1, 'ns'), []);
});

test('a page without counts, and one whose column is missing or too short', () => {
	const { meta, columns } = fromPaths(PATHS);
	const p = new Profile(meta, columns);
	assert.equal(p.activations, null);
	assert.deepEqual(activationColumns(p), []);
	const counted = { ...meta, ends: 'all' };
	assert.throws(() => new Profile(counted, columns), DataError);
	assert.throws(() => new Profile(counted, { ...columns, activations: varints([1, 1]) }), DataError);
});
