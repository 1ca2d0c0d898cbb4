// The flame graph: which part of which tree it shows, what it says of it, pointer and keys.

import { button, byId, el, select } from './dom.js';
import { copy, forScreen } from './table.js';
import { leap, leaps } from './leap.js';
import { ROW } from './flame_picture.js';
import { FlamePointer } from './flame_pointer.js';
import { invert } from './merge.js';
import { inFrameOf } from './tree.js';
import { inSlices } from './slices.js';
import { SELF_BEYOND } from './compare.js';
import { sideFacts } from './compared.js';
import { nextMatch, queryFor } from './search.js';
import { download, fileName } from './export.js';
import { flameSvg } from './flame_svg.js';
import { exact, percent, shorten } from './format.js';

// What is narrower than this share of the width is left out of the inverted graph, and no more
// steps are taken for it, so that it is there within a second.
const LEAST = 1 / 4000, STEPS = 5e6;

export class FlameView extends FlamePointer {
	constructor(app) {
		super(app, {
			id: 'flame',
			label: 'Flame graph: arrow keys move, Enter narrows, Escape widens'
		});
		this.trail = []; // zooms before narrowing, for the way back
		this.legend.id = 'legend';
		this.place.setAttribute('aria-describedby', 'flame-note');
		this.crumbs = el('nav', { id: 'crumbs', 'aria-label': 'Narrowed to' });
		this.note = el('p', { id: 'flame-note', class: 'about' });
		this.listen();
		this.element = el('section', { class: 'view' }, this.tools(), this.note,
			this.crumbs, this.place, this.legend, this.tooltip.element);
	}

	listen() {
		const on = (name, use) => this.place.addEventListener(name, use);
		on('keydown', (e) => this.keydown(e));
		on('click', (e) => this.click(e));
		on('focus', () => this.tell());
	}

	tools() {
		const set = (key) => (value) => this.app.set({ [key]: value });
		const make = (id, label, key, options) => {
			const l = select(id, label, options, set(key));
			(this.selects ??= []).push([l.lastChild, key]);
			return l;
		};
		return el('div', { class: 'tools' },
			make('flame-order', 'Order', 'order',
				[
					['calls', 'callers to callees'],
					['callers', 'callees to callers (inverted)']
				]),
			make('flame-root', 'Root', 'root',
				[['top', 'at the top'], ['bottom', 'at the bottom']]),
			make('flame-color', 'Colour', 'color',
				[
					['module', 'by module'], ['function', 'by function'],
					['kernel', 'user and kernel'],
					...this.app.compare ? [['change', 'by change']] : []
				]),
			el('span', {
				class: 'group',
				role: 'group',
				'aria-label': 'The selected frame'
			},
				button('flame-copy-name', 'Copy name', 'Copy the name (c)',
					() => this.act('c')),
				button('flame-copy-path', 'Copy path',
					'Copy the call path, a function a line (p)',
					() => this.act('p')),
				button('flame-topdown', 'Top-down',
					'Show in the top-down table (t)', () => this.act('t')),
				...leaps('flame', this.app, (key) => this.act(key))),
			button('flame-widen', 'Widen',
				'Back to what was shown before narrowing (Escape)',
				() => this.widen()),
			button('flame-svg', 'SVG', 'Save what is shown as an SVG image',
				() => this.save()));
	}

	show() {
		this.visible = true;
		this.update(new Set(['metric', 'zoom', 'order', 'color']));
	}

	hide() {
		this.visible = false;
		this.stop?.();
		this.leave();
	}

	update(changed, before) {
		const { state } = this.app;
		for (const [list, key] of this.selects)
			list.value = key === 'color' ? this.app.color : state[key];
		if (['metric', 'of', 'units', 'side', 'order', 'zoom'].some((k) => changed.has(k)) ||
			!this.graph)
			this.load(changed, before);
		else if (changed.has('root'))
			this.layOut(true);
		if (['metric', 'of', 'units', 'side', 'color', 'theme'].some((k) => changed.has(k)))
			this.recolor();
		else
			this.draw();
	}

