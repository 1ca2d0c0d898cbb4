import test from 'node:test';
import assert from 'node:assert/strict';
import { change, ratio, relative } from '../../share/html/src/compare.js';
import { DataError, Profile } from '../../share/html/src/data.js';
import { GONE, listing } from '../../share/html/src/lines.js';
import { invert, mergeCallees, mergeCallers, occurrences } from '../../share/html/src/merge.js';
import { drain } from '../../share/html/src/drain.js';
import { fromPaths, random, varints } from './lib/sample.mjs';
import { SEEDS, flatOf, randomPaths } from './lib/naive.mjs';

const AFTER = [false, true, true], FACTORS = [1, 0.8, 1.25];

/** A list of paths by chance of three runs, one before and two after. */
function runsOf(seed) {
	const rnd = random(seed + 1000);
	return randomPaths(seed, 60).map(([path, samples, events]) =>
		[path.map((f) => ({ ...f, inlined: false })), samples, events, Math.floor(3 * rnd())]);
}

function told(list, change = (x) => x) {
	const units = AFTER.map((_, i) => ({ name: `run ${i}` }));
	const { meta, columns } = fromPaths(list, { units });
	const functions = JSON.parse(new TextDecoder().decode(columns.names)).functions.name.length;
	meta.compare = {
		runs: AFTER.map((after, i) => ({ name: `run ${i}`, after, factor: FACTORS[i] })),
		inclusive_lines: false
	};
	columns['compare-functions'] = varints(
		Array.from({ length: functions }, (_, f) => [f % 4, f ? 0 : 1 * 2 + 2]).flat());
	columns['compare-nodes'] = varints(Array.from({ length: meta.nodes }, (_, i) => i % 2));
	return change({ meta, columns });
}

function profileOf(list) {
	const { meta, columns } = told(list);
	return new Profile(meta, columns);
}

/** The rows of a side, whose events are what they are in the mean of its runs. */
const sideOf = (list, after) => list.filter((r) => AFTER[r[3]] === after).map(
	([path, , events, run]) => [path, 0, events / FACTORS[run] / (after ? 2 : 1), run]);

const close = (a, b, what) => assert.ok(Math.abs(a - b) <= 1e-6 * Math.max(1, Math.abs(b)),
	`${what}: ${a}, expected ${b}`);

/** Map of the path of names to the sum of own events, of a side. */
function ownOf(list) {
	const out = new Map();
	for (const [path, , events] of list) {
		const key = path.map((f) => f.name).join('>');
		out.set(key, (out.get(key) ?? 0) + events);
	}
	return out;
}

test('sides are means of their runs', () => {
	for (const seed of SEEDS) {
		const list = runsOf(seed), p = profileOf(list), sums = p.compare.sums(0);
		const before = ownOf(sideOf(list, false)), after = ownOf(sideOf(list, true));
		for (let i = 0; i < p.tree.count; i++) {
			const key = p.tree.path(i).map((n) => p.functions.name[p.tree.fn[n]]).join('>');
			const b = before.get(key) ?? 0, a = after.get(key) ?? 0;
			const own = (name) => sums[name][i + 1] - sums[name][i];
			close(own('before'), b, `before of ${key}`);
			close(own('after'), a, `after of ${key}`);
			close(own('grown'), Math.max(0, a - b), `grown of ${key}`);
			close(own('shrunk'), Math.max(0, b - a), `shrunk of ${key}`);
			close(own('both'), a + b, `both of ${key}`);
		}
		const values = p.compare.values(0, 'after'), all = [...before.values()];
		close(values.total, all.reduce((x, y) => x + y, 0), 'percentages are of all before');
		assert.equal(values.second, sums.before);
		assert.equal(p.compare.values(0, 'before').second, sums.after);
		assert.equal(p.compare.values(0, 'grown').second, undefined);
	}
});

test('merged trees have the values of the other side', () => {
	for (const seed of SEEDS) {
		const list = runsOf(seed), p = profileOf(list), { before, after } = p.compare.sums(0);
		const n = p.functionCount, first = sideOf(list, true), other = sideOf(list, false);
		const inverted = drain(invert(p.tree, after, n, { second: before }));
		const sums = new Map();
		for (const [path, , events] of other) {
			const names = path.map((f) => f.name).reverse();
			for (let k = 1; k <= names.length; k++) {
				const key = names.slice(0, k).join('>');
				sums.set(key, (sums.get(key) ?? 0) + events);
			}
		}
		const pathOf = (tree, i) => tree.path(i).map((k) => p.functions.name[tree.fn[k]]);
		for (let i = 0; i < inverted.tree.count; i++) {
			const key = pathOf(inverted.tree, i).join('>');
			close(inverted.second[i], sums.get(key) ?? 0, `seed ${seed}, other side of ${key}`);
		}
		for (let f = 0; f < n; f++) {
			const name = p.functions.name[f], { nodes } = occurrences(p.tree, after, f, before);
			const totals = [first, other].map((rows) => flatOf(rows, 2).total.get(name) ?? 0);
			if (!totals[0])
				continue;
			const callees = drain(mergeCallees(p.tree, after, n, nodes, { second: before }));
			close(callees.prefix.at(-1), totals[0], `callees of ${name}`);
			close(callees.second[0], totals[1], `other side of the callees of ${name}`);
			const callers = drain(mergeCallers(p.tree, after, n, nodes, { second: before }));
			close(callers.prefix.at(-1), totals[0], `callers of ${name}`);
			close(callers.second[0], totals[1], `other side of the callers of ${name}`);
		}
	}
});

