// Statistics: how the values of functions vary over threads, processes, programs or ranks.

import { byId, el, select } from './dom.js';
import { FlatView } from './flat.js';
import { Table, forScreen } from './table.js';
import { FUNCTION } from './table_view.js';
import { byFunctionAndGroup, strip, summarize, valuesOf } from './stats.js';
import { formatChosen, groupUnits, parseChosen } from './units.js';
import { inSlices } from './slices.js';
import { exact, exactValue, percent, plural, scaled } from './format.js';

const CELLS = 64, WIDTH = 3 * CELLS, HEIGHT = 18;  // of a strip

const column = (key, label, title) => ({ key, label, title, kind: 'number' });
const COLUMNS = [
	FUNCTION,
	column('mean', 'Mean', 'Over all, those without it included'),
	column('deviation', 'Std. dev.', 'Sample standard deviation (n - 1)'),
	column('least', 'Min', 'The lowest value; 0 if some are without it'),
	column('most', 'Max', 'The highest value'),
	column('imbalance', 'Imbalance', 'Max / mean - 1: 0% if all have the same'),
	column('present', 'With it', 'How many have a value'), {
		key: 'strip',
		label: 'Distribution',
		kind: 'strip',
		fixed: true,
		title: 'A bar for each'
	}
];

/** What can be compared, in the plural. */
const KINDS = {
	unit: ['threads', 'thread'],
	process: ['processes', 'process'],
	program: ['programs', 'program'],
	thread: ['threads by name', 'name'],
	rank: ['ranks', 'rank'],
	host: ['hosts', 'host']
};

/** The units of a comparison are its runs. */
const kindName = (app, k) => (app.compare && k === 'unit' ? ['runs', 'run'] : KINDS[k]);

const VALUES = new Set(['mean', 'deviation', 'least', 'most']);

export class StatsView extends FlatView {
	constructor(app) {
		super(app, {
			id: 'stats',
			label: 'Functions and how they vary',
			tree: false,
			sort: 'mean',
			columns: COLUMNS,
			about: 'How the value of each function varies.'
		});
		this.rows = [];
		this.bars = new Table({
			id: 'bars-table',
			label: 'Values of the selected function',
			tree: false,
			columns: [
				{
					key: 'value',
					label: 'Value',
					kind: 'number',
					title: 'Sort by value'
				},
				{
					key: 'group',
					label: 'Where',
					kind: 'name',
					title: 'Sort as given'
				}
			],
			on: {
				sort: (key) => {
					this.barOrder = key;
					this.showBars();
				},
				toggle: (row) => this.chooseBar(row),
				key: (event, row) => event.key === 'Enter' && this.chooseBar(row)
			}
		});
		this.barOrder = 'value';
		this.barsTitle = el('h2', { id: 'stats-function' });
		this.table.on.select = () => this.showBars();
		this.table.element.addEventListener('pointermove', (e) => this.nameCell(e));
		const outer = el('div', { class: 'beside' });
		this.table.outer.replaceWith(outer);
		outer.append(this.table.outer,
			el('aside', { class: 'bars', 'aria-label': 'The selected function' },
				this.barsTitle, this.bars.outer));
	}

	treeTools() {
		const { app } = this, p = app.profile;
		const set = (key) => (value) => app.set({ [key]: value });
		const kinds = Object.keys(KINDS).filter((k) => groupUnits(p.units, k).length > 1);
		const make = (id, label, key, options) => {
			const l = select(`stats-${id}`, label, options, set(key));
			(this.selects ??= []).push([l.lastChild, key]);
			return l;
		};
		return [
			make('by', 'Compare', 'by', kinds.map((k) => [k, kindName(app, k)[0]])),
			make('what', 'Value', 'what', [['self', 'self'], ['total', 'total']]),
			make('strip', 'Bars', 'strip',
				[['given', 'in order'], ['sorted', 'highest first']]),
		];
	}

	get extra() {
		const { by, what } = this.app.state;
		return `${by} ${what}`;
	}

	hide() {
		if (this.stop) {
			this.stop();
			this.stop = null;
			// It is begun anew when the view is shown again.
			this.shownData = null;
		}
	}

	update() {
		for (const [list, key] of this.selects)
			list.value = this.app.state[key];
		super.update();
	}

	/** The groups that are compared, of the chosen units. */
	groups() {
		const { app } = this, { units, by } = app.state, all = app.profile.units;
		const chosen = units ? parseChosen(units, all.length) : null;
		return groupUnits(all, by)
			.map((g) => ({
				...g,
				units: chosen ? g.units.filter((u) => chosen[u]) : g.units
			}))
			.filter((g) => g.units.length);
	}

	refresh() {
		const { app } = this, { metric, of, what } = app.state;
		const key = `${app.valuesKey} ${this.extra}`, groups = this.groups();
		if (key === this.madeKey) {
			this.list();
			return;
		}
		this.stop?.();
		const work = function*() {
			const cells = yield* app.profile.readUnits(metric, of);
			return yield*
				byFunctionAndGroup(app.tree, cells, groups.map((g) => g.units),
					app.profile.functionCount, what);
		};
		this.status.textContent = 'Adding up…';
		this.table.element.setAttribute('aria-busy', 'true');
		this.stop = inSlices(work(), (made) => {
			this.stop = null;
			this.madeKey = key;
			this.made = made;
			this.compared = groups;
			this.summary = summarize(made);
			this.table.element.setAttribute('aria-busy', 'false');
			this.list();
		}, (e) => {
			this.status.textContent = '';
			this.table.element.setAttribute('aria-busy', 'false');
			app.failed(e);
		});
	}

	/** What has been made is of other values, so there is nothing to show of it. */
	get stale() {
		return this.madeKey !== `${this.app.valuesKey} ${this.extra}`;
	}

