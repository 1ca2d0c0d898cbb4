// The statistics view, beside naive values.

import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Browser, missing } from './lib/browser.mjs';
import { flatOfGroups } from './lib/naive.mjs';
import { csvRecords } from './lib/parse.mjs';
import { Report } from './lib/report.mjs';
import { fromPaths, page, random, report as quality, synthetic } from './lib/sample.mjs';
import { skipAll, tap } from './lib/tap.mjs';

if (missing())
	skipAll(missing());

const template = fs.readFileSync(new URL('../../share/html/page.html', import.meta.url), 'utf8');
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'stats.'));
process.on('exit', () => fs.rmSync(folder, { recursive: true, force: true }));

function file(name, data) {
	const where = path.join(folder, name);
	fs.writeFileSync(where, page(template, data));
	return where;
}

const UNITS = Array.from({ length: 6 }, (_, i) => ({
	name: `thread ${i} w${i}`,
	tid: i,
	thread: `w${i}`,
	process: i % 3,
	program: i < 2 ? 'first' : 'second',
	command: 'x',
	host: 'h'
}));
const BY = {
	unit: UNITS.map((_, u) => [u]), process: [[0, 3], [1, 4], [2, 5]], program: [[0, 1], [2, 3, 4, 5]],
};
const rnd = random(3), frame = (name) => ({ name, module: '/usr/bin/x', file: '/x.c', line: 1 });
const LIST = Array.from({ length: 60 }, () => {
	const names = Array.from({ length: 1 + Math.floor(4 * rnd()) }, () => `f${Math.floor(5 * rnd())}`);
	const samples = 1 + Math.floor(20 * rnd());
	return [names.map(frame), samples, samples * 1000000 + 7, Math.floor(6 * rnd() ** 2)];
});

const idle = () => document.getElementById('stats-table').getAttribute('aria-busy') === 'false';
const numbers = (text) => Number(/^([\d,]+) ns/.exec(text)[1].replaceAll(',', ''));

async function shown(report) {
	await report.browser.until(idle);
	await report.painted();
	return report.cells('stats');
}

// What a view of these values must have: by name, exact numbers.
function expected(what, groups) {
	const all = flatOfGroups(LIST, 2, groups), n = groups.length, out = {};
	for (const name of new Set(all.flatMap((w) => [...w[what].keys()]))) {
		const values = all.map((w) => w[what].get(name) ?? 0);
		const mean = values.reduce((a, b) => a + b, 0) / n, most = Math.max(...values);
		if (!mean)
			continue;
		const squares = values.reduce((s, v) => s + (v - mean) ** 2, 0);
		out[name] = {
			mean: Math.round(mean), deviation: Math.round(Math.sqrt(squares / (n - 1))),
			least: Math.min(...values), most, present: values.filter((v) => v).length,
			imbalance: `${(100 * (most / mean - 1)).toFixed(0)}%`,
		};
	}
	return out;
}

async function values(t, report) {
	for (const [by, groups] of Object.entries(BY))
		for (const what of ['self', 'total']) {
			await report.open({ view: 'stats', by, what });
			const rows = await shown(report), got = {};
			for (const { cells: c } of rows)
				got[c.function.text] = {
					mean: numbers(c.mean.title), deviation: numbers(c.deviation.title),
					least: numbers(c.least.title), most: numbers(c.most.title),
					present: Number(c.present.text), imbalance: c.imbalance.text,
				};
			t.is(`${what} by ${by}`, Object.entries(got).sort(), Object.entries(expected(what, groups)).sort());
			const means = rows.map((r) => numbers(r.cells.mean.title));
			t.is('the highest mean first', means, means.toSorted?.((a, b) => b - a) ??
				means.slice().sort((a, b) => b - a));
		}
	const { text } = await report.saved('stats-csv'), [first] = csvRecords(text);
	const want = expected('total', BY.program)[first.function];
	t.is('as a file', [Number(first['most (ns)']), Number(first.present)], [want.most, want.present]);
	t.is('with all values', first.strip.split(' ').map(Number).sort(),
		flatOfGroups(LIST, 2, BY.program).map((w) => w.total.get(first.function) ?? 0).sort());
}

