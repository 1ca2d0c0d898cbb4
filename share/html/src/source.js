// Source: files by value, and the lines of one, with their text where the page has it.

import { byId, button, el } from './dom.js';
import { Table, copy, forScreen } from './table.js';
import { SELF, TOTAL } from './table_view.js';
import { GONE, heat, hottest, linesOfFile, listing } from './lines.js';
import { change } from './compare.js';
import { comparedCell, comparedColumns, comparedSort, isCompared, otherChange } from './compared.js';
import { csv, download, fileName } from './export.js';
import { leap } from './leap.js';
import { matcher } from './search.js';
import { baseName, percent, plural, scaled, shorten } from './format.js';

const MARKS = 300;  // places of the map of heat

const FILE = { key: 'file', label: 'File', kind: 'name', title: 'Source file' };
const SHOWN = {
	key: 'shown',
	label: 'In the page',
	kind: 'text',
	title: 'What the page has of it'
};
const LINE = { key: 'lineno', label: 'Line', kind: 'lineno', fixed: true };
const CODE = { key: 'code', label: 'Code', kind: 'code', fixed: true };
const OF = {
	key: 'function',
	label: 'Function',
	kind: 'text',
	fixed: true,
	title: 'The function whose code is of this line'
};

/** A cell with a value, which is v of total. */
function valueCell(app, v, { total, scale, unit }, whole) {
	const x = v * scale;
	const text = app.state.as === 'percent' ? percent(x, total) : scaled(x, unit);
	return {
		text: v ? text : '',
		share: total ? x / total : 0,
		title: app.inFull(v, { whole })
	};
}

/** The table of files. */
class Files {
	constructor(app, open) {
		this.app = app;
		this.columns = app.compare
			? [...comparedColumns('self'), otherChange('total'), FILE, SHOWN]
			: [SELF, TOTAL, FILE, SHOWN];
		this.table = new Table({
			id: 'source-table',
			label: 'Source files',
			tree: false,
			columns: this.columns,
			on: {
				sort: (key) => this.sortBy(key),
				toggle: (row) => open(this.rows[row]),
				key: (event, row) => {
					if (event.key !== 'Enter')
						return false;
					open(this.rows[row]);
					return true;
				}
			}
		});
	}

	sortBy(key) {
		const text = key === 'file' || key === 'shown', { sort } = this;
		const first = text ? `-${key}` : key, other = text ? key : `-${key}`;
		this.app.set({ sort: sort === first ? other : first });
	}

	update() {
		const { app } = this, p = app.profile, { self, total } = app.byFile();
		const given = app.state.sort, key = given.replace('-', '');
		const usual = app.compare ? 'change' : 'self';
		this.sort = this.columns.some((c) => c.key === key) ? given : usual;
		const by = this.sort.replace('-', ''), rising = this.sort.startsWith('-');
		const kept = this.rows?.[this.table.active], data = `${app.valuesKey} ${this.sort}`;
		this.table.showSort(by, rising);
		if (data === this.data) {
			this.table.paint();
			return;
		}
		this.data = data;
		const withLines = app.filesWithLines();
		const list = p.files.map((_, f) => f).filter((f) => total[f] > 0 || withLines[f]);
		const value = isCompared(by) ? comparedSort(by, (f, other) => this.sides(f, other)) : {
			self: (f) => self[f],
			total: (f) => total[f],
			file: (f) => app.rank('files')[f],
			shown: (f) => (p.hasSource(f) ? 1 : 0)
		}[by];
		const sign = rising ? 1 : -1;
		this.rows = list.sort(
			(a, b) => sign * (value(a) - value(b)) || total[b] - total[a] || a - b);
		this.table.active = Math.max(0, this.rows.indexOf(kept));
		this.table.setModel({
			count: this.rows.length,
			cells: (row) => this.columns.map((c) => this.cell(c.key, this.rows[row])),
			info: (row) => ({ id: this.rows[row] })
		},
			'No source file is known.');
	}

	cell(key, f) {
		const { app } = this, p = app.profile;
		if (key === 'file')
			return { text: p.files[f] };
		if (key === 'shown')
			return {
				text: p.hasSource(f)		    ? 'text'
					: app.filesWithLines()[f] ? 'values of lines'
								  : ''
			};
		if (isCompared(key))
			return comparedCell(app, key, this.sides(f, key === 'other'), null);
		return valueCell(app, app.byFile()[key][f], app.values, false);
	}

