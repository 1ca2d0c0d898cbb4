// What the three tables share.

import { button, el, select } from './dom.js';
import { Table, copy } from './table.js';
import { eachText } from './activations.js';
import { csv, download, fileName } from './export.js';
import { leap, leaps } from './leap.js';
import { matcher } from './search.js';
import { comparedCell, comparedSort, isCompared, movedText } from './compared.js';
import { baseName, exact, headOf, percent } from './format.js';

export const SELF = {
	key: 'self',
	label: 'Self',
	kind: 'number',
	title: 'What was recorded in the code of the function itself'
};
export const TOTAL = {
	key: 'total',
	label: 'Total',
	kind: 'number',
	title: 'What was recorded in it and in all that it called; a call path counts once'
};
export const SAMPLES = {
	key: 'samples',
	label: 'Samples',
	kind: 'number',
	title: 'Samples in the code of the function itself'
};
export const KERNEL = {
	key: 'kernel',
	label: 'Kernel',
	kind: 'number',
	title: 'The part of the total that was spent in the kernel'
};
export const FUNCTION = {
	key: 'function',
	label: 'Function',
	kind: 'name',
	title: 'Function'
};
export const MODULE = {
	key: 'module',
	label: 'Module',
	kind: 'text',
	title: 'Load module'
};
export const PLACE = {
	key: 'place',
	label: 'Source',
	kind: 'text',
	title: 'Where the function begins'
};

/** Columns of text. */
const TEXTS = new Set(['function', 'module', 'place']);

/** Columns of numbers that are not of the metric. */
const COUNTS = new Set(['samples', 'activations', 'present', 'imbalance', 'ratio']);

/** Filters, sorting, a row's actions and CSV. */
export class TableView {
	constructor(app, { id, label, tree, columns, sort, about }) {
		this.app = app;
		this.id = id;
		this.defaultSort = sort;
		this.columns = columns;
		this.table = new Table({
			id: `${id}-table`,
			label,
			tree,
			columns,
			on: {
				sort: (key) => this.sortBy(key),
				toggle: (row) => this.toggle(row),
				key: (event, row) => this.key(event, row),
			}
		});
		this.status = el('span', { class: 'status', id: `${id}-status` });
		this.element = el('section', { class: 'view' }, this.tools(),
			el('p', { class: 'about' }, about, ' ', this.status), this.table.outer);
	}

	tools() {
		const { id, app } = this;
		this.filter = el('input', {
			type: 'search',
			id: `${id}-filter`,
			spellcheck: 'false',
			autocomplete: 'off',
			placeholder: 'name or /expression/',
			maxlength: 10000,
			oninput: () => app.set({ filter: this.filter.value }, { replace: true })
		});
		const module = select(`${id}-module`, 'Module', this.modules(),
			(value) => app.set({ module: Number(value) }));
		this.module = module.lastChild;
		return el('div', { class: 'tools' }, el('label', {}, 'Filter ', this.filter),
			module, ...this.noiseTools(), ...this.treeTools(),
			el('span',
				{ class: 'group', role: 'group', 'aria-label': 'The selected row' },
				button(`${id}-copy-name`, 'Copy name', 'Copy the name (c)',
					() => this.act('c')),
				button(`${id}-copy-path`, 'Copy path',
					'Copy the call path, a function a line (p)',
					() => this.act('p')),
				button(`${id}-flame`, 'Flame graph', 'Show in the flame graph (f)',
					() => this.act('f')),
				...this.rowTools(),
				...leaps(id, app, (key) => this.act(key))),
			button(`${id}-csv`, 'CSV', 'Save these rows as a CSV file',
				() => this.save()));
	}

	/** What is shown only where it leads to another view. */
	rowTools() {
		return [button(`${this.id}-topdown`, 'Top-down',
			'Show the heaviest call path in the top-down table (t)',
			() => this.act('t'))];
	}

	treeTools() {
		return [];
	}

