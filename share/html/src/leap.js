// From a function in one view to the views of that function.

import { button } from './dom.js';

/**
 * Shows function f: key s for its callers and callees, o for its source. False if there is no such
 * view.
 */
export function leap(app, key, f) {
	const { file, line } = app.profile.functions;
	if (key === 's')
		app.set({ view: 'sandwich', fn: f, sort: '' });
	else if (key !== 'o' || !app.viewNames.includes('source'))
		return false;
	else if (file[f] < 0)
		app.say('Its source file is not known.');
	else
		app.set({ view: 'source', file: file[f], line: line[f], sort: '' });
	return true;
}

/** The buttons for it; act gets the key. */
export function leaps(id, app, act) {
	const out = [
		button(`${id}-sandwich`, 'Callers and callees',
			'Show the callers and callees of the function (s)', () => act('s')),
	];
	if (app.viewNames.includes('source'))
		out.push(button(`${id}-source`, 'Source', 'Show where the function begins (o)',
			() => act('o')));
	return out;
}
