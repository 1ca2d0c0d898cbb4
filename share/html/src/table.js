// A table of any number of rows, of which only the visible ones are elements. What is in the rows
// comes from a model: {count, cells(row), info(row)}.

import { Scroll, byId, el } from './dom.js';
import { startAndEnd, tellApart } from './format.js';

const ROW = 24;
const INDENT = 12, DEEPEST = 30;  // pixels a level, levels that are indented
const PADDING = 8, TWISTY = 16;  // pixels, as in page.css

/** Text for the screen: a name of 100,000 characters would stop the browser. Copies have it all. */
export function forScreen(text) {
	return text.length > 2000 ? `${text.slice(0, 1000)} … ${text.slice(-900)}` : text;
}

/** How wide a character is in an element, in pixels. */
function charWidth(element) {
	const g = el('canvas').getContext('2d');
	g.font = getComputedStyle(element).font;
	return g.measureText('0'.repeat(100)).width / 100 || 7;
}

/** The bar of a number, and what is said of a change. */
function showNumber(cell, content) {
	// In percent: a bar behind the number.
	cell.style.backgroundSize = `${(100 * (content.share ?? 0)).toFixed(1)}% 100%`;
	cell.classList.toggle('grown', content.change === 'grown');
	cell.classList.toggle('shrunk', content.change === 'shrunk');
	cell.classList.toggle('noise', content.change !== undefined && content.beyond === false);
}

export class Table {
	/**
	 * columns: [{key, label, title, kind, fixed, width}], kind is 'number', 'name', 'text', 'lineno',
	 * 'code' or 'strip' (a canvas, which the cell's draw(canvas) paints); width is that of CSS,
	 * if not the kind's; rows are not sorted by one that is fixed. on: {sort(key), toggle(row), key(event, row), select(row)}; key
	 * returns true if it used the event.
	 */
	constructor({ id, label, tree, columns, on }) {
		this.id = id;
		this.tree = tree;
		this.columns = columns;
		this.on = on;
		this.model = { count: 0 };
		this.active = 0;
		this.pool = [];
		this.head = el('div', { role: 'row', class: 'row head', 'aria-rowindex': 1 },
			...columns.map((c) => this.headCell(c)));
		this.body = el('div', { role: 'rowgroup', class: 'rows' });
		this.empty = el('p', { class: 'empty', id: `${id}-empty`, hidden: true });
		this.element = el('div', {
			id,
			role: tree ? 'treegrid' : 'grid',
			class: 'table',
			tabindex: 0,
			'aria-label': label,
			'aria-colcount': columns.length,
			onscroll: () => this.paint(),
			onkeydown: (e) => this.keydown(e),
			onclick: (e) => this.click(e),
			ondblclick: (e) => this.doubleClick(e),
			onfocus: () => this.paint(),
		},
			el('div', { role: 'rowgroup', class: 'headgroup' }, this.head), this.body);
		this.outer = el('div', { class: 'tablebox' }, this.element, this.empty);
		this.scroll = new Scroll(this.element, this.body);
		const widths = columns.map((c) => c.width ?? ({
			number: '5.6rem',
			lineno: '4.5rem',
			strip: '210px',
			code: 'minmax(20rem, 5fr)',
			name: 'minmax(14rem, 5fr)',
			text: 'minmax(8rem, 2fr)'
		})[c.kind]);
		this.element.style.setProperty('--columns', widths.join(' '));
		new ResizeObserver(() => requestAnimationFrame(() => this.paint()))
			.observe(this.element);
	}

	headCell(c) {
		if (c.fixed)
			return el('div', {
				role: 'columnheader',
				class: `${c.kind} fixed`,
				'data-column': c.key,
				title: c.title
			},
				c.label);
		const b = el('button',
			{ type: 'button', title: c.title, onclick: () => this.on.sort(c.key) },
			c.label);
		return el('div', { role: 'columnheader', class: c.kind, 'data-column': c.key }, b);
	}

	/** Marks the column that rows are sorted by; falling or rising. */
	showSort(key, rising) {
		for (const h of this.head.children) {
			const on = h.dataset.column === key;
			if (!h.classList.contains('fixed'))
				h.setAttribute('aria-sort',
					on ? (rising ? 'ascending' : 'descending') : 'none');
		}
	}

