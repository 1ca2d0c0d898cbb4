// Names that a profiled program chose stay names: in every view, in copies and in what is saved.
// lib/names.mjs has them.

import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Browser, missing } from './lib/browser.mjs';
import { hostile } from './lib/names.mjs';
import { csvRecords } from './lib/parse.mjs';
import { Report } from './lib/report.mjs';
import { fromPaths, page, report as quality } from './lib/sample.mjs';
import { skipAll, tap } from './lib/tap.mjs';

if (missing())
	skipAll(missing());

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'hostile.'));
process.on('exit', () => fs.rmSync(folder, { recursive: true, force: true }));

const template = fs.readFileSync(new URL('../../share/html/page.html', import.meta.url), 'utf8');

// A short run leaves out what is slow: the rows of the tree tables, some copies, images and pages.
const whole = process.env.PAGE_TESTS === 'all';

// A member of the name itself, so that a row can be found whatever is shown of its name.
const count = hostile.length;
const other = (i, step) => hostile[(i + step) % count];
const functions = hostile.map((name, i) => ({
	name, module: other(i, 1) || '/m', file: other(i, 2) || '/f', line: i + 1,
}));

const THREADS = 12;

// The name of the file that has a text.
const sourceOf = (first) => functions[first].file;

// A page whose functions have all the names, each with its own value and wide enough to be drawn,
// and whose run and metrics have those from `first` on.
function makePage(first) {
	const metrics = [0, 1, 2].map((k) => ({
		name: `${other(first, k)}`, unit: other(first, k + 3), sampled: k === 0,
	}));
	const paths = functions.map((f, i) => [[functions[(i + 7) % count], f],
		metrics.map(() => i + 1), metrics.map(() => 1e7 + 1000 * (count - i) + 7), i % THREADS]);
	const units = Array.from({ length: THREADS }, (_, u) => ({
		name: other(first, u), thread: other(first, u % 4), program: other(first, u % 2),
		command: other(first, u % 3), host: other(first, 3 + u % 2), tid: u, process: u % 3,
	}));
	const sources = { [sourceOf(first)]: `${hostile.join('\n')}\n` };
	const made = fromPaths(paths, { metrics, title: other(first, 6), units, sources });
	made.meta.report = quality(made.meta.metrics);
	const { run } = made.meta.report;
	run.command = other(first, 7);
	run.executable = other(first, 8);
	run.host = other(first, 9);
	run.end = other(first, 10);
	const file = path.join(folder, `${first}.html`);
	fs.writeFileSync(file, page(template, made, other(first, 11)));
	return file;
}

// Halves of surrogate pairs are no text: what is encoded has U+FFFD in their place.
const halves = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;
const encoded = (name) => name.replace(halves, '\uFFFD');
// And so has XML in place of characters that it cannot have.
const inXml = (name) => encoded(name).replace(/[\0-\x08\x0b\x0c\x0e-\x1f\uFFFE\uFFFF]/g, '\uFFFD');
// A spreadsheet does not take it for a formula.
const inCsv = (name) => encoded(/^[=+\-@\t\r]/.test(name) ? `'${name}` : name);

// Is shown what there is to show of a name? Very long ones may be cut in their middle.
function shows(shown, name) {
	if (shown === name)
		return true;
	const [head, tail] = shown.split(' … ');
	return name.length > 2000 && shown.length > 1000 && name.startsWith(head) &&
		name.endsWith(tail);
}

// What a name could have made of the page.
function damage() {
	return {
		ran: window.__ran,
		scripts: [...document.scripts].filter((s) => !s.type).length,
		foreign: document.querySelectorAll('img, iframe, object, embed, base, link, svg, audio, ' +
			'video, marquee, math, style ~ style, [onerror], [onload], [onfocus], [onclick]').length,
		polluted: Object.keys(Object.prototype).length + Object.keys(Array.prototype).length,
		dialogs: document.querySelectorAll('dialog[open]').length,
	};
}

// The scripts are the loader, and the code that it unpacked.
const UNDAMAGED = { scripts: 2, foreign: 0, polluted: 0, dialogs: 0 };

