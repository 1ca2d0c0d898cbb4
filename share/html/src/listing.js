// The lines of a source file as a table, with their instructions where the page has them.

import { byId, el } from './dom.js';
import { Table, copy } from './table.js';
import { SELF, TOTAL } from './table_view.js';
import { GONE, heat, hottest, linesOfFile, listing } from './lines.js';
import { OpenRows, instructionsOfLine } from './instructions.js';
import { change } from './compare.js';
import { comparedCell, comparedColumns, otherChange } from './compared.js';
import { csv } from './export.js';
import { leap } from './leap.js';
import { matcher } from './search.js';
import { DataError } from './varint.js';
import { headOf, percent, scaled, shorten } from './format.js';

const MARKS = 300;  // places of the map of heat

const LINE = { key: 'lineno', label: 'Line', kind: 'lineno', fixed: true };
const CODE = { key: 'code', label: 'Code', kind: 'code', fixed: true };
const OF = {
	key: 'function',
	label: 'Function',
	kind: 'text',
	fixed: true,
	title: 'The function whose code is of this line'
};
const ADDRESS = { ...LINE, title: 'Line, or the address of an instruction', width: '6.5rem' };

/** A cell with a value, which is v of total. */
export function valueCell(app, v, { total, scale, unit }, whole) {
	const x = v * scale;
	const text = app.state.as === 'percent' ? percent(x, total) : scaled(x, unit);
	return {
		text: v ? text : '',
		share: total ? x / total : 0,
		title: app.inFull(v, { whole })
	};
}

/** CSV of rows [sides of self, sides of the total, ...texts]. */
export function comparedCsv(unit, rows, scale, ...heads) {
	const head = (side, kind) => headOf(`${kind} ${side}`, unit);
	return csv([
		[
			head('before', 'self'), head('after', 'self'), head('before', 'total'),
			head('after', 'total'), ...heads
		],
		...rows.map(([self, total, ...rest]) => [
			self.before * scale, self.after * scale, total.before * scale,
			total.after * scale, ...rest
		])
	]);
}

/** The lines of a file, and the instructions of those that are open. */
export class Listing {
	constructor(app) {
		const fixed = (columns) => columns.map((c) => ({ ...c, fixed: true }));
		this.app = app;
		this.hasInstructions = app.profile.has('instructions');
		this.columns = [
			...fixed(app.compare ? [...comparedColumns('self'), otherChange('total')]
					     : [SELF, TOTAL]),
			this.hasInstructions ? ADDRESS : LINE, CODE, OF
		];
		this.table = new Table({
			id: 'lines-table',
			label: 'Source lines',
			tree: this.hasInstructions,
			columns: this.columns,
			on: {
				sort: () => {},
				toggle: (row) => this.toggle(row),
				key: (event, row) => this.key(event.key, row)
			}
		});
		this.map = el('div', {
			id: 'source-map',
			'aria-hidden': 'true',
			title: 'Where the hot lines are',
			onclick: (e) => {
				const box = this.map.getBoundingClientRect();
				this.table.select(this.rows.rowOf(Math.floor(
					(e.clientY - box.top) / box.height * this.list.count)));
			}
		});
		this.element = el('div', { class: 'listing' }, this.table.outer, this.map);
	}

	/** Shows a file; text is an array of lines, or null. */
	set(file, text) {
		const { app } = this, p = app.profile, { metric, of } = app.state;
		const lines = p.lines.read(metric, of),
		      values = {...app.whole, scale: lines.scale };
		const list = listing(lines, file, text);
		if (file !== this.file)
			this.opened = new Set();
		this.lines = lines;
		this.list = list;
		this.text = text;
		this.file = file;
		this.instructions = this.readInstructions();
		this.values = values;
		this.compared = app.compare?.lines(lines);
		this.hot = this.compared ? this.mostChanged() : hottest(lines, file);
		this.most = this.hot.length ? this.weight(this.hot[0]) : 0;
		this.showRows();
		this.drawMap();
	}

	/** The instructions; null if the page has none, or damaged ones, which is said. */
	readInstructions() {
		const { app, lines } = this, p = app.profile, { metric, of } = app.state;
		try {
			return p.instructions?.read(metric, of, lines) ?? null;
		} catch (e) {
			if (!(e instanceof DataError))
				throw e;
			app.say(`Instructions cannot be shown: ${e.message}.`);
			return null;
		}
	}

	showRows() {
		const { list, lines } = this;
		this.rows = new OpenRows(list.count, [...this.opened].map((k) => {
			const [from, to] = this.ofLine(k);
			return { row: list.rowOf(lines.line[k]), from, to };
		}).sort((a, b) => a.row - b.row));
		this.table.setModel({
			count: this.rows.count,
			cells: (row) => this.cells(row),
			info: (row) => this.info(row)
		},
			'No line of this file has a value.');
	}

