// A page of two sides: the values and marks that it shows are those of hpcprof diff --json.
//
//     compare.browser.mjs PAGE FUNCTIONS TOTALS
//
// FUNCTIONS and TOTALS are what diff --json --all --normalize none says of the same profiles.

import fs from 'node:fs';
import { violations } from './lib/axe.mjs';
import { Browser, missing } from './lib/browser.mjs';
import { csvRecords } from './lib/parse.mjs';
import { Report } from './lib/report.mjs';
import { skipAll, tap } from './lib/tap.mjs';

if (missing())
	skipAll(missing());

const [page, ...told] = process.argv.slice(2);
const [functions, totals] = told.map((name) => JSON.parse(fs.readFileSync(name, 'utf8')));
const unit = functions.unit;

const number = (text) => Number(text.replaceAll(',', ''));
const valueOf = (title) => number(new RegExp(`([\\d,]+) ${unit}`).exec(title)[1]);
const changeOf = (title) => number(new RegExp(`([-+]?[\\d,]+) ${unit}`).exec(title)[1]);
const byName = (rows) => new Map(rows.map((r) => [r.name, r]));
const size = (row) => Math.abs(changeOf(row.cells.change.title));

async function flat(t, report) {
	await report.go({});
	const rows = await report.cells('flat'), self = byName(functions.functions);
	const total = byName(totals.functions);
	const wrong = [], near = (a, b) => Math.abs(a - b) <= 1;
	let marked = 0;
	for (const { cells } of rows) {
		const name = cells.function.text, s = self.get(name), all = total.get(name);
		if (!all) {
			wrong.push(`${name} is not known`);
			continue;
		}
		const row = s ?? { before: 0, after: 0, change: 0, beyond_noise: false };
		if (!near(valueOf(cells.before.title), row.before) ||
			!near(valueOf(cells.after.title), row.after) ||
			!near(changeOf(cells.change.title), row.change) ||
			!near(changeOf(cells.other.title), all.change))
			wrong.push(`${name}: ${JSON.stringify(cells)}`);
		if (cells.change.text.startsWith('●') !== (row.beyond_noise && row.change !== 0) ||
			cells.other.text.startsWith('●') !== (all.beyond_noise && all.change !== 0))
			wrong.push(`marks of ${name}: ${JSON.stringify(cells)}`);
		marked += cells.change.text.startsWith('●') ? 1 : 0;
	}
	t.none('values and marks are those of diff --json', wrong);
	t.check('some are beyond noise', marked > 0);
	t.is('all functions are there', rows.map((r) => r.cells.function.text).sort(),
		totals.functions.map((r) => r.name).sort());
	t.check('what changed most is first', rows.every((r, i) => !i || size(r) <= size(rows[i - 1])));
	const gone = functions.functions.filter((r) => r.before > 0 && !r.after).map((r) => r.name);
	t.is('what is gone is told', rows.filter((r) => r.cells.ratio.text === 'gone')
		.map((r) => r.cells.function.text).sort(), gone.sort());
	t.check('which is something', gone.includes('old'));
	const { text } = await report.saved('flat-csv');
	const records = csvRecords(text), key = Object.keys(records[0]).find((k) => k.startsWith('before'));
	t.is('CSV has the same rows', records.map((r) => [r.function, Math.round(r[key])]),
		rows.map((r) => [r.cells.function.text, valueOf(r.cells.before.title)]));
	await report.go({ noise: 'beyond' });
	const beyond = await report.cells('flat');
	t.is('beyond noise alone', beyond.map((r) => r.cells.function.text).sort(),
		rows.filter((r) => /●/.test(r.cells.change.text + r.cells.other.text))
			.map((r) => r.cells.function.text).sort());
}

async function sides(t, report) {
	const signs = async (side) => {
		await report.go({ side });
		return (await report.cells('flat')).map((r) => Math.sign(changeOf(r.cells.change.title)));
	};
	t.is('what grew', new Set((await signs('grown')).filter(Boolean)), new Set([1]));
	t.is('what shrank', new Set((await signs('shrunk')).filter(Boolean)), new Set([-1]));
	await report.browser.run(() => {
		const list = document.getElementById('side');
		list.value = 'before';
		list.dispatchEvent(new Event('change'));
	});
	t.is('the choice is in the fragment', (await report.state()).side, 'before');
	const about = await report.browser.text('#facts');
	t.check('the header says what is compared', /before: .*after: .*change: /s.test(about), about);
	t.is('there is no choice of threads', await report.browser.run(() =>
		document.getElementById('units-line').hidden), true);
}