async function table(t, report, view) {
	const rows = await report.cells(view);
	const line = (cells) => Number(/:(\d+)$/.exec(cells.place.title)?.[1]);
	const shown = new Map();
	for (const { cells } of rows) {
		if (!shown.has(line(cells)))
			shown.set(line(cells), cells);
	}
	const wrong = functions.filter((f) => {
		const cells = shown.get(f.line);
		return !cells || !shows(cells.function.text, f.name) ||
			!shows(cells.module.title, f.module) ||
			!shows(cells.place.title, `${f.file}:${f.line}`);
	});
	t.none(`${view}: all names are shown as they are`, wrong.map((f) => JSON.stringify(
		[f.name.slice(0, 200), shown.get(f.line)]).slice(0, 600)));
}

async function csv(t, report, view) {
	const { text } = await report.saved(`${view}-csv`);
	const records = new Map(csvRecords(text).map((r) =>
		[Number(/:(\d+)$/.exec(r.place)?.[1]), r]));
	t.none(`${view}: all names are in the CSV file as they are`, functions.filter((f) => {
		const r = records.get(f.line);
		return !r || r.function !== inCsv(f.name) || r.module !== inCsv(f.module) ||
			r.place !== inCsv(`${f.file}:${f.line}`);
	}).map((f) => JSON.stringify([f, records.get(f.line)]).slice(0, 600)));
}

// Copies of all names, as the page gives them to the browser; and of some, as they come out of the
// clipboard.
async function copies(t, report) {
	const { browser } = report;
	await report.go({ view: 'flat', sort: 'total' });
	await browser.run(() => {
		const write = navigator.clipboard.writeText.bind(navigator.clipboard);
		window.__copied = [];
		navigator.clipboard.writeText = (text) => {
			window.__copied.push(text);
			return write(text);
		};
		document.getElementById('flat-table').focus();
	});
	const rows = await report.cells('flat');
	const some = whole ? rows.length : 60;
	await browser.keys('Home');
	for (let i = 0; i < some; i += 20)
		await browser.keys(...rows.slice(i, Math.min(i + 20, some)).flatMap(() => ['c', 'ArrowDown']));
	const copied = await browser.until((n) =>
		(window.__copied.length >= n ? window.__copied : null), some);
	t.none('copies are exact', copied.filter((name, i) =>
		!hostile.includes(name) || !shows(rows[i].cells.function.text, name))
		.map((name) => JSON.stringify(name.slice(0, 200))));
	t.is('each is another one', new Set(copied).size, some);
	await browser.keys('Home');
	for (let i = 0; i < 10; i++) {
		await browser.run(() => {
			window.__copied = [];
		});
		await browser.keys('c');
		const [text] = await browser.until(() => (window.__copied.length ? window.__copied : null));
		await report.painted();
		const pasted = await browser.clipboard();
		t.is(`what is pasted is what was copied (${i})`, pasted, encoded(text));
		await browser.keys('ArrowDown');
	}
}

async function parseSvg(report) {
	const { text } = await report.saved('flame-svg');
	return report.browser.run((source) => {
		const parsed = new DOMParser().parseFromString(source, 'image/svg+xml');
		const failure = parsed.querySelector('parsererror');
		return failure ? { failure: failure.textContent } : {
			titles: [...parsed.querySelectorAll('title')].map((e) => e.textContent),
			elements: [...new Set([...parsed.querySelectorAll('*')].map((e) => e.localName))].sort(),
			attributes: [...new Set([...parsed.querySelectorAll('*')].flatMap((e) =>
				[...e.attributes].map((a) => a.name)))].filter((name) =>
				/^on|href|^style$/.test(name)),
		};
	}, text);
}

async function svg(t, report) {
	await report.go({ view: 'flame' });
	const found = await parseSvg(report);
	const images = [found];
	// Some frames as wide as the image, with their names written in them.
	for (let node = 0; node < 2 * count; node += whole ? 46 : 184) {
		await report.go({ view: 'flame', zoom: node });
		images.push(await parseSvg(report));
	}
	t.none('SVG: all images are XML', images.map((i) => i.failure).filter((f) => f));
	t.is('SVG: only its own elements', [...new Set(images.flatMap((i) => i.elements))].sort(),
		['g', 'rect', 'svg', 'text', 'title']);
	t.is('SVG: no attribute that runs', images.flatMap((i) => i.attributes), []);
	t.none('SVG: all names are in it as they are', hostile.filter((name) =>
		!found.titles.some((title) => title.includes(inXml(name)))).map((name) =>
		JSON.stringify(name.slice(0, 200))));
}