async function using(t, report) {
	const { browser } = report;
	await report.open({ view: 'stats' });
	await shown(report);
	await browser.click('#stats-table .head [data-column=imbalance] button');
	const sorted = (await shown(report)).map((r) => parseFloat(r.cells.imbalance.text));
	t.is('sorted by imbalance', sorted, sorted.slice().sort((a, b) => b - a));
	await browser.run(() => document.getElementById('stats-table').focus());
	await browser.keys('Home', 'ArrowDown');
	await report.painted();
	const name = (await shown(report))[1].cells.function.text;
	t.is('the selected function has a list', await browser.run(() =>
		document.getElementById('stats-function').textContent), name);
	const bars = (await report.cells('bars')).map((r) => [r.cells.group.text,
		numbers(r.cells.value.title)]);
	const want = flatOfGroups(LIST, 2, BY.unit).map((w, u) => [UNITS[u].name, w.self.get(name) ?? 0]);
	t.is('of all threads', bars.slice().sort(), want.slice().sort());
	t.is('the highest first', bars.map((b) => b[1]), want.map((w) => w[1]).sort((a, b) => b - a));
	const inked = await browser.run(() => {
		const canvas = document.querySelector('#stats-table .row:not([hidden]) canvas');
		const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
		return data.filter((v, i) => i % 4 === 3 && v > 200).length;
	});
	t.check('a strip is drawn', inked > 10, `${inked}`);
	await browser.hover('#stats-table .rows .row:not([hidden]) canvas', -94, 0);
	const title = await browser.run(() => document.querySelector(
		'#stats-table .rows .row:not([hidden]) canvas').parentElement.title);
	t.check('its bars are named', title.startsWith('thread 0 w0: '), title);
	await report.go({ view: 'stats', units: '1-2' });
	await shown(report);
	t.check('of chosen threads', (await browser.run(() =>
		document.getElementById('stats-status').textContent)).includes('over 2 threads'));
	await report.go({ view: 'stats', units: '1' });
	await shown(report);
	t.check('one is not compared', (await browser.run(() =>
		document.getElementById('stats-status').textContent)).includes('nothing to compare'));
	await report.go({ view: 'stats', filter: 'f1' });
	t.is('filtered', (await shown(report)).map((r) => r.cells.function.text), ['f1']);
	await browser.run(() => document.getElementById('bars-table').focus());
	await browser.keys('Home', 'Enter');
	await report.painted();
	const state = await report.state();
	t.check('Enter on a bar shows that thread alone', state.view !== 'stats' && /^\d$/.test(state.units),
		JSON.stringify(state));
}

async function large(t, report) {
	await report.open({ view: 'flat' });
	for (const what of ['self', 'total']) {
		const time = await report.browser.run(async (w) => {
			const begin = performance.now();
			window.location.hash = `#view=stats&what=${w}`;
			do {
				await new Promise((done) => {
					requestAnimationFrame(done);
				});
			} while (document.getElementById('stats-table')?.getAttribute('aria-busy') !== 'false');
			return performance.now() - begin;
		}, what);
		t.note(`93 threads, 4,346 functions, ${what}: ${time.toFixed()} ms`);
		t.check(`${what} of many is there in a second or a few`, time < 5000, `${time}`);
	}
	await report.browser.run(() => {
		const by = document.getElementById('stats-by');
		by.value = 'process';
		by.dispatchEvent(new Event('change'));
		document.getElementById('tab-flat').click();
		document.getElementById('tab-stats').click();
	});
	await report.browser.until(idle);
	await report.painted();
	t.check('a view that was left early is made when it is shown again', (await report.browser.run(() =>
		document.getElementById('stats-status').textContent)).includes('over 2 processes'));
	t.check('with many rows', await report.browser.run(() =>
		Number(document.getElementById('stats-table').getAttribute('aria-rowcount'))) > 3000);
}

await tap(async (t) => {
	const browser = await Browser.start({ width: 1400, height: 900 });
	const made = fromPaths(LIST, { units: UNITS });
	made.meta.report = quality(made.meta.metrics);
	const where = new Report(browser, file('stats.html', made));
	const part = (name, report, body) => t.part(name, async () => {
		await body(t, report);
		t.none('nothing to complain about', await browser.complaints());
	});
	await part('values', where, values);
	await part('using it', where, using);
	const many = synthetic(20000, { units: 93, functions: 4346 });
	await part('many', new Report(browser, file('many.html', many)), large);
	await browser.close();
}, { seconds: 200 });
