// Start: read the data, make the views, and connect them to the state.

import { App } from './app.js';
import { DataError, Profile, inflate } from './data.js';
import { byId, el } from './dom.js';
import { Header } from './header.js';
import { pause, settle } from './slices.js';
import { viewsOf } from './views.js';

// The first view needs these columns.
const FIRST = new Set(['pops', 'functions', 'names', 'samples-0', 'events-0', 'compare-functions',
	'compare-nodes', 'activations']);

// Characters; a smaller column is read at once.
const SMALL = 300000;

/** Calls compute when it is first called, and then returns the same. */
function once(compute) {
	let value;
	return () => value ??= compute();
}

async function readColumn(e, wait) {
	try {
		return await inflate(e.textContent, wait);
	} catch (error) {
		throw new DataError(`column ${e.id} is damaged`);
	}
}

async function read() {
	performance.mark('started');
	const source = byId('profile');
	if (!source)
		throw new DataError('it has no data');
	const meta = JSON.parse(source.textContent), columns = {}, sources = {}, later = {};
	await Promise.all([...document.querySelectorAll('script.column')].map(async (e) => {
		// Texts are decoded when they are looked at.
		if (e.id.startsWith('source-'))
			sources[e.id.slice(7)] = () => inflate(e.textContent, pause);
		else if (FIRST.has(e.id) || e.textContent.length < SMALL)
			columns[e.id] = await readColumn(e);
		else
			later[e.id] = once(() => readColumn(e, pause));
	}));
	performance.mark('unpacked');
	const profile = new Profile(meta, columns, sources, later);
	performance.mark('decoded');
	return profile;
}

const idle = () =>
	new Promise((resolve) => (window.requestIdleCallback ?? window.setTimeout)(resolve));

/**
 * When the browser has nothing else to do: reads the columns that have not been needed, and
 * computes what a search needs. What is wrong is said later.
 */
async function readAhead(app) {
	await idle();
	app.flat().read('contexts');
	for (const name of Object.keys(app.profile.later)) {
		await idle();
		await settle(app.profile.load([name])).catch(() => {});
	}
}

/** Makes a view when it is first shown. */
function switcher(app) {
	const views = new Map(), place = byId('views'), list = viewsOf(app.profile);
	const panels = new Map(list.map((v) => [v.id, el('div', {
		id: `view-${v.id}`,
		role: 'tabpanel',
		'aria-labelledby': `tab-${v.id}`,
		hidden: true
	})]));

	place.append(...panels.values());
	return (changed, before) => {
		const { view } = app.state;
		const first = !app.shown || changed.has('view');
		if (first) {
			app.shown?.hide();
			for (const [id, panel] of panels)
				panel.hidden = id !== view;
			if (!views.has(view)) {
				views.set(view, list.find((v) => v.id === view).make(app));
				panels.get(view).append(views.get(view).element);
			}
			app.shown = views.get(view);
			app.shown.show();
		} else {
			app.shown.update(changed, before);
		}
	};
}

async function start(profile) {
	const app = new App(profile, viewsOf(profile).map((v) => v.id));
	await app.begin();
	const show = switcher(app), header = new Header(app);

	byId('app').hidden = false;
	byId('message').hidden = true;
	byId('message').textContent = '';
	show(new Set(['view']));
	app.onChange((changed, before) => {
		header.update(changed);
		show(changed, before);
	});
	return app;
}

async function main() {
	const summary = byId('summary'), message = byId('message');

	summary.hidden = true;
	message.textContent = 'Reading the profile…';
	try {
		const app = await start(await read());
		performance.mark('shown');
		document.documentElement.dataset.ready = 'true';
		readAhead(app);
	} catch (e) {
		byId('app').hidden = true;
		message.hidden = false;
		message.className = 'error';
		const why = e instanceof DataError ? e.message
			: `the data cannot be read (${e.message})`;
		message.textContent = `The page cannot be shown: ${why}. The text report follows.`;
		summary.hidden = false;
		document.documentElement.dataset.ready = 'error';
	}
}

main();
