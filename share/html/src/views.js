// The tables: flat, top-down and bottom-up; and the list of all views.

import { button, el, select } from './dom.js';
import { Table, copy } from './table.js';
import { TreeRows } from './rows.js';
import { callers, grouper, groups, leaves } from './merge.js';
import { nextMatch } from './search.js';
import { csv, download, fileName } from './export.js';
import { baseName, exact, exactValue, percent, scaled } from './format.js';
import { FlameView } from './flame.js';

const SELF = { key: 'self', label: 'Self', kind: 'number',
	title: 'What was recorded in the code of the function itself' };
const TOTAL = { key: 'total', label: 'Total', kind: 'number',
	title: 'What was recorded in it and in all that it called; a call path counts once' };
const SAMPLES = { key: 'samples', label: 'Samples', kind: 'number',
	title: 'Samples in the code of the function itself' };
const KERNEL = { key: 'kernel', label: 'Kernel', kind: 'number',
	title: 'The part of the total that was spent in the kernel' };
const FUNCTION = { key: 'function', label: 'Function', kind: 'name', title: 'Function' };
const MODULE = { key: 'module', label: 'Module', kind: 'text', title: 'Load module' };
const PLACE = { key: 'place', label: 'Source', kind: 'text', title: 'Where the function begins' };

/** What the three tables share: filters, sorting, a row's actions, CSV. */
class TableView {
	constructor(app, { id, label, tree, columns, sort, about }) {
		this.app = app;
		this.id = id;
		this.defaultSort = sort;
		this.columns = columns;
		this.table = new Table({ id: `${id}-table`, label, tree, columns, on: {
			sort: (key) => this.sortBy(key),
			select: (row) => this.selected(row),
			toggle: (row) => this.toggle(row),
			key: (event, row) => this.key(event, row),
		} });
		this.status = el('span', { class: 'status', id: `${id}-status` });
		this.element = el('section', { class: 'view' }, this.tools(),
			el('p', { class: 'about' }, about, ' ', this.status), this.table.outer);
	}

	tools() {
		const { id, app } = this;
		this.filter = el('input', { type: 'search', id: `${id}-filter`, spellcheck: 'false',
			autocomplete: 'off', placeholder: 'name or /expression/', maxlength: 10000,
			oninput: () => app.set({ filter: this.filter.value }, { replace: true }) });
		const module = select(`${id}-module`, 'Module', this.modules(),
			(value) => app.set({ module: Number(value) }));
		this.module = module.lastChild;
		return el('div', { class: 'tools' },
			el('label', {}, 'Filter ', this.filter), module, ...this.treeTools(),
			el('span', { class: 'group', role: 'group', 'aria-label': 'The selected row' },
				button(`${id}-copy-name`, 'Copy name', 'Copy the name (c)', () => this.act('c')),
				button(`${id}-copy-path`, 'Copy path', 'Copy the call path, a function a line (p)',
					() => this.act('p')),
				button(`${id}-flame`, 'Flame graph', 'Show in the flame graph (f)', () => this.act('f')),
				id === 'topdown' ? '' : button(`${id}-topdown`, 'Top-down',
					'Show the heaviest call path in the top-down table (t)', () => this.act('t'))),
			button(`${id}-csv`, 'CSV', 'Save these rows as a CSV file', () => this.save()));
	}

	treeTools() {
		return [];
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
		return [[-1, 'all'], ...order.map((m) => [m,
			`${percent(sums[m] * scale, total)} ${baseName(app.profile.modules[m])}`])];
	}

	show() {
		this.update(new Set(['metric', 'filter', 'sort']));
	}

	hide() {}

	update(changed) {
		const { state } = this.app;
		if (this.filter.value !== state.filter)
			this.filter.value = state.filter;
		this.filter.setAttribute('aria-invalid', 'false');
		if (changed.has('metric') || changed.has('of'))
			this.module.replaceChildren(...this.modules().map(([value, text]) =>
				el('option', { value }, text)));
		this.module.value = String(state.module);
		const key = state.sort.replace('-', '');
		const known = this.columns.some((c) => c.key === key);
		this.sort = known ? { key, rising: state.sort.startsWith('-') }
			: { key: this.defaultSort, rising: false };
		this.table.showSort(this.sort.key, this.sort.rising);
		this.refresh(changed);
	}

	sortBy(key) {
		const text = key === 'function' || key === 'module' || key === 'place';
		const first = text ? `-${key}` : key, other = text ? key : `-${key}`;
		const now = `${this.sort.rising ? '-' : ''}${this.sort.key}`;
		this.app.set({ sort: now === first ? other : first });
	}

