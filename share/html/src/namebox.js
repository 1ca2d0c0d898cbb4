// A box for the name of a function, with suggestions while one types: those of the highest total
// first.

import { el } from './dom.js';
import { forScreen } from './table.js';
import { matcher } from './search.js';
import { baseName, shorten } from './format.js';

const MOST = 20;

export class NameBox {
	/** choose(f) is called with the function that the reader wants. */
	constructor(app, id, choose) {
		this.app = app;
		this.id = id;
		this.choose = choose;
		this.found = [];
		this.at = -1;
		this.input = el('input', {
			type: 'search',
			id,
			role: 'combobox',
			spellcheck: 'false',
			autocomplete: 'off',
			maxlength: 10000,
			'aria-autocomplete': 'list',
			'aria-expanded': 'false',
			'aria-controls': `${id}-list`,
			placeholder: 'name or /expression/',
			oninput: () => this.suggest(),
			onkeydown: (e) => this.keydown(e),
			onfocus: () => this.input.select(),
			onblur: () => this.close()
		});
		this.list = el('ul', {
			id: `${id}-list`,
			role: 'listbox',
			'aria-label': 'Functions',
			hidden: true
		});
		this.element = el('span', { class: 'namebox' },
			el('label', {}, 'Function ', this.input), this.list);
	}

	/** Shows the name of function f. */
	set(f) {
		this.f = f;
		this.input.value = f < 0 ? '' : forScreen(this.app.profile.functions.name[f]);
		this.close();
	}

	close() {
		this.list.hidden = true;
		this.at = -1;
		this.input.setAttribute('aria-expanded', 'false');
		this.input.removeAttribute('aria-activedescendant');
	}

	suggest() {
		const { app, input } = this, { name } = app.profile.functions;
		const { test, error } = matcher(input.value), { total } = app.flat();
		input.setAttribute('aria-invalid', error ? 'true' : 'false');
		const all = [];
		for (let f = 0; f < name.length; f++)
			if (total[f] > 0 && (!test || test(name[f])))
				all.push(f);
		// One that has just this name is meant, however little it has.
		const exact = (f) => (name[f] === input.value ? 1 : 0);
		all.sort((a, b) => exact(b) - exact(a) || total[b] - total[a] || a - b);
		this.found = all.slice(0, MOST);
		this.list.replaceChildren(...this.found.map((f, k) => this.option(f, k)));
		this.list.hidden = !this.found.length;
		input.setAttribute('aria-expanded', this.found.length ? 'true' : 'false');
		this.mark(this.found.length && input.value ? 0 : -1);
	}

	option(f, k) {
		const { app } = this, p = app.profile, name = forScreen(p.functions.name[f]);
		return el('li', {
			role: 'option',
			id: `${this.id}-option-${k}`,
			'aria-selected': 'false',
			title: name,
			// Before the box loses the focus, and the list is closed.
			onpointerdown: (e) => {
				e.preventDefault();
				this.take(f);
			}
		},
			el('span', {}, app.text(app.flat().total[f])),
			el('bdi', {}, shorten(name, 90)),
			el('span', {}, forScreen(baseName(p.moduleName(f)))));
	}

	mark(k) {
		this.at = k;
		for (const [i, e] of [...this.list.children].entries())
			e.setAttribute('aria-selected', i === k ? 'true' : 'false');
		const e = this.list.children[k];
		if (e) {
			this.input.setAttribute('aria-activedescendant', e.id);
			e.scrollIntoView({ block: 'nearest' });
		} else {
			this.input.removeAttribute('aria-activedescendant');
		}
	}

	take(f) {
		this.set(f);
		this.choose(f);
	}

	keydown(event) {
		const n = this.found.length, step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
		if (step) {
			if (this.list.hidden)
				this.suggest();
			else
				this.mark((this.at + step + n) % n);
		} else if (event.key === 'Enter' && !this.list.hidden && this.at >= 0) {
			this.take(this.found[this.at]);
		} else if (event.key === 'Escape') {
			this.set(this.f);
			this.input.select();
		} else {
			return;
		}
		event.preventDefault();
	}
}
