// Prints the page's figures beside those of speedscope; see tests/bench/page.sh, which runs it:
//
//     node main.mjs FOLDER [RELEASE]
//
// FOLDER is for files, RELEASE is where speedscope's index.html is.

import os from 'node:os';
import { Browser } from '../../page/lib/browser.mjs';
import { someFrames, writePage, writeSpeedscope } from './data.mjs';
import { Ours } from './ours.mjs';
import { Theirs } from './theirs.mjs';
import { median, medians } from './timing.mjs';

const sizes = (process.env.CONTEXTS ?? '5000 100000 1000000').split(' ').map(Number);
const views = Number(process.env.VIEWS ?? 5), times = Number(process.env.TIMES ?? 20);
const [folder, release] = process.argv.slice(2);

const WORDS = ['alloc', 'parser', 'merge', 'flush'];  // 21 letters
const LARGE = 1000000;

// A program that is twice as large has not twice as many functions.
const functions = (n) => Math.round(20 * Math.sqrt(n));

// ---- printing ---------------------------------------------------------------------

const ms = (t) => `${t < 9.95 ? t.toFixed(1) : Math.round(t)} ms`;
const megabytes = (b) => `${(b / 1e6).toFixed(b < 1e7 ? 2 : 1)} MB`;

function line(what, ours, theirs = '', ratio = '', wanted = '') {
	console.log(`  ${what.padEnd(40)}${ours.padStart(10)}${theirs.padStart(12)}${
		ratio.padStart(9)}  ${wanted}`.trimEnd());
}

/** A line with two values; ratio is theirs by ours. */
function compare(text, what, ours, theirs, wanted) {
	if (theirs === undefined)
		line(what, text(ours), '', '', wanted);
	else
		line(what, text(ours), text(theirs), (theirs / ours).toFixed(1), wanted);
}

/** Lines of interactions: how long until painted. */
function printTimes(list, ours, theirs = {}) {
	for (const [key, what, wanted = '50 ms'] of list)
		if (ours[key])
			compare(ms, what, ours[key].shown, theirs[key]?.shown, wanted);
}

/** What was acknowledged first, and shown later. */
function printLater(what, { first, shown, blocked }, theirs) {
	line(`${what}: acknowledged`, ms(first), '', '', '50 ms');
	compare(ms, '  shown', shown, theirs?.shown, '1,000 ms');
	line('  longest task', blocked ? ms(blocked) : '< 50 ms');
}

// ---- measuring --------------------------------------------------------------------

/** Does something for each of a list, one after the other. */
async function each(list, action) {
	const out = [];
	for (const item of list)
		out.push(await action(item));
	return out.flat();
}

const some = (list, n = times) => Array.from({ length: n }, (_, k) => list[k % list.length]);

/** What both have, into out. */
async function graph(viewer, frames, out) {
	out.zoom = medians(await each(frames, (f) => viewer.zoom(f)));
	out.hover = medians(await each(frames, (f) => viewer.hover(f)));
	out.search = medians(await each(WORDS, (w) => viewer.search(w)));
}

async function inOurs(ours, frames) {
	const out = {};
	await graph(ours, frames, out);
	out.count = medians(await each(some(['samples', 'events']), (of) => ours.count(of)));
	const last = times % 2 ? ['events', 'samples'] : ['samples', 'events'];
	out.invert = medians(await each(some(last, views), async (of) => {
		await ours.count(of);
		return ours.invert();
	}));
	out.table = await ours.view('flat');
	out.sort = medians(await each(
		some(['total', 'function', 'self', 'module']), (c) => ours.sort(c)));
	out.filter = medians(await each(WORDS, (w) => ours.filter(w)));
	out.find = medians(await each(WORDS, (w) => ours.find(w)));
	out.topdown = await ours.view('topdown');
	out.view = medians(await each(some(['flame', 'topdown', 'flat']), (id) => ours.view(id)));
	return out;
}

/** What it can be made to do: it may run out of memory, or go away. */
async function inTheirs(theirs, frames) {
	const out = {};
	try {
		await graph(theirs, frames, out);
		out.table = await theirs.table();
		out.sort = medians(await each(some([0, 1]), (k) => theirs.sort(k)));
	} catch (e) {
		console.log(`  speedscope: ${e.message.split('\n')[0]}`);
	}
	return out;
}