	setModel(model, empty) {
		this.model = model;
		this.active = Math.max(0, Math.min(this.active, model.count - 1));
		this.element.setAttribute('aria-rowcount', model.count + 1);
		this.empty.textContent = model.count ? '' : empty;
		this.empty.hidden = model.count > 0;
		this.paint();
	}

	rowElement(k) {
		while (this.pool.length <= k) {
			const row = el('div', {
				role: 'row',
				class: 'row',
				id: `${this.id}-row-${this.pool.length}`,
				'aria-selected': 'false'
			},
				...this.columns.map((c) => this.cellElement(c)));
			this.body.append(row);
			this.pool.push(row);
		}
		return this.pool[k];
	}

	cellElement({ kind, key }) {
		const cell = el('div', { role: 'gridcell', class: kind, 'data-column': key });
		if (kind === 'strip')
			cell.append(el('canvas', { 'aria-hidden': 'true' }));
		if (kind === 'name')
			cell.append(twisty(), el('span', { class: 'depth' }),
				el('bdi', { class: 'label' }, el('span', { class: 'start' }),
					el('span')));
		if (kind === 'code' && this.tree)
			cell.append(twisty(), el('span', { class: 'label' }));
		return cell;
	}

	paint() {
		const count = this.model.count;
		this.scroll.resize(count * ROW, ROW);
		if (!this.element.clientHeight)
			return;
		const top = this.scroll.top, view = Math.max(this.scroll.view, ROW);
		const first = Math.max(0, Math.floor(top / ROW) - 2);
		const last = Math.min(count, Math.ceil((top + view) / ROW) + 2);
		const size = Math.max(this.pool.length, Math.ceil(view / ROW) + 6);
		const base = this.element.scrollTop - top;

		// Before anything is changed, so that the browser need not lay it out twice.
		const width = this.nameWidth();
		for (let r = first; r < last; r++)
			this.fill(this.rowElement(r % size), r, base);
		for (let k = 0; k < size; k++)
			this.rowElement(k).hidden = (k - first % size + size) % size >= last - first;
		this.tellNamesApart(width);
		const shown = this.active >= first && this.active < last;
		if (shown && count)
			this.element.setAttribute(
				'aria-activedescendant', this.rowElement(this.active % size).id);
		else
			this.element.removeAttribute('aria-activedescendant');
	}

	/** How wide the column of names is, if a row is shown; it does not depend on what is in it. */
	nameWidth() {
		const column = this.columns.findIndex((c) => c.kind === 'name');
		return this.pool.find((row) => !row.hidden)?.children[column]?.clientWidth;
	}

	/** Names that would read the same where they are cut are shortened in other ways. */
	tellNamesApart(widthBefore) {
		const column = this.columns.findIndex((c) => c.kind === 'name');
		const shown = this.pool.filter((row) => !row.hidden);
		if (column < 0 || !shown.length)
			return;
		const labels = shown.map((row) => row.children[column].querySelector('.label'));
		const texts = labels.map((l) => l.textContent);
		if (texts.every((t) => t.length < 20)) {
			for (const l of labels)
				delete l.dataset.short;
			return;
		}
		this.charWidth ??= charWidth(labels[0]);
		const width = (widthBefore || this.nameWidth()) - 2 * PADDING;
		const rooms = shown.map((row) => {
			const cell = row.children[column],
			      depth = cell.children[1].textContent.length;
			const indent = this.tree
				? TWISTY + parseFloat(cell.style.paddingLeft) - PADDING
				: 0;
			return Math.floor((width - indent) / this.charWidth) - depth;
		});
		tellApart(texts, rooms).forEach((short, i) => {
			if (short === null)
				delete labels[i].dataset.short;
			else if (labels[i].dataset.short !== short)
				labels[i].dataset.short = short;
		});
	}