	get inverted() {
		return this.app.state.order === 'callers';
	}

	/** What tells the inverted trees of different values apart; '' if not inverted. */
	get key() {
		return this.inverted ? `${this.app.valuesKey} ` : '';
	}

	/** Is the graph of other values than the state's, as its own is still being made? */
	get stale() {
		return !this.graph || this.graphKey !== this.key;
	}

	// ---- which tree, and which part of it

	load(changed) {
		const { app } = this, { zoom } = app.state;
		this.stop?.();
		this.stop = null;
		this.busy = false;
		this.pruned = '';
		if (!this.inverted) {
			const { prefix, second } = app.values, { end } = app.tree;
			const other = second && ((i) => second[end[i]] - second[i]);
			this.setGraph(app.tree, prefix, zoom ? Number(zoom) : -1, '', other);
			return;
		}
		const path = zoom ? zoom.slice(1).split('.').map(Number) : [];
		const { key } = this;
		if (this.made?.key === key + zoom) {
			this.useMade();
			return;
		}
		// The frames that are there are widened at once; those that were left out follow.
		if (this.graphKey === key && !changed.has('order'))
			this.setGraph(
				this.graph.tree, this.graph.prefix, this.nodeOfPath(path), key,
				this.graph.second);
		this.makeInverted(path, key, zoom);
	}

	makeInverted(path, key, zoom) {
		const { app } = this;
		this.busy = true;
		this.showNote();
		const work = invert(app.tree, app.values.prefix, app.profile.functionCount,
			{ path, share: LEAST, steps: STEPS, second: app.values.second });
		this.stop = inSlices(work, (result) => {
			this.stop = null;
			this.made = { key: key + zoom, graphKey: key, result };
			this.useMade();
		}, (e) => app.failed(e));
	}

	useMade() {
		const { result, graphKey } = this.made;
		this.busy = false;
		const path = this.selectedPath(graphKey);
		const levels = exact(result.tree.maxDepth + 1), pruned = exact(result.pruned);
		const notes = [];
		if (result.pruned)
			notes.push(`Left out: callers of ${pruned} frames, where each is ` +
				'narrower than 1/4000; narrow to see them.');
		if (result.cut)
			notes.push(`Only ${levels} levels are shown; narrow to see more.`);
		this.pruned = notes.join(' ');
		const second = this.app.values.second && ((i) => result.second[i]);
		this.setGraph(result.tree, result.prefix, result.base, graphKey, second);
		if (path.length)
			this.selected = this.nodeOfPath(path);
		this.draw();
	}

	/** The functions on the path of the selected frame, if the graph shows the same values. */
	selectedPath(key) {
		const { tree } = this.graph ?? {};
		return this.graphKey === key && this.selected >= 0
			? tree.path(this.selected).map((i) => tree.fn[i])
			: [];
	}

	/**
	 * The node at the end of a path of functions in the graph, or of what is there of the
	 * path.
	 */
	nodeOfPath(path) {
		const { tree } = this.graph;
		let node = -1;
		for (const f of path) {
			let c = tree.firstChild(node);
			while (c >= 0 && tree.fn[c] !== f)
				c = tree.nextSibling(c);
			if (c < 0)
				break;
			node = c;
		}
		return node;
	}

	setGraph(tree, prefix, base, key, second) {
		const fresh = this.graph?.tree !== tree;
		// What is pointed at may be another frame with the same number.
		this.leave();
		this.graphKey = key;
		this.setPart(tree, prefix, base, second);
		if (fresh || this.selected < base || (base >= 0 && this.selected >= tree.end[base]))
			this.selected = base;
		this.showNote();
		this.showCrumbs();
		this.layOut(true);
	}

	zoomTo(node) {
		const { tree } = this.graph, path = node < 0 ? [] : tree.path(node);
		const inverted = `f${path.map((i) => tree.fn[i]).join('.')}`;
		const zoom = node < 0 ? '' : this.inverted ? inverted : String(node);
		this.selected = node;
		if (this.app.state.zoom === zoom)
			this.draw();
		else
			this.app.set({ zoom });
		this.tell();
	}