	/** Compares ids by the sorted column; equal ones stay in the order of ids. */
	comparer() {
		const { key, rising } = this.sort, value = (id) => this.sortValue(key, id);
		const sign = rising ? 1 : -1;
		return (a, b) => {
			const x = value(a), y = value(b);
			return x === y ? a - b : x < y ? -sign : sign;
		};
	}

	sortValue(key, id) {
		const f = this.functionOf(id), p = this.app.profile;
		return key === 'function' ? p.functions.name[f] : key === 'module' ? baseName(p.moduleName(f))
			: key === 'place' ? p.place(f) : this.value(key, id);
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
		const v = this.value(key, id);
		if (key === 'samples')
			return { text: v ? exact(v) : '' };
		const { total, scale, unit } = app.values, x = v * scale;
		return { text: v ? app.text(v) : '', share: total ? x / total : 0,
			title: `${percent(x, total)}, ${scaled(x, unit)} (${exactValue(x, unit)})` };
	}

	model(count, idOf, info) {
		const { hits } = this.app.matching();
		return { count,
			cells: (row) => this.columns.map((c) => this.cell(c.key, idOf(row))),
			info: (row) => {
				const id = idOf(row);
				return { id, hit: hits && hits[this.functionOf(id)], ...(info ? info(id) : {}) };
			} };
	}

	selected(row) {
		this.app.selectedFunction = this.functionOf(this.idAt(row));
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
			copy(app, this.pathOf(id).map((f) => app.profile.functions.name[f]).join('\n'), 'call path');
		else if (key === 'f')
			app.set(this.inFlame(id));
		else if (key === 't' && this.id !== 'topdown')
			app.set({ view: 'topdown', node: this.nodeOf(id), filter: '', module: -1, sort: '' });
		else
			return false;
		return true;
	}

