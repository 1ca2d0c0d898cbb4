// Choosing threads and processes: every view then has the values of these alone.

import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Browser, missing } from './lib/browser.mjs';
import { flatOf } from './lib/naive.mjs';
import { Report } from './lib/report.mjs';
import { fromPaths, page, report as quality, small, synthetic } from './lib/sample.mjs';
import { skipAll, tap } from './lib/tap.mjs';

if (missing())
	skipAll(missing());

const template = fs.readFileSync(new URL('../../share/html/page.html', import.meta.url), 'utf8');
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'units.'));
process.on('exit', () => fs.rmSync(folder, { recursive: true, force: true }));

function file(name, data) {
	const where = path.join(folder, name);
	fs.writeFileSync(where, page(template, data));
	return where;
}

const unit = (tid, thread, pid, program) =>
	({ name: `thread ${tid} ${thread}`, tid, thread, process: pid, program, host: 'h' });
const UNITS = [
	unit(1, 'main', 1, 'make'), unit(2, 'cc', 2, 'cc1'), unit(3, 'cc', 3, 'cc1'),
	unit(4, 'pool1', 1, 'make'), unit(5, 'pool2', 1, 'make'),
];
const f = (name) => ({ name, module: '/usr/bin/x', file: '/x.c', line: 1 });
const LIST = [
	[[f('main')], 10, 10e6, 0], [[f('main'), f('a')], 5, 5.5e6, 0], [[f('main'), f('a')], 7, 7e6, 1],
	[[f('main'), f('b'), f('a')], 8, 8.25e6, 1], [[f('main'), f('a'), f('a')], 20, 20e6, 2],
	[[f('start'), f('b')], 3, 3e6, 3], [[f('start'), f('a')], 4, 4e6, 4],
	[[f('start'), f('b')], 2, 2e6, 4],
];

const note = () => document.getElementById('units-note').textContent;
const control = () => document.getElementById('units').textContent;

// The values of all views, beside those of the rows of these units.
async function values(t, report, chosen) {
	const rows = LIST.filter((r) => chosen.includes(r[3])), want = flatOf(rows, 2);
	const total = rows.reduce((sum, r) => sum + r[2], 0);
	const { units } = await report.state();
	const go = (state) => report.go(units ? { units, ...state } : state);
	await go({ view: 'flat' });
	const sorted = (map) => [...map].filter(([, v]) => v).sort();
	const flat = await report.rows('flat');
	t.is('total', sorted(flat.map((r) => [r.name, r.total])), sorted(want.total));
	t.is('self', sorted(flat.map((r) => [r.name, r.self])), sorted(want.self));
	t.is('samples', flat.reduce((sum, r) => sum + r.samples, 0), rows.reduce((n, r) => n + r[1], 0));
	const [first] = await report.cells('flat');
	t.is('percentages are of the chosen', first.cells.total.text,
		`${(100 * want.total.get(first.cells.function.text) / total).toFixed(1)}%`);
	await go({ view: 'topdown' });
	await report.click('topdown-open');
	await report.painted();
	const top = await report.rows('topdown');
	t.is('top-down', top.filter((r) => !r.depth).reduce((sum, r) => sum + r.total, 0), total);
	await go({ view: 'bottomup' });
	const up = await report.rows('bottomup');
	t.is('bottom-up', sorted(up.map((r) => [r.name, r.self])), sorted(want.self));
	await go({ view: 'flame' });
	const tip = await report.tooltip(5, 27);
	t.check('flame graph', tip.facts.total.includes(`(${want.total.get(tip.name)
		.toLocaleString('en-US')} ns)`), JSON.stringify(tip));
}

async function choosing(t, report) {
	const { browser } = report;
	await report.open({ view: 'flat' });
	t.is('all are shown first', [await browser.run(control), await browser.run(note)],
		['All threads ▾', '']);
	await t.part('all', () => values(t, report, [0, 1, 2, 3, 4]));
	await report.go({ view: 'flat' });
	await report.click('units');
	await report.painted();
	const groups = await browser.run(() => [...document.querySelectorAll('#units-groups fieldset')]
		.map((x) => [x.dataset.facet, ...[...x.querySelectorAll('.unitgroup')].map((g) =>
			`${g.querySelector('bdi').textContent} ${g.querySelector('.value').textContent}`)]));
	t.is('groups have shares, and what tells nothing apart is not there', groups, [
		['program', 'cc1 × 2 59.0%', 'make × 3 41.0%'],
		['thread', 'cc × 2 59.0%', 'main 25.9%', 'pool# × 2 15.1%'],
		['process', '1 make × 3 41.0%', '3 cc1 33.5%', '2 cc1 25.5%'],
		['unit', 'thread 3 cc 33.5%', 'thread 1 main 25.9%', 'thread 2 cc 25.5%',
			'thread 5 pool2 10.0%', 'thread 4 pool1 5.0%'],
	]);
	const press = (facet, name) => browser.run((x, n) => {
		[...document.querySelectorAll(`[data-facet=${x}] .unitgroup`)]
			.find((g) => g.querySelector('bdi').textContent === n).querySelector('button').click();
	}, facet, name);
	await press('thread', 'pool# × 2');
	await report.painted();
	t.is('a group is chosen', [await browser.run(control), (await report.state()).units],
		['pool# × 2 ▾', '3-4']);
	t.check('and its share said', (await browser.run(note)).startsWith('15.1% of all'));
	t.is('those it is part of are mixed', await browser.run(() =>
		[...document.querySelectorAll('[data-facet=program] input')]
			.map((x) => [x.checked, x.indeterminate])), [[false, false], [false, true]]);
	await browser.keys('Escape');
	t.is('Escape closes the panel', [await browser.focused(),
		await browser.run(() => document.getElementById('units-panel').open)],
	['button#units', false]);
	await t.part('pool', () => values(t, report, [3, 4]));
	await browser.back();
	await report.painted();
	await report.go({ view: 'flat', units: '1-2' });
	t.is('from the fragment', await browser.run(control), 'cc1 × 2 ▾');
	await t.part('cc1', () => values(t, report, [1, 2]));
	// Sums that are kept and shown again are not thrown away for newer ones.
	for (const units of ['1', '2', '3', '4', '1'])
		await report.go({ view: 'flat', units, of: 'samples' });
	await report.go({ view: 'flat', units: '1' });
	await t.part('cc1 after others', () => values(t, report, [1]));
	await report.go({ view: 'flat' });
	t.is('and back to all', await browser.run(control), 'All threads ▾');
}

