import test from 'node:test';
import assert from 'node:assert/strict';
import { DataError, Profile, unzigzag } from '../../share/html/src/data.js';
import { deep, fromPaths, small, synthetic } from './lib/sample.mjs';
import { SEEDS, namesOf, profileOf, randomPaths } from './lib/naive.mjs';

test('zigzag integers', () => {
	assert.deepEqual([0, 1, 2, 3, 4].map(unzigzag), [0, -1, 1, -2, 2]);
	assert.equal(unzigzag(2 ** 40 + 1), -(2 ** 39) - 1);
});

test('each path has its samples and events', () => {
	for (const seed of SEEDS) {
		const list = randomPaths(seed), p = profileOf(list), want = new Map();
		// A name stands for the frame; inlined ones are other nodes.
		for (const [path, samples, events] of list) {
			const key = path.map((f) => `${f.name}${f.inlined ? 'i' : ''}`).join('>');
			const [s, e] = want.get(key) ?? [0, 0];
			want.set(key, [s + samples, e + events]);
		}
		const s = p.values(0, 'samples'), e = p.values(0, 'events');
		for (let i = 0; i < p.tree.count; i++) {
			const key = p.tree.path(i)
					    .map((n) => p.functions.name[p.tree.fn[n]] +
							    (p.tree.inlined[n] ? 'i' : ''))
					    .join('>');
			assert.deepEqual(
				[s.prefix[i + 1] - s.prefix[i], e.prefix[i + 1] - e.prefix[i]],
				want.get(key) ?? [0, 0], key);
			want.delete(key);
		}
		assert.equal(want.size, 0);
		assert.equal(e.total, list.reduce((sum, row) => sum + row[2], 0));
		assert.equal(e.unit, 'ns');
		assert.equal(s.unit, 'samples');
	}
});

test('large values, and several metrics', () => {
	const p = profileOf([[['a'], [1, 7], [2 ** 45, 7]], [['a', 'b'], [3, 9], [5, 9]]], {
		metrics: [
			{ name: 'T', unit: 'ns' }, { name: 'BYTES', unit: 'bytes', sampled: false }
		]
	});
	assert.equal(p.values(0, 'events').total, 2 ** 45 + 5);
	assert.equal(p.values(1, 'events').total, 16);
	assert.equal(p.hasEvents(1), false);
	assert.equal(p.values(1, 'samples').total, 16);
	assert.deepEqual(namesOf(p, 1), ['a', 'b']);
});

test('with a quantum, every subtree is right within it', () => {
	const quantum = 1000;
	for (const seed of SEEDS) {
		const list = randomPaths(seed), exact = profileOf(list).values(0, 'events');
		const p = profileOf(list, { quantum }), v = p.values(0, 'events');
		assert.equal(v.scale, quantum);
		for (let i = 0; i < p.tree.count; i++) {
			const end = p.tree.end[i];
			const off = (v.prefix[end] - v.prefix[i]) * quantum -
				(exact.prefix[end] - exact.prefix[i]);
			assert.ok(Math.abs(off) < quantum, `${off}`);
		}
	}
});

test('names, modules and places', () => {
	const made = small(), p = new Profile(made.meta, made.columns);
	const fib = p.functions.name.indexOf('fib'),
	      read = p.functions.name.indexOf('[kernel] read');
	assert.equal(p.moduleName(fib), '/usr/lib/libwork.so');
	assert.equal(p.place(fib), '/src/fib.c:3');
	assert.equal(p.isKernel(fib), false);
	assert.equal(p.isKernel(read), true);
	assert.equal(p.place(read), '');
});

test('a tree without nodes', () => {
	const p = profileOf([]);
	assert.equal(p.tree.count, 0);
	assert.equal(p.values(0, 'events').total, 0);
	assert.equal(p.tree.levels().nodes.length, 0);
});

test('damaged columns are refused', () => {
	const good = () => fromPaths([[['a', 'b'], 1, 1000], [['a'], 200, 200001], [['c'], 3, 3]]);
	const broken = (change) => {
		const made = good();
		change(made.columns, made.meta);
		return () => new Profile(made.meta, made.columns).values(0, 'events');
	};
	assert.equal(broken(() => {})().total, 201004);
	for (const change of [(c) => {
		     c.pops = c.pops.slice(1);
	     },
			     (c) => {
				     c.pops = Uint8Array.of(...c.pops, 0);
			     },
			     (c) => {
				     c.pops[0] = 1;
			     },
			     (c) => {
				     c.pops[1] = 2;
			     },
			     (c) => {
				     c.pops = Uint8Array.of(128, 128, 128, 128, 16, 0, 0);
			     },
			     (c) => {
				     c.functions[0] = 6;
			     },
			     (c) => {
				     c['samples-0'] = c['samples-0'].slice(0, -1);
			     },
			     (c) => {
				     c['samples-0'] = new Uint8Array(30).fill(255);
			     },
			     (c) => {
				     delete c['samples-0'];
			     },
			     (c) => {
				     c['events-0'] = Uint8Array.of(1);
			     },
			     (c, m) => {
				     m.nodes = 1e9;
			     },
			     (c, m) => {
				     m.nodes = -1;
			     },
			     (c, m) => {
				     m.nodes = 2.5;
			     },
			     (c, m) => {
				     m.version = 2;
			     },
	])
		assert.throws(broken(change), DataError, String(change));
	assert.throws(broken((c) => {
		c.names = c.names.slice(1);
	}));
	const names = {
		functions: {
			name: ['x', 'y', 'z'],
			module: [0, 0, 1],
			file: [-1, -1, -1],
			line: [0, 0, 0]
		},
		modules: ['m'],
		files: []
	};
	assert.throws(broken((c) => {
		c.names = new TextEncoder().encode(JSON.stringify(names));
	}),
		DataError);
});

test('the generators keep their promises', () => {
	const made = synthetic(5000, { depth: 30, seed: 3, metrics: 2 });
	const p = new Profile(made.meta, made.columns);
	assert.equal(p.tree.count, 5000);
	assert.equal(p.tree.maxDepth, 29);
	assert.equal(p.values(0, 'samples').total, made.meta.metrics[0].samples);
	assert.deepEqual(
		synthetic(500, { seed: 9 }).columns.pops, synthetic(500, { seed: 9 }).columns.pops);
	const d = deep(20000);
	assert.equal(new Profile(d.meta, d.columns).tree.maxDepth, 19999);
	// Children fall by the inclusive value.
	const { tree } = p, { prefix } = p.values(0, 'events');
	for (let i = 0; i < tree.count; i++) {
		const next = tree.nextSibling(i);
		if (next >= 0)
			assert.ok(prefix[tree.end[i]] - prefix[i] >=
				prefix[tree.end[next]] - prefix[next]);
	}
});
