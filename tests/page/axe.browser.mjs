// axe-core finds no serious or critical violation in any view, light and dark.

import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { violations } from './lib/axe.mjs';
import { Browser, missing } from './lib/browser.mjs';
import { Report } from './lib/report.mjs';
import { page, small, synthetic } from './lib/sample.mjs';
import { skipAll, tap } from './lib/tap.mjs';

if (missing())
	skipAll(missing());

const template = fs.readFileSync(new URL('../../share/html/page.html', import.meta.url), 'utf8');
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'axe.'));
process.on('exit', () => fs.rmSync(folder, { recursive: true, force: true }));

function file(name, text) {
	const where = path.join(folder, name);
	fs.writeFileSync(where, text);
	return where;
}

// What a page shows: a name, the state, and what to do there.
const scenes = [
	['flat', { view: 'flat' }],
	['flat, values and samples', { view: 'flat', as: 'value', of: 'samples', sort: '-total' }],
	['flat, searched', { view: 'flat', q: 'e' }],
	['flat, nothing passes', { view: 'flat', filter: 'no such name' }],
	['flat, a broken expression', { view: 'flat', q: '/(/', filter: '/(/' }],
	['top-down', { view: 'topdown' }],
	['top-down, all open', { view: 'topdown', q: 'r' }, (report) => report.click('topdown-open')],
	['bottom-up', { view: 'bottomup' }],
	['flame graph', { view: 'flame' }],
	['flame graph, inverted', { view: 'flame', order: 'callers', root: 'bottom', q: 'e' }],
	['callers and callees', { view: 'sandwich', q: 'e' }],
	['a name with suggestions', { view: 'sandwich', fn: 1 }, async ({ browser }) => {
		await browser.click('#sandwich-name');
		await browser.type('e');
	}, ({ browser }) => browser.keys('Escape')],
	['source files', { view: 'source' }],
	['source lines', { view: 'source', file: '/src/fib.c' }],
	['instructions', { view: 'source', file: '/src/fib.c' }, async ({ browser }) => {
		if (await browser.run(() => document.getElementById('source-instructions')))
			await browser.click('#source-instructions');
	}],
	['statistics', { view: 'stats', what: 'total' }],
	['choosing threads', { view: 'flat', units: '1' }, async ({ browser }) => {
		if (await browser.run(() => !document.getElementById('units-line').hidden))
			await browser.click('#units');
	}, ({ browser }) => browser.keys('Escape')],
	['keys', { view: 'flat' }, (report) => report.click('keys'),
		(report) => report.click('help-close')],
];

await tap(async (t) => {
	const browser = await Browser.start({ width: 1280, height: 900 });
	await browser.open(file('bad.html', '<!DOCTYPE html><html><head><title>t</title></head><body>' +
		'<img src="data:,"><input><p style="color:#ccc;background:#fff">pale</p>' +
		'<ul><p>x</p></ul><h1>t</h1></body></html>'));
	const bad = await violations(browser);
	for (const rule of ['image-alt', 'label', 'color-contrast'])
		t.check(`a bad page has ${rule}`, bad.some((line) => line.includes(` ${rule}:`)),
			bad.join('\n'));

	const pages = [['small', file('small.html', page(template, small()))]];
	// At length: see tests/soak/page-whole.t.
	if (process.env.PAGE_TESTS === 'all')
		pages.push(['large', file('large.html',
			page(template, synthetic(20000, { metrics: 2, units: 9, lines: 3000 })))]);
	for (const [size, where] of pages) {
		const report = new Report(browser, where);
		for (const dark of [false, true]) {
			await browser.media({ dark });
			await report.open();
			// of a short run only the first of each view is dark, too
			const seen = new Set(), all = !dark || process.env.PAGE_TESTS === 'all';
			for (const [name, state, before, after] of scenes) {
				if (seen.has(state.view) && !all)
					continue;
				seen.add(state.view);
				await t.part(`${size}, ${dark ? 'dark' : 'light'}, ${name}`, async () => {
					await report.go(state);
					await before?.(report);
					await report.painted();
					t.none('no violation', await violations(browser, dark));
					await after?.(report);
				});
			}
			t.none(`${size}: nothing to complain about`, await browser.complaints());
		}
	}
	// Narrow, as on a telephone.
	await browser.resize(400, 800, 2);
	const report = new Report(browser, pages[0][1]);
	await report.open();
	for (const view of ['flat', 'topdown', 'bottomup', 'flame', 'sandwich', 'source', 'stats']) {
		await report.go({ view });
		t.none(`narrow, ${view}: no violation`, await violations(browser));
	}
	await browser.close();
}, { seconds: 380 });
