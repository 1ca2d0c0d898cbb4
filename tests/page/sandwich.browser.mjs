// Callers and callees of a function, in a browser.

import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Browser, missing } from './lib/browser.mjs';
import { Report } from './lib/report.mjs';
import { fromPaths, page, report as quality, synthetic } from './lib/sample.mjs';
import { skipAll, tap } from './lib/tap.mjs';

if (missing())
	skipAll(missing());

const template = fs.readFileSync(new URL('../../share/html/page.html', import.meta.url), 'utf8');
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'sandwich.'));
process.on('exit', () => fs.rmSync(folder, { recursive: true, force: true }));

function file(name, data) {
	const where = path.join(folder, name);
	fs.writeFileSync(where, page(template, data));
	return where;
}

const f = (name, module = '/usr/bin/x') => ({ name, module, file: '/x.c', line: 1 });
const LIST = [
	[[f('main'), f('walk'), f('visit')], 40, 40e6], [[f('main'), f('walk')], 10, 10e6],
	[[f('main'), f('walk'), f('visit'), f('walk'), f('emit')], 20, 20e6],
	[[f('start'), f('walk'), f('emit')], 20, 20e6], [[f('main'), f('emit')], 10, 10e6],
];
const NAMES = ['main', 'walk', 'visit', 'emit', 'start'];

const text = (id) => document.getElementById(id).textContent;
const busy = () => document.getElementById('sandwich-panes').getAttribute('aria-busy') === 'false';

async function shown(report) {
	await report.browser.until(busy);
	await report.painted();
	return report.browser.run(() => ['facts', 'above', 'below'].map((x) =>
		document.getElementById(`sandwich-${x}`).textContent));
}

// What the tooltip says at a share of a graph's width, so many rows from the function.
async function tip(report, part, share, row) {
	const box = await report.browser.run((p) => {
		const r = document.getElementById(`sandwich-${p}-canvas`).getBoundingClientRect();
		return { left: r.left, top: r.top, width: r.width, bottom: r.bottom };
	}, part);
	const y = part === 'callers' ? box.bottom - 9 - 18 * (row - 1) : box.top + 9 + 18 * row;
	await report.browser.hoverAt(box.left + share * box.width, y);
	return report.browser.run((p) => {
		const tooltip = document.getElementById(`sandwich-${p}-tooltip`);
		return tooltip.hidden ? null : [tooltip.querySelector('.label').textContent,
			...[...tooltip.querySelectorAll('dd')].slice(0, 3).map((dd) => dd.textContent)];
	}, part);
}

async function merged(t, report) {
	const { browser } = report;
	await report.open({ view: 'sandwich', fn: 1 });
	t.is('of the function', await shown(report), [
		'walk: total 90.0%, 90.0 ms; self 10.0%, 10.0 ms; 3 contexts, 1 context of them below ' +
			'another, which the total counts once.', '2 callers', '2 callees',
	]);
	t.is('the widest caller', (await tip(report, 'callers', 0.3, 1)).slice(0, 2),
		['main', '70.0%  70.0 ms  (70,000,000 ns)']);
	t.is('another', (await tip(report, 'callers', 0.9, 1)).slice(0, 2),
		['start', '20.0%  20.0 ms  (20,000,000 ns)']);
	t.is('the function is below', (await tip(report, 'callees', 0.5, 0)).slice(0, 3),
		['walk', '90.0%  90.0 ms  (90,000,000 ns)', '10.0%  10.0 ms  (10,000,000 ns)']);
	t.is('its callee', (await tip(report, 'callees', 0.4, 1)).slice(0, 3),
		['visit', '60.0%  60.0 ms  (60,000,000 ns)', '40.0%  40.0 ms  (40,000,000 ns)']);
	t.is('recursion is below', (await tip(report, 'callees', 0.7, 2))?.slice(0, 2),
		['walk', '20.0%  20.0 ms  (20,000,000 ns)']);
	const left = await tip(report, 'callees', 0.05, 1);
	t.is('what is self has no callee', left, null);
	await browser.click('#sandwich-callers', { x: 0, y: 0 });
	const at = await browser.run(() => {
		const r = document.getElementById('sandwich-callers-canvas').getBoundingClientRect();
		return [r.left + 0.9 * r.width, r.bottom - 9];
	});
	await browser.clickAt(...at);
	t.is('a click chooses the function', (await shown(report))[0].slice(0, 12), 'start: total');
	t.is('which has no caller', await browser.run(text, 'sandwich-above'),
		'No callers: it is outermost');
	await browser.back();
	t.is('and the way back is in the history', (await shown(report))[0].slice(0, 11), 'walk: total');
}

