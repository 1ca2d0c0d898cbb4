// The flame graph: one canvas as large as its place, a scroll bar over all levels, and elements on top
// for what is pointed at and what is selected.

import { Scroll, button, byId, el, select } from './dom.js';
import { copy, forScreen } from './table.js';
import { Tooltip } from './tooltip.js';
import { invert } from './merge.js';
import { inSlices } from './slices.js';
import { colors, hex, ink } from './colors.js';
import { deepest, graphOf, nodeAt, paint } from './flame_paint.js';
import { nextMatch } from './search.js';
import { download, fileName } from './export.js';
import { flameSvg } from './flame_svg.js';
import { exact, exactValue, percent, scaled, shorten } from './format.js';

export const ROW = 18;
const FONT = '11px ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace';
// What is narrower than this share of the width is left out of the inverted graph, and no more steps
// are taken for it, so that it is there within a second.
const LEAST = 1 / 4000, STEPS = 5e6;

export class FlameView {
	constructor(app) {
		this.app = app;
		this.selected = -1;
		this.hovered = null;
		this.labels = new Map();
		this.canvas = el('canvas', { id: 'flame-canvas', 'aria-hidden': 'true' });
		this.hoverBox = el('div', { id: 'flame-hover', class: 'framebox', hidden: true });
		this.selectBox = el('div', { id: 'flame-selected', class: 'framebox', hidden: true });
		this.spacer = el('div', { class: 'spacer' });
		this.sticky = el('div', { class: 'sticky' }, this.canvas, this.hoverBox, this.selectBox);
		this.place = el('div', { id: 'flame', class: 'flame', tabindex: 0, role: 'application',
			'aria-roledescription': 'flame graph', 'aria-label': 'Flame graph: arrow keys move, ' +
				'Enter narrows, Escape widens', 'aria-describedby': 'flame-note',
			onscroll: () => this.scrolled(), onkeydown: (e) => this.keydown(e),
			onpointermove: (e) => this.hover(e), onpointerleave: () => this.leave(),
			onclick: (e) => this.click(e), onfocus: () => this.tell(),
		}, this.sticky, this.spacer);
		this.scroll = new Scroll(this.place, this.spacer);
		this.tooltip = new Tooltip();
		this.crumbs = el('nav', { id: 'crumbs', 'aria-label': 'Narrowed to' });
		this.legend = el('ul', { id: 'legend', 'aria-label': 'Colours' });
		this.note = el('p', { id: 'flame-note', class: 'about' });
		this.element = el('section', { class: 'view' }, this.tools(), this.note, this.crumbs,
			this.place, this.legend, this.tooltip.element);
		new ResizeObserver(() => requestAnimationFrame(() => this.layOut())).observe(this.place);
		window.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.recolor());
	}

	tools() {
		const set = (key) => (value) => this.app.set({ [key]: value });
		const make = (id, label, key, options) => {
			const l = select(id, label, options, set(key));
			(this.selects ??= []).push([l.lastChild, key]);
			return l;
		};
		return el('div', { class: 'tools' },
			make('flame-order', 'Order', 'order', [['calls', 'callers to callees'],
				['callers', 'callees to callers (inverted)']]),
			make('flame-root', 'Root', 'root', [['top', 'at the top'], ['bottom', 'at the bottom']]),
			make('flame-color', 'Colour', 'color', [['module', 'by module'], ['function', 'by function'],
				['kernel', 'user and kernel']]),
			el('span', { class: 'group', role: 'group', 'aria-label': 'The selected frame' },
				button('flame-copy-name', 'Copy name', 'Copy the name (c)', () => this.act('c')),
				button('flame-copy-path', 'Copy path', 'Copy the call path, a function a line (p)',
					() => this.act('p')),
				button('flame-topdown', 'Top-down', 'Show in the top-down table (t)',
					() => this.act('t'))),
			button('flame-widen', 'Widen', 'Back to what was shown before narrowing (Escape)',
				() => this.widen()),
			button('flame-svg', 'SVG', 'Save what is shown as an SVG image', () => this.save()));
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
			list.value = state[key];
		if (['metric', 'of', 'order', 'zoom'].some((k) => changed.has(k)) || !this.graph)
			this.load(changed, before);
		else if (changed.has('root'))
			this.layOut(true);
		if (['metric', 'of', 'color', 'theme'].some((k) => changed.has(k)))
			this.recolor();
		else
			this.draw();
	}

	get inverted() {
		return this.app.state.order === 'callers';
	}

	// ---- which tree, and which part of it

	load(changed) {
		const { app } = this, { zoom } = app.state;
		this.stop?.();
		this.stop = null;
		this.pruned = '';
		if (!this.inverted) {
			this.setGraph(app.tree, app.values.prefix, zoom ? Number(zoom) : -1);
			return;
		}
		const path = zoom ? zoom.slice(1).split('.').map(Number) : [];
		const key = `${app.state.metric} ${app.state.of} `;
		if (this.made?.key === key + zoom) {
			this.useMade();
			return;
		}
		// The frames that are there are widened at once; those that were left out follow.
		if (this.graphKey === key && !changed.has('order'))
			this.setGraph(this.graph.tree, this.graph.prefix, this.nodeOfPath(path), key);
		this.makeInverted(path, key, zoom);
	}

	makeInverted(path, key, zoom) {
		const { app } = this;
		this.busy = true;
		this.showNote();
		const work = invert(app.tree, app.values.prefix, app.profile.functionCount,
			{ path, share: LEAST, steps: STEPS });
		this.stop = inSlices(work, (result) => {
			this.stop = null;
			this.made = { key: key + zoom, graphKey: key, result };
			this.useMade();
		});
	}

	useMade() {
		const { result, graphKey } = this.made;
		this.busy = false;
		const path = this.selectedPath(graphKey);
		this.pruned = result.pruned ? `Left out: callers of ${exact(result.pruned)} frames, each ` +
			'narrower than 1/4000; narrow to see them.' : '';
		if (result.cut)
			this.pruned += ` Only ${exact(result.tree.maxDepth + 1)} levels are shown; narrow to ` +
				'see more.';
		this.setGraph(result.tree, result.prefix, result.base, graphKey);
		if (path.length)
			this.selected = this.nodeOfPath(path);
		this.draw();
	}

	/** The functions on the path of the selected frame, if the graph shows the same values. */
	selectedPath(key) {
		const { tree } = this.graph ?? {};
		return this.graphKey === key && this.selected >= 0
			? tree.path(this.selected).map((i) => tree.fn[i]) : [];
	}

	/** The node at the end of a path of functions in the graph, or of what is there of the path. */
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

	setGraph(tree, prefix, base, key = '') {
		const fresh = this.graph?.tree !== tree;
		this.graph = graphOf(tree, prefix);
		this.graphKey = key;
		this.base = base;
		this.x0 = base < 0 ? 0 : prefix[base];
		this.x1 = base < 0 ? prefix[tree.count] : prefix[tree.end[base]];
		// A frame without value has no width to show.
		if (this.x1 <= this.x0)
			this.x1 = this.x0 + 1;
		this.deepest = deepest(tree, base);
		if (fresh || this.selected < base || (base >= 0 && this.selected >= tree.end[base]))
			this.selected = base;
		this.showNote();
		this.showCrumbs();
		this.layOut(true);
	}

	zoomTo(node) {
		const zoom = node < 0 ? '' : this.inverted
			? `f${this.graph.tree.path(node).map((i) => this.graph.tree.fn[i]).join('.')}` : String(node);
		this.selected = node;
		if (this.app.state.zoom === zoom)
			this.draw();
		else
			this.app.set({ zoom });
		this.tell();
	}

	/** To the frame that was shown before, if it is above; else to all. */
	widen() {
		const { tree } = this.graph;
		if (this.base < 0)
			return;
		const trail = this.trail ?? [];
		let to = -1;
		while (trail.length && to < 0) {
			const node = trail.pop();
			if (node < this.base && node >= 0 && node < tree.count && tree.end[node] > this.base)
				to = node;
		}
		const was = this.base;
		this.zoomTo(to);
		this.trail = trail;
		if (!this.inverted)
			this.select(was);
	}

	narrow(node) {
		if (node === this.base)
			return;
		const trail = node > this.base ? [...(this.trail ?? []), this.base] : [];
		this.zoomTo(node);
		this.trail = this.inverted ? [] : trail;
	}

	// ---- where things are

	get rows() {
		return this.deepest + 2; // with the row of all
	}

	/** The upper edge of the row of depth d in the view, in CSS pixels. -1 is the row of all. */
	rowTop(d) {
		if (this.app.state.root === 'top')
			return (d + 1) * ROW - this.scroll.top;
		const height = Math.max(this.rows * ROW, this.place.clientHeight);
		return height - (d + 2) * ROW - this.scroll.top;
	}

	/** Sizes the canvas; with `jump`, scrolls to the zoomed frame. */
	layOut(jump) {
		if (!this.graph || !this.visible || !this.place.clientHeight)
			return;
		const width = this.place.clientWidth, height = this.place.clientHeight;
		const dpr = window.devicePixelRatio || 1;
		this.dpr = dpr;
		this.canvas.width = Math.round(width * dpr);
		this.canvas.height = Math.round(height * dpr);
		this.canvas.style.width = `${width}px`;
		this.canvas.style.height = `${height}px`;
		this.spacer.style.marginTop = `${-height}px`;
		this.scroll.resize(Math.max(this.rows * ROW, height));
		if (jump === true)
			this.scrollTo(this.base, true);
		this.draw();
	}

	/** Scrolls so that the frame is seen; with `first`, near the root's edge. */
	scrollTo(node, first) {
		const d = node < 0 ? -1 : this.graph.tree.depth[node], height = this.place.clientHeight;
		const top = this.scroll.top, y = this.rowTop(d);
		const room = first ? height - 4 * ROW : ROW;

		if (this.app.state.root === 'top') {
			if (first)
				this.scroll.top = top + y - 3 * ROW;
			else if (y < ROW || y > height - 2 * ROW)
				this.scroll.top = top + (y < ROW ? y - ROW : y - height + 2 * ROW);
		} else if (first) {
			this.scroll.top = top + y - room;
		} else if (y < ROW || y > height - 2 * ROW) {
			this.scroll.top = top + (y < ROW ? y - ROW : y - height + 2 * ROW);
		}
	}

	scrolled() {
		this.leave();
		this.draw();
	}

	/** {left, top, width} of a node's frame, in CSS pixels within the view. */
	box(node) {
		const { prefix, tree } = this.graph, width = this.place.clientWidth;
		const scale = width / (this.x1 - this.x0);
		const from = node < 0 ? this.x0 : prefix[node], to = node < 0 ? this.x1 : prefix[tree.end[node]];
		const left = Math.max(0, (from - this.x0) * scale);
		const right = Math.min(width, (to - this.x0) * scale);
		return { left, width: right - left, top: this.rowTop(node < 0 ? -1 : tree.depth[node]) };
	}

	/** The node at a point of the page, -1 for the row of all, null for none. */
	at(event) {
		if (!this.graph)
			return null;
		const r = this.canvas.getBoundingClientRect();
		const x = event.clientX - r.left, y = event.clientY - r.top;
		if (x < 0 || y < 0 || x >= r.width || y >= r.height)
			return null;
		const d = this.app.state.root === 'top' ? Math.floor((y + this.scroll.top) / ROW) - 1
			: Math.floor((Math.max(this.rows * ROW, r.height) - y - this.scroll.top) / ROW) - 1;
		if (d === -1)
			return -1;
		const node = nodeAt(this.graph, d, this.x0 + x / r.width * (this.x1 - this.x0));
		return node < 0 ? null : node;
	}

	// ---- painting

	recolor() {
		const dark = getComputedStyle(this.place).colorScheme === 'dark';
		this.colors = colors(this.app.profile, this.app.state.color, this.app.flat().self, dark);
		this.legend.replaceChildren(...this.colors.legend.map(([color, text, title]) => {
			const swatch = el('span', { class: 'swatch' });
			swatch.style.background = hex(color);
			return el('li', { title }, swatch, el('bdi', {}, forScreen(text)));
		}));
		this.draw();
	}

	/** Paints at the next frame of the screen, however often it is asked. */
	draw() {
		if (this.waiting)
			return;
		this.waiting = true;
		requestAnimationFrame(() => {
			this.waiting = false;
			if (this.visible && this.graph && this.colors && this.canvas.width)
				this.paint();
		});
	}

	paint() {
		const { width, height } = this.canvas, { dpr } = this;
		const g = this.canvas.getContext('2d', { alpha: false });
		if (this.picture?.width !== width || this.picture.height !== height) {
			const image = g.createImageData(width, height);
			this.picture = { width, height, image, pixels: new Uint32Array(image.data.buffer) };
		}
		const labels = [], rowTop = (d) => Math.round(this.rowTop(d) * dpr);
		const [first, last] = this.seenDepths();
		const { faded, back, hit, of, dimmed } = this.colors, { hits } = this.app.matching();
		paint(this.picture, {
			graph: this.graph, x0: this.x0, x1: this.x1, of, dimmed, faded, back, hit, hits, first, last, rowTop,
			base: this.base < 0 ? 0 : this.graph.tree.depth[this.base],
			rowHeight: Math.round(ROW * dpr), labelFrom: 30 * dpr,
			label: (i, left, right, y, d) => labels.push([i, left, right, y, d]),
		});
		g.putImageData(this.picture.image, 0, 0);
		this.write(g, labels, rowTop(-1), hits);
		this.place.dataset.painted = String(Number(this.place.dataset.painted ?? 0) + 1);
		this.showBox(this.selectBox, this.selected);
	}

	/** The first and last depth that is seen. */
	seenDepths() {
		const at = (y) => (this.app.state.root === 'top' ? Math.floor((y + this.scroll.top) / ROW) - 1
			: Math.floor((Math.max(this.rows * ROW, this.place.clientHeight) - y - this.scroll.top) / ROW) - 1);
		const a = at(0), b = at(this.place.clientHeight);
		return [Math.max(0, Math.min(a, b)), Math.min(this.deepest, Math.max(a, b))];
	}

	write(g, labels, allTop, hits) {
		const { dpr } = this, { of, dimmed, hit, faded } = this.colors, { tree } = this.graph;
		const base = this.base < 0 ? 0 : tree.depth[this.base], text = (p) => ink(p);
		g.setTransform(dpr, 0, 0, dpr, 0, 0);
		g.font = FONT;
		g.textBaseline = 'middle';
		this.charWidth ??= g.measureText('0'.repeat(100)).width / 100;
		for (const [i, left, right, y, d] of labels) {
			const f = tree.fn[i], isHit = hits && hits[f];
			g.fillStyle = text(isHit ? hit : d < base ? faded : hits ? dimmed[f] : of[f]);
			g.fillText(this.label(g, f, (right - left) / dpr - 7), left / dpr + 3, y / dpr + ROW / 2);
		}
		const y = allTop / dpr, width = this.canvas.width / dpr;
		g.fillStyle = hex(faded);
		g.fillRect(0, y, width, ROW - 1);
		g.fillStyle = text(faded);
		g.fillText(this.allText(), 3, y + ROW / 2);
		g.setTransform(1, 0, 0, 1, 0, 0);
	}

	allText() {
		const { total, unit } = this.app.values;
		return `all  ${scaled(total, unit)}`;
	}

	/** The name of function f in so many pixels. */
	label(g, f, room) {
		const n = Math.floor(room / this.charWidth), key = f * 512 + Math.min(n, 511);
		let text = this.labels.get(key);
		if (text === undefined) {
			if (this.labels.size > 50000)
				this.labels.clear();
			const name = this.app.profile.functions.name[f];
			text = shorten(name, n);
			// Not all characters are as wide as others.
			for (let k = n; k > 1 && /[^\x20-\x7e…]/.test(text) && g.measureText(text).width > room;)
				text = shorten(name, k = Math.floor(k * 0.8));
			this.labels.set(key, text);
		}
		return text;
	}

	showBox(box, node) {
		if (node === null || (node < 0 && box === this.hoverBox)) {
			box.hidden = true;
			return;
		}
		const b = this.box(node);
		box.hidden = b.top <= -ROW || b.top >= this.place.clientHeight;
		box.style.left = `${b.left}px`;
		box.style.top = `${b.top}px`;
		box.style.width = `${Math.max(b.width, 3)}px`;
	}

	// ---- what it says

	showNote() {
		const { app } = this;
		const what = this.inverted ? 'Each function that has a self value, and its callers beyond it.'
			: 'Each function, and what it called beyond it.';
		this.note.textContent = `${what} ${this.busy && this.inverted ? 'Inverting…' : this.pruned}`;
		this.place.setAttribute('aria-busy', this.busy && this.inverted ? 'true' : 'false');
		byId('flame-widen').disabled = !app.state.zoom;
	}

	showCrumbs() {
		const { tree } = this.graph, path = this.base < 0 ? [] : tree.path(this.base);
		const crumb = (text, node) => el('button', { type: 'button', 'data-node': node,
			'aria-current': node === this.base ? 'true' : undefined, title: forScreen(text),
			onclick: () => this.narrow(node) }, el('bdi', {}, shorten(text, 32)));
		const name = (i) => this.app.profile.functions.name[tree.fn[i]];
		const shown = path.length > 6 ? path.slice(-4) : path;

		this.crumbs.replaceChildren(crumb('all', -1));
		if (shown.length < path.length)
			this.crumbs.append(`… ${exact(path.length - shown.length)} more …`);
		for (const i of shown)
			this.crumbs.append('›', crumb(name(i), i));
		this.crumbs.hidden = this.base < 0;
	}

	/** Lines about a node: [label, text]. */
	facts(node) {
		const { app } = this, { tree, prefix } = this.graph, { scale, total, unit } = app.values;
		const value = (a, b) => {
			const x = (prefix[b] - prefix[a]) * scale;
			return `${percent(x, total)}  ${scaled(x, unit)}  (${exactValue(x, unit)})`;
		};
		const end = tree.end[node], lines = [[this.inverted ? 'self by this path' : 'total',
			value(node, end)]];
		if (!this.inverted) {
			lines.push(['self', value(node, node + 1)]);
			const s = app.samples.prefix;
			lines.push(['samples', `${exact(s[end] - s[node])} in total, ` +
				`${exact(s[node + 1] - s[node])} in self`]);
		}
		if (this.base >= 0)
			lines.push(['of what is shown', percent(prefix[end] - prefix[node], this.x1 - this.x0)]);
		const f = tree.fn[node], module = app.profile.moduleName(f), place = app.profile.place(f);
		if (module)
			lines.push(['module', module]);
		if (place)
			lines.push(['source', place]);
		return lines;
	}

	title(node) {
		const { tree } = this.graph;
		return this.app.profile.functions.name[tree.fn[node]] + (tree.inlined[node] ? ' [inlined]' : '');
	}

	/** Tells those who do not see it which frame is selected. */
	tell() {
		if (!this.graph)
			return;
		const i = this.selected;
		byId('live').textContent = i < 0 ? this.allText()
			: `${forScreen(this.title(i))}; ${this.facts(i).slice(0, 2).map((l) => l.join(' ')).join('; ')}`;
	}

	// ---- pointer and keys

	hover(event) {
		const node = this.at(event);
		if (node !== this.hovered) {
			this.hovered = node;
			this.showBox(this.hoverBox, node);
			if (node === null || node < 0)
				this.tooltip.hide();
			else
				this.tooltip.fill(node, this.title(node), this.facts(node));
		}
		this.tooltip.move(event.clientX, event.clientY);
		this.place.classList.toggle('pointing', node !== null);
	}

	leave() {
		this.hovered = null;
		this.hoverBox.hidden = true;
		this.tooltip.hide();
	}

	click(event) {
		const node = this.at(event);
		if (node === null)
			return;
		this.leave();
		this.narrow(node);
	}

	select(node) {
		this.selected = node;
		this.scrollTo(node, false);
		this.draw();
		this.tell();
	}

	/** A neighbour with a width: kind is child, parent, next or previous; or the node itself. */
	neighbour(kind) {
		const { tree, prefix } = this.graph, i = this.selected;
		if (kind === 'parent')
			return i < 0 ? i : tree.parent[i];
		const step = kind === 'previous' ? (n) => tree.previousSibling(n) : (n) => tree.nextSibling(n);
		if (i < 0 && kind !== 'child')
			return i;
		let n = kind === 'child' ? tree.firstChild(i) : step(i);
		while (n >= 0 && prefix[tree.end[n]] <= prefix[n])
			n = step(n);
		return n < 0 ? i : n;
	}

	keydown(event) {
		if (event.altKey || event.ctrlKey || event.metaKey || !this.graph)
			return;
		const down = this.app.state.root === 'top' ? 'child' : 'parent';
		const moves = { ArrowDown: down, ArrowUp: down === 'child' ? 'parent' : 'child',
			ArrowRight: 'next', ArrowLeft: 'previous' };
		const page = Math.max(ROW, this.place.clientHeight - 2 * ROW);
		if (moves[event.key])
			this.select(this.neighbour(moves[event.key]));
		else if (event.key === 'Enter')
			this.narrow(this.selected);
		else if (event.key === 'Escape' || event.key === 'Backspace')
			this.widen();
		else if (event.key === 'PageDown' || event.key === 'PageUp')
			this.scroll.top += event.key === 'PageDown' ? page : -page;
		else if (event.key === 'Home')
			this.select(this.base);
		else if (!this.act(event.key))
			return;
		event.preventDefault();
	}

	act(key) {
		const { app } = this, i = this.selected;
		if (!this.graph || !'cpt'.includes(key) || key === '')
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
		else if (this.inverted)
			app.set({ view: 'bottomup', filter: names[tree.fn[tree.path(i)[0]]], module: -1 });
		else
			app.set({ view: 'topdown', node: i, filter: '', module: -1, sort: '' });
		return true;
	}

	/** Selects the next frame that the search matches. */
	step(direction) {
		const { hits } = this.app.matching(), { tree, prefix } = this.graph;
		const first = Math.max(0, this.base), last = this.base < 0 ? tree.count : tree.end[this.base];
		const node = hits ? nextMatch(tree, prefix, hits, this.selected, direction, first, last) : -1;
		if (node >= 0)
			this.select(node);
		return node >= 0;
	}

	save() {
		const { app } = this, levels = this.deepest < 500 ? [0, this.deepest] : this.seenDepths();
		download(fileName(app.profile.title, 'flame', 'svg'), 'image/svg+xml', flameSvg(this, levels));
	}
}
