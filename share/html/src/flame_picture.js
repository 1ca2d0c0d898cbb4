// The picture of a flame graph: one canvas as large as its place, a scroll bar over all levels, and
// elements on top for what is pointed at and what is selected.

import { Scroll, el } from './dom.js';
import { forScreen } from './table.js';
import { changeColors, colors, dim, hex, ink } from './colors.js';
import { SIDES, relative } from './compare.js';
import { deepest, graphOf, nodeAt, paint } from './flame_paint.js';
import { scaled, shorten } from './format.js';

export const ROW = 18;
const FONT = '11px ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace';

export class FlamePicture {
	/**
	 * id begins the ids of its elements; label is what screen readers say of it; above is how
	 * many rows are above depth 0: 1 for the row of all, 0 for none, and -1 if depth 0 is not
	 * shown either.
	 */
	constructor(app, { id = 'flame', label, above = 1 }) {
		this.app = app;
		this.above = above;
		this.visible = false;
		this.graph = null;
		this.selected = -1;
		this.labels = new Map();
		const box = (part) =>
			el('div', { id: `${id}-${part}`, class: `framebox ${part}`, hidden: true });
		this.canvas = el('canvas', { id: `${id}-canvas`, 'aria-hidden': 'true' });
		this.hoverBox = box('hover');
		this.selectBox = box('selected');
		this.sticky = el('div', { class: 'sticky' }, this.canvas, this.hoverBox,
			this.selectBox);
		this.spacer = el('div', { class: 'spacer' });
		this.place = el('div', {
			id,
			class: 'flame',
			tabindex: 0,
			role: 'application',
			'aria-roledescription': 'flame graph',
			'aria-label': label,
		},
			this.sticky, this.spacer);
		this.scroll = new Scroll(this.place, this.spacer);
		this.legend = el('ul', { class: 'legend', 'aria-label': 'Colours' });
		// It would be an error if the size changed again within the observer.
		const resized = new ResizeObserver(() => requestAnimationFrame(() => {
			this.layOut();
			this.paintNow();
		}));
		resized.observe(this.place);
		window.matchMedia('(prefers-color-scheme: dark)')
			.addEventListener('change', () => this.recolor());
	}

	/**
	 * Shows the subtree of node base, or all for -1. second(node) is what a frame has on the
	 * other side of a comparison.
	 */
	setPart(tree, prefix, base, second) {
		this.graph = { ...graphOf(tree, prefix), second };
		this.base = base;
		this.x0 = base < 0 ? 0 : prefix[base];
		this.x1 = base < 0 ? prefix[tree.count] : prefix[tree.end[base]];
		// A frame without value has no width to show.
		if (this.x1 <= this.x0)
			this.x1 = this.x0 + 1;
		this.deepest = deepest(tree, base);
	}

	get rows() {
		return this.deepest + 1 + this.above;
	}

	/** Where the outermost functions are: 'top' or 'bottom'. */
	get root() {
		return this.app.state.root;
	}

	/**
	 * The upper edge of the row of depth d in the view, in CSS pixels. -1 is the row of all.
	 */
	rowTop(d) {
		if (this.root === 'top')
			return (d + this.above) * ROW - this.scroll.top;
		const height = Math.max(this.rows * ROW, this.place.clientHeight);
		return height - (d + 1 + this.above) * ROW - this.scroll.top;
	}

	/** Makes room for all levels; with `jump`, scrolls to the zoomed frame. */
	layOut(jump) {
		if (!this.graph || !this.visible || !this.place.clientHeight)
			return;
		const height = this.place.clientHeight;
		// The canvas gets its size later, when it is painted.
		this.sticky.style.height = `${height}px`;
		this.spacer.style.marginTop = `-${height}px`;
		this.scroll.resize(Math.max(this.rows * ROW, height));
		if (jump === true)
			this.scrollTo(this.base, true);
		this.draw();
	}

