import test from 'node:test';
import assert from 'node:assert/strict';
import { activationColumns, eachText } from '../../share/html/src/activations.js';
import { inFrameOf } from '../../share/html/src/tree.js';
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
	const time = { total: 8e6, inFrame: 0, mean: 1e6, unit: 'ns' };
	assert.deepEqual(all.facts(c, time),
		[['calls', '4 activations of 2.00 ms; 3 returned, 1 abandoned']]);
	assert.deepEqual(first.facts(c, null),
		[['calls', '4 activations; first after a sample: 3 returned, 1 abandoned']]);
	assert.deepEqual(all.facts(none, time), []);
});

test('where calls were missed, that of an activation is an upper bound', () => {
	const of = (entered, total, inFrame) =>
		eachText(entered, { total: total * 1e6, inFrame: inFrame * 1e6, mean: 1e6, unit: 'ns' });
	// as many as samples: a fifth of these in the function itself are a fifth of the calls
	assert.equal(of(80, 100, 19), '1.25 ms');
	assert.equal(of(80, 100, 21), '<1.25 ms');
	// 16 samples for each of a quarter more: 0.9 to the power of 16 is 0.185
	assert.equal(of(5, 100, 90), '20.0 ms');
	assert.equal(of(5, 100, 91), '<20.0 ms');
	assert.equal(of(9, 121, 112), '<13.4 ms');
	assert.equal(of(1, 10000, 0), '10.0 s');
});

test('what is innermost in a frame, inlined or in the kernel', () => {
	const kernel = { name: 'read', module: '[kernel]' };
	const inlined = { name: 'leaf', module: '/usr/bin/sample', inlined: true };
	const paths = [
		[['main', 'walk'], 1, 1000], [['main', 'walk', kernel], 2, 2000],
		[['main', 'walk', inlined], 4, 4000], [['main', 'walk', inlined, kernel], 8, 8000],
		[['main', 'walk', inlined, 'other'], 16, 16000], [['main', 'walk', 'walk'], 32, 32000]
	];
	const { meta, columns } = fromPaths(paths), p = new Profile(meta, columns);
	const v = p.values(0, 'samples'), walk = p.functions.name.indexOf('walk');
	const sums = new FunctionSums(p.tree, p, v.prefix, v.prefix);
	assert.equal(sums.inFrames[walk], 1 + 2 + 4 + 8 + 32);
	assert.equal(sums.inFrames[p.functions.name.indexOf('other')], 16);
	assert.equal(sums.inFrames[p.functions.name.indexOf('main')], 0);
	const nodes = [...p.tree.fn.keys()].filter((i) => p.tree.fn[i] === walk);
	assert.deepEqual(nodes.map((i) => inFrameOf(p.tree, v.prefix, p.kernelFunctions, i)), [15, 32]);
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
