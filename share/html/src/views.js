// The list of all views.

import { FlatView } from './flat.js';
import { BottomUpView, TopDownView } from './trees.js';
import { FlameView } from './flame.js';
import { SandwichView } from './sandwich.js';
import { SourceView } from './source.js';
import { StatsView } from './stats_view.js';

/** A new view is a class and a row here; when says whether a profile has what it shows. */
const VIEWS = [
	{id: 'flat', label: 'Flat', make: (app) => new FlatView(app)},
	{id: 'topdown', label: 'Top-down', make: (app) => new TopDownView(app)},
	{id: 'bottomup', label: 'Bottom-up', make: (app) => new BottomUpView(app)},
	{id: 'flame', label: 'Flame graph', make: (app) => new FlameView(app)},
	{id: 'sandwich', label: 'Callers and callees', make: (app) => new SandwichView(app)},
	{
		id: 'source',
		label: 'Source',
		when: (profile) => profile.has('lines') && profile.files.length > 0,
		make: (app) => new SourceView(app)
	},
	{
		id: 'stats',
		label: 'Statistics',
		when: (profile) => profile.units.length > 1,
		make: (app) => new StatsView(app)
	},
];

/** The views of a profile. */
export function viewsOf(profile) {
	return VIEWS.filter(({ when }) => !when || when(profile));
}
