// The whole page by keyboard alone: the pointer is never used.

import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Browser, missing } from './lib/browser.mjs';
import { Report } from './lib/report.mjs';
import { page, small, synthetic } from './lib/sample.mjs';
import { skipAll, tap } from './lib/tap.mjs';

if (missing())
	skipAll(missing());

const template = fs.readFileSync(new URL('../../share/html/page.html', import.meta.url), 'utf8');
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'keyboard.'));
process.on('exit', () => fs.rmSync(folder, { recursive: true, force: true }));

function file(name, data) {
	const where = path.join(folder, name);
	fs.writeFileSync(where, page(template, data));
	return where;
}

const VIEWS = ['flat', 'topdown', 'bottomup', 'flame', 'sandwich', 'source', 'stats'];
const GRAPHS = ['flame', 'sandwich'];

// ---- what is asked of the page ------------------------------------------------------

// The element with the focus: what names it, and whether it can be seen that it has the focus.
function focusedElement() {
	const e = document.activeElement;
	if (!e || e === document.body)
		return null;
	const style = getComputedStyle(e);
	const box = e.getBoundingClientRect();
	window.__visited ??= new Set();
	window.__visited.add(e);
	return {
		name: e.id || e.getAttribute('aria-label') || e.textContent.slice(0, 40),
		ring: style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0,
		seen: box.width > 0 && box.height > 0 && box.right > 0 && box.left < innerWidth &&
			box.bottom > 0 && box.top < innerHeight,
	};
}

// What can be used and was not visited. Of a list of tabs, arrow keys reach the others.
function unvisited() {
	return [...document.querySelectorAll('a[href], button, input, select, textarea, [tabindex]')]
		.filter((e) => e.checkVisibility() && !e.disabled && !window.__visited.has(e) &&
			e.getAttribute('role') !== 'tab')
		.map((e) => e.id || e.textContent.slice(0, 40) || e.outerHTML.slice(0, 80));
}

const selectedRow = (id) => {
	const table = document.getElementById(id);
	const row = document.getElementById(table.getAttribute('aria-activedescendant'));
	return row && {
		row: Number(row.dataset.row), selected: row.getAttribute('aria-selected'),
		expanded: row.getAttribute('aria-expanded'), level: Number(row.getAttribute('aria-level')),
		name: row.querySelector('.label').textContent,
		seen: row.getBoundingClientRect().top >= table.getBoundingClientRect().top &&
			row.getBoundingClientRect().bottom <= table.getBoundingClientRect().bottom + 1,
	};
};

const text = (id) => document.getElementById(id).textContent;

// ---- the tests ----------------------------------------------------------------------

async function tabThrough(t, report, view) {
	const { browser } = report;
	await report.open({ view, q: 'fib' });
	const names = [];
	const bad = [];
	for (let i = 0; i < 80; i++) {
		await browser.keys('Tab');
		const at = await browser.run(focusedElement);
		if (!at || names.length > 1 && at.name === names[0])
			break;
		names.push(at.name);
		if (!at.ring || !at.seen)
			bad.push(JSON.stringify(at));
	}
	t.check(`${view}: Tab goes to one element after the other`, names.length >= 10,
		names.join('\n'));
	t.none(`${view}: and to all`, await browser.run(unvisited));
	t.none(`${view}: the focus is always seen`, bad);
	await browser.keys('Shift+Tab');
	t.is(`${view}: and back`, (await browser.run(focusedElement))?.name, names.at(-1));
}

async function tabs(t, report) {
	const { browser } = report;
	await report.open({ view: 'flat' });
	for (const [i, view] of VIEWS.entries()) {
		await browser.keys(String(i + 1));
		await report.painted();
		t.is(`${i + 1} shows ${view}`, await browser.run(() =>
			document.querySelector('[role=tab][aria-selected=true]').dataset.view), view);
	}
	await report.open({ view: 'flat' });
	while ((await browser.focused()) !== 'button#tab-flat')
		await browser.keys('Tab');
	for (const view of [...VIEWS.slice(1), VIEWS[0]]) {
		await browser.keys('ArrowRight');
		await report.painted();
		t.is(`Right goes to the tab of ${view}`, [await browser.focused(),
			await browser.run((id) => !document.getElementById(id).hidden, `view-${view}`)],
		[`button#tab-${view}`, true]);
	}
	await browser.keys('ArrowLeft');
	t.is('Left goes back', await browser.focused(), `button#tab-${VIEWS.at(-1)}`);
}

