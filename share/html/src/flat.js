// The flat table.

import { FUNCTION, KERNEL, MODULE, PLACE, SAMPLES, SELF, TOTAL, TableView } from './table_view.js';
import { ACTIVATION_KEYS, activationColumns } from './activations.js';
import { SELF_BEYOND, TOTAL_BEYOND } from './compare.js';
import { comparedColumns, otherChange } from './compared.js';
import { inOrder } from './rows.js';
import { queryFor } from './search.js';
import { exact, plural } from './format.js';

/** Functions. An id is the number of a function. */
export class FlatView extends TableView {
	constructor(app, options) {
		super(app, options ?? {
			id: 'flat',
			label: 'Functions',
			tree: false,
			sort: app.compare ? 'change' : 'self',
			columns: app.compare
				? [
					  ...comparedColumns('self'), otherChange('total'),
					  FUNCTION, MODULE, PLACE
				  ]
				: [
					  SELF, TOTAL, ...activationColumns(app.profile), SAMPLES, KERNEL,
					  FUNCTION, MODULE, PLACE
				  ],
			about: 'Functions, wherever they were called.'
		});
	}

	refresh() {
		const { app } = this, { self, total } = app.flat(), pass = app.passing();
		const { second } = app.values;
		const list = new Int32Array(self.length);
		const kept = this.table.model.count ? this.rows[this.table.active] : -1;
		let n = 0, all = 0;

		for (let f = 0; f < self.length; f++)
			if (total[f] || self[f] || (second && this.onEitherSide(f))) {
				all++;
				if (!pass || pass[f])
					list[n++] = f;
			}
		this.ids = list.subarray(0, n);
		this.orders = new Map();
		this.rows = this.inOrder();
		this.table.active = Math.max(0, this.rows.indexOf(kept));
		this.status.textContent = n === all ? `${plural(n, 'function')}.`
						    : `${exact(n)} of ${exact(all)} functions.`;
		this.table.setModel(this.model(n, (row) => this.rows[row]), this.emptyText());
	}

	/** The ids as they are sorted now; an order is kept as long as the ids and values are. */
	inOrder() {
		const { key, rising } = this.sort, order = `${key} ${rising}`;
		if (!this.orders.has(order))
			this.orders.set(order, inOrder(this.ids, this.sortKey(), rising));
		return this.orders.get(order);
	}

	reorder() {
		const kept = this.rows[this.table.active];
		this.rows = this.inOrder();
		this.table.active = Math.max(0, this.rows.indexOf(kept));
		this.table.paint();
	}

	sortValue(key) {
		const values = ACTIVATION_KEYS.has(key) ? null : this.app.flat()[key];
		return values ? (f) => values[f] : (f) => this.activationValue(key, f);
	}

	/** {before, after, change} of self, or of the total. */
	sides(f, other) {
		const { before, after } = this.app.sides(), kind = other ? 'total' : 'self';
		const b = before[kind][f], a = after[kind][f];
		return { before: b, after: a, change: this.app.changeOf(b, a, this.app.flat()[kind][f]) };
	}

	onEitherSide(f) {
		const { before, after } = this.app.sides();
		return before.total[f] > 0 || after.total[f] > 0;
	}

	beyond(f, other) {
		return (this.app.compare.marks[f] & (other ? TOTAL_BEYOND : SELF_BEYOND)) !== 0;
	}

	idAt(row) {
		return this.rows[row];
	}

	functionOf(id) {
		return id;
	}

	value(key, id) {
		return ACTIVATION_KEYS.has(key) ? this.activationValue(key, id) : this.app.flat()[key][id];
	}

	activationsOf(f) {
		return this.app.activations.ofFunction(f);
	}

	/** The value of all activations: one on a path above itself counts again. */
	ofActivations(f) {
		return this.app.flat().frames[f];
	}

	inFramesOf(f) {
		return this.app.flat().inFrames[f];
	}

	pathOf(id) {
		return this.app.tree.path(this.nodeOf(id)).map((i) => this.app.tree.fn[i]);
	}

	/** The context with the largest total. */
	nodeOf(f) {
		const { tree } = this.app, { prefix } = this.app.values;
		let best = -1, most = -1;
		for (let i = 0; i < tree.count; i++)
			if (tree.fn[i] === f && prefix[tree.end[i]] - prefix[i] > most) {
				best = i;
				most = prefix[tree.end[i]] - prefix[i];
			}
		return best;
	}

	inFlame(f) {
		const q = queryFor(this.app.profile.functions.name[f]);
		return { view: 'flame', order: 'calls', zoom: '', q };
	}
}
