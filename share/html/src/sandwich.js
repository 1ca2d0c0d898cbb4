// Callers and callees of a chosen function: above, its callers merged, with the root at the
// bottom; below, its callees merged. Both meet at the function and are as wide as its total. What
// counts how often stands in merge.js.

import { byId, button, el } from './dom.js';
import { copy, forScreen } from './table.js';
import { FlamePointer } from './flame_pointer.js';
import { ROW } from './flame_picture.js';
import { NameBox } from './namebox.js';
import { leap, leaps } from './leap.js';
import { mergeCallees, mergeCallers, occurrences } from './merge.js';
import { inSlices } from './slices.js';
import { TOTAL_BEYOND } from './compare.js';
import { comparedText, sideFacts } from './compared.js';
import { nextMatch } from './search.js';
import { percent, plural, scaled, shorten } from './format.js';

// What is narrower than this share of the function is left out; no more steps than these are taken
// for its callers.
const LEAST = 1 / 4000, STEPS = 5e6;

/** One of the two graphs. */
class Pane extends FlamePointer {
	constructor(view, part, label, above) {
		super(view.app, {
			id: `sandwich-${part}`,
			label: `${label}: arrow keys move, Enter chooses the function`,
			tooltip: `sandwich-${part}-tooltip`,
			above
		});
		this.view = view;
		this.part = part;
		this.stale = true;
		this.place.addEventListener('click', (e) => {
			const node = this.stale ? null : this.at(e);
			if (node !== null)
				this.view.choose(this.graph.tree.fn[node]);
		});
		this.place.addEventListener('keydown', (e) => this.keydown(e));
		this.place.addEventListener('focus', () => this.tell());
	}

	get root() {
		return this.part === 'callers' ? 'bottom' : 'top';
	}

	setMade(made) {
		this.made = made;
		this.leave();
		const second = this.app.values.second && ((i) => made.second[i]);
		this.setPart(made.tree, made.prefix, made.tree.count ? 0 : -1, second);
		this.selected = this.above < 0 ? made.tree.firstChild(0) : 0;
		this.stale = false;
		const height = Math.min(Math.max(this.rows, 1) * ROW + 2, 4000);
		this.place.style.flex = `1 1 ${height}px`;
		this.place.style.minHeight = `${Math.min(height, 7 * ROW)}px`;
	}

	/** A pane that becomes lower still shows the function's edge. */
	layOut(jump) {
		const { scroll, place } = this;
		const below =
			place.scrollHeight - place.scrollTop - (this.height ?? place.clientHeight);
		super.layOut(jump);
		if (jump !== true && this.root === 'bottom' && this.graph)
			scroll.top = scroll.content - scroll.view - Math.max(0, below);
		this.height = place.clientHeight;
	}

	/** Shows it from the function on; both have their heights now. */
	begin() {
		this.layOut(true);
		this.recolor();
	}

	title(node) {
		return this.app.profile.functions.name[this.graph.tree.fn[node]];
	}

	/** Only the function itself is tested. */
	beyond() {
		return (this.app.compare.marks[this.view.fn] & TOTAL_BEYOND) !== 0;
	}

	facts(node) {
		const { app } = this, { tree, prefix } = this.graph, f = tree.fn[node];
		const value = (v) => app.inFull(v, { gap: '  ' });
		const v = prefix[tree.end[node]] - prefix[node], callers = this.part === 'callers';
		const lines = [[callers ? 'by this path' : 'total', value(v)]];
		if (!callers)
			lines.push(['self', value(this.made.self[node])]);
		if (app.values.second)
			lines.push(...sideFacts(app, this.sides(node), null, ''));
		lines.push(['of the function', percent(v, this.x1 - this.x0)]);
		const module = app.profile.moduleName(f), place = app.profile.place(f);
		if (module)
			lines.push(['module', module]);
		if (place)
			lines.push(['source', place]);
		return lines;
	}

	tell() {
		const i = this.selected;
		if (this.stale || i < 0 || !this.graph.tree.count)
			return;
		const facts = this.facts(i).slice(0, 1).map((l) => l.join(' '));
		byId('live').textContent = [forScreen(this.title(i)), ...facts].join('; ');
	}

	/** The function itself is not shown among its callers. */
	select(node) {
		super.select(this.above < 0 && node === 0 ? this.selected : node);
	}

	keydown(event) {
		if (event.altKey || event.ctrlKey || event.metaKey || this.stale ||
			this.selected < 0)
			return;
		if (event.key === 'Enter')
			this.view.choose(this.graph.tree.fn[this.selected]);
		else if (!this.move(event.key) && !this.act(event.key))
			return;
		event.preventDefault();
	}

	act(key) {
		const { app } = this, { tree } = this.graph, names = app.profile.functions.name;
		const f = tree.fn[this.selected];
		if (key === 'c')
			copy(app, names[f], forScreen(names[f]));
		else if (key === 'p') {
			const path = tree.path(this.selected).map((n) => names[tree.fn[n]]);
			copy(app, (this.part === 'callers' ? path.reverse() : path).join('\n'),
				'call path');
		} else
			return leap(app, key, f);
		return true;
	}
}