	/** Scrolls so that the frame is seen; with `first`, near the root's edge. */
	scrollTo(node, first) {
		const height = this.place.clientHeight, lowest = height - 2 * ROW;
		const y = this.rowTop(node < 0 ? -1 : this.graph.tree.depth[node]);
		const edge = this.root === 'top' ? 3 * ROW : height - 4 * ROW;
		const to = first ? edge : Math.max(ROW, Math.min(y, lowest));

		if (to !== y)
			this.scroll.top += y - to;
	}

	/** The depth of the row at y pixels in the view; -1 is the row of all. */
	depthAt(y) {
		const height = Math.max(this.rows * ROW, this.place.clientHeight);
		const from = this.scroll.top + y;
		const row = Math.floor((this.root === 'top' ? from : height - from) / ROW);
		return row - this.above;
	}

	/** {left, top, width} of a node's frame, in CSS pixels within the view. */
	box(node) {
		const { prefix, tree } = this.graph, width = this.place.clientWidth;
		const scale = width / (this.x1 - this.x0);
		const from = node < 0 ? this.x0 : prefix[node];
		const to = node < 0 ? this.x1 : prefix[tree.end[node]];
		const left = Math.max(0, (from - this.x0) * scale);
		const right = Math.min(width, (to - this.x0) * scale);
		return {
			left,
			width: right - left,
			top: this.rowTop(node < 0 ? -1 : tree.depth[node])
		};
	}

	/** The node at a point of the page, -1 for the row of all, null for none. */
	at(event) {
		if (!this.graph)
			return null;
		const r = this.canvas.getBoundingClientRect();
		const x = event.clientX - r.left, y = event.clientY - r.top;
		if (x < 0 || y < 0 || x >= r.width || y >= r.height)
			return null;
		const d = this.depthAt(y);
		if (d === -1)
			return this.above === 1 ? -1 : null;
		const node = nodeAt(this.graph, d, this.x0 + x / r.width * (this.x1 - this.x0));
		return node < 0 ? null : node;
	}

	recolor() {
		const dark = getComputedStyle(this.place).colorScheme === 'dark';
		this.colors =
			colors(this.app.profile, this.app.color, this.app.flat().self, dark);
		this.changeColor = this.app.color === 'change' ? changeColors(dark) : null;
		this.legend.replaceChildren(...this.colors.legend.map(([color, text, title]) => {
			const swatch = el('span', { class: 'swatch' });
			swatch.style.background = hex(color);
			return el('li', { title: forScreen(title ?? '') }, swatch,
				el('bdi', {}, forScreen(text)));
		}));
		this.draw();
	}

	/** The value of a frame, before and after; null if that is not known. */
	sides(node) {
		const { tree, prefix, second } = this.graph;
		if (!second)
			return null;
		const v = prefix[tree.end[node]] - prefix[node], other = second(node);
		return this.app.state.side === 'after' ? { before: other, after: v }
						       : { before: v, after: other };
	}

	/** The colour of a frame, if it has one of its own. */
	ownColor(node) {
		const { side } = this.app.state, sides = this.sides(node);
		const sign = side === 'shrunk' ? -1 : 1;
		let x = sides ? relative(sides.before, sides.after) : sign;
		// What grew as a whole is not coloured for what shrank in it.
		if (this.beyond(node) === false ||
			(side !== 'after' && side !== 'before' && x * sign < 0))
			x = 0;
		const color = this.changeColor(x);
		return this.app.matching().hits ? dim(color, this.colors.back) : color;
	}

	/** Is the change of a frame beyond noise? null: that is not known. */
	beyond() {
		return null;
	}

	/** The colour of a frame that is not faded. */
	frameColor(node) {
		const { of, dimmed, hit } = this.colors, { hits } = this.app.matching();
		const f = this.graph.tree.fn[node];
		return hits && hits[f]	   ? hit
			: this.changeColor ? this.ownColor(node)
			: hits		   ? dimmed[f]
					   : of[f];
	}

	/** Paints at the next frame of the screen, however often it is asked. */
	draw() {
		if (this.waiting)
			return;
		this.waiting = true;
		requestAnimationFrame(() => {
			this.waiting = false;
			this.paintNow();
		});
	}

