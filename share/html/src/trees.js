// The tree tables: top-down and bottom-up.

import { button } from './dom.js';
import { TreeRows } from './rows.js';
import { callers, grouper, groups, leavesOf } from './merge.js';
import { nextMatch } from './search.js';
import { plural } from './format.js';
import { inFrameOf } from './tree.js';
import { ACTIVATION_KEYS, activationColumns } from './activations.js';
import { SELF_BEYOND } from './compare.js';
import { comparedColumns, otherChange } from './compared.js';
import { FUNCTION, MODULE, PLACE, SAMPLES, SELF, TOTAL, TableView } from './table_view.js';

/** What the two tree tables share. Subclasses make a source for rows.js. */
class TreeView extends TableView {
	treeTools() {
		const { id } = this;
		return [
			button(`${id}-hot`, 'Hot path', 'Open the heaviest path from here (h or *)',
				() => this.act('h')),
			button(`${id}-close`, 'Close all', 'Close all rows', () => this.closeAll())
		];
	}

	refresh() {
		this.source = this.makeSource();
		this.tree = new TreeRows(this.source, this.order());
		this.openFirst();
		this.changed();
	}

	reorder() {
		this.tree.compare = this.order();
		// So many rows would take long to sort.
		if (this.tree.count > 200000)
			this.tree.closeAll();
		else
			this.tree.rebuild();
		this.changed();
	}

