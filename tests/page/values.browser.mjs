// The values that the page of a measurement shows are those of hpcprof's other views and of a
// database, exactly and in the same order.
//
//     values.browser.mjs HPCPROF PROFILE DATABASE PAGE

import { Browser, missing } from './lib/browser.mjs';
import { csvRecords } from './lib/parse.mjs';
import { PARTIAL, Reference } from './lib/reference.mjs';
import { Report, exactOf } from './lib/report.mjs';
import { skipAll, tap } from './lib/tap.mjs';

if (missing())
	skipAll(missing());

const [hpcprof, profile, database, page] = process.argv.slice(2);
const OPENED = 12; // rows of the bottom-up table whose callers are compared

const baseName = (path) => path.slice(path.lastIndexOf('/') + 1);
const keys = (list, of) => list.map((row) => JSON.stringify(of(row))).sort();

// The values of a tree with siblings in an order that does not depend on who made it. Rows are in
// preorder.
function canonical(rows) {
	const root = { depth: -1, children: [] };
	const path = [root];
	for (const row of rows) {
		const node = { ...row, children: [] };
		path.length = row.depth + 1;
		path.at(-1).children.push(node);
		path.push(node);
	}
	const lines = [];
	const text = ({ depth, name, module, place, inlined, self, total }) =>
		JSON.stringify([depth, total, self, name, module, place, inlined]);
	// From the innermost rows: the order of siblings that are alike depends on what is below.
	const nodes = [root];
	for (let i = 0; i < nodes.length; i++)
		nodes.push(...nodes[i].children);
	for (const node of nodes.reverse()) {
		node.lines = node.children
			.map((child) => [text(child), ...child.lines])
			.sort((a, b) => (`${a}` < `${b}` ? -1 : 1))
			.flat();
	}
	lines.push(...root.lines);
	return lines;
}

// Rows whose total is more than that of the sibling before them.
function rising(rows) {
	const last = [];
	return rows.filter(({ depth, total }) => {
		last.length = Math.min(last.length, depth + 1);
		const wrong = last[depth] < total;
		last[depth] = total;
		return wrong;
	});
}

async function flat(t, report, reference, metric, of, state) {
	await report.go({ ...state, view: 'flat', sort: 'total' });
	const everything = await report.rows('flat');
	const partial = reference.tree(metric, of).find((r) => r.name === PARTIAL);
	t.is('flat: partial call paths', everything.find((r) => r.name === PARTIAL)?.total,
		partial?.total);
	// which is no function for the others
	const rows = everything.filter((r) => r.name !== PARTIAL);
	const expected = reference.functions(metric, of);
	t.is('flat: totals are in the same order', rows.map((r) => r.total),
		expected.map((r) => r.total));
	const all = ({ name, module, place, inlined, self, total, kernel }) =>
		[name, module, place, inlined, self, total, of === 'events' ? kernel : 0];
	t.is('flat: functions and their values', keys(rows, all), keys(expected, all));
	const few = (row) => [row.name, baseName(row.module), row.place, row.self, row.total];
	t.is('flat: those of the database', keys(rows, few),
		keys(reference.functionsOfDatabase(metric, of), few));
	const { text } = await report.saved('flat-csv');
	// the columns' names have the unit in them
	const value = (record, column) =>
		Number(record[Object.keys(record).find((key) => key.split(' ')[0] === column)]);
	t.is('flat: the CSV file has them in this order', csvRecords(text).map((r) => [r.function,
		r.module, r.place, value(r, 'self'), value(r, 'total')]),
	everything.map((r) => [r.name, r.module, r.place, r.self, r.total]));

	await report.go({ ...state, view: 'flat', sort: 'self' });
	t.is('flat: by self', (await report.rows('flat')).filter((r) => r.name !== PARTIAL)
		.map((r) => r.self), expected.map((r) => r.self).sort((a, b) => b - a));
	return rows;
}

async function topDown(t, report, reference, metric, of, state) {
	await report.go({ ...state, view: 'topdown', sort: 'total' });
	await report.click('topdown-open');
	const rows = await report.rows('topdown');
	t.is('top-down: the tree', canonical(rows), canonical(reference.tree(metric, of)));
	t.none('top-down: heavy calls come first', rising(rows).map((r) => r.name));
	const sum = rows.filter((r) => r.depth === 0).reduce((a, r) => a + r.total, 0);
	t.is('top-down: the total', sum, reference.total(metric, of));
	const { text } = await report.saved('topdown-csv');
	t.is('top-down: the CSV file', csvRecords(text).map((r) => [Number(r.depth), r.function]),
		rows.map((r) => [r.depth, r.name]));
}

// What each path of callers has: by the names on it, innermost function first.
function byPath(rows, value) {
	const path = [];
	const out = new Map();
	for (const row of rows) {
		path.length = row.depth;
		path.push(JSON.stringify([row.name, row.module, row.place]));
		const key = path.join(' < ');
		out.set(key, (out.get(key) ?? 0) + row[value]);
	}
	return out;
}