	/** To what was shown before, if that is wider; else to all. The frame stays selected. */
	widen() {
		const { zoom } = this.app.state;
		if (!zoom || this.stale)
			return;
		const was = this.base, { tree } = this.graph;
		const path = was < 0 ? [] : tree.path(was).map((i) => tree.fn[i]);
		let to = '';
		while (this.trail.length && !to) {
			const before = this.trail.pop();
			if (this.isWider(before, zoom))
				to = before;
		}
		this.app.set({ zoom: to });
		this.select(this.inverted ? this.nodeOfPath(path) : was);
	}

	/** Does the frame that one fragment's zoom stands for contain that of another? */
	isWider(a, b) {
		if (this.inverted)
			return b.startsWith(`${a}.`);
		const [i, k] = [Number(a), Number(b)];
		return a !== '' && i < k && k < this.app.tree.end[i];
	}

	narrow(node) {
		if (node === this.base)
			return;
		this.trail.push(this.app.state.zoom);
		this.zoomTo(node);
	}

	// ---- what it says

	showNote() {
		const { app } = this;
		const what = this.inverted
			? 'Each function that has a self value, and its callers beyond it.'
			: 'Each function, and what it called beyond it.';
		this.note.textContent =
			`${what} ${this.busy && this.inverted ? 'Inverting…' : this.pruned}`;
		this.place.setAttribute('aria-busy', this.busy && this.inverted ? 'true' : 'false');
		byId('flame-widen').disabled = !app.state.zoom;
	}

	showCrumbs() {
		const { tree } = this.graph, path = this.base < 0 ? [] : tree.path(this.base);
		const crumb = (text, node) => el('button', {
			type: 'button',
			'data-node': node,
			'aria-current': node === this.base ? 'true' : undefined,
			title: forScreen(text),
			onclick: () => this.narrow(node)
		},
			el('bdi', {}, shorten(text, 32)));
		const name = (i) => this.app.profile.functions.name[tree.fn[i]];
		const shown = path.length > 6 ? path.slice(-4) : path;

		this.crumbs.replaceChildren(crumb('all', -1));
		if (shown.length < path.length)
			this.crumbs.append(`… ${exact(path.length - shown.length)} more …`);
		for (const i of shown)
			this.crumbs.append('›', crumb(name(i), i));
	}

	/** Of an inverted graph, its functions alone are tested: those of the first level. */
	beyond(node) {
		const { compare } = this.app, { tree } = this.graph;
		if (!this.inverted)
			return compare.nodes[node] !== 0;
		let i = node;
		while (tree.parent[i] >= 0)
			i = tree.parent[i];
		return (compare.marks[tree.fn[i]] & SELF_BEYOND) !== 0;
	}

	sides(node) {
		return this.inverted ? super.sides(node)
				     : this.sidesOf(node, this.graph.tree.end[node]);
	}

	/** Before and after, of the contexts from one to another. */
	sidesOf(from, to) {
		const { before, after } = this.app.compare.sums(this.app.state.metric);
		return { before: before[to] - before[from], after: after[to] - after[from] };
	}

	/** Lines about the change of a node. */
	changeFacts(node) {
		const { app } = this, sides = this.sides(node);
		return [
			...sides ? sideFacts(app, sides, this.beyond(node), '') : [],
			...this.inverted ? []
					 : sideFacts(app, this.sidesOf(node, node + 1), null, 'self ')
		];
	}

	/** Lines about a node: [label, text]. */
	facts(node) {
		const { app } = this, { tree, prefix } = this.graph;
		const value = (a, b) => app.inFull(prefix[b] - prefix[a], { gap: '  ' });
		const end = tree.end[node];
		const { side } = app.state;
		const what = side === 'grown' || side === 'shrunk' ? side
			: this.inverted ? 'self by this path'
					: 'total';
		const lines = app.values.second ? [] : [[what, value(node, end)]];
		if (app.compare)
			lines.push(...this.changeFacts(node));
		else if (!this.inverted) {
			lines.push(['self', value(node, node + 1)]);
			const s = app.samples.prefix;
			lines.push([
				'samples',
				`${exact(s[end] - s[node])} in total, ` +
					`${exact(s[node + 1] - s[node])} in self`
			]);
			lines.push(...this.callFacts(node));
		}
		if (this.base >= 0)
			lines.push([
				'of what is shown',
				percent(prefix[end] - prefix[node], this.x1 - this.x0)
			]);
		const f = tree.fn[node], module = app.profile.moduleName(f);
		const place = app.profile.place(f);
		if (module)
			lines.push(['module', module]);
		if (place)
			lines.push(['source', place]);
		return lines;
	}

