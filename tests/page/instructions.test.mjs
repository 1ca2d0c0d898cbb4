import test from 'node:test';
import assert from 'node:assert/strict';
import { DataError, Profile } from '../../share/html/src/data.js';
import { OpenRows, instructionsOfLine } from '../../share/html/src/instructions.js';
import { fromPaths, random, small, varints } from './lib/sample.mjs';
import { SEEDS } from './lib/naive.mjs';

const read = ({ meta, columns }) => new Profile(meta, columns);

/** [file, line, name, module, address, text, self] of all instructions. */
function all(p, metric, of) {
	const lines = p.lines.read(metric, of), i = p.instructions.read(metric, of, lines);
	return Array.from({ length: i.count }, (_, k) => [
		p.files[lines.file[i.line[k]]], lines.line[i.line[k]], p.instructions.name(k),
		p.modules[p.instructions.module(k)], i.address[k], p.instructions.text(k),
		i.self[k] * i.scale
	]);
}

test('instructions have their lines, names and values', () => {
	const p = read(small()), fib = ['/src/fib.c', 4, 'fib', '/usr/lib/libwork.so'];
	const want = (k) => [
		[
			'/usr/include/c++/map', 121, 'run', '/usr/bin/work', 0x4010, 'movq (%rax), %rcx',
			[24e6, 24][k]
		],
		[...fib, 0x1139, 'cmpl $1, %edi', [7.25e6, 7][k]],
		[...fib, 0x113c, 'jle 0x1150 <+0x17>', [50e6, 50][k]], [...fib, 0x1150, 'retq', 0]
	];
	assert.deepEqual(all(p, 0, 'events'), want(0));
	assert.deepEqual(all(p, 0, 'samples'), want(1));
	const lines = p.lines.read(0, 'events'), i = p.instructions.read(0, 'events', lines);
	const k = lines.line.indexOf(4);
	assert.deepEqual(instructionsOfLine(i, k), [1, 4]);
	assert.deepEqual(instructionsOfLine(i, k + 1), [4, 4]);
	assert.equal(i.self[1] + i.self[2] + i.self[3], lines.self[k]);
});

test('several metrics, quanta, and addresses that need more than 32 bits', () => {
	const p = read(fromPaths(
		[[[{ name: 'a', module: '/m', file: 'f', line: 2 }], [3, 9], [5999, 9]]], {
			metrics: [{ name: 'T', unit: 'ns' }, { name: 'N', unit: 'events', sampled: false }],
			quantum: 1000,
			instructions: {
				procedures: [{ name: 'a', module: '/m' }],
				list: [0x7fff12345678, 0x1000].map((address, k) => ({
					file: 'f', line: 2, procedure: 0, address, text: `t${k}`,
					values: [[[2, 1][k], [3999, 2000][k]], [[4, 5][k], [4, 5][k]]]
				}))
			}
		}));
	const row = (of, metric) => all(p, metric, of).map((r) => [r[4], r[5], r[6]]);
	assert.deepEqual(row('events', 0), [[0x1000, 't1', 2000], [0x7fff12345678, 't0', 3000]]);
	assert.deepEqual(row('samples', 1), [[0x1000, 't1', 5], [0x7fff12345678, 't0', 4]]);
});

test('a page need not have them, and a broken column is an error', () => {
	const made = small(), good = made.columns.instructions;
	for (const change of [
		(c) => c.slice(0, -1), (c) => Uint8Array.of(...c, 0), (c) => Uint8Array.of(127, ...c.slice(1)),
		(c) => Uint8Array.of(c[0], 100, ...c.slice(2)),
		(c) => Uint8Array.of(...c.slice(0, 4), 120, ...c.slice(5)),
		(c) => Uint8Array.of(...c.slice(0, 5), 9, ...c.slice(6)), () => varints([0, 2 ** 40])
	]) {
		const p = read({ ...made, columns: { ...made.columns, instructions: change(good) } });
		assert.throws(() => all(p, 0, 'events'), DataError, String(change));
	}
	delete made.columns.instructions;
	assert.equal(read(made).instructions, null);
});

test('open lines', () => {
	for (const seed of SEEDS) {
		const rnd = random(seed), count = Math.floor(rnd() * 20), open = [], want = [];
		let from = 0;
		for (let row = 0; row < count; row++) {
			want.push([row, -1]);
			if (rnd() < 0.5)
				continue;
			const to = from + 1 + Math.floor(rnd() * 4);
			open.push({ row, from, to });
			for (; from < to; from++)
				want.push([row, from]);
		}
		const rows = new OpenRows(count, open);
		assert.deepEqual(Array.from({ length: rows.count }, (_, row) => rows.at(row)), want);
		for (let row = 0; row < count; row++)
			assert.deepEqual(rows.at(rows.rowOf(row)), [row, -1]);
	}
});