async function byKeys(t, report) {
	const { browser } = report;
	await report.open({ view: 'flat' });
	await browser.keys('u');
	t.is('u opens the panel', await browser.focused(), 'input#units-find');
	await browser.type('pool');
	await report.painted();
	t.is('groups can be found', await browser.run(() =>
		document.querySelectorAll('#units-groups .unitgroup').length), 3);
	await browser.keys('Tab', 'Tab', 'Tab', 'Space');
	await report.painted();
	t.is('Space takes a group away', [await browser.run(control), (await report.state()).units],
		['3 of 5 threads ▾', '0-2']);
	await browser.keys('Space');
	await report.painted();
	t.is('and gives it back, with the focus where it was', (await report.state()).units, undefined);
	await browser.keys('Tab', 'Enter');
	await report.painted();
	t.is('Only chooses it', (await report.state()).units, '3-4');
	await browser.keys('Shift+Tab', 'Space');
	await report.painted();
	t.is('one at least stays', (await report.state()).units, '3-4');
	t.check('which is said', (await browser.run(() => document.getElementById('toast').textContent))
		.includes('At least one'));
}

// A page where it takes a while: it goes on answering, and the last choice wins.
async function large(t, report) {
	const { browser } = report;
	await report.open({ view: 'flame' });
	const seen = await browser.run(async () => {
		const busy = () => document.getElementById('views').getAttribute('aria-busy');
		const frames = [];
		window.location.hash = '#view=flame&units=0-3';
		await new Promise((done) => {
			setTimeout(done);
		});
		const first = busy();
		window.location.hash = '#view=flame&units=4-7';
		const begin = performance.now();
		let last = begin, longest = 0;
		while (performance.now() - begin < 60 || busy() === 'true') {
			await new Promise((done) => {
				requestAnimationFrame(done);
			});
			longest = Math.max(longest, performance.now() - last);
			last = performance.now();
			frames.push(busy());
		}
		return { first, frames: frames.length, longest };
	});
	t.is('it says that it is busy', seen.first, 'true');
	t.note(`shown after ${seen.frames} frames, the longest of ${seen.longest.toFixed()} ms`);
	t.check('the last choice is shown', (await browser.run(control)).startsWith('4 of 8'),
		await browser.run(control));
	const half = await browser.run(note);
	t.check('with its share', /^(4|5)\d\.\d% of all/.test(half), half);
}

await tap(async (t) => {
	const browser = await Browser.start({ width: 1280, height: 900 });
	const made = fromPaths(LIST, { units: UNITS });
	made.meta.report = quality(made.meta.metrics);
	const where = new Report(browser, file('units.html', made));
	const part = (name, report, body) => t.part(name, async () => {
		await body(t, report);
		t.none('nothing to complain about', await browser.complaints());
	});
	await part('choosing', where, choosing);
	await part('keys', where, byKeys);
	await part('large', new Report(browser, file('large.html', synthetic(200000, { units: 8 }))), large);
	await t.part('damaged', async () => {
		const { meta, columns } = small();
		columns.units = columns.units.slice(0, -3);
		columns.lines = columns.lines.slice(0, -3);
		const report = new Report(browser, file('damaged.html', { meta, columns }));
		await report.open({ view: 'flat', units: '1' });
		const toast = () => browser.run(() => document.getElementById('toast').textContent);
		t.is('all are shown', [await browser.run(control), (await report.cells('flat')).length],
			['All threads ▾', 6]);
		for (const view of ['stats', 'source']) {
			await report.go({ view });
			t.check(`${view} says why it cannot be shown`, await browser.until((x) =>
				document.getElementById('toast').textContent.includes(`column ${x}`),
				view === 'stats' ? 'units' : 'lines'), await toast());
		}
		await report.go({ view: 'flame' });
		t.is('other views work', (await report.tooltip(20, 27))?.name, 'main');
		t.none('nothing to complain about', await browser.complaints());
	});
	await t.part('damaged code', async () => {
		const where = file('code.html', small()), text = fs.readFileSync(where, 'utf8');
		fs.writeFileSync(where, text.replace(/(id="code">).{100}/, '$1'));
		await browser.open(where);
		t.is('the page says that it cannot be shown', await browser.until(() =>
			document.documentElement.dataset.ready), 'error');
		const message = await browser.text('#message');
		t.check('and why', /code is damaged/.test(message), message);
		t.is('the report is there', await browser.run(() => {
			const { display } = getComputedStyle(document.getElementById('summary'));
			return display !== 'none' && document.getElementById('summary').textContent.length > 5;
		}), true);
	});
	await t.part('without', async () => {
		const { meta, columns } = small();
		meta.units = [];
		delete columns.units;
		const report = new Report(browser, file('without.html', { meta, columns }));
		await report.open();
		t.check('there is no control', await browser.run(() =>
			document.getElementById('units-line').hidden));
		t.none('nothing to complain about', await browser.complaints());
	});
	await browser.close();
}, { seconds: 200 });
