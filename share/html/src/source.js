// Source: files by value, and the lines of one, with their text where the page has it.

import { button, el } from './dom.js';
import { Table, forScreen } from './table.js';
import { SELF, TOTAL } from './table_view.js';
import { GONE } from './lines.js';
import { Listing, comparedCsv, valueCell } from './listing.js';
import { comparedCell, comparedColumns, comparedSort, isCompared, otherChange } from './compared.js';
import { csv, download, fileName } from './export.js';
import { matcher } from './search.js';
import { baseName, headOf, plural } from './format.js';

const FILE = { key: 'file', label: 'File', kind: 'name', title: 'Source file' };
const SHOWN = {
	key: 'shown',
	label: 'In the page',
	kind: 'text',
	title: 'What the page has of it'
};

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
			[headOf('self', unit), headOf('total', unit), 'file'],
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
				() => this.listing.key('s')),
			...app.profile.has('instructions') ? [button('source-instructions', 'Instructions',
				'Show or hide the instructions of the selected line (Enter)',
				() => this.listing.toggle(this.listing.table.active) ||
					app.say('The page has no instructions of this line.'))] : []);
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
