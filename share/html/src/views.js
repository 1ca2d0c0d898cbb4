// The list of all views.

import { FlatView } from './flat.js';
import { BottomUpView, TopDownView } from './trees.js';
import { FlameView } from './flame.js';

/** A new view is a class and a row here. */
export const VIEWS = [
	{id: 'flat', label: 'Flat', make: (app) => new FlatView(app)},
	{id: 'topdown', label: 'Top-down', make: (app) => new TopDownView(app)},
	{id: 'bottomup', label: 'Bottom-up', make: (app) => new BottomUpView(app)},
	{id: 'flame', label: 'Flame graph', make: (app) => new FlameView(app)},
];