	/** Of a comparison: which rows are shown. */
	noiseTools() {
		if (!this.app.compare)
			return [];
		const rows = select(`${this.id}-noise`, 'Rows',
			[['all', 'all'], ['beyond', 'beyond noise']],
			(value) => this.app.set({ noise: value }));
		this.noise = rows.lastChild;
		return [rows];
	}

	/** What else the rows depend on, as a text. */
	get extra() {
		return '';
	}

	/** Modules by their share, heaviest first. */
	modules() {
		const { app } = this, sums = new Float64Array(app.profile.modules.length);
		const { self } = app.flat(), { total, scale } = app.values;
		app.profile.functions.module.forEach((m, f) => {
			if (m >= 0)
				sums[m] += self[f];
		});
		const order = [...sums.keys()].sort((a, b) => sums[b] - sums[a]);
		const text = (m) => {
			const share = percent(sums[m] * scale, total);
			return `${share} ${baseName(app.profile.modules[m])}`;
		};
		return [[-1, 'all'], ...order.map((m) => [m, text(m)])];
	}

	show() {
		this.update();
	}

	hide() {}

	update() {
		const { state, valuesKey: values } = this.app;
		const data = JSON.stringify(
			[values, state.filter, state.module, state.noise, this.extra]);
		if (this.noise)
			this.noise.value = state.noise;
		if (this.filter.value !== state.filter)
			this.filter.value = state.filter;
		this.filter.setAttribute(
			'aria-invalid', matcher(state.filter).error ? 'true' : 'false');
		if (this.shownValues !== values)
			this.module.replaceChildren(...this.modules().map(
				([value, text]) => el('option', { value }, text)));
		this.module.value = String(state.module);
		const key = state.sort.replace('-', '');
		const known = this.columns.some((c) => c.key === key);
		this.sort = known ? { key, rising: state.sort.startsWith('-') }
				  : { key: this.defaultSort, rising: false };
		this.table.showSort(this.sort.key, this.sort.rising);
		const order = `${this.sort.key} ${this.sort.rising}`;
		if (this.shownData !== data)
			this.refresh();
		else if (this.shownOrder !== order)
			this.reorder();
		else
			this.table.paint();
		this.shownValues = values;
		this.shownData = data;
		this.shownOrder = order;
	}

	/** How rows compare by the sorted column. Equal ones stay in the order of their ids. */
	comparer() {
		const sign = this.sort.rising ? 1 : -1, value = this.sortKey();
		return (a, b) => sign * (value(a) - value(b)) || a - b;
	}

	/** What rows are sorted by: a function from ids to numbers. */
	sortKey() {
		const { key } = this.sort, rank = TEXTS.has(key) && this.app.rank(key);
		return rank ? (id) => rank[this.functionOf(id)]
			: isCompared(key) ? comparedSort(key, (id, other) => this.sides(id, other))
					  : this.sortValue(key);
	}

	sortBy(key) {
		const text = TEXTS.has(key), first = text ? `-${key}` : key;
		const other = text ? key : `-${key}`;
		const now = `${this.sort.rising ? '-' : ''}${this.sort.key}`;
		this.app.set({ sort: now === first ? other : first });
	}

	/** The cell of a column for an id: {text, title, share}. */
	cell(key, id) {
		const { app } = this, p = app.profile, f = this.functionOf(id);
		if (key === 'function')
			return { text: app.name(f) };
		if (key === 'module')
			return { text: baseName(p.moduleName(f)), title: p.moduleName(f) };
		if (key === 'place')
			return { text: baseName(p.place(f)), title: p.place(f) };
		if (isCompared(key))
			return this.comparedCell(key, id);
		if (key === 'activations')
			return this.activationCell(id);
		const v = this.value(key, id);
		if (key === 'each')
			return { text: v ? this.eachText(id) : '' };
		if (key === 'samples')
			return { text: v ? exact(v) : '' };
		const { total, scale } = app.values, x = v * scale;
		return {
			text: v ? app.text(v) : '',
			share: total ? x / total : 0,
			title: app.inFull(v)
		};
	}