test('what was found of functions and nodes', () => {
	const p = profileOf(runsOf(1)), { compare } = p;
	assert.deepEqual([...compare.marks], [...compare.marks].map((_, f) => f % 4));
	assert.deepEqual([...compare.nodes], [...compare.nodes].map((_, i) => i % 2));
	assert.deepEqual([compare.moved[0], compare.callee[0], compare.moved[1]], [1, 0, -1]);
	assert.deepEqual([compare.count(false), compare.count(true)], [1, 2]);
});

test('lines that are gone are last', () => {
	const place = (line) => ({ name: `f${line}`, module: '/x', file: '/x.c', line, at: line });
	const list = [
		[[place(3)], 2, 200, 0], [[place(3)], 2, 300, 1], [[place(5)], 1, 100, 0], [[place(8)], 1, 50, 1],
	];
	const { meta, columns } = told(list);
	// line 5 is that of before: the file has two lines
	columns['compare-lines'] = varints([
		200, 300, 200, 300, 1, 100, 0, 100, 0, 2, 0, 50, 0, 50, 0
	]);
	const p = new Profile(meta, columns), lines = p.lines.read(0, 'events');
	assert.deepEqual([...lines.line], [3, 8, GONE + 5]);
	const found = p.compare.lines(lines);
	assert.deepEqual([...found.before.self], [200, 0, 100]);
	assert.deepEqual([...found.after.total], [300, 50, 0]);
	assert.deepEqual([...found.beyond], [1, 0, 0]);
	const rows = listing(lines, 0, ['one', 'two', 'three', 'four']);
	assert.equal(rows.count, 9);
	assert.deepEqual([rows.number(7), rows.index(7)], [8, 1]);
	assert.deepEqual([rows.number(8), rows.index(8), rows.rowOf(GONE + 5)], [GONE + 5, 2, 8]);
	assert.deepEqual([rows.index(4), rows.rowOf(3)], [-1, 2]);
	const bare = listing(lines, 0, null);
	assert.deepEqual([bare.count, bare.number(2), bare.rowOf(GONE + 5)], [3, GONE + 5, 2]);
});

test('damage is told', () => {
	const list = runsOf(2), broken = (how) => () => {
		const { meta, columns } = told(list, (x) => {
			how(x);
			return x;
		});
		return new Profile(meta, columns);
	};
	assert.throws(broken(({ columns }) => {
		delete columns['compare-nodes'];
	}), DataError);
	assert.throws(broken(({ columns }) => {
		columns['compare-functions'] = columns['compare-functions'].slice(1);
	}), DataError);
	assert.throws(broken(({ columns }) => {
		columns['compare-functions'][1] = 100;
	}), DataError);
	assert.throws(broken(({ meta }) => {
		meta.compare.runs.pop();
	}), DataError);
	assert.throws(() => {
		const p = broken(({ columns }) => {
			columns['compare-lines'] = varints([1, 2, 3, 4]);
		})();
		p.lines.read(0, 'events');
	}, DataError);
	assert.throws(() => {
		const p = broken(({ columns }) => {
			columns['compare-lines'] = varints([1, 2, 3, 4, 0]);
		})();
		p.lines.read(0, 'events');
	}, DataError);
});

test('changes in words', () => {
	assert.deepEqual([[100, 110], [100, 50], [0, 5], [5, 0], [0, 0], [1, 31]].map((x) => ratio(...x)),
		['+10.0%', '-50.0%', 'new', 'gone', '', '× 31']);
	assert.deepEqual([[0, 5], [5, 0], [0, 0], [5, 10]].map((x) => relative(...x)), [1, -1, 0, 0.5]);
	assert.equal(change(1e9, 1e9 + 1e-7, 1e9), 0);
	assert.equal(change(10, 12, 1e9), 2);
	assert.equal(change(1, 3, 10), 2);
});
