// The header: what was measured, its quality, the tabs, and what all views share.

import { byId, el } from './dom.js';
import { forScreen } from './table.js';
import { percent, plural, scaled } from './format.js';
import { SIDES } from './compare.js';
import { comparedFacts } from './compared.js';
import { details, facts, quality } from './quality.js';
import { UnitsPanel } from './units_panel.js';
import { viewsOf } from './views.js';

const KEYS = [
	['1 to 9', 'the views, from left to right'],
	['/', 'search'],
	['n, N', 'next and previous match'],
	['Up, Down', 'tables: another row; flame graph: the caller or the heaviest callee'],
	['Left, Right', 'tree tables, source lines: close and open a row; flame graph: neighbours'],
	['Page Up, Page Down, Home, End', 'further'],
	['Enter', 'tree tables, source lines: open or close; flame graph: narrow to the selected frame'],
	['Escape, Backspace', 'flame graph: widen again'],
	['h or *', 'tree tables: open the heaviest path from the selected row'],
	['s, o', 'callers and callees of it, or its source'],
	['n, p', 'source, without a search: the next hottest line, and the one before'],
	['c, p', 'copy the name, or the call path, of the selected row or frame'],
	['f, t', 'show it in the flame graph, or in the top-down table'],
	['u', 'choose threads and processes'],
	['?', 'this list'],
];

export class Header {
	constructor(app) {
		this.app = app;
		this.views = viewsOf(app.profile);
		this.fill();
		this.units = new UnitsPanel(app);
		this.connect();
		this.update(new Set(['metric', 'q', 'view', 'theme', 'units']));
	}

	fill() {
		const { app } = this, p = app.profile;
		byId('title').textContent = forScreen(p.title);
		byId('title').title = forScreen(p.title);
		const fact = (f) =>
			el('span', { class: 'fact', 'data-fact': f.id, title: f.title },
				forScreen(f.text));
		byId('facts').replaceChildren(...(p.compare ? comparedFacts(p.compare, p.metrics[0])
							    : facts(p.report.run)).map(fact));
		byId('side-label').hidden = !p.compare;
		byId('side').replaceChildren(
			...SIDES.map(([value, text]) => el('option', { value }, text)));
		byId('metric').replaceChildren(
			...p.metrics.map((m, i) => el('option', { value: i }, m.name)));
		byId('metric-label').hidden = p.metrics.length < 2;
		byId('tabs').replaceChildren(...this.views.map((v) => this.tab(v)));
		const row = ([keys, what]) =>
			el('tr', {}, el('th', { scope: 'row' }, keys), el('td', {}, what));
		byId('help-keys').replaceChildren(...KEYS.map(row));
	}

	tab({ id, label }) {
		const attributes = {
			type: 'button',
			role: 'tab',
			id: `tab-${id}`,
			'aria-controls': `view-${id}`,
			'data-view': id,
			onclick: () => this.app.set({ view: id, sort: '' })
		};
		return el('button', attributes, label);
	}

	connect() {
		const { app } = this;
		for (const key of ['of', 'side', 'as', 'theme'])
			byId(key).addEventListener(
				'change', (e) => app.set({ [key]: e.target.value }));
		byId('metric').addEventListener(
			'change', (e) => app.set({ metric: Number(e.target.value) }));
		byId('search').addEventListener(
			'input', (e) => app.set({ q: e.target.value }, { replace: true }));
		byId('search').addEventListener('keydown', (e) => {
			if (e.key === 'Enter')
				this.step(e.shiftKey ? -1 : 1);
			else if (e.key === 'Escape')
				app.set({ q: '' }, { replace: true });
		});
		byId('next').addEventListener('click', () => this.step(1));
		byId('previous').addEventListener('click', () => this.step(-1));
		byId('keys').addEventListener('click', () => byId('help').showModal());
		byId('quality-more').addEventListener('click', () => this.showDetails());
		byId('tabs').addEventListener('keydown', (e) => this.tabKey(e));
		document.addEventListener('keydown', (e) => this.key(e));
	}