	fill(row, r, base) {
		const cells = this.model.cells(r), info = this.model.info(r);

		row.hidden = false;
		row.style.transform = `translateY(${base + r * ROW}px)`;
		row.dataset.row = r;
		row.dataset.id = info.id;
		row.setAttribute('aria-rowindex', r + 2);
		row.setAttribute('aria-selected', r === this.active ? 'true' : 'false');
		row.classList.toggle('active', r === this.active);
		row.classList.toggle('hit', !!info.hit);
		row.classList.toggle('odd', r % 2 === 1);
		row.dataset.heat = info.heat ?? 0;
		row.classList.toggle('cold', !!info.cold);
		if (this.tree) {
			row.setAttribute('aria-level', info.depth + 1);
			if (info.expandable)
				row.setAttribute('aria-expanded', info.open ? 'true' : 'false');
			else
				row.removeAttribute('aria-expanded');
		}
		cells.forEach((c, i) => this.fillCell(row.children[i], this.columns[i], c, info));
	}

	fillCell(cell, column, content, info) {
		const text = forScreen(content.text);

		const title = forScreen(content.title ?? content.text);
		if (cell.title !== title)
			cell.title = title;
		if (column.kind === 'strip') {
			content.draw(cell.firstChild);
			return;
		}
		if (column.kind === 'code' && this.tree) {
			put(cell.firstChild, sign(info));
			put(cell.lastChild, text);
			cell.classList.toggle('inner', info.depth > 0);
			return;
		}
		if (column.kind !== 'name') {
			put(cell, text);
			if (column.kind === 'number')
				showNumber(cell, content);
			return;
		}
		const [first, depth, label] = cell.children;
		const [start, end] = startAndEnd(text);
		put(label.firstChild, start);
		put(label.lastChild, end);
		if (!this.tree)
			return;
		cell.style.paddingLeft = `${4 + INDENT * Math.min(info.depth, DEEPEST)}px`;
		put(first, sign(info));
		put(depth, info.depth > DEEPEST ? `${info.depth} ` : '');
		depth.title = info.depth > DEEPEST ? 'depth' : '';
	}

	/** Makes a row the selected one, and visible. */
	select(row) {
		const last = this.model.count - 1;
		if (last < 0)
			return;
		this.active = Math.max(0, Math.min(row, last));
		this.scroll.resize(this.model.count * ROW, ROW);
		const y = this.active * ROW, top = this.scroll.top, view = this.scroll.view;
		if (y < top)
			this.scroll.top = y;
		else if (y + ROW > top + view)
			this.scroll.top = y + ROW - view;
		this.paint();
		this.on.select?.(this.active);
	}

	focus() {
		this.element.focus();
	}

	rowAt(event) {
		const row = event.target.closest('.row');
		return row && row.dataset.row !== undefined ? Number(row.dataset.row) : -1;
	}

	click(event) {
		const row = this.rowAt(event);
		if (row < 0)
			return;
		this.select(row);
		if (event.target.classList.contains('twisty'))
			this.on.toggle(row);
	}

	doubleClick(event) {
		if (this.rowAt(event) >= 0 && !event.target.classList.contains('twisty'))
			this.on.toggle(this.rowAt(event));
	}

	keydown(event) {
		if (event.altKey || event.ctrlKey || event.metaKey || event.target !== this.element)
			return;
		const page = Math.max(1, Math.floor(this.scroll.view / ROW) - 1);
		const moves = {
			ArrowUp: -1,
			ArrowDown: 1,
			PageUp: -page,
			PageDown: page,
			Home: -Infinity,
			End: Infinity
		};
		const move = moves[event.key];
		if (move !== undefined)
			this.select(this.active + move);
		else if (!this.model.count || !this.on.key(event, this.active))
			return;
		event.preventDefault();
	}
}

/** Where a row is opened and closed; what it shows. */
function twisty() {
	return el('span', { class: 'twisty', 'aria-hidden': 'true' });
}

function sign(info) {
	return info.expandable ? (info.open ? '▾' : '▸') : '';
}

/** Sets an element's text, if it is another: what stays costs the browser nothing. */
function put(element, text) {
	if (element.textContent !== text)
		element.textContent = text;
}

/** Copies text; says so. */
export async function copy(app, text, what) {
	try {
		await navigator.clipboard.writeText(text);
	} catch (e) {
		const area = el('textarea', { class: 'unseen', 'aria-hidden': 'true' });
		const focused = document.activeElement;
		area.value = text;
		byId('app').append(area);
		area.select();
		const done = document.execCommand('copy');
		area.remove();
		focused?.focus();
		if (!done)
			return app.say('The browser does not let this page copy.');
	}
	return app.say(`Copied: ${what}`);
}
