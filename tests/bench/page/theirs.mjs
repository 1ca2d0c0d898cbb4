// speedscope: how it is opened, and what is done with it.
//
// Its first view is there when its rectangles (drawn by WebGL) and the names in them (written into
// a canvas above) have both been painted. Until the profile is loaded it does neither.

import path from 'node:path';
import { timed } from './timing.mjs';

const ROW = 20;  // pixels; the first row is that of the times

// Runs before its own scripts: counts what it draws. __times() is the text of the axes as they are:
// what is not a name.
function count() {
	window.__draws = window.__names = 0;
	const { drawArrays } = WebGLRenderingContext.prototype;
	WebGLRenderingContext.prototype.drawArrays = function(...args) {
		window.__draws++;
		return drawArrays.apply(this, args);
	};
	const { clearRect, fillText } = CanvasRenderingContext2D.prototype, times = new Map();
	CanvasRenderingContext2D.prototype.clearRect = function(...args) {
		times.set(this.canvas, '');
		return clearRect.apply(this, args);
	};
	CanvasRenderingContext2D.prototype.fillText = function(text, ...args) {
		if (text.includes('::'))
			window.__names++;
		else
			times.set(this.canvas, `${times.get(this.canvas) ?? ''} ${text}`);
		return fillText.call(this, text, ...args);
	};
	window.__times = () => [...times.values()].join();
}

export class Theirs {
	constructor(browser, folder, file) {
		this.browser = browser;
		this.index = path.join(folder, 'index.html');
		this.fragment = `#localProfilePath=${file}`;
	}

	/** The milliseconds until the first view. */
	async open() {
		const { browser } = this;
		const { identifier } = await browser.cdp('Page.addScriptToEvaluateOnNewDocument',
			{ source: `(${count})()` });
		const time = await browser.openTimed(this.index,
			() => window.__draws > 0 && window.__names > 0, this.fragment);
		await browser.cdp('Page.removeScriptToEvaluateOnNewDocument', { identifier });
		// The place of the graph: the last of the canvases in which names are.
		this.box = await browser.run(() => {
			const boxes = [...document.querySelectorAll('canvas')].map(
				(c) => c.parentElement.getBoundingClientRect());
			const { left, top, width } = boxes.at(-1);
			return { left, top, width };
		});
		return time;
	}

	point({ depth, x }) {
		const { left, top, width } = this.box;
		return [left + x * width, top + (depth + 1.5) * ROW];
	}

	drawn(type, action) {
		return timed(this.browser, type, action, {
			before: () => window.__draws,
			done: (was) => window.__draws > was
		});
	}

	async zoom(frame) {
		const { browser } = this;
		await browser.hoverAt(...this.point(frame));
		// Before that it is drawn for what is pointed at and selected; the times are then the same.
		// A double click that hits no frame changes nothing, and does not count.
		const how = {
			before: () => ({ times: window.__times(), until: performance.now() + 5000 }),
			done: (was) => window.__times() !== was.times || performance.now() > was.until
		};
		const time = await timed(browser, 'dblclick',
			() => browser.clickAt(...this.point(frame), { times: 2 }), how);
		await timed(browser, 'keydown', () => browser.keys('0'), how);
		// That leaves it where it was scrolled to.
		await browser.wheelAt(...this.point({ depth: 8, x: 0.5 }), 0, -10000);
		return time.shown < 4000 ? time : [];
	}

	hover(frame) {
		return this.drawn('mousemove', () => this.browser.hoverAt(...this.point(frame)));
	}

	/** Types a word; a time for each letter. */
	async search(word) {
		const { browser } = this, out = [];
		await browser.keys('Control+f');
		for (const letter of word)
			out.push(await this.drawn('input', () => browser.keys(letter)));
		for (let k = 0; k < word.length; k++)
			await browser.keys('Backspace');
		await browser.keys('Escape');
		return out;
	}

	/** From the graph to the table of functions (Sandwich). */
	async table() {
		const { browser } = this;
		const time = await timed(browser, 'keydown', () => browser.keys('3'),
			{ done: () => document.querySelector('table') !== null });
		return time;
	}

	async graph() {
		await this.browser.keys('1');
		await this.browser.until(() => document.querySelector('table') === null);
	}

	/** Sorts the table by its k-th column. */
	sort(k) {
		const { browser } = this;
		return timed(browser, 'click', async () => {
			await browser.click((await browser.findAll('th'))[k]);
		}, {
			before: () => document.querySelector('table').parentElement.textContent,
			done: (was) => document.querySelector('table').parentElement.textContent !== was
		});
	}
}