	/** How children compare; null for the order that they have. */
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
		this.status.textContent = `${plural(tree.count, 'row')}.`;
		const info = (id) => ({
			depth: source.depth(id),
			open: tree.isOpen(id),
			expandable: source.hasChildren(id)
		});
		this.table.setModel(
			this.model(tree.count, (row) => tree.ids[row], info), this.emptyText());
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
		const id = this.tree.ids[row], inner = this.source.hasChildren(id);
		const open = inner && this.tree.isOpen(id);
		if (event.key === 'ArrowRight') {
			if (!open && inner)
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

/** Nodes of the tree that have a value, and that filters let pass. weight is by node. */
class NodeSource {
	constructor(tree, prefix, pass, weight) {
		this.tree = tree;
		this.prefix = prefix;
		this.keep = pass && this.withPaths(pass);
		this.weight = weight ?? ((i) => this.total(i));
	}

	/** Nodes that pass, all above them, and all below. */
	withPaths(pass) {
		const { tree } = this, keep = new Uint8Array(tree.count);
		for (let i = 0; i < tree.count; i++)
			if (pass[tree.fn[i]] || (tree.parent[i] >= 0 && keep[tree.parent[i]]))
				keep[i] = 1;
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

	/** Heaviest first: in the tree, partial paths are last. */
	roots() {
		return this.children(-1).sort((a, b) => this.total(b) - this.total(a) || a - b);
	}

	/** All of them, in order. */
	all() {
		const list = new Int32Array(this.tree.count);
		let n = 0;
		for (const root of this.roots())
			for (let i = root; i < this.tree.end[root]; i++)
				if (this.has(i))
					list[n++] = i;
		return list.subarray(0, n);
	}

	hasChildren(i) {
		for (let c = this.tree.firstChild(i); c >= 0; c = this.tree.nextSibling(c))
			if (this.has(c))
				return true;
		return false;
	}
}

/** Call paths from the outermost function. An id is a node. */
export class TopDownView extends TreeView {
	constructor(app) {
		super(app, {
			id: 'topdown',
			label: 'Call paths, outermost function first',
			tree: true,
			sort: app.compare ? 'change' : 'total',
			columns: app.compare
				? [
					  ...comparedColumns('total'), otherChange('self'),
					  FUNCTION, MODULE, PLACE
				  ]
				: [
					  TOTAL, SELF, ...activationColumns(app.profile), SAMPLES, FUNCTION,
					  MODULE, PLACE
				  ],
			about: 'What each function called, from the outermost one.'
		});
	}

	treeTools() {
		return [
			...super.treeTools(),
			button('topdown-open', 'Open all', 'Open all rows', () => this.openAll())
		];
	}

	rowTools() {
		return [];
	}

	makeSource() {
		const { app } = this, { second, prefix } = app.values;
		if (!second)
			return new NodeSource(app.tree, prefix, app.passing());
		const { both } = app.compare.sums(app.state.metric);
		return new NodeSource(app.tree, both, app.passing(),
			(i) => Math.abs(this.sides(i, false).change));
	}

	/** {before, after, change} of the total, or of self. */
	sides(i, other) {
		const { app } = this, { before, after } = app.compare.sums(app.state.metric);
		const end = other ? i + 1 : app.tree.end[i], { prefix } = app.values;
		const b = before[end] - before[i], a = after[end] - after[i];
		return { before: b, after: a, change: app.changeOf(b, a, prefix[end] - prefix[i]) };
	}

	beyond(i, other) {
		return other ? null : this.app.compare.nodes[i] !== 0;
	}

	openAll() {
		this.tree.openAll(this.app.tree.count);
		this.changed();
	}

	/** The tree has the order of events of the first metric. */
	order() {
		const { metric, of } = this.app.state, { key, rising } = this.sort;
		if (this.app.compare)
			return this.comparer();
		const natural = metric === 0 && key === 'total' && !rising &&
			(of === 'events' || !this.app.profile.hasEvents(0));
		return natural ? null : this.comparer();
	}

	sortValue(key) {
		if (ACTIVATION_KEYS.has(key))
			return (i) => this.activationValue(key, i);
		const { end } = this.app.tree;
		const { prefix } = key === 'samples' ? this.app.samples : this.app.values;
		return key === 'total' ? (i) => prefix[end[i]] - prefix[i]
				       : (i) => prefix[i + 1] - prefix[i];
	}

	update() {
		super.update();
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
					    app.tree.count)
				  : -1;
		return node >= 0 && this.reveal(node);
	}

	functionOf(id) {
		return this.app.tree.fn[id];
	}

	value(key, id) {
		if (ACTIVATION_KEYS.has(key))
			return this.activationValue(key, id);
		const prefix = key === 'samples' ? this.app.samples.prefix : this.app.values.prefix;
		return key === 'total' ? this.source.total(id) : prefix[id + 1] - prefix[id];
	}

	activationsOf(node) {
		return this.app.activations.ofNode(node);
	}

	ofActivations(node) {
		return this.source.total(node);
	}

	inFramesOf(node) {
		const { profile, tree, values } = this.app;
		return inFrameOf(tree, values.prefix, profile.kernelFunctions, node);
	}

	cell(key, id) {
		if (key !== 'function')
			return super.cell(key, id);
		return {
			text: this.app.profile.functions.name[this.functionOf(id)] +
				(this.app.tree.inlined[id] ? ' [inlined]' : '')
		};
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

/**
 * Functions with a self value, and by whom they were called. What is below a row is made when it is
 * opened. An id is an index of list. In a comparison, contexts are those with a value on either side.
 */
class CallerSource {
	constructor(app, pass) {
		const { self, samples } = app.flat(), { metric } = app.state;
		this.app = app;
		this.tree = app.tree;
		this.values = app.values;
		this.sums = app.compare?.sums(metric);
		this.prefix = this.sums?.both ?? this.values.prefix;
		this.samplePrefix = app.samples.prefix;
		this.room = grouper(self.length);
		this.called = this.calledFunctions(self.length);
		this.list = [];
		for (let f = 0; f < self.length; f++)
			if ((self[f] > 0 || this.isOnOtherSide(f)) && (!pass || pass[f]))
				this.list.push({
					fn: f,
					total: self[f],
					samples: samples[f],
					parent: -1,
					depth: 0,
					kids: null,
					leaf: null,
					at: null
				});
		this.top = this.list.map((_, id) => id);
	}

	/** Has the function a value only on the side that is not shown? */
	isOnOtherSide(f) {
		const { before, after } = this.values.second ? this.app.sides() : {};
		return before && (before.self[f] > 0 || after.self[f] > 0);
	}

	/** Functions of which a context with a self value was called by another. */
	calledFunctions(functionCount) {
		const { tree, prefix } = this, called = new Uint8Array(functionCount);
		for (let i = 0; i < tree.count; i++)
			if (tree.parent[i] >= 0 && prefix[i + 1] > prefix[i])
				called[tree.fn[i]] = 1;
		return called;
	}

	/** An entry with its contexts, which the outermost rows get when they need them. */
	withContexts(id) {
		const x = this.list[id];
		if (!x.leaf) {
			const { leaf, at } = leavesOf(this.tree, this.prefix, x.fn);
			x.leaf = leaf;
			x.at = at;
		}
		return x;
	}

	roots() {
		return this.top.slice();
	}

	children(id) {
		const x = this.withContexts(id);
		if (!x.kids) {
			const found =
				groups(this.tree, this.prefix, callers(this.tree, x), this.room);
			const { prefix, second } = this.values;
			const total = (g) => (this.sums ? sumOf(g.leaf, prefix) : g.total);
			const kept = found.filter((g) => !this.sums || second || total(g) > 0);
			x.kids = kept.map((g) => this.list.push({
				fn: g.fn,
				total: total(g),
				samples: -1,
				parent: id,
				depth: x.depth + 1,
				kids: null,
				leaf: g.leaf,
				at: g.at
			}) - 1);
		}
		return x.kids.slice();
	}

	hasChildren(id) {
		const x = this.list[id];
		return x.kids	 ? x.kids.length > 0
			: x.leaf ? x.at.some((i) => this.tree.parent[i] >= 0)
				 : this.called[x.fn] === 1;
	}

	total(id) {
		return this.list[id].total;
	}

	weight(id) {
		return this.values.second ? Math.abs(this.sides(id).change) : this.total(id);
	}

	/** {before, after, change} of a row of a comparison. */
	sides(id) {
		const x = this.list[id], { before, after } = this.app.sides();
		const [b, a] = x.parent < 0
			? [before.self[x.fn], after.self[x.fn]]
			: [sumOf(x.leaf, this.sums.before), sumOf(x.leaf, this.sums.after)];
		return { before: b, after: a, change: this.app.changeOf(b, a, x.total) };
	}

	depth(id) {
		return this.list[id].depth;
	}

	samples(id) {
		const x = this.list[id];
		if (x.samples < 0)
			x.samples = sumOf(x.leaf, this.samplePrefix);
		return x.samples;
	}

	/** The context with the largest value of its own. */
	heaviest(id) {
		const p = this.prefix, { leaf } = this.withContexts(id);
		return leaf.reduce(
			(best, i) => (p[i + 1] - p[i] > p[best + 1] - p[best] ? i : best), leaf[0]);
	}
}

/** The sum of some contexts' own values. */
function sumOf(leaf, prefix) {
	return leaf.reduce((sum, i) => sum + prefix[i + 1] - prefix[i], 0);
}

export class BottomUpView extends TreeView {
	constructor(app) {
		super(app, {
			id: 'bottomup',
			label: 'Functions and their callers',
			tree: true,
			sort: app.compare ? 'change' : 'self',
			columns: app.compare
				? [...comparedColumns('self'), FUNCTION, MODULE, PLACE]
				: [SELF, SAMPLES, FUNCTION, MODULE, PLACE],
			about: 'Functions by self, and below each its callers, with the part of ' +
				'its self that came by way of them.'
		});
	}

	makeSource() {
		return new CallerSource(this.app, this.app.passing());
	}

	sides(id) {
		return this.source.sides(id);
	}

	/** Only the outermost rows are tested: functions. */
	beyond(id) {
		const x = this.source.list[id];
		return x.parent < 0 ? (this.app.compare.marks[x.fn] & SELF_BEYOND) !== 0 : null;
	}

	/** All is closed at first: the heaviest functions, side by side. */
	openFirst() {
		this.table.active = 0;
	}

	functionOf(id) {
		return this.source.list[id].fn;
	}

	sortValue(key) {
		return key === 'samples' ? (id) => this.source.samples(id)
					 : (id) => this.source.total(id);
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
		return {
			view: 'flame',
			order: 'callers',
			zoom: `f${this.pathOf(id).reverse().join('.')}`
		};
	}
}
