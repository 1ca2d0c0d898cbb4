// What is printed, and names that are too long for their place.

import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Browser, missing } from './lib/browser.mjs';
import { Report } from './lib/report.mjs';
import { fromPaths, page, report as quality, small } from './lib/sample.mjs';
import { skipAll, tap } from './lib/tap.mjs';

if (missing())
	skipAll(missing());

const template = fs.readFileSync(new URL('../../share/html/page.html', import.meta.url), 'utf8');
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'reading.'));
process.on('exit', () => fs.rmSync(folder, { recursive: true, force: true }));

function file(name, data, summary) {
	const where = path.join(folder, name);
	fs.writeFileSync(where, page(template, data, summary));
	return where;
}

const pages = (pdf) => (pdf.toString('latin1').match(/\/Type\s*\/Page\b/g) ?? []).length;

async function printing(t, browser) {
	const lines = (n) => Array.from({ length: n }, (_, i) => `line ${i} of the report`).join('\n');
	const short = new Report(browser, file('short.html', small(), lines(5)));
	const long = new Report(browser, file('long.html', small(), lines(400)));
	for (const dark of [false, true]) {
		await browser.media({ dark });
		await short.open({ view: 'flame' });
		t.is('a short summary is one page', pages(await browser.print()), 1);
		await long.open({ view: 'flat' });
		const pdf = await browser.print();
		t.check('a long one is printed to its end', pages(pdf) >= 5, `${pages(pdf)} pages`);
	}
	await browser.media({ dark: true, print: true });
	const seen = await browser.run(() => {
		const summary = document.getElementById('summary'), style = getComputedStyle(summary);
		return {
			app: getComputedStyle(document.getElementById('app')).display, summary: style.display,
			color: style.color, back: getComputedStyle(document.body).backgroundColor,
			text: summary.innerText.trim().split('\n').length,
		};
	});
	t.is('the summary alone, in black on white', seen, { app: 'none', summary: 'block',
		color: 'rgb(0, 0, 0)', back: 'rgb(255, 255, 255)', text: 400 });
	await browser.media();
	t.none('nothing to complain about', await browser.complaints());
}

const shownNames = () => [...document.querySelectorAll('#flat-table .rows .row:not([hidden])')]
	.sort((a, b) => a.dataset.row - b.dataset.row).map((row) => {
		const label = row.querySelector('.label');
		return { name: label.textContent, short: label.dataset.short ?? null,
			seen: label.getBoundingClientRect().right <= row.querySelector('.name')
				.getBoundingClientRect().right + 1 };
	});

async function names(t, browser) {
	const word = 'std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char>>';
	const list = [`std::map<${word}, ${word}>::lower_bound_of_some_key(${word} const&)`,
		`std::map<${word}, ${word}>::upper_bound_of_some_key(${word} const&)`, 'main',
		`std::vector<${word}, int>::push_back_of_some(${word}, long) const`,
		`std::vector<${word}, long>::push_back_of_some(${word}, long) const`];
	const made = fromPaths(list.map((name, i) => [['root', name], 10 - i, 10 - i]));
	made.meta.report = quality(made.meta.metrics);
	const report = new Report(browser, file('names.html', made));
	await report.open({ view: 'flat' });
	const rows = await browser.run(shownNames);
	t.is('the text of a label is the name', rows.map((r) => r.name), [...list, 'root']);
	t.check('but what is seen is shorter', rows.filter((r) => r.short).length === 4,
		JSON.stringify(rows, null, 1));
	t.is('and tells them apart', new Set(rows.map((r) => r.short ?? r.name)).size, 6);
	t.check('in the room that is there', rows.every((r) => r.seen), JSON.stringify(rows));
	t.check('arguments went first', rows[0].short.startsWith('std::map<...>::lower_bound_of_some'),
		rows[0].short);
	await browser.run(() => document.getElementById('flat-table').focus());
	await browser.keys('Home', 'c');
	t.is('copies have it all', await browser.clipboard(), list[0]);
	await browser.resize(2600, 900);
	await report.painted();
	await report.painted();
	t.none('nothing to complain about', await browser.complaints());
}

await tap(async (t) => {
	const browser = await Browser.start({ width: 1280, height: 900 });
	await t.part('print', () => printing(t, browser));
	await t.part('names', () => names(t, browser));
	await browser.close();
}, { seconds: 200 });
