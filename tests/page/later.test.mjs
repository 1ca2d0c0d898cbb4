// What is read or computed when it is first needed, and the order of rows.
import test from 'node:test';
import assert from 'node:assert/strict';
import { DataError, Profile } from '../../share/html/src/data.js';
import { FunctionSums } from '../../share/html/src/function_sums.js';
import { inOrder } from '../../share/html/src/rows.js';
import { settle } from '../../share/html/src/slices.js';
import { partOf, selfByFunction, totalByFunction } from '../../share/html/src/tree.js';
import { drain } from '../../share/html/src/drain.js';
import { readVarints } from '../../share/html/src/varint.js';
import { SEEDS, profileOf, randomPaths } from './lib/naive.mjs';
import { random, small, synthetic } from './lib/sample.mjs';

/** The same profile, with some columns to be read later; asked has their names, as often. */
function split(made, names) {
	const columns = { ...made.columns }, later = {}, asked = [];
	for (const name of names) {
		const bytes = columns[name];
		delete columns[name];
		later[name] = async () => {
			asked.push(name);
			if (!bytes)
				throw new DataError(`column ${name} is damaged`);
			return bytes;
		};
	}
	return { profile: new Profile(made.meta, columns, {}, later), asked };
}

test('columns are read when they are needed, and once', async () => {
	const made = synthetic(3000, { metrics: 2, units: 4, lines: 500 });
	const whole = new Profile(made.meta, made.columns);
	const { profile: p, asked } = split(made, ['samples-1', 'units', 'lines']);
	assert.equal(p.units.length, 4);
	assert.deepEqual([p.has('units'), p.has('events-1'), p.has('lines')], [true, false, true]);
	assert.deepEqual([p.missing(0), p.missing(1)], [[], ['samples-1']]);
	assert.deepEqual(p.values(0, 'events'), whole.values(0, 'events'));
	assert.deepEqual(asked, []);
	assert.equal(p.hasValues(1, 'samples'), false);
	await settle(p.reading(1, 'events'));
	assert.equal(p.hasValues(1, 'samples'), true);
	assert.deepEqual(p.values(1, 'events'), whole.values(1, 'events'));
	const cells = await settle(p.readUnits(0, 'events'));
	assert.deepEqual(cells, drain(whole.readUnits(0, 'events')));
	await settle(p.readUnits(1, 'samples'));
	await settle(p.load(['lines']));
	assert.deepEqual(p.lines.read(0, 'events'), whole.lines.read(0, 'events'));
	await settle(p.load(['lines', 'units', 'samples-1', 'none']));
	assert.deepEqual(asked, ['samples-1', 'units', 'lines']);
});

test('a damaged one is an error where it is needed, each time', async () => {
	const made = small();
	delete made.columns.units;
	const { profile: p } = split(made, ['units']);
	for (let k = 0; k < 2; k++)
		await assert.rejects(settle(p.readUnits(0, 'events')), DataError);
	assert.throws(() => p.unitValues, /column units is damaged/);
	assert.equal(p.values(0, 'events').total, made.meta.metrics[0].events);
	const work = function*() {
		try {
			yield* p.load(['units']);
		} catch (e) {
			return e.message;
		}
		return '';
	};
	assert.equal(await settle(work()), 'column units is damaged');
});

test('of the values, those that were asked for last stay', () => {
	const made = synthetic(200, { metrics: 2 }), p = new Profile(made.meta, made.columns);
	const first = p.values(0, 'samples').prefix;
	for (const [metric, of] of [[1, 'samples'], [0, 'events'], [1, 'events'], [0, 'samples']]) {
		p.values(metric, of);
		assert.ok(p.hasValues(metric, of));
	}
	assert.deepEqual(p.values(0, 'samples').prefix, first);
});

test('sums by function, at once or in steps', () => {
	for (const seed of SEEDS) {
		const p = profileOf(randomPaths(seed)), n = p.functionCount;
		const { prefix } = p.values(0, 'events'), samples = p.values(0, 'samples').prefix;
		const kernel = p.functions.name.map((_, f) => p.isKernel(f));
		const want = {
			self: selfByFunction(p.tree, prefix, n),
			total: totalByFunction(p.tree, prefix, n),
			kernel: totalByFunction(p.tree, partOf(p.tree, prefix, kernel), n),
			samples: selfByFunction(p.tree, samples, n)
		};
		const sums = new FunctionSums(p.tree, p, prefix, samples);
		const parts = Object.keys(want);
		assert.deepEqual(sums.missing(parts), parts);
		for (const part of parts)
			assert.deepEqual(sums[part], want[part]);
		const other = new FunctionSums(p.tree, p, prefix, samples);
		drain(other.make([...parts, 'files']));
		assert.deepEqual(other.missing([...parts, 'files']), []);
		for (const part of parts)
			assert.deepEqual(other[part], want[part]);
		// All begin in one file.
		const all = prefix[p.tree.count];
		assert.deepEqual([[...other.files.self], [...other.files.total]], [[all], [all]]);
	}
});

test('ids in order of a value; of equal ones the lower is first', () => {
	const rnd = random(5);
	for (const n of [0, 1, 2, 1000]) {
		const value = Float64Array.from({ length: 2 * n },
			() => Math.floor(20 * rnd()) * (rnd() < 0.5 ? -1 : 1) / 4);
		const ids = Int32Array.from({ length: n }, (_, k) => 2 * k + 1);
		for (const rising of [true, false]) {
			const sign = rising ? 1 : -1;
			const want = [...ids].sort((a, b) => sign * (value[a] - value[b]) || a - b);
			assert.deepEqual([...inOrder(ids, (id) => value[id], rising)], want);
		}
	}
});

test('numbers below a limit', () => {
	const read = (bytes, n, limit) => [...readVarints(Uint8Array.from(bytes), new Uint32Array(n),
		'x', limit, 'too large')];
	assert.deepEqual(read([1, 0x80, 1, 0xff, 0xff, 3], 3, 2 ** 32), [1, 128, 65535]);
	assert.deepEqual(read([0xff, 0xff, 0xff, 0xff, 15], 1, 2 ** 32), [2 ** 32 - 1]);
	assert.throws(() => read([0x80, 0x80, 0x80, 0x80, 16], 1, 2 ** 32), /too large/);
	assert.throws(() => read([5], 1, 5), /too large/);
	assert.throws(() => read([0x80], 1, 5), /broken/);
	assert.throws(() => read(new Array(9).fill(0x80), 1, 2 ** 32), /broken/);
	assert.throws(() => read([1], 2, 5), /ends early/);
	assert.throws(() => read([1, 1], 1, 5), /longer/);
});