async function bottomUp(t, report, reference, metric, of, state, functions) {
	await report.go({ ...state, view: 'bottomup', sort: 'self' });
	const rows = await report.rows('bottomup');
	t.is('bottom-up: functions by self', rows.map((r) => r.self),
		functions.map((r) => r.self).filter((v) => v).sort((a, b) => b - a));
	await report.browser.run(() => document.getElementById('bottomup-table').focus());
	await report.browser.keys('Home');
	for (let i = 0; i < OPENED; i++)
		await report.browser.keys('ArrowRight', 'ArrowDown');
	const open = await report.rows('bottomup');
	t.check('bottom-up: callers are opened', open.length > rows.length || rows.length < 2,
		`${open.length} of ${rows.length}`);
	const levels = open.reduce((most, r) => Math.max(most, r.depth + 1), 1);
	const expected = byPath(reference.tree(metric, of, levels), 'self');
	// the other views have nothing beyond the outermost frame of a partial path
	const got = byPath(open.filter((r) => r.name !== PARTIAL), 'self');
	t.none('bottom-up: callers and their parts', [...got].filter(([key, value]) =>
		expected.get(key) !== value).map(([key, value]) => `${value} ${expected.get(key)} ${key}`));
}

const FRAME = 18; // pixels of a row of the flame graph

// Frames that are wide enough to point at: rows of a tree in preorder, with the middle of the frame
// as a share of the width. Of siblings with the same total, chance decides which is first.
function pointable(rows, least) {
	const total = rows.filter((r) => r.depth === 0).reduce((a, r) => a + r.total, 0);
	const path = [];
	let before = 0;
	const out = [];
	for (const row of rows) {
		path[row.depth] = row;
		const twins = row.depth ? path[row.depth - 1].twins ??= new Set() : new Set();
		row.unsure = (row.depth > 0 && path[row.depth - 1].unsure) || twins.has(row.total);
		twins.add(row.total);
		if (row.total / total > least)
			out.push({ row, middle: (before + row.total / 2) / total });
		before += row.self;
	}
	return out.filter(({ row }) => !row.unsure);
}

async function flame(t, report, reference, metric, of, state) {
	await report.go({ ...state, view: 'flame', order: 'callers' });
	await report.browser.until(() =>
		document.getElementById('flame').getAttribute('aria-busy') === 'false');
	const heaviest = reference.functions(metric, of).sort((a, b) => b.self - a.self)[0];
	const first = await report.tooltip(1, 1.5 * FRAME);
	t.is('inverted flame graph: the heaviest function is first',
		[first?.name, first && exactOf(first.facts['self by this path'])],
		[heaviest.name, heaviest.self]);

	await report.go({ ...state, view: 'flame' });
	// another frame is there now, even if it has the same number
	const second = await report.tooltip(2, 1.5 * FRAME);
	t.check('flame graph: what is pointed at is known anew', second?.facts.total !== undefined,
		JSON.stringify(second));
	const { width, height } = await report.browser.run(() => {
		const { width: w, height: h } = document.getElementById('flame-canvas')
			.getBoundingClientRect();
		return { width: w, height: h };
	});
	// Frames stand in the order of the first metric's events: only for those it is known where.
	if (metric !== 0 || of !== 'events')
		return;
	const frames = pointable(reference.tree(metric, of), 0.01)
		.filter(({ row }) => (row.depth + 2) * FRAME < height)
		.sort((a, b) => a.row.total - b.row.total).slice(0, 60);
	t.check('flame graph: there are frames to point at', frames.length > 0);
	const wrong = [];
	for (const { row, middle } of frames) {
		const tip = await report.tooltip(middle * width, (row.depth + 1.5) * FRAME);
		const got = tip && [tip.name, tip.inlined, tip.facts.module ?? '', tip.facts.source ?? '',
			exactOf(tip.facts.total), exactOf(tip.facts.self)];
		const expected = [row.name, row.inlined, row.module, row.place, row.total, row.self];
		if (JSON.stringify(got) !== JSON.stringify(expected))
			wrong.push(`${JSON.stringify(got)}, expected ${JSON.stringify(expected)}`);
	}
	t.none(`flame graph: ${frames.length} frames and their values`, wrong);
}

async function search(t, report, reference, metric, of, state) {
	const functions = reference.functions(metric, of);
	const total = reference.total(metric, of);
	for (const { name, total: value } of functions.slice(-3)) {
		if (functions.filter((f) => f.name === name).length > 1)
			continue;
		const q = `/^${name.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')}$/`;
		await report.go({ ...state, view: 'flat', q });
		const said = await report.browser.text('#matches');
		t.check(`search: ${name} has its share`,
			said.startsWith(`${(100 * value / total).toFixed(1)}% in 1 function`), said);
	}
}

await tap(async (t) => {
	const reference = new Reference(hpcprof, profile, database);
	const browser = await Browser.start({ width: 1500, height: 1000 });
	const report = new Report(browser, page);
	await report.open();
	for (const [metric, { name, sampled }] of reference.metrics.entries()) {
		for (const of of sampled ? ['events', 'samples'] : ['events']) {
			const state = { metric: name, of };
			await t.part(`${name} ${of}`, async () => {
				t.is('the total is that of the database', reference.total(metric, of),
					reference.totalOfDatabase(metric, of));
				const functions = await flat(t, report, reference, metric, of, state);
				await topDown(t, report, reference, metric, of, state);
				await bottomUp(t, report, reference, metric, of, state, functions);
				await flame(t, report, reference, metric, of, state);
				await search(t, report, reference, metric, of, state);
			});
		}
	}
	t.none('nothing to complain about', await browser.complaints());
	await browser.close();
}, { seconds: 380 });