	info(row) {
		const [line, i] = this.rows.at(row), hits = this.app.matching().hits;
		const hit = hits && this.matches(row);
		if (i >= 0)
			return {
				id: `0x${this.instructions.address[i].toString(16)}`,
				depth: 1,
				heat: heat(this.instructions.self[i], this.most),
				hit
			};
		const k = this.list.index(line);
		const inner = this.ofLine(k);
		return {
			id: this.list.number(line),
			depth: 0,
			expandable: inner[0] < inner[1],
			open: this.opened.has(k),
			heat: k < 0 ? 0 : heat(this.weight(k), this.most),
			cold: this.isCold(k),
			hit
		};
	}

	/** [from, to): the instructions of a line by its index, which may be -1. */
	ofLine(k) {
		return this.instructions && k >= 0 ? instructionsOfLine(this.instructions, k) : [0, 0];
	}

	/** Opens or closes the line of a row. False if it has no instructions. */
	toggle(row) {
		const [line] = this.rows.at(row), k = this.list.index(line), [from, to] = this.ofLine(k);
		if (from === to)
			return false;
		if (!this.opened.delete(k))
			this.opened.add(k);
		this.showRows();
		this.table.select(this.rows.rowOf(line));
		return true;
	}

	cells(row) {
		const [line, i] = this.rows.at(row);
		return this.columns.map(
			(c) => (i < 0 ? this.cell(c.key, line) : this.instructionCell(c.key, i)));
	}

	instructionCell(key, i) {
		const { app, instructions: all } = this, of = app.profile.instructions;
		if (key === 'self')
			return valueCell(app, all.self[i], this.values, true);
		if (key === 'lineno')
			return { text: all.address[i].toString(16) };
		if (key === 'code')
			return { text: of.text(i) };
		const module = app.profile.modules[of.module(i)];
		return key === 'function'
			? { text: shorten(of.name(i), 40), title: `${of.name(i)} in ${module}` }
			: { text: '' };
	}

	cell(key, row) {
		const { app, list, lines, compared } = this, k = list.index(row);
		if (key === 'lineno')
			return { text: this.lineText(list.number(row)) };
		if (key === 'code')
			return { text: this.code(row) };
		if (key === 'function')
			return this.functionCell(k);
		if (k < 0)
			return { text: '' };
		if (!compared)
			return valueCell(app, lines[key][k], this.values, true);
		const other = key === 'other', tested = other === app.compare.totalLines;
		return comparedCell(
			app, key, this.sides(k, other), tested ? compared.beyond[k] !== 0 : null);
	}

	lineText(number) {
		return number >= GONE ? `${number - GONE} before` : number ? String(number) : 'not known';
	}

	/** {before, after, change} of a line's self, or of its total. */
	sides(k, other) {
		const { compared: { before, after }, values: { total, scale } } = this;
		const kind = other ? 'total' : 'self', b = before[kind][k], a = after[kind][k];
		return { before: b, after: a, change: change(b, a, total / scale) };
	}

	/** How hot a line is: its own value, or how much that changed. */
	weight(k) {
		return this.compared ? Math.abs(this.sides(k, false).change) : this.lines.self[k];
	}

	isCold(k) {
		return k >= 0 && this.compared !== undefined && this.sides(k, false).change < 0;
	}

	/** Indexes of the file's lines, those that changed most first. */
	mostChanged() {
		const [from, to] = linesOfFile(this.lines, this.file);
		const list = Array.from({ length: to - from }, (_, i) => from + i);
		const total = (k) => Math.abs(this.sides(k, true).change);
		return list.filter((k) => this.weight(k) > 0 || total(k) > 0)
			.sort((a, b) => this.weight(b) - this.weight(a) || total(b) - total(a) ||
					a - b);
	}

	/** The text of a row. */
	code(row) {
		return this.text?.[this.list.number(row) - 1] ?? '';
	}

	functionCell(k) {
		const title = k < 0 ? '' : this.functionText(k),
		      mark = / \[[a-z ]+\]$/.exec(title)?.[0] ?? '';
		return {
			text: shorten(title.slice(0, title.length - mark.length),
				      40 - mark.length) +
				mark,
			title
		};
	}

	functionText(k) {
		const f = this.lines.fn[k];
		if (f < 0)
			return 'several functions';
		const { functions } = this.app.profile;
		return functions.name[f] +
			['', ' [partly inlined]', ' [inlined]'][functions.inlined?.[f] ?? 0];
	}

	matches(row) {
		const { test } = matcher(this.app.state.q), [line, i] = this.rows.at(row);
		if (test && i >= 0)
			return test(this.app.profile.instructions.text(i));
		const k = this.list.index(line);
		return test && (test(this.code(line)) || (k >= 0 && test(this.functionText(k))));
	}