	callFacts(node) {
		const { app } = this, { tree, prefix } = this.graph, counts = app.activations;
		const total = prefix[tree.end[node]] - prefix[node];
		const inFrame = inFrameOf(tree, prefix, app.profile.kernelFunctions, node);
		return counts ? counts.facts(counts.ofNode(node), app.timeOfCalls(total, inFrame)) : [];
	}

	title(node) {
		const { tree } = this.graph;
		return this.app.profile.functions.name[tree.fn[node]] +
			(tree.inlined[node] ? ' [inlined]' : '');
	}

	/** Tells those who do not see it which frame is selected. */
	tell() {
		if (this.stale)
			return;
		const i = this.selected, { app } = this;
		const facts = i < 0 ? [] : this.facts(i).slice(0, app.compare ? 3 : 2).map((l) => l.join(' '));
		byId('live').textContent =
			i < 0 ? this.allText() : [forScreen(this.title(i)), ...facts].join('; ');
	}

	// ---- pointer and keys

	click(event) {
		const node = this.stale ? null : this.at(event);
		if (node === null)
			return;
		this.leave();
		this.narrow(node);
	}

	keydown(event) {
		if (event.altKey || event.ctrlKey || event.metaKey || this.stale)
			return;
		const page = Math.max(ROW, this.place.clientHeight - 2 * ROW);
		if (event.key === 'Enter')
			this.narrow(this.selected);
		else if (event.key === 'Escape' || event.key === 'Backspace')
			this.widen();
		else if (event.key === 'PageDown' || event.key === 'PageUp')
			this.scroll.top += event.key === 'PageDown' ? page : -page;
		else if (event.key === 'Home')
			this.select(this.base);
		else if (!this.move(event.key) && !this.act(event.key))
			return;
		event.preventDefault();
	}

	act(key) {
		const { app } = this, i = this.selected;
		if (this.stale || !['c', 'p', 't', 's', 'o'].includes(key))
			return false;
		if (i < 0) {
			app.say('No frame is selected.');
			return true;
		}
		const { tree } = this.graph, names = app.profile.functions.name;
		const path = tree.path(i).map((n) => names[tree.fn[n]]);
		if (key === 'c')
			copy(app, names[tree.fn[i]], forScreen(names[tree.fn[i]]));
		else if (key === 'p')
			copy(app, (this.inverted ? path.reverse() : path).join('\n'), 'call path');
		else if (key === 's' || key === 'o')
			leap(app, key, tree.fn[i]);
		else if (this.inverted)
			app.set({
				view: 'bottomup',
				filter: queryFor(names[tree.fn[tree.path(i)[0]]]),
				module: -1
			});
		else
			app.set({ view: 'topdown', node: i, filter: '', module: -1, sort: '' });
		return true;
	}

	/** Selects the next frame that the search matches. */
	step(direction) {
		if (this.stale)
			return false;
		const { hits } = this.app.matching(), { tree, prefix } = this.graph;
		if (!hits)
			return false;
		const first = Math.max(0, this.base);
		const last = this.base < 0 ? tree.count : tree.end[this.base];
		const node = nextMatch(tree, prefix, hits, this.selected, direction, first, last);
		if (node >= 0)
			this.select(node);
		return node >= 0;
	}

	save() {
		const { app } = this;
		const levels = this.deepest < 500 ? [0, this.deepest] : this.seenDepths();
		download(fileName(app.profile.title, 'flame', 'svg'), 'image/svg+xml',
			flameSvg(this, levels));
	}
}
