// The source view: files, lines and their heat, with and without texts.

import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Browser, missing } from './lib/browser.mjs';
import { csvRecords } from './lib/parse.mjs';
import { Report, exactOf } from './lib/report.mjs';
import { page, small, synthetic } from './lib/sample.mjs';
import { skipAll, tap } from './lib/tap.mjs';

if (missing())
	skipAll(missing());

const template = fs.readFileSync(new URL('../../share/html/page.html', import.meta.url), 'utf8');
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'source.'));
process.on('exit', () => fs.rmSync(folder, { recursive: true, force: true }));

function file(name, data) {
	const where = path.join(folder, name);
	fs.writeFileSync(where, page(template, data));
	return where;
}

const note = () => document.getElementById('source-note').textContent;
const selected = () => {
	const table = document.getElementById('lines-table');
	const row = document.getElementById(table.getAttribute('aria-activedescendant'));
	return row && Number(row.dataset.id);
};
const value = (cell) => (cell.text === '' ? 0 : exactOf(cell.title));

// [line, self, total, code, function] of all rows.
async function lines(report) {
	return (await report.cells('lines')).map(({ cells }) => [cells.lineno.text, value(cells.self),
		value(cells.total), cells.code.text, cells.function.title]);
}

async function files(t, report) {
	const { browser } = report;
	await report.open({ view: 'source' });
	const cells = await report.cells('source');
	t.is('files by their own value', cells.map((r) => [r.cells.file.text, value(r.cells.self),
		value(r.cells.total), r.cells.shown.text]), [
		['/src/fib.c', 57.25e6, 61.25e6, 'text'], ['/usr/include/c++/map', 24e6, 24e6, 'values of lines'],
		['/src/work.c', 11.5e6, 107.75e6, 'values of lines'],
	]);
	const { text } = await report.saved('source-csv');
	t.is('and in a file', csvRecords(text)[0],
		{ 'self (ns)': '57250000', 'total (ns)': '61250000', file: '/src/fib.c' });
	await browser.click('#source-table .head [data-column=file] button');
	await report.painted();
	t.is('by name', (await report.cells('source')).map((r) => r.cells.file.text),
		['/src/fib.c', '/src/work.c', '/usr/include/c++/map']);
	await browser.run(() => document.getElementById('source-table').focus());
	await browser.keys('Home', 'Enter');
	await report.painted();
	t.is('Enter shows one', (await report.state()).file, '/src/fib.c');
	await report.click('source-files');
	await report.painted();
	t.is('and a button goes back', (await report.state()).file, undefined);
	await report.go({ view: 'source', units: '1' });
	t.is('of chosen threads', (await report.cells('source')).map((r) => [r.cells.file.text,
		value(r.cells.self), value(r.cells.total)]), [
		['/src/fib.c', 7.25e6, 7.25e6], ['/src/work.c', 0, 7.25e6], ['/usr/include/c++/map', 0, 0],
	]);
}

