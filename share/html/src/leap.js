// From a function in one view to the views of that function.

import { button } from './dom.js';

/** Shows function f: key s for its callers and callees. False if there is no such view. */
export function leap(app, key, f) {
	if (key !== 's')
		return false;
	app.set({ view: 'sandwich', fn: f, sort: '' });
	return true;
}

/** The buttons for it; act gets the key. */
export function leaps(id, app, act) {
	return [
		button(`${id}-sandwich`, 'Callers and callees',
			'Show the callers and callees of the function (s)', () => act('s')),
	];
}