/** Opens both in turn, theirs last: {flat, flame, theirs}, medians in ms. */
async function firstViews(ours, theirs) {
	const all = { flat: [], flame: [], theirs: [] };
	for (let k = 0; k < views; k++) {
		all.flat.push(await ours.open('flat'));
		all.flame.push(await ours.open('flame'));
		// Three are enough of what takes half a minute.
		if (theirs && (k === 0 || k > views - 3 || all.theirs[0] < 10000))
			all.theirs.push(await theirs.open());
	}
	return {
		flat: median(all.flat),
		flame: median(all.flame),
		theirs: theirs && median(all.theirs)
	};
}

// ---- the parts --------------------------------------------------------------------

const GRAPH = [
	['zoom', 'graph: zoom'],
	['hover', 'graph: point at a frame'],
	['search', 'graph: a letter of a search'],
	['count', 'graph: samples for events'],
];
const TABLE = [
	['sort', 'table: sort'],
	['filter', 'table: a letter of the filter'],
	['find', 'table: a letter of a search'],
	['view', 'from view to view'],
];

const start = () => Browser.start({ more: ['--enable-unsafe-swiftshader'] });

/** n contexts with one event. */
async function compareBoth(n) {
	const page = writePage(folder, n, { metrics: 1, functions: functions(n) });
	const profile = release ? writeSpeedscope(folder, page.profile) : undefined;
	const frames = someFrames(page.profile, times), browser = await start();
	const ours = new Ours(browser, page.file);
	const theirs = release ? new Theirs(browser, release, profile.file) : undefined;
	const first = await firstViews(ours, theirs);
	const other = { memory: undefined, times: {} };
	if (theirs) {
		other.memory = await browser.heap();
		other.times = await inTheirs(theirs, frames);
	}
	await ours.open('flame');
	const memory = await browser.heap(), done = await inOurs(ours, frames);
	await browser.close();

	console.log(`\n${n.toLocaleString('en')} contexts, ${
		page.profile.functionCount.toLocaleString('en')} functions`);
	compare(megabytes, 'file', page.size, profile?.size,
		{ 5000: '0.2 MB', [LARGE]: '6 MB' }[n]);
	compare(ms, 'first view: graph', first.flame, first.theirs,
		n >= LARGE ? '1,200 ms, ratio 8' : '');
	line('first view: flat', ms(first.flat));
	printTimes(GRAPH, done, other.times);
	printLater('graph: invert', done.invert);
	printLater('table of functions', done.table, other.times.table);
	printTimes(TABLE, done, other.times);
	compare(megabytes, 'memory', memory, other.memory);
	line('memory / uncompressed data', (memory / page.raw).toFixed(1), '', '',
		n >= LARGE ? '10' : '');
}

/** The page alone, with all that it can have. */
async function fullPage(n) {
	const options = { metrics: 2, units: 16, lines: n / 10, functions: functions(n) };
	const page = writePage(folder, n, options), browser = await start();
	const ours = new Ours(browser, page.file), first = await firstViews(ours);
	await ours.open('flame');
	const memory = await browser.heap();
	const switched = medians(await each(some(['1', '0'], 8), (m) => ours.metric(m)));
	const rounds = ['0-7', '9', '1.3', '4-9', '11'].slice(0, views);
	const chosen = medians(await each(rounds, (units) => ours.go({ units })));
	await ours.go({ units: null });
	const back = medians(await each(rounds, async (units) => {
		await ours.go({ units });
		return ours.go({ units: null });
	}));
	const source = await ours.view('source'), stats = await ours.statistics();
	await browser.close();

	console.log(`\n${n.toLocaleString('en')} contexts with two events, 16 threads and ${
		options.lines.toLocaleString('en')} source lines`);
	line('file', megabytes(page.size));
	line('first view: graph', ms(first.flame), '', '', '1,200 ms');
	line('first view: flat', ms(first.flat));
	printLater('graph: another metric', switched);
	printLater('graph: some threads', chosen);
	printLater('graph: all threads again', back);
	printLater('source', source);
	printLater('statistics', stats);
	line('memory', megabytes(memory));
	line('memory / uncompressed data', (memory / page.raw).toFixed(1), '', '', '10');
}

console.log(`  ${os.cpus().length} processors, ${os.loadavg()[0].toFixed(1)} busy before`);
line('', 'page', release ? 'speedscope' : '', release ? 'ratio' : '', 'wanted: at most');
for (const n of sizes)
	await compareBoth(n);
await fullPage(Math.max(...sizes));