async function withText(t, report) {
	const { browser } = report;
	await report.open({ view: 'source', file: '/src/fib.c' });
	await browser.until(() => document.querySelectorAll('#lines-table .rows .row:not([hidden])').length === 7);
	t.is('the text and its values', await lines(report), [
		['1', 0, 0, '#include "map.h"', ''], ['2', 0, 0, '', ''], ['3', 0, 0, 'long fib(int n) {', ''],
		['4', 57.25e6, 57.25e6, '\tif (n < 2) return n;', 'fib'], ['5', 0, 4e6, '\tfind(n);', 'fib'],
		['6', 0, 20e6, '\treturn fib(n - 1) + fib(n - 2);', 'fib'], ['7', 0, 0, '}', ''],
	]);
	t.is('the hottest line is selected', await browser.run(selected), 4);
	t.is('and marked', await browser.run(() => [...document.querySelectorAll('#lines-table .row')]
		.filter((r) => r.dataset.heat === '5').map((r) => r.dataset.id)), ['4']);
	await browser.run(() => document.getElementById('lines-table').focus());
	const seen = [];
	for (const key of ['n', 'n', 'n', 'p']) {
		await browser.keys(key);
		seen.push(await browser.run(selected));
	}
	t.is('n goes to the next hottest, p back', seen, [6, 5, 5, 6]);
	await report.click('source-next');
	t.is('as do buttons', await browser.run(selected), 5);
	await browser.run(() => document.getElementById('lines-table').focus());
	await browser.keys('Home', 's');
	t.check('a line without a function says so', (await browser.run(() =>
		document.getElementById('toast').textContent)).includes('no function'));
	await browser.run(() => document.getElementById('lines-table').focus());
	await browser.keys('n', 'c');
	await report.painted();
	t.is('c copies the line', await browser.clipboard(), '\tif (n < 2) return n;');
	await browser.keys('s');
	await report.painted();
	t.is('s shows the function', (await report.state()).view, 'sandwich');
	await browser.back();
	await report.painted();
	const { text } = await report.saved('source-csv');
	t.is('lines as a file', csvRecords(text)[3], { 'self (ns)': '57250000',
		'total (ns)': '57250000', line: '4', code: '\'\tif (n < 2) return n;', function: 'fib' });
	await report.go({ view: 'source', file: '/src/fib.c', q: 'include' });
	await report.browser.keys('n');
	t.is('the search looks in the text', await browser.run(selected), 1);
	await report.go({ view: 'source', file: '/src/fib.c', units: '1' });
	t.check('with threads chosen it says what lines have', (await browser.run(note)).includes('all threads'));
}

async function withoutText(t, report) {
	await report.open({ view: 'source', file: '/usr/include/c++/map' });
	t.is('only lines with values', (await lines(report)).map((r) => [r[0], r[1], r[4]]),
		[['121', 24e6, 'std::map<int, std::string>::find(int const&) const [inlined]']]);
	t.check('and how to get the text', (await report.browser.run(note)).includes('hpcprof html --sources'));
}

// [line or address, self, code, function, opened] of all rows.
async function rows(report) {
	return (await report.cells('lines')).map(({ cells, expanded }) => [cells.lineno.text,
		value(cells.self), cells.code.text, cells.function.text, expanded]);
}

const FIB = [
	['1139', 7.25e6, 'cmpl $1, %edi', 'fib', null], ['113c', 50e6, 'jle 0x1150 <+0x17>', 'fib', null],
	['1150', 0, 'retq', 'fib', null],
];

async function instructions(t, report) {
	const { browser } = report, text = () => document.querySelectorAll(
		'#lines-table .rows .row:not([hidden])').length;
	const focus = () => browser.run(() => document.getElementById('lines-table').focus());
	await report.open({ view: 'source', file: '/src/fib.c' });
	await browser.until(() => document.querySelectorAll('#lines-table .rows .row:not([hidden])').length === 7);
	await focus();
	await browser.keys('Enter');
	await report.painted();
	t.is('Enter shows those of the selected line', (await rows(report)).slice(3, 8), [
		['4', 57.25e6, '\tif (n < 2) return n;', 'fib', 'true'], ...FIB, ['5', 0, '\tfind(n);', 'fib', null],
	]);
	await browser.keys('ArrowRight', 'ArrowRight', 'c');
	await report.painted();
	t.is('c copies one', await browser.clipboard(), 'jle 0x1150 <+0x17>');
	t.is('n goes to the next hottest line', await (async () => {
		await browser.keys('n');
		return browser.run(selected);
	})(), 6);
	const { text: saved } = await report.saved('source-csv');
	t.is('they are in the file', csvRecords(saved)[5], { 'self (ns)': '50000000', 'total (ns)': '',
		line: '0x113c', code: 'jle 0x1150 <+0x17>', function: 'fib' });
	await report.go({ view: 'source', file: '/src/fib.c', of: 'samples' });
	t.is('samples', (await report.cells('lines')).slice(4, 7).map((r) => value(r.cells.self)), [7, 50, 0]);
	await report.go({ view: 'source', file: '/src/fib.c', q: 'jle' });
	await browser.keys('n');
	t.is('the search finds them', await browser.run(() => document.querySelector(
		'#lines-table .active .code').textContent), 'jle 0x1150 <+0x17>');
	await focus();
	await browser.keys('ArrowLeft', 'ArrowLeft');
	await report.painted();
	t.is('Left goes to the line and closes it', [await browser.run(text), await browser.run(selected)], [7, 4]);
	await report.click('source-instructions');
	await report.painted();
	t.is('a button opens, too', await browser.run(text), 10);
	await browser.keys('Home');
	await focus();
	await browser.keys('Home');
	await report.click('source-instructions');
	t.check('or says that there are none', (await browser.run(() =>
		document.getElementById('toast').textContent)).includes('no instructions'));
	await report.go({ view: 'source', file: '/usr/include/c++/map' });
	await report.click('source-instructions');
	await report.painted();
	t.is('those of inlined code say in which function they are', (await rows(report))[1],
		['4010', 24e6, 'movq (%rax), %rcx', 'run', null]);
}