	save() {
		const { model } = this.table, { app } = this;
		const self = this;
		const rows = function* () {
			yield [...(self.table.tree ? ['depth'] : []), ...self.columns.map((c) =>
				(c.kind === 'number' && c.key !== 'samples' ? `${c.key} (${app.values.unit})` : c.key))];
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
		return key === 'function' ? p.functions.name[f] : key === 'module' ? p.moduleName(f)
			: key === 'place' ? p.place(f) : key === 'samples' ? this.value(key, id)
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

/** Functions. An id is the number of a function. */
class FlatView extends TableView {
	constructor(app) {
		super(app, { id: 'flat', label: 'Functions', tree: false, sort: 'self',
			columns: [SELF, TOTAL, SAMPLES, KERNEL, FUNCTION, MODULE, PLACE],
			about: 'Functions, wherever they were called.' });
	}

	refresh() {
		const { app } = this, { self, total } = app.flat(), pass = app.passing();
		const list = new Int32Array(self.length), kept = this.table.model.count
			? this.rows[this.table.active] : -1;
		let n = 0, all = 0;

		for (let f = 0; f < self.length; f++)
			if (total[f] || self[f]) {
				all++;
				if (!pass || pass[f])
					list[n++] = f;
			}
		this.rows = list.subarray(0, n);
		const order = Array.from(this.rows).sort(this.comparer());
		this.rows.set(order);
		this.table.active = Math.max(0, this.rows.indexOf(kept));
		this.status.textContent = n === all ? `${exact(n)} functions.`
			: `${exact(n)} of ${exact(all)} functions.`;
		this.table.setModel(this.model(n, (row) => this.rows[row]), 'No function passes the filters.');
	}

	idAt(row) {
		return this.rows[row];
	}

	functionOf(id) {
		return id;
	}

	value(key, id) {
		return this.app.flat()[key][id];
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
		const name = this.app.profile.functions.name[f];
		const q = name.startsWith('/') ? `/^${name.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')}$/` : name;
		return { view: 'flame', order: 'calls', zoom: '', q };
	}
}

/** What the two tree tables share. Subclasses make a source for rows.js. */
class TreeView extends TableView {
	treeTools() {
		const { id } = this;
		return [button(`${id}-hot`, 'Hot path', 'Open the heaviest path from here (h or *)',
			() => this.act('h')),
		button(`${id}-close`, 'Close all', 'Close all rows', () => this.closeAll())];
	}

	refresh(changed) {
		const fresh = !this.tree || ['metric', 'of', 'filter', 'module'].some((k) => changed.has(k));
		const key = `${this.app.state.metric} ${this.app.state.of} ${this.app.state.filter} ` +
			`${this.app.state.module}`;
		if (fresh && key !== this.key_) {
			this.key_ = key;
			this.source = this.makeSource();
			this.tree = new TreeRows(this.source, this.order());
			this.openFirst();
		} else if (changed.has('sort')) {
			// What takes long to sort is closed.
			this.tree.compare = this.order();
			if (this.tree.count > 200000)
				this.tree.closeAll();
			else
				this.tree.rebuild();
		}
		this.changed();
	}

	order() {
		return this.comparer();
	}

	/** At first the hot path of the heaviest row is open. */
	openFirst() {
		this.table.active = 0;
		if (this.tree.count)
			this.tree.hotPath(0);
	}

	changed() {
		const { source, tree } = this;
		this.status.textContent = `${exact(tree.count)} rows.`;
		this.table.setModel(this.model(tree.count, (row) => tree.ids[row], (id) => ({
			depth: source.depth(id), open: tree.isOpen(id), expandable: source.hasChildren(id) })),
		'Nothing passes the filters.');
	}

	closeAll() {
		this.tree.closeAll();
		this.changed();
		this.table.select(0);
	}

	idAt(row) {
		return this.tree.ids[row];
	}

	toggle(row) {
		if (this.tree.isOpen(this.tree.ids[row]))
			this.tree.collapse(row);
		else
			this.tree.expandChain(row);
		this.changed();
	}

	key(event, row) {
		const id = this.tree.ids[row], open = this.tree.isOpen(id);
		if (event.key === 'ArrowRight') {
			if (!open && this.source.hasChildren(id))
				this.toggle(row);
			else if (open)
				this.table.select(row + 1);
		} else if (event.key === 'ArrowLeft') {
			if (open)
				this.toggle(row);
			else if (this.tree.parentRow(row) >= 0)
				this.table.select(this.tree.parentRow(row));
		} else if (event.key === 'Enter' || event.key === ' ') {
			this.toggle(row);
		} else {
			return this.act(event.key, row);
		}
		return true;
	}

	act(key, row = this.table.active) {
		if (key !== 'h' && key !== '*')
			return super.act(key, row);
		if (!this.tree.count)
			return true;
		const last = this.tree.hotPath(row);
		this.changed();
		this.table.select(last);
		this.table.focus();
		return true;
	}
}

/** Nodes of the tree that have a value, and that filters let pass. */
class NodeSource {
	constructor(tree, prefix, pass) {
		this.tree = tree;
		this.prefix = prefix;
		this.keep = pass && this.withPaths(pass);
	}

	/** Nodes that pass, all above them, and all below. */
	withPaths(pass) {
		const { tree } = this, keep = new Uint8Array(tree.count);
		for (let i = 0; i < tree.count; i++)
			keep[i] = pass[tree.fn[i]] || (tree.parent[i] >= 0 && keep[tree.parent[i]] === 1) ? 1 : 0;
		for (let i = tree.count - 1; i >= 0; i--)
			if (keep[i] && tree.parent[i] >= 0)
				keep[tree.parent[i]] = 1;
		return keep;
	}

	has(i) {
		return this.total(i) > 0 && (!this.keep || this.keep[i] === 1);
	}

	total(i) {
		return this.prefix[this.tree.end[i]] - this.prefix[i];
	}

	depth(i) {
		return this.tree.depth[i];
	}

	children(i) {
		const { tree } = this, list = [];
		for (let c = tree.firstChild(i); c >= 0; c = tree.nextSibling(c))
			if (this.has(c))
				list.push(c);
		return list;
	}

	roots() {
		return this.children(-1);
	}

	hasChildren(i) {
		for (let c = this.tree.firstChild(i); c >= 0; c = this.tree.nextSibling(c))
			if (this.has(c))
				return true;
		return false;
	}
}

/** Call paths from the outermost function. An id is a node. */
class TopDownView extends TreeView {
	constructor(app) {
		super(app, { id: 'topdown', label: 'Call paths, outermost function first', tree: true,
			sort: 'total', columns: [TOTAL, SELF, SAMPLES, FUNCTION, MODULE, PLACE],
			about: 'What each function called, from the outermost one.' });
	}

	treeTools() {
		return [...super.treeTools(), button('topdown-open', 'Open all', 'Open all rows',
			() => this.openAll())];
	}

	makeSource() {
		const { app } = this;
		return new NodeSource(app.tree, app.values.prefix, app.passing());
	}

	openAll() {
		this.tree.open = new Uint8Array(this.app.tree.count).fill(1);
		this.tree.rebuild();
		this.changed();
	}

	update(changed) {
		super.update(changed);
		const { node } = this.app.state;
		if (node >= 0 && node !== this.shownNode)
			this.reveal(node);
		this.shownNode = node;
	}

	reveal(node) {
		const row = this.tree.reveal(this.app.tree.path(node));
		this.changed();
		if (row >= 0)
			this.table.select(row);
		return row >= 0;
	}

	step(direction) {
		const { app } = this, { hits } = app.matching();
		const from = this.tree.count ? this.idAt(this.table.active) : 0;
		const node = hits ? nextMatch(app.tree, app.values.prefix, hits, from, direction, 0,
			app.tree.count) : -1;
		return node >= 0 && this.reveal(node);
	}

	functionOf(id) {
		return this.app.tree.fn[id];
	}

	value(key, id) {
		const prefix = key === 'samples' ? this.app.samples.prefix : this.app.values.prefix;
		return key === 'total' ? this.source.total(id) : prefix[id + 1] - prefix[id];
	}

	cell(key, id) {
		if (key !== 'function')
			return super.cell(key, id);
		return { text: this.app.profile.functions.name[this.functionOf(id)] +
			(this.app.tree.inlined[id] ? ' [inlined]' : '') };
	}

	pathOf(id) {
		return this.app.tree.path(id).map((i) => this.app.tree.fn[i]);
	}

	nodeOf(id) {
		return id;
	}

	inFlame(id) {
		return { view: 'flame', order: 'calls', zoom: String(id) };
	}
}

/** Functions with a self value, and by whom they were called; made when a row is opened. */
class CallerSource {
	constructor(tree, values, samples, functionCount, pass) {
		this.tree = tree;
		this.prefix = values.prefix;
		this.samplePrefix = samples.prefix;
		this.room = grouper(functionCount);
		this.list = [];
		this.top = this.add(groups(tree, this.prefix, leaves(tree, this.prefix), this.room)
			.filter((g) => !pass || pass[g.fn]), -1);
	}

	add(found, parent) {
		const depth = parent < 0 ? 0 : this.list[parent].depth + 1;
		return found.map((g) => this.list.push({ ...g, parent, depth, kids: null }) - 1);
	}

	roots() {
		return this.top.slice();
	}

	children(id) {
		const x = this.list[id];
		x.kids ??= this.add(groups(this.tree, this.prefix, callers(this.tree, x), this.room), id);
		return x.kids.slice();
	}

	hasChildren(id) {
		const x = this.list[id];
		return x.kids ? x.kids.length > 0 : x.at.some((i) => this.tree.parent[i] >= 0);
	}

	total(id) {
		return this.list[id].total;
	}

	depth(id) {
		return this.list[id].depth;
	}

	samples(id) {
		const x = this.list[id], p = this.samplePrefix;
		x.samples ??= x.leaf.reduce((sum, i) => sum + p[i + 1] - p[i], 0);
		return x.samples;
	}

	/** The context with the largest value of its own. */
	heaviest(id) {
		const p = this.prefix, { leaf } = this.list[id];
		return leaf.reduce((best, i) => (p[i + 1] - p[i] > p[best + 1] - p[best] ? i : best), leaf[0]);
	}
}

class BottomUpView extends TreeView {
	constructor(app) {
		super(app, { id: 'bottomup', label: 'Functions and their callers', tree: true, sort: 'self',
			columns: [SELF, SAMPLES, FUNCTION, MODULE, PLACE],
			about: 'Functions by self, and below each its callers, with the part of that self ' +
				'that came by way of them.' });
	}

	makeSource() {
		const { app } = this;
		return new CallerSource(app.tree, app.values, app.samples, app.profile.functionCount,
			app.passing());
	}

	/** All is closed at first: the heaviest functions, side by side. */
	openFirst() {
		this.table.active = 0;
	}

	functionOf(id) {
		return this.source.list[id].fn;
	}

	value(key, id) {
		return key === 'samples' ? this.source.samples(id) : this.source.total(id);
	}

	/** Functions from the row to its outermost row; the row is the outermost caller. */
	pathOf(id) {
		const path = [];
		for (let i = id; i >= 0; i = this.source.list[i].parent)
			path.push(this.source.list[i].fn);
		return path;
	}

	nodeOf(id) {
		return this.source.heaviest(id);
	}

	inFlame(id) {
		return { view: 'flame', order: 'callers', zoom: `f${this.pathOf(id).reverse().join('.')}` };
	}
}

/** A new view is a class and a row here. */
export const VIEWS = [
	{ id: 'flat', label: 'Flat', make: (app) => new FlatView(app) },
	{ id: 'topdown', label: 'Top-down', make: (app) => new TopDownView(app) },
	{ id: 'bottomup', label: 'Bottom-up', make: (app) => new BottomUpView(app) },
	{ id: 'flame', label: 'Flame graph', make: (app) => new FlameView(app) },
];