// Press Tab until the element with this id has the focus.
async function tabTo(browser, id) {
	for (let i = 0; i < 100; i++) {
		if (await browser.run((x) => document.activeElement?.id === x, id))
			return;
		await browser.keys('Tab');
	}
	throw new Error(`Tab does not come to ${id}`);
}

async function flatTable(t, report) {
	const { browser } = report;
	const at = () => browser.run(selectedRow, 'flat-table');
	await report.open({ view: 'flat' });
	await tabTo(browser, 'flat-table');
	const count = await browser.run(() =>
		Number(document.getElementById('flat-table').getAttribute('aria-rowcount')) - 1);
	for (const [keys, row] of [[['Home'], 0], [['ArrowDown'], 1], [['ArrowDown', 'ArrowUp'], 1],
		[['End'], count - 1], [['ArrowDown'], count - 1], [['Home'], 0], [['ArrowUp'], 0]]) {
		await browser.keys(...keys);
		await report.painted();
		const found = await at();
		t.is(`${keys.join(', ')} selects row ${row} of ${count}, in sight`,
			[found.row, found.selected, found.seen], [row, 'true', true]);
	}
	await browser.keys('PageDown');
	await report.painted();
	const far = await at();
	t.check('Page Down goes further', far.row > 5 && far.seen, JSON.stringify(far));
	await browser.keys('Home', 'c');
	await report.painted();
	const name = (await at()).name.replace(/ \[(partly )?inlined\]$/, '');
	t.is('c copies the name', await browser.clipboard(), name);
	t.check('and says so', (await browser.run(text, 'toast')).includes('Copied'));
	await browser.keys('p');
	await report.painted();
	const lines = (await browser.clipboard()).split('\n');
	t.is('p copies the call path', lines.at(-1), name);
	t.check('which has callers', lines.length > 1);

	// the columns
	const sorted = () => browser.run(() => [...document.querySelectorAll('#flat-table ' +
		'[role=columnheader]')].map((h) => h.getAttribute('aria-sort')));
	const before = await sorted();
	await report.open({ view: 'flat' });
	for (let i = 0; i < 100 && !await browser.run(() => document.activeElement
		.closest('[role=columnheader]')?.dataset.column === 'total'); i++)
		await browser.keys('Tab');
	await browser.keys('Enter');
	await report.painted();
	const after = await sorted();
	t.is('a column is sorted by', [before[0], after[0], after[1]],
		['descending', 'none', 'descending']);
	await browser.keys('Enter');
	await report.painted();
	t.is('and the other way round', (await sorted())[1], 'ascending');
}

async function treeTable(t, report) {
	const { browser } = report;
	const at = () => browser.run(selectedRow, 'topdown-table');
	await report.open({ view: 'topdown' });
	await tabTo(browser, 'topdown-close');
	await browser.keys('Enter');
	await tabTo(browser, 'topdown-table');
	await browser.keys('Home');
	await report.painted();
	t.is('all is closed', (await at()).expanded, 'false');
	await browser.keys('ArrowRight');
	await report.painted();
	t.is('Right opens a row', (await at()).expanded, 'true');
	await browser.keys('ArrowRight');
	await report.painted();
	const child = await at();
	t.is('and goes to its first child', [child.row, child.level], [1, 2]);
	await browser.keys('ArrowLeft', 'ArrowLeft', 'ArrowLeft');
	await report.painted();
	t.is('Left closes it and goes to its parent', [(await at()).row, (await at()).level], [0, 1]);
	await browser.keys('Home', 'ArrowLeft', 'Enter');
	await report.painted();
	t.is('Enter opens or closes', (await at()).expanded, 'true');
	await browser.keys('Home', 'h');
	await report.painted();
	const hot = await at();
	t.check('h goes along the heaviest path', hot.level > 1, JSON.stringify(hot));
	await browser.keys('f');
	await report.painted();
	const state = await report.state();
	t.check('f shows it in the flame graph', state.view === 'flame' && state.zoom,
		JSON.stringify(state));
}

