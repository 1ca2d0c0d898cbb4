import test from 'node:test';
import assert from 'node:assert/strict';
import { DataError, Profile } from '../../share/html/src/data.js';
import { drain } from '../../share/html/src/drain.js';
import { prefixSums } from '../../share/html/src/tree.js';
import {
	facetsOf, formatChosen, groupUnits, kindOfName, parseChosen, sumOfUnits, unitTotals,
} from '../../share/html/src/units.js';
import { formatState, parseState } from '../../share/html/src/state.js';
import { fromPaths, random, small, synthetic } from './lib/sample.mjs';
import { SEEDS, namesOf, profileOf, randomPaths } from './lib/naive.mjs';

const UNITS = ['a1', 'a2', 'b1', 'b2', 'b3'].map((thread, i) => ({
	name: `thread ${i} ${thread}`,
	thread,
	tid: i,
	process: i % 2,
	program: i % 2 ? 'odd' : 'even',
	command: 'x',
	host: 'h'
}));

/** Random paths of random units. */
function withUnits(seed) {
	const rnd = random(seed + 500);
	return randomPaths(seed).map((row) => [...row, Math.floor(rnd() * UNITS.length)]);
}

/** Own values by path, of the rows that pass. */
function sums(list, k, pass) {
	const out = new Map();
	for (const row of list)
		if (pass(row[3])) {
			const key = row[0].map((f) => `${f.name}${f.inlined ? 'i' : ''}`).join('>');
			out.set(key, (out.get(key) ?? 0) + row[k]);
		}
	return out;
}

test('units have the values that were given to them', () => {
	for (const seed of SEEDS) {
		const list = withUnits(seed), p = profileOf(list, { units: UNITS });
		const { tree } = p;
		const path = (i) => tree.path(i)
			.map((n) => p.functions.name[tree.fn[n]] + (tree.inlined[n] ? 'i' : ''))
			.join('>');
		for (const [of, k] of [['samples', 1], ['events', 2]]) {
			const cells = drain(p.unitValues.read(0, of));
			for (let mask = 1; mask < 32; mask += 5) {
				const chosen = Uint8Array.from(UNITS, (_, u) => (mask >> u) & 1);
				const own = drain(sumOfUnits(cells, chosen, tree.count));
				const want = sums(list, k, (u) => chosen[u]);
				own.forEach((v, i) => assert.equal(v, want.get(path(i)) ?? 0));
			}
			const totals = unitTotals(cells);
			UNITS.forEach((_, u) => assert.equal(totals[u],
				list.reduce((sum, r) => sum + (r[3] === u ? r[k] : 0), 0)));
		}
	}
});

test('all units together have what the profile has', () => {
	const made = synthetic(3000, { metrics: 2, units: 7, depth: 20 });
	const p = new Profile(made.meta, made.columns);
	for (const [metric, of] of [[0, 'events'], [0, 'samples'], [1, 'events']]) {
		const own = drain(sumOfUnits(drain(p.unitValues.read(metric, of)),
			new Uint8Array(7).fill(1), p.tree.count));
		assert.deepEqual([...prefixSums(own)], [...p.values(metric, of).prefix]);
	}
});

test('with a quantum, a unit is right within it', () => {
	const quantum = 1000;
	for (const seed of SEEDS) {
		const list = withUnits(seed), p = profileOf(list, { units: UNITS, quantum });
		const totals = unitTotals(drain(p.unitValues.read(0, 'events')));
		UNITS.forEach((_, u) => {
			const want = list.reduce((sum, r) => sum + (r[3] === u ? r[2] : 0), 0);
			assert.equal(totals[u], Math.floor(want / quantum));
		});
	}
});

test('it yields, and a broken column is an error', () => {
	const made = synthetic(200000, { units: 4, functions: 500 });
	const p = new Profile(made.meta, made.columns), work = p.unitValues.read(0, 'events');
	let slices = 0;
	while (!work.next().done)
		slices++;
	assert.ok(slices >= 4);
	const good = small();
	for (const change of [
		(c) => c.slice(0, -1), (c) => Uint8Array.of(...c, 0), (c) => Uint8Array.of(...c, 128),
		(c) => Uint8Array.of(120, ...c.slice(1)), (c) => Uint8Array.of(c[0], 127, ...c.slice(2)),
	]) {
		const columns = { ...good.columns, units: change(good.columns.units) };
		assert.throws(() => drain(new Profile(good.meta, columns).unitValues.read(0, 'events')),
			DataError);
	}
});

test('without units there are none', () => {
	const list = [[['a'], 1, 1]];
	assert.deepEqual(profileOf(list).units, []);
	assert.deepEqual(profileOf([[['a'], 1, 1, 0]], { units: [UNITS[0]] }).units, []);
	const { meta, columns } = fromPaths(list);
	delete meta.units;
	assert.deepEqual(new Profile(meta, columns).units, []);
	assert.deepEqual(namesOf(profileOf(list), 0), ['a']);
});

test('the chosen ones as text', () => {
	for (const [text, set] of [['0-2.4', '11101'], ['3', '00010'], ['', '11111'], ['1.3-4', '01011']]) {
		assert.equal(formatChosen(Uint8Array.from(set, Number)), text);
		assert.deepEqual([...parseChosen(text, 5)], [...set].map(Number));
	}
	for (const bad of ['5', '3-2', '0-5', 'x', '1..2', '-1', '1-', '99999999999'])
		assert.deepEqual([...parseChosen(bad, 5)], [1, 1, 1, 1, 1]);
	const made = small(), p = new Profile(made.meta, made.columns);
	assert.equal(parseState('#units=1', p, []).units, '1');
	assert.equal(parseState('#units=0-1', p, []).units, '');
	assert.equal(parseState('#units=9', p, []).units, '');
	assert.equal(formatState(parseState('#units=1', p, []), p), 'units=1');
});

test('groups', () => {
	assert.equal(kindOfName('worker12 of 3'), 'worker# of #');
	const facets = facetsOf(UNITS);
	// Processes are told apart as programs are, and all have one host.
	assert.deepEqual(facets.map((f) => f.id), ['program', 'thread', 'unit']);
	assert.deepEqual(facets[0].groups,
		[{ text: 'even', units: [0, 2, 4] }, { text: 'odd', units: [1, 3] }]);
	assert.deepEqual(facets[1].groups,
		[{ text: 'a#', units: [0, 1] }, { text: 'b#', units: [2, 3, 4] }]);
	assert.deepEqual(groupUnits([{ name: 'x', rank: 0 }, { name: 'y' }, { name: 'z', rank: 1 }], 'rank'),
		[
			{ text: 'rank 0', units: [0] }, { text: 'not known', units: [1] },
			{ text: 'rank 1', units: [2] },
		]);
	// Processes of the same number on two hosts are two.
	assert.equal(groupUnits([{ process: 1, host: 'a' }, { process: 1, host: 'b' }], 'process').length, 2);
});