async function trees(t, report) {
	await report.go({ view: 'topdown' });
	await report.click('topdown-open');
	await report.painted();
	const rows = await report.cells('topdown'), main = byName(totals.functions).get('main');
	const found = rows.filter((r) => r.cells.function.text === 'main');
	t.is('top-down: main once', found.length, 1);
	for (const key of ['before', 'after'])
		t.check(`top-down: main ${key}`,
			Math.abs(valueOf(found[0].cells[key].title) - main[key]) <= 1);
	const old = rows.find((r) => r.cells.function.text === 'old');
	t.is('top-down: the path that is gone', old?.cells.ratio.text, 'gone');
	t.check('is beyond noise', old?.cells.change.text.startsWith('●'));
	await report.go({ view: 'bottomup' });
	const up = await report.cells('bottomup');
	await report.go({});
	const key = (r) => [r.cells.function.text, r.cells.change.title, r.cells.change.text];
	const ofSelf = (await report.cells('flat')).filter((r) => valueOf(r.cells.before.title) ||
		valueOf(r.cells.after.title));
	t.is('bottom-up: the same functions', up.map(key).sort(), ofSelf.map(key).sort());
}

async function flame(t, report) {
	const at = async (state, depth) => {
		await report.go({ view: 'flame', ...state });
		await report.browser.until(() =>
			document.getElementById('flame').getAttribute('aria-busy') !== 'true');
		await report.painted();
		return report.tooltip(3, 18 * (depth + 1) + 9);
	};
	const start = totals.functions.find((r) => r.name === '_start');
	for (const side of ['after', 'before']) {
		const tip = await at({ side }, 0);
		t.is(`${side}: the outermost function`, tip?.name, '_start');
		t.check(`${side}: before and after are told`, tip && tip.facts.before && tip.facts.after &&
			tip.facts['self before'], JSON.stringify(tip));
		t.check(`${side}: and whether it is noise`, new RegExp(
			start.beyond_noise ? 'beyond noise' : 'within noise').test(tip?.facts.change),
			tip?.facts.change);
	}
	const grown = await at({ side: 'grown' }, 0), shrunk = await at({ side: 'shrunk' }, 0);
	t.check('what grew has a width of its own', grown?.facts.grown && !grown.facts.total,
		JSON.stringify(grown));
	t.check('and so has what shrank', shrunk?.facts.shrunk, JSON.stringify(shrunk));
	const inverted = await at({ side: 'before', order: 'callers' }, 0);
	const self = byName(functions.functions).get(inverted?.name);
	t.check('inverted: a function before and after',
		self && inverted.facts.before && inverted.facts.after, JSON.stringify(inverted));
	t.is('colours are of the change', await report.browser.run(() =>
		[...document.querySelectorAll('#legend li')].map((e) => e.textContent)),
		['more than before', 'less than before', 'within noise']);
}

async function rest(t, report) {
	await report.go({ view: 'sandwich' });
	await report.browser.until(() => document.getElementById('sandwich-panes')
		.getAttribute('aria-busy') === 'false');
	const most = functions.functions.filter((r) => r.beyond_noise)
		.sort((a, b) => Math.abs(b.change) - Math.abs(a.change))[0];
	const text = await report.browser.text('#sandwich-facts');
	t.check('callers and callees: of what changed most', text.startsWith(`${most.name}: total`) &&
		/beyond noise/.test(text), text);
	await report.go({ view: 'source' });
	const files = await report.cells('source');
	const file = files.find((r) => r.cells.file.text.endsWith('part.c')).cells.file.text;
	await report.go({ view: 'source', file });
	await report.browser.until(() => document.querySelectorAll('#lines-table .row').length > 2);
	await report.painted();
	const lines = (await report.browser.run(() =>
		[...document.querySelectorAll('#lines-table .rows .row')].filter((r) => !r.hidden)
			.map((r) => [...r.children].map((c) => c.textContent)))).map((c) => c.join('|'));
	t.check('lines that are gone are told', lines.some((l) => / before/.test(l) && /gone/.test(l)),
		lines.join('\n'));
	await report.go({ view: 'stats' });
	await report.browser.until(() => document.getElementById('stats-table')
		.getAttribute('aria-busy') === 'false');
	await report.painted();
	t.is('statistics are over runs', await report.browser.run(() =>
		[...document.querySelectorAll('#bars-table .rows .row')].filter((r) => !r.hidden).length), 2);
}

/** axe-core finds no serious violation in any view, light and dark. */
async function accessible(t, report) {
	const { browser } = report;
	await report.open(); // what was read so far left thousands of rows
	for (const dark of [false, true]) {
		await browser.media({ dark });
		for (const view of ['flat', 'topdown', 'bottomup', 'flame', 'sandwich', 'source', 'stats']) {
			await report.go({ view });
			await report.painted();
			t.none(`${dark ? 'dark' : 'light'}, ${view}: no violation`, await violations(browser, dark));
		}
	}
	await browser.media({ dark: false });
}

await tap(async (t) => {
	const browser = await Browser.start({ width: 1300, height: 900 });
	try {
		const report = new Report(browser, page);
		await report.open();
		for (const [name, part] of Object.entries({ flat, sides, trees, flame, rest, accessible }))
			await t.part(name, () => part(t, report));
		t.none('no complaint', (await browser.complaints()).map((c) => JSON.stringify(c)));
	} finally {
		await browser.close();
	}
}, { seconds: 180 });
