// Start: read the data, make the views, and connect them to the state.

import { App } from './app.js';
import { DataError, Profile, inflate } from './data.js';
import { byId, el } from './dom.js';
import { Header } from './header.js';
import { viewsOf } from './views.js';

async function read() {
	const source = byId('profile');
	if (!source)
		throw new DataError('it has no data');
	const meta = JSON.parse(source.textContent), columns = {}, sources = {};
	await Promise.all([...document.querySelectorAll('script.column')].map(async (e) => {
		// Texts are decoded when they are looked at.
		if (e.id.startsWith('source-')) {
			sources[e.id.slice(7)] = () => inflate(e.textContent);
			return;
		}
		try {
			columns[e.id] = await inflate(e.textContent);
		} catch (error) {
			throw new DataError(`column ${e.id} is damaged`);
		}
	}));
	performance.mark('unpacked');
	const profile = new Profile(meta, columns, sources);
	performance.mark('decoded');
	return profile;
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

function start(profile) {
	const app = new App(profile, viewsOf(profile).map((v) => v.id));
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
		if (typeof DecompressionStream === 'undefined')
			throw new DataError(
				'this browser is too old: it has no DecompressionStream');
		start(await read());
		performance.mark('shown');
		document.documentElement.dataset.ready = 'true';
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