	paintNow() {
		if (this.visible && this.graph && this.colors && this.place.clientHeight)
			this.paint();
	}

	/** A canvas whose size is set is empty, so this is done just before it is painted. */
	size() {
		const { canvas, place } = this, dpr = window.devicePixelRatio || 1;
		const width = Math.round(place.clientWidth * dpr);
		const height = Math.round(place.clientHeight * dpr);

		this.dpr = dpr;
		if (canvas.width !== width || canvas.height !== height) {
			canvas.width = width;
			canvas.height = height;
			canvas.style.width = `${place.clientWidth}px`;
			canvas.style.height = `${place.clientHeight}px`;
		}
	}

	paint() {
		this.size();
		const { width, height } = this.canvas, { dpr } = this;
		const g = this.canvas.getContext('2d', { alpha: false });
		if (this.picture?.width !== width || this.picture.height !== height) {
			const image = g.createImageData(width, height);
			this.picture = {
				width,
				height,
				image,
				pixels: new Uint32Array(image.data.buffer)
			};
		}
		const labels = [], rowTop = (d) => Math.round(this.rowTop(d) * dpr);
		const [first, last] = this.seenDepths();
		const { faded, back, hit, of, dimmed } = this.colors;
		const { hits } = this.app.matching();
		paint(this.picture, {
			graph: this.graph,
			x0: this.x0,
			x1: this.x1,
			of,
			dimmed,
			own: this.changeColor ? (i) => this.ownColor(i) : null,
			faded,
			back,
			hit,
			hits,
			first,
			last,
			rowTop,
			base: this.base < 0 ? 0 : this.graph.tree.depth[this.base],
			rowHeight: Math.round(ROW * dpr),
			labelFrom: 30 * dpr,
			label: (i, left, right, y, d) => labels.push([i, left, right, y, d]),
		});
		g.putImageData(this.picture.image, 0, 0);
		this.write(g, labels, rowTop(-1), hits);
		this.place.dataset.painted = String(Number(this.place.dataset.painted ?? 0) + 1);
		this.showBox(this.selectBox, this.selected);
	}

	/** The first and last depth that is seen. */
	seenDepths() {
		const a = this.depthAt(0), b = this.depthAt(this.place.clientHeight);
		return [Math.max(0, Math.min(a, b)), Math.min(this.deepest, Math.max(a, b))];
	}

	write(g, labels, allTop, hits) {
		const { dpr } = this, { hit, faded } = this.colors;
		const { tree } = this.graph;
		const base = this.base < 0 ? 0 : tree.depth[this.base], text = (p) => ink(p);
		g.setTransform(dpr, 0, 0, dpr, 0, 0);
		g.font = FONT;
		g.textBaseline = 'middle';
		this.charWidth ??= g.measureText('0'.repeat(100)).width / 100;
		for (const [i, left, right, y, d] of labels) {
			const f = tree.fn[i], isHit = hits && hits[f];
			g.fillStyle = text(isHit   ? hit
					: d < base ? faded
						   : this.frameColor(i));
			g.fillText(this.label(g, f, (right - left) / dpr - 7), left / dpr + 3,
				y / dpr + ROW / 2);
		}
		if (this.above === 1) {
			const y = allTop / dpr, width = this.canvas.width / dpr;
			g.fillStyle = hex(faded);
			g.fillRect(0, y, width, ROW - 1);
			g.fillStyle = text(faded);
			g.fillText(this.allText(), 3, y + ROW / 2);
		}
		g.setTransform(1, 0, 0, 1, 0, 0);
	}

	allText() {
		const { prefix, scale, unit } = this.app.values, { units, side } = this.app.state;
		const all = this.app.compare ? `all, ${SIDES.find(([id]) => id === side)[1]}`
			: units ? 'all of the chosen threads'
				: 'all';
		return `${all}  ${scaled(prefix[prefix.length - 1] * scale, unit)}`;
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
			for (let k = n; k > 1 && /[^\x20-\x7e…]/.test(text) &&
				g.measureText(text).width > room;)
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
}
