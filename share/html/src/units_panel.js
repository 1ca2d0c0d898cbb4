// The control in the header that says which threads and processes are shown, and its panel, in
// which groups of them are chosen. A group is a check box; it is mixed if some of it are chosen.

import { byId, el } from './dom.js';
import { forScreen } from './table.js';
import { matcher } from './search.js';
import { formatChosen, parseChosen } from './units.js';
import { inSlices } from './slices.js';
import { exact, percent } from './format.js';

const MOST = 100;  // groups of a kind that are shown at once

export class UnitsPanel {
	constructor(app) {
		this.app = app;
		this.totals = null;
		this.panel = byId('units-panel');
		this.chosen = new Uint8Array(app.profile.units.length);
		const has = app.profile.units.length > 0 && !app.compare;
		byId('units-line').hidden = !has;
		if (!has)
			return;
		byId('units').addEventListener(
			'click', () => (this.panel.open ? this.close() : this.open()));
		byId('units-find').addEventListener('input', () => this.list());
		byId('units-all').addEventListener('click', () => this.choose(() => 1));
		byId('units-close').addEventListener('click', () => this.close());
		this.panel.addEventListener('keydown', (e) => {
			if (e.key !== 'Escape' || e.target.value)
				return;
			this.close();
			e.preventDefault();
		});
		document.addEventListener('pointerdown', (e) => {
			if (this.panel.open && !this.panel.contains(e.target) &&
				e.target !== byId('units'))
				this.close(false);
		});
	}

	/** The state has changed. */
	update() {
		const { app } = this, { units } = app.state, n = app.profile.units.length;
		if (!n || app.compare)
			return;
		const { metric, of } = app.state, key = `${metric} ${of}`;
		this.chosen = parseChosen(units, n);
		this.totals = key === this.totalsKey ? this.totals : null;
		byId('units').textContent = `${this.text()} ▾`;
		const share = percent(app.values.total, app.whole.total);
		byId('units-note').textContent =
			units ? `${share} of all; percentages are of the chosen threads` : '';
		if (this.panel.open)
			this.load();
	}

	/** What is chosen in words: a group, or how many. */
	text() {
		const { app, chosen } = this, n = chosen.length;
		const count = chosen.reduce((a, b) => a + b, 0);
		if (count === n)
			return 'All threads';
		for (const { groups } of app.facets())
			for (const g of groups)
				if (g.units.length === count && g.units.every((u) => chosen[u]))
					return forScreen(this.groupText(g)).slice(0, 60);
		return `${exact(count)} of ${exact(n)} threads`;
	}

	groupText({ text, units }) {
		return units.length > 1 ? `${text} × ${exact(units.length)}` : text;
	}

	open() {
		byId('units').setAttribute('aria-expanded', 'true');
		if (!this.panel.open)
			this.panel.show();
		byId('units-find').focus();
		this.load();
	}

	close(focus = true) {
		this.panel.close();
		byId('units').setAttribute('aria-expanded', 'false');
		if (focus)
			byId('units').focus();
	}

	/** Shows the groups, with their shares as soon as these are known. */
	load() {
		const { metric, of } = this.app.state, key = `${metric} ${of}`;
		this.stop?.();
		this.stop = null;
		this.list();
		if (this.totals)
			return;
		this.stop = inSlices(this.app.unitTotals(), (totals) => {
			this.totals = totals;
			this.totalsKey = key;
			this.list();
		}, (e) => this.app.failed(e));
	}

	/** Chooses units: those for which want(unit, is it chosen) is true. At least one stays. */
	choose(want) {
		const next = this.chosen.map((is, u) => (want(u, is) ? 1 : 0));
		if (next.includes(1))
			this.app.set({ units: formatChosen(next) });
		else
			this.app.say('At least one thread stays chosen.');
		this.list();
	}

	list() {
		const { test, error } = matcher(byId('units-find').value),
				    active = document.activeElement;
		byId('units-find').setAttribute('aria-invalid', error ? 'true' : 'false');
		const focus = this.panel.contains(active) ? active.dataset.key : undefined;
		byId('units-groups').replaceChildren(
			...this.app.facets().map((facet) => this.facet(facet, test)));
		if (focus !== undefined)
			[...this.panel.querySelectorAll('[data-key]')]
				.find((e) => e.dataset.key === focus)?.focus();
	}

	facet({ id, label, groups }, test) {
		const weigh = (g) => g.units.reduce((sum, u) => sum + (this.totals?.[u] ?? 0), 0);
		const all = groups.filter((g) => !test || test(g.text))
				    .map((g) => ({ ...g, weight: weigh(g) }))
				    .sort((a, b) => b.weight - a.weight);
		const shown = all.slice(0, MOST), left = all.length - shown.length;
		return el('fieldset', { 'data-facet': id }, el('legend', {}, label),
			...shown.map((g) => this.group(id, g)),
			...left ? [el('p', {},
					  `${exact(left)} more; find them by a part of the name.`)]
				: [],
			...all.length ? [] : [el('p', {}, 'None is found.')]);
	}

	group(facet, g) {
		const { units, weight } = g, text = forScreen(this.groupText(g)), { chosen } = this;
		const count = units.reduce((n, u) => n + chosen[u], 0),
		      key = `${facet} ${units[0]}`;
		const { scale, total } = this.app.whole, members = new Set(units);
		const box = el('input', {
			type: 'checkbox',
			'data-key': key,
			onchange: () => this.choose(
				(u, is) => (members.has(u) ? !count || count < units.length : is))
		});
		box.checked = count === units.length;
		box.indeterminate = count > 0 && count < units.length;
		const share = this.totals ? percent(weight * scale, total) : '';
		return el('div', { class: 'unitgroup' },
			el('label', { title: text }, box, el('bdi', {}, text)),
			el('span', { class: 'value' }, share),
			el('button', {
				type: 'button',
				class: 'small',
				'data-key': `${key} only`,
				'aria-label': `Only ${text}`,
				onclick: () => this.choose((u) => members.has(u))
			}, 'Only'));
	}
}
