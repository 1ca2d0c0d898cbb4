// The page: how it is opened, and what is done with it.
//
// Its first view is there when it says that it is ready and a frame has been painted since; in the
// flame graph, when its picture has been painted too.

import { choose, timed } from './timing.mjs';

const ROW = 18;  // pixels; the first row is that of all functions

const ready = {
	flat: () => document.documentElement.dataset.ready !== undefined,
	flame: () => document.documentElement.dataset.ready === 'error' ||
		document.getElementById('flame')?.dataset.painted > 0
};

// What tells two pictures of the flame graph apart.
const painted = {
	before: () => document.getElementById('flame').dataset.painted,
	done: (was) => document.getElementById('flame').dataset.painted !== was
};

// The page says that what is to be shown is being made.
const busy = () => document.getElementById('views').getAttribute('aria-busy') === 'true';

export class Ours {
	constructor(browser, file) {
		this.browser = browser;
		this.file = file;
	}

	/** The milliseconds until the first view, which is the flame graph or the flat table. */
	async open(view = 'flame') {
		const { browser } = this;
		const time = await browser.openTimed(this.file, ready[view],
			view === 'flame' ? '#view=flame' : '');
		const error = await browser.run(() => document.getElementById('message').textContent);
		if (error)
			throw new Error(error);
		if (view === 'flame')
			this.box = await browser.run(() => {
				const { left, top, width } =
					document.getElementById('flame-canvas').getBoundingClientRect();
				return { left, top, width };
			});
		return time;
	}

	/** When the steps of opening it were done: [name, ms]. */
	marks() {
		return this.browser.run(() => performance.getEntriesByType('mark').map(
			({ name, startTime }) => [name, startTime]));
	}

	point({ depth, x }) {
		const { left, top, width } = this.box;
		return [left + x * width, top + (depth + 1.5) * ROW];
	}

	async zoom(frame) {
		const { browser } = this;
		await browser.hoverAt(...this.point(frame));
		const time = await timed(browser, 'click',
			() => browser.clickAt(...this.point(frame)), painted);
		await browser.keys('Escape');
		await browser.until(() => !/zoom=/.test(window.location.hash));
		return time;
	}

	hover(frame) {
		const { browser } = this;
		return timed(browser, 'pointermove', () => browser.hoverAt(...this.point(frame)), {
			before: () => document.getElementById('tooltip').dataset.node,
			done: (was) => document.getElementById('tooltip').dataset.node !== was
		});
	}

	/** Types a word into the search, seen in the graph; a time for each letter. */
	search(word) {
		return this.letters(word, painted);
	}

	/** The same, seen beside it. */
	find(word) {
		return this.letters(word, {
			done: () => new URLSearchParams(location.hash.slice(1)).get('q') ===
				document.getElementById('search').value
		});
	}

	async letters(word, how) {
		const { browser } = this, out = [];
		await browser.keys('/');
		for (const letter of word)
			out.push(await timed(browser, 'input', () => browser.keys(letter), how));
		await browser.keys('Escape');
		await browser.run(() => document.activeElement.blur());
		return out;
	}

	/** Types a word into the filter of the flat table; a time for each letter. */
	async filter(word) {
		const { browser } = this, out = [];
		await browser.run(() => document.getElementById('flat-filter').focus());
		for (const letter of word)
			out.push(await timed(browser, 'input', () => browser.keys(letter), {
				done: () => new URLSearchParams(location.hash.slice(1)).get('filter') ===
					document.getElementById('flat-filter').value
			}));
		for (let k = 0; k < word.length; k++)
			await browser.keys('Backspace');
		await browser.run(() => document.activeElement.blur());
		return out;
	}

	/** From one view to another, by its tab. */
	view(id) {
		const { browser } = this;
		return timed(browser, 'click', () => browser.click(`#tab-${id}`), {
			before: new Function(`return '${id}'`),
			done: (view) => !document.getElementById(`view-${view}`).hidden,
			acknowledged: busy
		});
	}

	statistics() {
		const { browser } = this;
		return timed(browser, 'click', () => browser.click('#tab-stats'), {
			done: () => document.querySelector('#stats-table .row[data-row]') &&
				document.getElementById('stats-table').getAttribute('aria-busy') === 'false',
			acknowledged: () => document.getElementById('stats-table')
				?.getAttribute('aria-busy') === 'true'
		});
	}

	/** The option of a list: another metric, or samples for events. */
	choose(id, value, how) {
		return timed(this.browser, 'change', () => choose(this.browser, id, value), how);
	}

	count(of) {
		return this.choose('of', of, painted);
	}

	metric(number) {
		return this.choose('metric', number, { ...painted, acknowledged: busy });
	}

	/** Inverts the graph. It is acknowledged when it says that it is at work. */
	async invert() {
		const time = await this.choose('flame-order', 'callers', {
			before: () => document.getElementById('flame').dataset.painted,
			done: (was) => {
				const e = document.getElementById('flame');
				return e.getAttribute('aria-busy') === 'false' &&
					e.dataset.painted !== was;
			},
			acknowledged: () =>
				document.getElementById('flame').getAttribute('aria-busy') === 'true'
		});
		await this.choose('flame-order', 'calls', painted);
		return time;
	}

	/** Sorts the flat table by a column. */
	sort(column) {
		const { browser } = this;
		return timed(browser, 'click',
			() => browser.click(`#flat-table .head [data-column=${column}] button`), {
				before: () => document.querySelector('#flat-table .rows').textContent,
				done: (was) => document.querySelector('#flat-table .rows').textContent !== was
			});
	}

	/**
	 * Goes to another fragment, as a link or the browser's history does; the choice of threads is
	 * in it. Acknowledged when the page says that it is at work.
	 */
	go(change) {
		const { browser } = this;
		return timed(browser, 'hashchange', () => browser.run((to) => {
			const state = new URLSearchParams(location.hash.slice(1));
			for (const [key, value] of Object.entries(to))
				if (value === null)
					state.delete(key);
				else
					state.set(key, value);
			location.hash = state.toString();
		}, change), {
			before: () => document.getElementById('units').textContent,
			done: (was) => document.getElementById('units').textContent !== was &&
				document.getElementById('views').getAttribute('aria-busy') !== 'true',
			acknowledged: busy
		});
	}
}
