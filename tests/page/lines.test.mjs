import test from 'node:test';
import assert from 'node:assert/strict';
import { DataError, Profile } from '../../share/html/src/data.js';
import { heat, hottest, linesOfFile, listing } from '../../share/html/src/lines.js';
import { splitLines } from '../../share/html/src/source.js';
import { fromPaths, small, synthetic } from './lib/sample.mjs';
import { SEEDS, profileOf, randomPaths } from './lib/naive.mjs';

/** Values of lines by "file:line", in naive ways: a path counts once for each line. */
function naive(list, k) {
	const out = new Map();
	for (const row of list) {
		const keys = row[0].map((f) => `${f.file}:${f.at ?? f.line}`);
		for (const key of new Set(keys)) {
			const v = out.get(key) ?? { self: 0, total: 0, names: new Set() };
			v.total += row[k];
			v.self += keys.at(-1) === key ? row[k] : 0;
			out.set(key, v);
		}
		row[0].forEach((f, i) => out.get(keys[i]).names.add(f.name));
	}
	return out;
}

test('lines have their values', () => {
	for (const seed of SEEDS) {
		// Some functions share lines, and some are in another file.
		const list = randomPaths(seed).map(([path, ...rest]) => [
			path.map((f) => ({ ...f, file: `/src/${f.line % 2}.c`, at: f.line % 3 })), ...rest
		]);
		const p = profileOf(list);
		for (const [of, k] of [['samples', 1], ['events', 2]]) {
			const lines = p.lines.read(0, of), want = naive(list, k);
			assert.equal(lines.count, want.size);
			for (let i = 0; i < lines.count; i++) {
				const v = want.get(`${p.files[lines.file[i]]}:${lines.line[i]}`);
				assert.deepEqual([lines.self[i], lines.total[i]], [v.self, v.total]);
				assert.equal(lines.fn[i] < 0 ? null : p.functions.name[lines.fn[i]],
					v.names.size > 1 ? null : [...v.names][0]);
			}
		}
	}
});

test('several metrics, quanta, and a line that is there twice', () => {
	const list = [[[{ name: 'a', file: 'f', line: 2 }], [1, 7], [5999, 7]]];
	const metrics = [{ name: 'T', unit: 'ns' }, { name: 'N', unit: 'events', sampled: false }];
	const p = profileOf(list, { metrics, quantum: 1000 });
	assert.deepEqual([p.lines.read(0, 'events').self[0], p.lines.read(0, 'events').scale], [5, 1000]);
	assert.equal(p.lines.read(1, 'samples').total[0], 7);
	const made = fromPaths([[[{ name: 'a', file: 'f', line: 2 }], 1, 1]]);
	made.columns.lines = Uint8Array.of(3, 0, 2, 1, 1, 4, 0, 0, 1, 2, 3, 0, 1, 0, 5, 6);
	const lines = new Profile(made.meta, made.columns).lines.read(0, 'events');
	assert.deepEqual([[...lines.line], [...lines.fn], [...lines.self], [...lines.total]],
		[[2, 3], [0, -1], [3, 5], [7, 6]]);
});

test('a broken column is an error', () => {
	const good = small();
	for (const change of [
		(c) => c.slice(0, -1), (c) => Uint8Array.of(...c, 0), (c) => Uint8Array.of(127, ...c.slice(1)),
		(c) => Uint8Array.of(c[0], 100, ...c.slice(2)),
		(c) => Uint8Array.of(c[0], c[1], c[2], 120, ...c.slice(4)), () => Uint8Array.of(255, 255),
	]) {
		const columns = { ...good.columns, lines: change(good.columns.lines) };
		assert.throws(() => new Profile(good.meta, columns).lines.read(0, 'events'), DataError,
			String(change));
	}
});

test('the rows of a listing', () => {
	//                    file 0: lines 2, 5; file 1: lines 0, 3
	const lines = {
		count: 4,
		file: Int32Array.of(0, 0, 1, 1),
		line: Int32Array.of(2, 5, 0, 3),
		self: Float64Array.of(1, 3, 0, 9),
		total: Float64Array.of(1, 4, 2, 9)
	};
	const rows = (list) => Array.from({ length: list.count },
		(_, r) => [list.number(r), list.index(r)]);
	assert.deepEqual(linesOfFile(lines, 1), [2, 4]);
	assert.deepEqual(rows(listing(lines, 0, null)), [[2, 0], [5, 1]]);
	assert.deepEqual(rows(listing(lines, 0, ['a', 'b', 'c'])),
		[[1, -1], [2, 0], [3, -1], [4, -1], [5, 1]]);
	assert.deepEqual(rows(listing(lines, 1, ['a', 'b', 'c', 'd'])),
		[[0, 2], [1, -1], [2, -1], [3, 3], [4, -1]]);
	assert.deepEqual(rows(listing(lines, 7, ['a'])), [[1, -1]]);
	assert.equal(listing(lines, 7, null).count, 0);
	for (const text of [null, ['a', 'b', 'c', 'd', 'e', 'f']])
		for (const file of [0, 1])
			for (let r = 0, list = listing(lines, file, text); r < list.count; r++)
				assert.equal(list.rowOf(list.number(r)), r);
	assert.equal(listing(lines, 0, null).rowOf(3), 1);
	assert.equal(listing(lines, 0, ['a']).rowOf(900), 4);
	assert.deepEqual([hottest(lines, 0), hottest(lines, 1)], [[1, 0], [3, 2]]);
	assert.deepEqual([0, 0.001, 2, 2.01, 10].map((v) => heat(v, 10)), [0, 1, 1, 2, 5]);
});

test('texts', async () => {
	assert.deepEqual(splitLines('a\n\nb\n'), ['a', '', 'b']);
	assert.deepEqual(splitLines(''), []);
	const { meta, columns } = small();
	const p = new Profile(meta, columns, { 1: async () => Uint8Array.of(97, 255, 10) });
	assert.deepEqual([p.hasSource(0), p.hasSource(1)], [false, true]);
	assert.equal(await p.source(1), 'a\ufffd\n');
});

test('many lines', () => {
	const made = synthetic(20000, { lines: 20000, metrics: 2 });
	const p = new Profile(made.meta, made.columns), lines = p.lines.read(0, 'events');
	assert.ok(lines.count > 5000);
	let all = 0;
	for (let f = 0; f < p.files.length; f++)
		all += hottest(lines, f).length;
	assert.equal(all, lines.count);
});