async function fromOthers(t, report) {
	const { browser } = report;
	await report.open({ view: 'flat' });
	await browser.run(() => document.getElementById('flat-table').focus());
	await browser.keys('Home', 'o');
	await report.painted();
	const state = await report.state();
	t.is('o shows where a function begins', [state.view, state.file, state.line],
		['source', '/src/fib.c', '3']);
	await browser.until(() => document.querySelectorAll('#lines-table .rows .row:not([hidden])').length > 3);
	t.is('at its line', await browser.run(selected), 3);
	await report.open({ view: 'flat', filter: 'kernel' });
	await report.click('flat-source');
	t.check('or that it is not known', (await browser.run(() =>
		document.getElementById('toast').textContent)).includes('not known'));
}

await tap(async (t) => {
	const browser = await Browser.start({ width: 1280, height: 900 });
	const where = new Report(browser, file('small.html', small()));
	const part = (name, report, body) => t.part(name, async () => {
		await body(t, report);
		t.none('nothing to complain about', await browser.complaints());
	});
	await part('files', where, files);
	await part('text', where, withText);
	await part('no text', where, withoutText);
	await part('instructions', where, instructions);
	await part('from other views', where, fromOthers);
	const none = small();
	delete none.columns.lines;
	await part('without lines', new Report(browser, file('none.html', none)), async (_, report) => {
		await report.open();
		t.check('there is no such view', await browser.run(() => !document.getElementById('tab-source') &&
			!document.getElementById('flat-source')));
	});
	const broken = small();
	const text = page(template, broken).replace(/(id="source-\d+">)[^<]*/, '$1AAAA');
	fs.writeFileSync(path.join(folder, 'broken.html'), text);
	await part('a damaged text', new Report(browser, path.join(folder, 'broken.html')), async (_, report) => {
		await report.open({ view: 'source', file: '/src/fib.c' });
		t.check('is said', await browser.until(() => document.getElementById('toast').textContent
			.includes('damaged')));
		t.is('and lines are there', (await lines(report)).length, 3);
	});
	const damaged = small();
	damaged.columns.instructions = damaged.columns.instructions.slice(0, -1);
	await part('damaged instructions', new Report(browser, file('damaged.html', damaged)),
		async (_, report) => {
			await report.open({ view: 'source', file: '/src/fib.c' });
			t.check('are said', await browser.until(() => document.getElementById('toast').textContent
				.includes('Instructions cannot be shown')));
			t.is('and lines are there', (await lines(report)).length, 7);
		});
	await part('many', new Report(browser, file('many.html', synthetic(20000, { lines: 50000 }))),
		async (_, report) => {
			await report.open({ view: 'source' });
			t.check('files', (await report.cells('source')).length > 300);
		});
	await browser.close();
}, { seconds: 200 });
