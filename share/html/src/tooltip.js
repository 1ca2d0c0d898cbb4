// What is said about the frame that is pointed at.

import { el } from './dom.js';
import { forScreen } from './table.js';

export class Tooltip {
	constructor(id = 'tooltip') {
		this.element = el('div', { id, class: 'tooltip', role: 'tooltip', hidden: true });
	}

	/** Shows a title and facts ([label, text]) of a node. */
	fill(node, title, facts) {
		this.element.hidden = false;
		this.element.dataset.node = node;
		this.element.replaceChildren(el('bdi', { class: 'label' }, forScreen(title)),
			el('dl', {},
				...facts.flatMap(
					([label, text]) => [el('dt', {}, label),
						el('dd', { 'data-fact': label },
							el('bdi', {}, forScreen(text)))])));
	}

	hide() {
		this.element.hidden = true;
	}

	/** Below the pointer, or above it where there is no room. */
	move(x, y) {
		const t = this.element, w = t.offsetWidth, h = t.offsetHeight;
		if (t.hidden)
			return;
		t.style.left = `${Math.max(0, Math.min(x + 14, window.innerWidth - w - 4))}px`;
		t.style.top =
			`${Math.max(0, y + 18 + h < window.innerHeight ? y + 18 : y - h - 10)}px`;
	}
}