	/** Left and right go through the tabs. */
	tabKey(event) {
		const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
		if (!step)
			return;
		const n = this.views.length,
		      at = this.views.findIndex((v) => v.id === this.app.state.view);
		const to = this.views[(at + step + n) % n].id;
		this.app.set({ view: to, sort: '' });
		byId(`tab-${to}`).focus();
		event.preventDefault();
	}

	key(event) {
		const { app } = this;
		const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
		const modified = event.altKey || event.ctrlKey || event.metaKey;
		const used = modified || event.defaultPrevented;
		if (typing || used || document.querySelector('dialog[open]'))
			return;
		const view = this.views[Number(event.key) - 1];
		if (event.key === '/')
			byId('search').focus();
		else if (event.key === 'n' || event.key === 'N')
			this.step(event.key === 'n' ? 1 : -1);
		else if (event.key === 'u' && app.profile.units.length && !app.compare)
			this.units.open();
		else if (event.key === '?')
			byId('help').showModal();
		else if (view)
			this.app.set({ view: view.id, sort: '' });
		else
			return;
		event.preventDefault();
	}

	step(direction) {
		const { app } = this;
		if (!app.state.q)
			byId('search').focus();
		else if (!app.shown.step(direction))
			app.say('No match here.');
	}

	update(changed) {
		const { app } = this, { state, profile } = app;
		for (const key of ['metric', 'of', 'side', 'as', 'theme'])
			byId(key).value = String(state[key]);
		byId('of-label').hidden = app.compare || !profile.hasEvents(state.metric);
		document.documentElement.dataset.theme = state.theme;
		for (const tab of byId('tabs').children) {
			const on = tab.dataset.view === state.view;
			tab.setAttribute('aria-selected', on ? 'true' : 'false');
			tab.tabIndex = on ? 0 : -1;
		}
		if (['units', 'metric', 'of', 'side'].some((k) => changed.has(k)))
			this.units.update();
		if (changed.has('metric'))
			this.showQuality();
		if (['q', 'metric', 'of', 'units', 'side'].some((k) => changed.has(k)))
			this.showMatches();
	}

	showQuality() {
		const { app } = this, m = app.profile.metrics[app.state.metric];
		const statement = ({ id, text, title, wrong }) => {
			const attributes = {
				class: wrong ? 'fact wrong' : 'fact',
				'data-quality': id,
				title: forScreen(title)
			};
			return el('span', attributes, wrong ? '⚠ ' : '', forScreen(text));
		};
		const text = `${m.name}: ${scaled(m.events, m.unit)}`;
		const total = { id: 'total', text, title: '', wrong: false };
		const all = [...app.compare ? [] : [total], ...quality(app.profile.report, m)];
		byId('quality').replaceChildren(...all.map(statement));
	}

	showDetails() {
		const { app } = this, m = app.profile.metrics[app.state.metric];
		const { account, rest } = details(app.profile.report, m);
		const row = ([name, ...values]) => el('tr', {},
			el('th', { scope: 'row' }, forScreen(name)),
			...values.map((v) => el('td', { class: 'value' }, forScreen(v))));
		const head = ['Outcome', 'Share', m.name, 'Samples'];
		const heads = head.map((t) => el('th', { scope: 'col' }, forScreen(t)));
		const tables = [el('table', {}, el('tbody', {}, ...rest.map(row)))];

		if (account.length)
			tables.unshift(el('table', { id: 'account' },
				el('thead', {}, el('tr', {}, ...heads)),
				el('tbody', {}, ...account.map(row))));
		byId('quality-tables').replaceChildren(...tables);
		byId('quality-details').showModal();
	}

	showMatches() {
		const { app } = this, { functions, error } = app.matching(), found = app.matched();
		const { total, scale, unit } = app.values, search = byId('search');

		if (search.value !== app.state.q)
			search.value = app.state.q;
		search.setAttribute('aria-invalid', error ? 'true' : 'false');
		byId('next').disabled = byId('previous').disabled = !found || !found.nodes;
		byId('matches').textContent = error;
		byId('matches').title = '';
		if (!found)
			return;
		const value = found.value * scale;
		byId('matches').textContent = `${percent(value, total)} in ` +
			`${plural(functions, 'function')}, ${plural(found.nodes, 'context')}`;
		byId('matches').title =
			`${scaled(value, unit)} on call paths through a match; a path counts once`;
	}
}