async function fromOthers(t, report) {
	const { browser } = report;
	for (const view of ['flat', 'topdown', 'bottomup']) {
		await report.open({ view });
		await browser.run((id) => document.getElementById(id).focus(), `${view}-table`);
		await browser.keys('Home');
		await report.painted();
		const name = (await report.cells(view))[0].cells.function.text;
		await browser.keys('s');
		t.check(`s in ${view}`, (await shown(report))[0].startsWith(`${name}: total`), name);
		await report.go({ view });
		await report.click(`${view}-sandwich`);
		t.check(`and its button`, (await shown(report))[0].startsWith(`${name}: total`), name);
	}
	await report.open({ view: 'flame' });
	await browser.run(() => document.getElementById('flame').focus());
	await browser.keys('ArrowDown', 'ArrowDown', 's');
	t.check('s in the flame graph', (await shown(report))[0].startsWith('walk: total'),
		await browser.run(text, 'sandwich-facts'));
}

async function byName(t, report) {
	const { browser } = report;
	await report.open({ view: 'sandwich' });
	t.check('first is what has most of its own', (await shown(report))[0].startsWith('emit: total'),
		(await shown(report))[0]);
	await browser.click('#sandwich-name');
	await browser.type('i');
	await report.painted();
	const options = () => browser.run(() => [...document.querySelectorAll('#sandwich-name-list li')]
		.map((e) => [e.querySelector('bdi').textContent, e.getAttribute('aria-selected')]));
	t.is('suggestions, by total', await options(),
		[['main', 'true'], ['visit', 'false'], ['emit', 'false']]);
	await browser.keys('ArrowDown');
	t.is('one is marked', (await options())[1], ['visit', 'true']);
	await browser.keys('Enter');
	t.check('and taken', (await shown(report))[0].startsWith('visit: total 60.0%'));
	t.is('which the fragment has', (await report.state()).fn, String(NAMES.indexOf('visit')));
	await browser.keys('Escape');
	await browser.type('/^st/');
	await browser.click('#sandwich-name-option-0');
	t.check('a click takes one, too', (await shown(report))[0].startsWith('start: total 20.0%'));
	await report.go({ view: 'sandwich', fn: 4, units: '0' });
	t.check('one without values', (await shown(report))[0].startsWith('start: total 0.0%'),
		(await shown(report)).join('\n'));
}

async function byKeys(t, report) {
	const { browser } = report;
	const said = () => browser.run(text, 'live');
	await report.open({ view: 'sandwich', fn: 1 });
	await shown(report);
	await browser.run(() => document.getElementById('sandwich-callees').focus());
	await browser.keys('ArrowDown');
	t.check('Down goes to a callee', (await said()).startsWith('visit; total 60.0%'), await said());
	await browser.keys('ArrowRight');
	t.check('Right to its neighbour', (await said()).startsWith('emit; total 20.0%'), await said());
	await browser.keys('Enter');
	t.check('Enter chooses it', (await shown(report))[0].startsWith('emit: total 50.0%'));
	await browser.run(() => document.getElementById('sandwich-callers').focus());
	await browser.keys('ArrowUp');
	t.check('Up goes to a caller\'s caller', (await said()).includes('by this path'), await said());
}

async function large(t, report) {
	await report.open({ view: 'flat' });
	const time = await report.browser.run(async () => {
		const begin = performance.now();
		window.location.hash = '#view=sandwich&fn=1';
		do {
			await new Promise((done) => {
				requestAnimationFrame(done);
			});
		} while (document.getElementById('sandwich-panes')?.getAttribute('aria-busy') !== 'false');
		return performance.now() - begin;
	});
	t.note(`200,000 contexts: ${time.toFixed()} ms`);
	t.check('many contexts are merged in a second or a few', time < 5000, `${time}`);
}

await tap(async (t) => {
	const browser = await Browser.start({ width: 1280, height: 900 });
	const units = [{ name: 'a', tid: 1 }, { name: 'b', tid: 2 }];
	const made = fromPaths(LIST.map((row, i) => [...row, i === 3 ? 1 : 0]), { units });
	made.meta.report = quality(made.meta.metrics);
	const where = new Report(browser, file('sandwich.html', made));
	const part = (name, report, body) => t.part(name, async () => {
		await body(t, report);
		t.none('nothing to complain about', await browser.complaints());
	});
	await part('merged', where, merged);
	await part('from other views', where, fromOthers);
	await part('by name', where, byName);
	await part('keys', where, byKeys);
	await part('large', new Report(browser, file('large.html', synthetic(200000))), large);
	await browser.close();
}, { seconds: 200 });