export class SandwichView {
	constructor(app) {
		this.app = app;
		this.box = new NameBox(app, 'sandwich-name', (f) => this.choose(f));
		this.callers = new Pane(this, 'callers', 'Callers', -1);
		this.callees = new Pane(this, 'callees', 'Callees', 0);
		this.facts = el('p', { id: 'sandwich-facts', class: 'about', role: 'status' });
		this.above = el('p', { id: 'sandwich-above', class: 'about' });
		this.below = el('p', { id: 'sandwich-below', class: 'about' });
		this.element = el('section', { class: 'view' },
			el('div', { class: 'tools' }, this.box.element,
				el('span', {
					class: 'group',
					role: 'group',
					'aria-label': 'The function'
				},
					button('sandwich-copy-name', 'Copy name', 'Copy the name',
						() => this.copyName()),
					...leaps('sandwich', app, (key) => leap(app, key, this.fn))
						.filter((b) => b.id !== 'sandwich-sandwich'))),
			this.facts, this.panes());
	}

	panes() {
		return el('div', { class: 'panes', id: 'sandwich-panes' }, this.above,
			this.callers.place, this.below, this.callees.place, this.callees.legend,
			this.callers.tooltip.element, this.callees.tooltip.element);
	}

	get fn() {
		const { fn } = this.app.state;
		return fn >= 0 ? fn : this.app.heaviest();
	}

	choose(f) {
		if (f !== this.fn)
			this.app.set({ view: 'sandwich', fn: f });
	}

	copyName() {
		const name = this.app.profile.functions.name[this.fn];
		if (name !== undefined)
			copy(this.app, name, forScreen(name));
	}

	show() {
		this.callers.visible = this.callees.visible = true;
		this.update(new Set(['color']));
	}

	hide() {
		this.callers.visible = this.callees.visible = false;
		this.stop?.();
		this.stop = null;
		this.callers.leave();
		this.callees.leave();
	}

	update(changed) {
		const { app } = this, key = `${app.valuesKey} ${this.fn}`;
		if (key !== this.key || this.stop === null && this.callees.stale)
			this.load(key);
		else if (['color', 'theme'].some((k) => changed.has(k)))
			this.each((pane) => pane.graph && pane.recolor());
		else
			this.each((pane) => pane.draw());
	}

	each(use) {
		use(this.callers);
		use(this.callees);
	}

	load(key) {
		const { app, fn } = this;
		this.stop?.();
		this.stop = null;
		this.key = key;
		this.box.set(fn);
		this.each((pane) => {
			pane.leave();
			pane.stale = true;
		});
		if (fn < 0) {
			this.facts.textContent = 'Nothing was recorded.';
			return;
		}
		byId('sandwich-panes').setAttribute('aria-busy', 'true');
		this.stop = inSlices(this.make(fn), (made) => {
			this.stop = null;
			byId('sandwich-panes').setAttribute('aria-busy', 'false');
			this.showFacts(made);
			this.callers.setMade(made.callers);
			this.callees.setMade(made.callees);
			this.each((pane) => pane.begin());
		}, (e) => app.failed(e));
		this.facts.textContent =
			`${shorten(app.profile.functions.name[fn], 80)}: adding up…`;
	}

	*make(fn) {
		const { tree, profile: p } = this.app, { prefix, second } = this.app.values;
		const found = occurrences(tree, prefix, fn, second), n = p.functionCount;
		yield;
		const options = { share: LEAST, steps: STEPS, second };
		const callers = yield* mergeCallers(tree, prefix, n, found.nodes, options);
		const callees = yield* mergeCallees(tree, prefix, n, found.nodes, options);
		return { fn, found, callers, callees };
	}

	callText(fn) {
		const { app } = this, counts = app.activations;
		if (!counts)
			return '';
		const { frames, inFrames } = app.flat(), time = app.timeOfCalls(frames[fn], inFrames[fn]);
		return counts.facts(counts.ofFunction(fn), time).map(([, text]) => `; ${text}`).join('');
	}

	showFacts({ fn, found, callers, callees }) {
		const { app } = this, { scale, total, unit } = app.values;
		const value = (v) => `${percent(v * scale, total)}, ${scaled(v * scale, unit)}`;
		const outer = found.nodes.length;
		const recursion = outer < found.contexts
			? `, ${plural(found.contexts - outer, 'context')} of them below another, ` +
				'which the total counts once'
			: '';
		const count = (tree) => {
			let n = 0;
			for (let c = tree.firstChild(0); c >= 0; c = tree.nextSibling(c))
				n++;
			return n;
		};
		const left = ({ pruned, cut }) =>
			(pruned || cut ? '; those narrower than 1/4000 are left out' : '');
		const up = count(callers.tree), down = count(callees.tree);
		const gap = callers.tree.count ? callers.prefix[1] : 0;
		const outermost =
			gap ? `; ${percent(gap, found.total)} of it without a caller` : '';
		const values = app.compare
			? comparedText(app, fn)
			: `total ${value(found.total)}; self ${value(found.self)}${this.callText(fn)}`;
		this.facts.textContent = `${shorten(app.name(fn), 100)}: ${values}; ${
			plural(found.contexts, 'context')}${recursion}.`;
		this.above.textContent = up ? `${plural(up, 'caller')}${outermost}${left(callers)}`
			: 'No callers: it is outermost';
		this.below.textContent = down ? `${plural(down, 'callee')}${left(callees)}`
			: 'No callees';
	}

	/** Selects the next frame that the search matches: among the callees, then the callers. */
	step(direction) {
		const { hits } = this.app.matching();
		if (!hits || this.callees.stale)
			return false;
		const first =
			this.callers.place === document.activeElement ? this.callers : this.callees;
		for (const pane of [first, first === this.callees ? this.callers : this.callees]) {
			const { tree, prefix } = pane.graph, from = pane.above < 0 ? 1 : 0;
			const node = tree.count > from
				? nextMatch(tree, prefix, hits, pane.selected, direction, from,
					  tree.count)
				: -1;
			if (node >= 0) {
				pane.select(node);
				return true;
			}
		}
		return false;
	}
}