async function flame(t, report) {
	const { browser } = report;
	const said = () => browser.run(text, 'live');
	await report.open({ view: 'flame' });
	await tabTo(browser, 'flame');
	const all = await said();
	t.check('what is selected is said', all.startsWith('all'), all);
	const seen = [all];
	for (const key of ['ArrowDown', 'ArrowDown']) {
		await browser.keys(key);
		await report.painted();
		seen.push(await said());
		t.check(`${key} goes to a callee`, seen.at(-1) !== seen.at(-2), seen.join('\n'));
	}
	await browser.keys('ArrowRight');
	await report.painted();
	const right = await said();
	t.check('Right goes to a neighbour', right !== seen[2], right);
	await browser.keys('ArrowLeft');
	await report.painted();
	t.is('and Left back', await said(), seen[2]);
	await browser.keys('c');
	await report.painted();
	t.check('c copies its name', seen[2].startsWith(await browser.clipboard()));
	await browser.keys('Enter');
	await report.painted();
	t.check('Enter narrows to it', (await report.state()).zoom !== undefined);
	await browser.keys('Escape');
	await report.painted();
	t.is('Escape widens', (await report.state()).zoom, undefined);
	await browser.keys('t');
	await report.painted();
	const row = await browser.run(selectedRow, 'topdown-table');
	t.check('t shows it in the table', row && seen[2].startsWith(row.name), JSON.stringify(row));
	await browser.back();
	await report.painted();
	t.is('the way back is in the history', (await report.state()).view, 'flame');
	await tabTo(browser, 'flame');
	await browser.keys('Tab');
	t.check('the focus can leave it', await browser.focused() !== 'div#flame');
}

async function search(t, report) {
	const { browser } = report;
	await report.open({ view: 'flat' });
	await browser.keys('/');
	t.is('/ goes to the search', await browser.focused(), 'input#search');
	await browser.type('fib');
	await report.painted();
	const share = await browser.run(text, 'matches');
	t.check('which tells the share', /^\d+\.\d% in 1 function/.test(share), share);
	await browser.keys('Enter');
	await report.painted();
	t.is('Enter goes to a match', (await browser.run(selectedRow, 'flat-table')).name, 'fib');
	for (const view of VIEWS.slice(1)) {
		await report.open({ view, q: 'fib' });
		await browser.until(() => !document.querySelector('[aria-busy="true"]'));
		await browser.keys('n');
		await report.painted();
		const found = GRAPHS.includes(view) ? await browser.run(text, 'live')
			: (await browser.run(selectedRow, `${view}-table`)).name;
		t.check(`n goes to a match in ${view}`, found.startsWith(view === 'source' ? '/src/fib' : 'fib'), found);
	}
	await browser.keys('/', 'Escape');
	await report.painted();
	t.is('Escape clears it', (await report.state()).q, undefined);
}

async function rest(t, report) {
	const { browser } = report;
	await report.open({ view: 'flat' });
	await browser.keys('?');
	t.check('? opens the list of keys', await browser.run(() => document.getElementById('help').open &&
		document.getElementById('help').contains(document.activeElement)));
	await browser.keys('Escape');
	t.check('Escape closes it', !await browser.run(() => document.getElementById('help').open));
	await tabTo(browser, 'keys');
	await browser.keys('Enter');
	t.check('its button opens it', await browser.run(() => document.getElementById('help').open));
	await browser.keys('Enter');
	await report.painted();
	t.is('and has the focus after it is closed', [await browser.focused(),
		await browser.run(() => document.getElementById('help').open)], ['button#keys', false]);

	await report.open({ view: 'flat' });
	for (const [id, key, member, value] of [['theme', 'd', 'theme', 'dark'],
		['of', 's', 'of', 'samples'], ['as', 'v', 'as', 'value']]) {
		await tabTo(browser, id);
		await browser.keys(key);
		await report.painted();
		t.is(`a letter chooses in ${id}`, (await report.state())[member], value);
	}
	await tabTo(browser, 'flat-filter');
	await browser.type('fib');
	await report.painted();
	t.is('rows can be filtered', (await report.cells('flat')).length, 1);
	await tabTo(browser, 'flat-csv');
	const { name } = await browser.download(() => browser.keys('Enter'));
	t.check('and saved', name.endsWith('.csv'), name);
}

await tap(async (t) => {
	const browser = await Browser.start({ width: 1400, height: 800 });
	const little = new Report(browser, file('small.html', small()));
	const large = new Report(browser, file('large.html', synthetic(5000)));
	const part = (name, report, body) => t.part(name, async () => {
		await body(t, report);
		t.none('nothing to complain about', await browser.complaints());
	});
	for (const view of VIEWS)
		await part('Tab', little, (_, report) => tabThrough(t, report, view));
	await part('tabs', little, tabs);
	await part('flat', large, flatTable);
	await part('tree', large, treeTable);
	await part('flame graph', large, flame);
	await part('search', little, search);
	await part('rest', little, rest);
	await browser.close();
}, { seconds: 380 });
