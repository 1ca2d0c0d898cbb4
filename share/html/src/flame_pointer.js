// Flame graphs under the pointer and the arrow keys: what is pointed at, and what is selected.
// Subclasses have title(node) and facts(node) for the tooltip, tell() for screen readers, and
// stale, which is set while the graph is not that of the state.

import { FlamePicture } from './flame_picture.js';
import { Tooltip } from './tooltip.js';

export class FlamePointer extends FlamePicture {
	constructor(app, options) {
		super(app, options);
		this.hovered = null;
		this.tooltip = new Tooltip(options.tooltip);
		const on = (name, use) => this.place.addEventListener(name, use);
		on('scroll', () => {
			this.leave();
			this.draw();
		});
		on('pointermove', (e) => this.hover(e));
		on('pointerleave', () => this.leave());
	}

	hover(event) {
		const node = this.stale ? null : this.at(event);
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

	select(node) {
		this.selected = node;
		this.scrollTo(node, false);
		this.draw();
		this.tell();
	}

	/**
	 * A neighbour that has a width and is in view: kind is child, parent, next or previous; or
	 * the selected node itself.
	 */
	neighbour(kind) {
		const { tree, prefix } = this.graph, i = this.selected;
		if (kind === 'parent')
			return i < 0 ? i : tree.parent[i];
		// The ancestors of what is shown stand alone.
		if (i < this.base)
			return kind !== 'child' ? i
				: tree.path(this.base)[i < 0 ? 0 : tree.depth[i] + 1];
		if (i === this.base && kind !== 'child')
			return i;
		const step = (n) =>
			(kind === 'previous' ? tree.previousSibling(n) : tree.nextSibling(n));
		let n = kind === 'child' ? tree.firstChild(i) : step(i);
		while (n >= 0 && prefix[tree.end[n]] <= prefix[n])
			n = step(n);
		return n < 0 ? i : n;
	}

	/** Selects a neighbour by an arrow key; false if it is another key. */
	move(key) {
		const down = this.root === 'top' ? 'child' : 'parent';
		const moves = {
			ArrowDown: down,
			ArrowUp: down === 'child' ? 'parent' : 'child',
			ArrowRight: 'next',
			ArrowLeft: 'previous'
		};
		if (!moves[key])
			return false;
		this.select(this.neighbour(moves[key]));
		return true;
	}
}
