// Elements. Text from the profile only ever becomes a text node or the value of a plain attribute.

/** An element: el('p', {id: 'x', class: 'y'}, 'text', child). on* members are listeners. */
export function el(tag, attributes = {}, ...children) {
	const e = document.createElement(tag);

	for (const [name, value] of Object.entries(attributes)) {
		if (typeof value === 'function')
			e.addEventListener(name.slice(2), value);
		else if (value !== undefined && value !== false)
			e.setAttribute(name, value === true ? '' : value);
	}
	e.append(...children);
	return e;
}

export const byId = (id) => document.getElementById(id);

/** A select with a label. options: [value, text]. */
export function select(id, label, options, onchange) {
	const list = el('select', { id, onchange: (e) => onchange(e.target.value) },
		...options.map(([value, text]) => el('option', { value }, text)));
	return el('label', {}, `${label} `, list);
}

export function button(id, text, title, onclick) {
	return el('button', { type: 'button', id, title, onclick }, text);
}

/** Browsers fail at elements above some millions of pixels. */
const HIGHEST = 8e6;

/**
 * Maps the position of a scrolled element to rows: content of any height scrolls within an element
 * of at most HIGHEST pixels.
 */
export class Scroll {
	constructor(element, spacer) {
		this.element = element;
		this.spacer = spacer;
		this.content = 0;
	}

	/** Sets the height of the content, in pixels; extra is what else is in the element. */
	resize(content, extra = 0) {
		this.content = content;
		this.extra = extra;
		this.spacer.style.height = `${Math.min(content, HIGHEST)}px`;
	}

	get view() {
		return this.element.clientHeight - this.extra;
	}

	get ratio() {
		const most = Math.min(this.content, HIGHEST) - this.view;
		return this.content <= HIGHEST || most <= 0 ? 1 : (this.content - this.view) / most;
	}

	/** The pixel of the content that is at the top. */
	get top() {
		return this.element.scrollTop * this.ratio;
	}

	set top(y) {
		this.element.scrollTop =
			Math.max(0, Math.min(y, this.content - this.view)) / this.ratio;
	}
}
