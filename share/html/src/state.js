// What is shown, as it stands in the URL's fragment: #view=flame&metric=CPUTIME&zoom=12. A node's
// number stays valid in all copies of a page, and so does a path of functions' numbers; a page of
// another measurement has other numbers. What is broken or unknown is ignored.

import { formatChosen, parseChosen } from './units.js';

export const DEFAULTS = Object.freeze({
	view: 'flat',
	metric: 0, // index; its name in the fragment
	of: 'events',
	side: 'after', // of a comparison
	units: '', // the chosen ones, as in units.js; or all
	as: 'percent',
	q: '', // search
	filter: '', // name filter of the tables
	module: -1, // module filter of the tables; its name in the fragment
	noise: 'all', // of a comparison: all rows of the tables, or those beyond noise
	sort: '', // column of the table, with - before it for rising order
	zoom: '', // node, or f and a path of functions' numbers (f12.7) in the inverted flame graph
	node: -1, // row to show in the top-down table
	fn: -1, // the function whose callers and callees are shown
	file: -1, // the source file that is shown; its name in the fragment
	line: 0, // and the line
	by: 'unit', // what statistics compare
	what: 'self', // of which value
	strip: 'given', // order of the bars
	root: 'top',
	order: 'calls', // or 'callers': inverted
	color: 'auto', // by change in a comparison, else by module
	theme: 'system',
});

const CHOICES = {
	of: ['events', 'samples'],
	side: ['after', 'before', 'grown', 'shrunk'],
	noise: ['all', 'beyond'],
	as: ['percent', 'value'],
	by: ['unit', 'process', 'program', 'thread', 'rank', 'host'],
	what: ['self', 'total'],
	strip: ['given', 'sorted'],
	root: ['top', 'bottom'],
	order: ['calls', 'callers'],
	color: ['module', 'function', 'kernel', 'change'],
	theme: ['system', 'light', 'dark'],
};

function number(text, limit) {
	return /^\d{1,15}$/.test(text) && Number(text) < limit ? Number(text) : -1;
}

function readZoom(text, profile) {
	if (number(text, profile.tree.count) >= 0)
		return String(Number(text));
	const path = text.startsWith('f') ? text.slice(1).split('.') : [];
	return path.length && path.every((f) => number(f, profile.functionCount) >= 0) ? text : '';
}

const READERS = {
	view: (text, profile, views) => (views.includes(text) ? text : null),
	metric: (text, profile) => profile.metrics.findIndex((m) => m.name === text),
	units: (text, { units }) =>
		(units.length ? formatChosen(parseChosen(text, units.length)) : null),
	q: (text) => text,
	filter: (text) => text,
	module: (text, profile) => profile.modules.indexOf(text),
	file: (text, profile) => profile.files.indexOf(text),
	line: (text) => number(text, 2 ** 31),
	sort: (text) => (/^-?[a-z]{1,20}$/.test(text) ? text : null),
	zoom: readZoom,
	node: (text, profile) => number(text, profile.tree.count),
	fn: (text, profile) => number(text, profile.functionCount),
};

/** The state that a fragment (with or without #) describes. views are the views' names. */
export function parseState(fragment, profile, views) {
	const state = { ...DEFAULTS };
	const given = new URLSearchParams(fragment.replace(/^#/, ''));

	for (const [key, text] of given) {
		if (!Object.hasOwn(DEFAULTS, key))
			continue;
		const value = CHOICES[key] ? (CHOICES[key].includes(text) ? text : null)
					   : READERS[key](text, profile, views);
		if (value !== null && value !== -1)
			state[key] = value;
	}
	return consistent(state);
}

/**
 * A zoom belongs to one order of the flame graph, a node to the top-down table, a line to source.
 */
export function consistent(state) {
	if (state.view !== 'topdown')
		state.node = -1;
	if (state.view !== 'source' || state.file < 0)
		state.line = 0;
	if (state.zoom && state.zoom.startsWith('f') !== (state.order === 'callers'))
		state.zoom = '';
	return state;
}

/** The fragment, without #, of a state: what differs from the default. */
export function formatState(state, profile) {
	const out = new URLSearchParams();

	for (const key of Object.keys(DEFAULTS)) {
		if (state[key] === DEFAULTS[key])
			continue;
		out.append(key,
			key === 'metric'	   ? profile.metrics[state.metric].name
				: key === 'module' ? profile.modules[state.module]
				: key === 'file'   ? profile.files[state.file]
						   : state[key]);
	}
	return out.toString();
}