	/** Places of heat beside the scroll bar: each has the highest of its lines. */
	drawMap() {
		const { list, lines } = this;
		const most = new Uint8Array(MARKS), cold = new Uint8Array(MARKS);
		for (const k of this.hot) {
			const place = Math.floor(list.rowOf(lines.line[k]) / list.count * MARKS);
			const h = heat(this.weight(k), this.most);
			if (h > most[place]) {
				most[place] = h;
				cold[place] = this.isCold(k) ? 1 : 0;
			}
		}
		const marks = [];
		most.forEach((h, place) => {
			if (!h)
				return;
			const mark = el('span', { 'data-heat': h, class: cold[place] ? 'cold' : '' });
			mark.style.top = `${100 * place / MARKS}%`;
			marks.push(mark);
		});
		this.map.replaceChildren(...marks);
	}

	/** Selects a line; in sight with some lines above it. */
	goTo(line) {
		const row = this.rows.rowOf(this.list.rowOf(line));
		this.table.select(Math.min(this.rows.count - 1, row + 12));
		this.table.select(Math.max(0, row - 6));
		this.table.select(row);
	}

	/** The index of the line in a row, or that the instruction there is of; or -1. */
	lineAt(row) {
		return this.list?.count ? this.list.index(this.rows.at(row)[0]) : -1;
	}

	/** The next hottest line (step 1), or the one before. False if there is none. */
	hotStep(step) {
		const k = this.lineAt(this.table.active);
		const at = this.hot.indexOf(k), n = this.hot.length;
		if (!n)
			return false;
		const next = at < 0 ? 0 : Math.max(0, Math.min(n - 1, at + step));
		this.goTo(this.lines.line[this.hot[next]]);
		byId('live').textContent =
			`Line ${this.lineText(this.lines.line[this.hot[next]])}, hottest ${next + 1} of ${n}`;
		return true;
	}

	key(key, row = this.table.active) {
		const { app } = this, k = this.lineAt(row);
		if (this.hasInstructions && this.openingKey(key, row))
			return true;
		// A search has the key first.
		if ((key === 'n' && !app.state.q) || key === 'p')
			return this.hotStep(key === 'n' ? 1 : -1);
		if (key === 'c') {
			this.copy(...this.rows.at(row));
			return true;
		}
		if (key !== 's')
			return false;
		if (k >= 0 && this.lines.fn[k] >= 0)
			leap(app, 's', this.lines.fn[k]);
		else
			app.say('This line has no function of its own.');
		return true;
	}

	copy(line, i) {
		const { app } = this;
		if (i >= 0)
			copy(app, app.profile.instructions.text(i), 'the instruction');
		else if (this.text)
			copy(app, this.code(line), 'the line');
		else
			copy(app, `${app.profile.files[this.file]}:${this.list.number(line) % GONE}`,
				'the place');
	}

	/** Keys that open and close a line; false if it is none of them. */
	openingKey(key, row) {
		const [line, i] = this.rows.at(row), open = this.opened.has(this.lineAt(row));
		if (key === 'Enter' || key === ' ' || (key === 'ArrowRight' && !open) ||
			(key === 'ArrowLeft' && open && i < 0))
			this.toggle(row);
		else if (key === 'ArrowRight')
			this.table.select(row + 1);
		else if (key === 'ArrowLeft')
			this.table.select(this.rows.rowOf(line));
		else
			return false;
		return true;
	}

	step(direction) {
		const n = this.rows?.count ?? 0;
		for (let i = 1; i <= n; i++) {
			const row = (((this.table.active + direction * i) % n) + n) % n;
			if (this.matches(row)) {
				this.table.select(row);
				return true;
			}
		}
		return false;
	}

	csv() {
		const { list, lines } = this, { scale } = lines, { unit } = this.app.whole;
		const all = Array.from({ length: list.count }, (_, row) => row);
		if (this.compared)
			return comparedCsv(unit, all.filter((row) => list.index(row) >= 0).map((row) => {
				const k = list.index(row);
				return [
					this.sides(k, false), this.sides(k, true),
					this.lineText(list.number(row)), this.code(row),
					this.functionText(k)
				];
			}), scale, 'line', 'code', 'function');
		const line = (row) => {
			const k = list.index(row), v = (values) => (k < 0 ? 0 : values[k] * scale);
			return [
				v(lines.self), v(lines.total), list.number(row), this.code(row),
				k < 0 ? '' : this.functionText(k)
			];
		};
		const { instructions, rows: { count } } = this, of = this.app.profile.instructions;
		const instruction = (i) => [
			instructions.self[i] * scale, '', `0x${instructions.address[i].toString(16)}`,
			of.text(i), of.name(i)
		];
		const rows = Array.from({ length: count }, (_, row) => this.rows.at(row))
			.map(([row, i]) => (i < 0 ? line(row) : instruction(i)));
		return csv([
			[headOf('self', unit), headOf('total', unit), 'line', 'code', 'function'], ...rows
		]);
	}
}