// The panel that chooses threads, and the bars of statistics.
async function threads(t, report, first) {
	const { browser } = report, missingNames = [];
	const seen = await browser.run(() => {
		document.getElementById('units').click();
		const texts = [...document.querySelectorAll('[data-facet=unit] bdi')].map((e) => e.textContent);
		document.querySelector('[data-facet=unit] .unitgroup button').click();
		document.getElementById('units-close').click();
		return texts;
	});
	await report.go({ view: 'stats' });
	await browser.until(() => document.getElementById('stats-table').getAttribute('aria-busy') === 'false');
	await report.painted();
	const bars = (await report.cells('bars')).map((r) => r.cells.group.text);
	for (let u = 0; u < THREADS; u++)
		for (const [where, list] of [['panel', seen], ['bars', bars]])
			if (!list.some((text) => shows(text, other(first, u))))
				missingNames.push(`${where}: ${JSON.stringify(other(first, u)).slice(0, 200)}`);
	t.none('threads: all names are shown as they are', missingNames);
	t.is('threads: nothing came of the names', await browser.run(damage), UNDAMAGED);
}

// A text whose lines are names.
async function source(t, report, first) {
	const { browser } = report;
	await report.go({ view: 'source', file: sourceOf(first) });
	const lines = `${hostile.join('\n')}\n`.split('\n').slice(0, -1);
	await browser.until((n) => Number(document.getElementById('lines-table')
		.getAttribute('aria-rowcount')) > n, lines.length);
	const rows = await report.cells('lines');
	t.none('source: all lines are shown as they are', lines.filter((line, i) =>
		!shows(rows[i].cells.code.text, encoded(line).replace(i === 0 ? /^\uFEFF/ : /$^/, '')))
		.map((line) => JSON.stringify(line.slice(0, 200))));
	t.is('source: nothing came of them', await browser.run(damage), UNDAMAGED);
}

async function onePage(t, browser, first) {
	const report = new Report(browser, makePage(first));
	await report.open({ view: 'flat' });
	const title = await browser.run(() => document.getElementById('title').textContent);
	t.check('the title is shown as it is', shows(title, other(first, 6)),
		JSON.stringify([title, other(first, 6)]).slice(0, 1000));
	const host = await browser.run(() =>
		document.querySelector('[data-fact=host]')?.textContent ?? 'on ');
	t.check('and the host', shows(host.replace(/^on /, ''), other(first, 9)),
		JSON.stringify([host, other(first, 9)]).slice(0, 1000));
	for (const view of ['topdown', 'bottomup', 'flame', 'sandwich', 'source', 'stats', 'flat']) {
		await report.go(view === 'sandwich' ? { view, fn: first } : { view });
		await report.painted();
		t.is(`${view}: nothing came of the names`, await browser.run(damage), UNDAMAGED);
	}
	await threads(t, report, first);
	await source(t, report, first);
	for (let k = 0; k < 3; k++) {
		await report.go({ view: 'flat', metric: other(first, k) });
		t.is(`metric ${k} is chosen by its name`, await browser.run(() =>
			document.getElementById('metric').selectedIndex), k);
	}
	t.none('nothing to complain about', await browser.complaints());
}

await tap(async (t) => {
	t.check('there are 200 names or more', count >= 200, `${count}`);
	const browser = await Browser.start({ width: 1600, height: 1200 });
	const report = new Report(browser, makePage(0));
	await t.part('all names', async () => {
		await report.open({ view: 'flat', sort: 'total' });
		await table(t, report, 'flat');
		await csv(t, report, 'flat');
		await copies(t, report);
		if (whole) {
			await report.go({ view: 'bottomup' });
			await table(t, report, 'bottomup');
			await csv(t, report, 'bottomup');
		}
		await report.go({ view: 'topdown' });
		await report.click('topdown-open');
		await csv(t, report, 'topdown');
		if (whole)
			await table(t, report, 'topdown');
		await svg(t, report);
		await report.go({ view: 'flame' });
		for (let x = 10; x < 1500; x += 100)
			await report.tooltip(x, 45);
		t.is('nothing came of the names', await browser.run(damage), UNDAMAGED);
		t.none('nothing to complain about', await browser.complaints());
	});
	// Each name once as the command, host, title, metric, ...; in a short run some of them.
	const step = whole ? 12 : 140;
	for (let first = 0; first < count; first += step)
		await t.part(`run and metrics from ${first}`, () => onePage(t, browser, first));
	await browser.close();
}, { seconds: 1100 });