	/** {before, after, change} of a comparison. */
	sides(f, other) {
		const { app } = this, before = app.sides().before.files;
		const after = app.sides().after.files;
		const kind = other ? 'total' : 'self', b = before[kind][f], a = after[kind][f];
		return { before: b, after: a, change: app.changeOf(b, a, app.byFile()[kind][f]) };
	}

	csv() {
		const { app } = this, { self, total } = app.byFile(), { scale, unit } = app.values;
		if (app.compare)
			return comparedCsv(unit, this.rows.map((f) => [
				this.sides(f, false), this.sides(f, true), app.profile.files[f]
			]), scale, 'file');
		return csv([
			[`self (${unit})`, `total (${unit})`, 'file'],
			...this.rows.map(
				(f) => [self[f] * scale, total[f] * scale, app.profile.files[f]])
		]);
	}

	step(direction) {
		const { test } = matcher(this.app.state.q), n = this.rows.length;
		for (let k = 1; test && k <= n; k++) {
			const row = (((this.table.active + direction * k) % n) + n) % n;
			if (test(this.app.profile.files[this.rows[row]])) {
				this.table.select(row);
				return true;
			}
		}
		return false;
	}
}

/** CSV of rows [sides of self, sides of the total, ...texts]. */
function comparedCsv(unit, rows, scale, ...heads) {
	const head = (side, kind) => `${kind} ${side} (${unit})`;
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

/** The lines of a file. */
class Listing {
	constructor(app) {
		const fixed = (columns) => columns.map((c) => ({ ...c, fixed: true }));
		this.app = app;
		this.columns = [
			...fixed(app.compare ? [...comparedColumns('self'), otherChange('total')]
					     : [SELF, TOTAL]),
			LINE, CODE, OF
		];
		this.table = new Table({
			id: 'lines-table',
			label: 'Source lines',
			tree: false,
			columns: this.columns,
			on: {
				sort: () => {},
				toggle: () => {},
				key: (event, row) => this.key(event.key, row)
			}
		});
		this.map = el('div', {
			id: 'source-map',
			'aria-hidden': 'true',
			title: 'Where the hot lines are',
			onclick: (e) => {
				const box = this.map.getBoundingClientRect();
				this.table.select(Math.floor(
					(e.clientY - box.top) / box.height * this.list.count));
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
		this.lines = lines;
		this.list = list;
		this.text = text;
		this.file = file;
		this.values = values;
		this.compared = app.compare?.lines(lines);
		this.hot = this.compared ? this.mostChanged() : hottest(lines, file);
		this.most = this.hot.length ? this.weight(this.hot[0]) : 0;
		this.table.setModel({
			count: list.count,
			cells: (row) => this.columns.map((c) => this.cell(c.key, row)),
			info: (row) => {
				const k = list.index(row), hits = app.matching().hits;
				return {
					id: list.number(row),
					heat: k < 0 ? 0 : heat(this.weight(k), this.most),
					cold: this.isCold(k),
					hit: hits && this.matches(row)
				};
			}
		},
			'No line of this file has a value.');
		this.drawMap();
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
		const { test } = matcher(this.app.state.q), k = this.list.index(row);
		return test && (test(this.code(row)) || (k >= 0 && test(this.functionText(k))));
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
		const row = this.list.rowOf(line);
		this.table.select(Math.min(this.list.count - 1, row + 12));
		this.table.select(Math.max(0, row - 6));
		this.table.select(row);
	}

	/** The next hottest line (step 1), or the one before. False if there is none. */
	hotStep(step) {
		const k = this.list.count ? this.list.index(this.table.active) : -1;
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
		const { app } = this, k = this.list?.count ? this.list.index(row) : -1;
		// A search has the key first.
		if ((key === 'n' && !app.state.q) || key === 'p')
			return this.hotStep(key === 'n' ? 1 : -1);
		if (key === 'c') {
			copy(app, this.text ? this.code(row) : `${app.profile.files[this.file]}:${
				this.list.number(row) % GONE}`, this.text ? 'the line' : 'the place');
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

	step(direction) {
		const n = this.list?.count ?? 0;
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
		const rows = all.map((row) => {
			const k = list.index(row), v = (values) => (k < 0 ? 0 : values[k] * scale);
			return [
				v(lines.self), v(lines.total), list.number(row), this.code(row),
				k < 0 ? '' : this.functionText(k)
			];
		});
		return csv([
			[`self (${unit})`, `total (${unit})`, 'line', 'code', 'function'], ...rows
		]);
	}
}

export class SourceView {
	constructor(app) {
		this.app = app;
		this.files = new Files(app, (file) => app.set({ file, line: 0 }));
		this.listing = new Listing(app);
		this.note = el('p', { id: 'source-note', class: 'about', role: 'status' });
		this.back = button('source-files', 'All files', 'Back to the table of files',
			() => app.set({ file: -1, line: 0 }));
		const hot = (id, text, title, step) =>
			button(id, text, title, () => this.listing.hotStep(step));
		this.lineTools = el('span',
			{ class: 'group', role: 'group', 'aria-label': 'Lines' },
			hot('source-next', 'Next hottest', 'The next hottest line (n)', 1),
			hot('source-previous', 'Previous', 'The line that is hotter (p)', -1),
			button('source-sandwich', 'Callers and callees',
				'Show the callers and callees of the line\'s function (s)',
				() => this.listing.key('s')));
		this.element = el('section', { class: 'view' },
			el('div', { class: 'tools' }, this.back, this.lineTools,
				button('source-csv', 'CSV', 'Save these rows as a CSV file',
					() => this.save())),
			this.note, this.files.table.outer, this.listing.element);
	}

	get file() {
		return this.app.state.file;
	}

	show() {
		this.update(new Set(['file', 'line']));
	}

	hide() {}

	update(changed) {
		try {
			this.refresh(changed);
		} catch (e) {
			this.app.failed(e);
		}
	}

	refresh(changed) {
		const { app, file } = this, one = file >= 0;
		this.back.hidden = this.lineTools.hidden = this.listing.element.hidden = !one;
		this.files.table.outer.hidden = one;
		if (!one) {
			this.files.update();
			this.note.textContent =
				`${plural(this.files.rows.length, 'source file')}. ` +
				'Self and total are those of the functions that begin there. ' +
				'Enter shows the lines of one.';
			return;
		}
		const key = `${file} ${app.state.metric} ${app.state.of}`;
		if (key !== this.shownKey)
			this.open(key);
		else if (changed.has('line') || changed.has('file'))
			this.goTo();
		else
			this.listing.table.paint();
		this.say();
	}

	/** Shows a file, and then its text. */
	open(key) {
		const { file } = this;
		this.shownKey = key;
		this.listing.set(file, this.text(file));
		this.goTo();
		this.readText(key, file);
	}

	async readText(key, file) {
		const { app } = this, p = app.profile;
		if (!p.hasSource(file) || this.texts?.file === file)
			return;
		let lines = null;
		try {
			lines = splitLines(await p.source(file));
		} catch (e) {
			app.say('The text of this file is damaged.');
		}
		this.texts = { file, lines };
		if (this.shownKey !== key || !lines)
			return;
		this.listing.set(file, lines);
		this.goTo();
		this.say();
	}

	/** The lines of the text, if they have been decoded. */
	text(file) {
		return this.texts?.file === file ? this.texts.lines : null;
	}

	/** To the line of the state, or the hottest one. */
	goTo() {
		const { line } = this.app.state;
		if (line)
			this.listing.goTo(line);
		else if (this.listing.hot.length)
			this.listing.goTo(this.listing.lines.line[this.listing.hot[0]]);
	}

	say() {
		const { app, file, listing: list } = this, p = app.profile;
		const parts = [`${forScreen(p.files[file])}: ${
			plural(list.hot.length, 'line')} with values.`];
		if (!p.hasSource(file))
			parts.push(
				`Its text is not in the page; "hpcprof ${
					app.compare ? 'diff --html' : 'html'} --sources" puts it there.`);
		if (app.compare && list.hot.some((k) => list.lines.line[k] >= GONE))
			parts.push('Lines that are not there after are last, with their number before.');
		if (app.state.units)
			parts.push('Lines have the values of all threads, whichever are chosen.');
		this.note.textContent = parts.join(' ');
	}

	step(direction) {
		return (this.file >= 0 ? this.listing : this.files).step(direction);
	}

	save() {
		const { app, file } = this,
				  part = file >= 0 ? baseName(app.profile.files[file]) : 'files';
		const text = (file >= 0 ? this.listing : this.files).csv();
		download(fileName(`${app.profile.title}`,
				 `source-${part.replace(/[^\w.-]+/g, '-')}`, 'csv'),
			'text/csv', text);
	}
}

/** The lines of a text whose lines each end with an LF. */
export function splitLines(text) {
	const lines = text.split('\n');
	if (lines.at(-1) === '')
		lines.pop();
	return lines;
}