	activationCell(id) {
		const counts = this.app.activations, c = counts && this.activationsOf(id);
		return c?.entered ? { text: exact(c.entered), title: counts.ends(c) } : { text: '' };
	}

	eachText(id) {
		const { app } = this, { entered } = this.activationsOf(id);
		return eachText(entered, app.timeOfCalls(this.ofActivations(id), this.inFramesOf(id)));
	}

	/** Of an id: its activations, or the value of one; 0 if it is not known. */
	activationValue(key, id) {
		const { app } = this, n = app.activations ? this.activationsOf(id).entered : 0;
		return key === 'activations' ? n
			: n && app.areOfActivations ? this.ofActivations(id) / n : 0;
	}

	comparedCell(key, id) {
		const { app } = this, other = key === 'other';
		const cell = comparedCell(app, key, this.sides(id, other), this.beyond(id, other));
		const moved = key === 'change' ? movedText(app, this.functionOf(id)) : '';
		if (moved)
			cell.title += `; ${moved}`;
		return cell;
	}

	model(count, idOf, info) {
		return {
			count,
			cells: (row) => this.columns.map((c) => this.cell(c.key, idOf(row))),
			info: (row) => {
				const id = idOf(row), { hits } = this.app.matching();
				return {
					id,
					hit: hits && hits[this.functionOf(id)],
					...(info ? info(id) : {})
				};
			}
		};
	}

	emptyText() {
		return this.app.values.total ? 'Nothing passes the filters.'
					     : 'Nothing was recorded.';
	}

	toggle() {}

	key(event, row) {
		return this.act(event.key, row);
	}

	/** A row's action by its key; true if there is one. */
	act(key, row = this.table.active) {
		const { app } = this;
		if (!this.table.model.count)
			return false;
		const id = this.idAt(row), name = app.profile.functions.name[this.functionOf(id)];
		if (key === 'c')
			copy(app, name, name.length > 100 ? 'name' : name);
		else if (key === 'p')
			copy(app,
				this.pathOf(id)
					.map((f) => app.profile.functions.name[f])
					.join('\n'),
				'call path');
		else if (key === 'f')
			app.set(this.inFlame(id));
		else if (key === 't' && this.id !== 'topdown')
			app.set({
				view: 'topdown',
				node: this.nodeOf(id),
				filter: '',
				module: -1,
				sort: ''
			});
		else
			return leap(app, key, this.functionOf(id));
		return true;
	}

	save() {
		const { model } = this.table, { app } = this;
		const self = this;
		const rows = function*() {
			yield [...(self.table.tree ? ['depth'] : []),
				...self.columns.map(
					(c) => (c.kind === 'number' && !COUNTS.has(c.key)
							? headOf(c.key, app.values.unit)
							: c.key))];
			for (let r = 0; r < model.count; r++) {
				const id = self.idAt(r);
				yield [...(self.table.tree ? [model.info(r).depth] : []),
					...self.columns.map((c) => self.exportValue(c.key, id))];
			}
		};
		download(fileName(app.profile.title, this.id, 'csv'), 'text/csv', csv(rows()));
	}

	exportValue(key, id) {
		const f = this.functionOf(id), p = this.app.profile;
		if (isCompared(key)) {
			const sides = this.sides(id, key === 'other'), { scale } = this.app.values;
			return key === 'ratio' ? sides.after / sides.before
				: sides[key === 'other' ? 'change' : key] * scale;
		}
		return key === 'function'   ? p.functions.name[f]
			: key === 'module'  ? p.moduleName(f)
			: key === 'place'   ? p.place(f)
			: COUNTS.has(key)   ? this.value(key, id)
					    : this.value(key, id) * this.app.values.scale;
	}

	/** Selects the next row that the search matches; false if there is none. */
	step(direction) {
		const { hits } = this.app.matching(), n = this.table.model.count;
		for (let k = 1; k <= n; k++) {
			const row = (((this.table.active + direction * k) % n) + n) % n;
			if (hits && hits[this.functionOf(this.idAt(row))]) {
				this.table.select(row);
				return true;
			}
		}
		return false;
	}
}