	list() {
		const { app } = this, { present } = this.summary, pass = app.passing();
		const kept = this.rows[this.table.active], n = this.compared.length, list = [];
		let all = 0;
		for (let f = 0; f < present.length; f++)
			if (present[f]) {
				all++;
				if (!pass || pass[f])
					list.push(f);
			}
		this.ids = Int32Array.from(list);
		this.orders = new Map();
		this.rows = this.inOrder();
		this.table.active = Math.max(0, this.rows.indexOf(kept));
		const [many, one] = kindName(app, app.state.by);
		const count = list.length === all ? plural(all, 'function')
			: `${exact(list.length)} of ${exact(all)} functions`;
		const compared =
			n === 1 ? `one ${one}; there is nothing to compare` : `${exact(n)} ${many}`;
		this.status.textContent = `${count}, over ${compared}.`;
		this.table.setModel(
			this.model(list.length, (row) => this.rows[row]), this.emptyText());
		this.showBars();
	}

	reorder() {
		if (this.stale)
			return;
		super.reorder();
		this.showBars();
	}

	sortValue(key) {
		const values = this.summary[key] ?? this.summary.mean;
		return (f) => values[f];
	}

	value(key, f) {
		return this.summary[key][f];
	}

	cell(key, f) {
		const { unit, scale, total } = this.app.values, v = this.summary[key]?.[f];
		if (VALUES.has(key)) {
			const x = v * scale, share = total ? x * this.compared.length / total : 0;
			return {
				text: v ? scaled(x, unit) : '',
				title: exactValue(x, unit) +
					(key === 'mean' ? `; ${percent(share, 1)} of all` : ''),
				share: key === 'mean' ? share : 0
			};
		}
		if (key === 'present')
			return {
				text: exact(v),
				title: `${exact(v)} of ${exact(this.compared.length)}`
			};
		if (key === 'imbalance')
			return {
				text: `${(100 * v).toFixed(0)}%`,
				title: `max / mean - 1 = ${v.toFixed(3)}`
			};
		return key === 'strip' ? { text: '', draw: (canvas) => this.draw(canvas, f) }
			: super.cell(key, f);
	}

	exportValue(key, f) {
		if (key === 'strip')
			return Array.from(valuesOf(this.made, f), (v) => v * this.app.values.scale)
				.join(' ');
		if (key === 'present' || key === 'imbalance')
			return this.summary[key][f];
		return super.exportValue(key, f);
	}

	cells(f) {
		return strip(valuesOf(this.made, f), CELLS, this.app.state.strip === 'sorted');
	}

	draw(canvas, f) {
		const cells = this.cells(f), most = this.summary.most[f],
		      g = canvas.getContext('2d');
		const dpr = window.devicePixelRatio || 1, width = WIDTH / Math.max(cells.length, 8);
		canvas.width = Math.round(WIDTH * dpr);
		canvas.height = Math.round(HEIGHT * dpr);
		canvas.style.width = `${WIDTH}px`;
		canvas.style.height = `${HEIGHT}px`;
		g.scale(dpr, dpr);
		g.fillStyle = getComputedStyle(canvas).color;
		cells.forEach((c, k) => {
			const height = c.value ? Math.max(1, (HEIGHT - 1) * c.value / most) : 0;
			g.fillRect(k * width, HEIGHT - 1 - height, width - (width > 2 ? 0.75 : 0),
				height);
		});
		g.globalAlpha = 0.5;
		g.fillRect(0, HEIGHT - 1, cells.length * width, 1);
	}

	/** Names the bar that is pointed at. */
	nameCell(event) {
		const canvas = event.target.closest?.('canvas'), row = this.table.rowAt(event);
		if (!canvas || row < 0 || this.stale || !this.rows.length)
			return;
		const cells = this.cells(this.rows[row]), { unit, scale } = this.app.values;
		const box = canvas.getBoundingClientRect(),
		      width = WIDTH / Math.max(cells.length, 8);
		const c = cells[Math.floor((event.clientX - box.left) / width)];
		const name = c && this.compared[c.groups[0]].text;
		const more = c && c.groups.length > 1
			? ` and ${plural(c.groups.length - 1, 'other')}; highest`
			: '';
		canvas.parentElement.title =
			c ? `${forScreen(name)}${more}: ${scaled(c.value * scale, unit)}` : '';
	}

	// ---- the selected function

	showBars() {
		const f = this.rows[this.table.active], { unit, scale } = this.app.values;
		if (f === undefined || this.stale) {
			this.barsTitle.textContent = '';
			this.bars.setModel({ count: 0 }, '');
			return;
		}
		const values = valuesOf(this.made, f), most = this.summary.most[f];
		const order = Array.from(values, (_, g) => g);
		if (this.barOrder === 'value')
			order.sort((a, b) => values[b] - values[a] || a - b);
		this.barRows = order;
		this.barsTitle.textContent = forScreen(this.app.profile.functions.name[f]);
		this.bars.showSort(this.barOrder, this.barOrder !== 'value');
		this.bars.setModel({
			count: order.length,
			cells: (row) => {
				const g = order[row], x = values[g] * scale;
				return [
					{
						text: values[g] ? scaled(x, unit) : '',
						title: exactValue(x, unit),
						share: values[g] / most
					},
					{ text: this.compared[g].text }
				];
			},
			info: (row) => ({ id: order[row] })
		},
			'');
	}

	/** Shows only the threads of a bar. */
	chooseBar(row) {
		const chosen = new Uint8Array(this.app.profile.units.length);
		for (const u of this.compared[this.barRows[row]].units)
			chosen[u] = 1;
		this.app.set({ view: 'flat', units: formatChosen(chosen), sort: '' });
		byId('units').focus();
		return true;
	}
}
