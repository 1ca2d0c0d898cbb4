// A page of hpcprof html in a browser: its views by the ids that share/html/README.md lists.

// A table's cells as they are shown: text and title by column, and the state of each row. Runs in
// the page; scrolls through all of the table, which is made tall meanwhile, so that it takes few
// steps.
async function readTable(id) {
	const table = document.getElementById(id);
	const painted = () => new Promise((done) => {
		requestAnimationFrame(() => requestAnimationFrame(done));
	});
	const rows = new Map();
	const collect = () => {
		for (const row of table.querySelectorAll('[role=row][data-row]')) {
			if (row.hidden)
				continue;
			const cells = {};
			for (const cell of row.children) {
				const label = cell.querySelector('.label') ?? cell;
				cells[cell.dataset.column] = { text: label.textContent, title: cell.title };
			}
			rows.set(Number(row.dataset.row), {
				cells, id: row.dataset.id, level: Number(row.getAttribute('aria-level') ?? 1),
				expanded: row.getAttribute('aria-expanded'),
			});
		}
	};
	const { style } = table, before = style.cssText;
	style.cssText += 'position: fixed; inset: 0 auto auto 0; max-height: none; ' +
		`width: ${table.getBoundingClientRect().width}px; height: 6000px`;
	table.scrollTop = 0;
	table.dispatchEvent(new Event('scroll'));
	for (;;) {
		await painted();
		collect();
		const last = table.scrollTop;
		table.scrollTop = last + 0.9 * table.clientHeight;
		if (table.scrollTop === last)
			break;
	}
	style.cssText = before;
	table.scrollTop = 0;
	table.dispatchEvent(new Event('scroll'));
	await painted();
	const count = Number(table.getAttribute('aria-rowcount')) - 1;
	const list = [...rows.keys()].sort((a, b) => a - b);
	if (list.length !== count || (count && list.at(-1) !== count - 1))
		throw new Error(`${list.length} rows were shown of ${count}`);
	return list.map((row) => rows.get(row));
}

// The number in a title like "12.3%, 1.23 s (1,230,000,000 ns)".
export function exactOf(title) {
	const found = /\(([\d,]+)(?: [^()]*)?\)$/.exec(title);
	if (!found)
		throw new Error(`no exact value in '${title}'`);
	return Number(found[1].replaceAll(',', ''));
}

const numberOf = (text) => (text === '' ? 0 : Number(text.replaceAll(',', '')));

export class Report {
	constructor(browser, file) {
		this.browser = browser;
		this.file = file;
	}

	// Load it, with a state as in the URL's fragment: { view: 'flat', of: 'samples' }.
	async open(state = {}) {
		await this.browser.open(this.file, `#${new URLSearchParams(state)}`);
		await this.ready();
	}

	// The page says when it is shown, and when it cannot be.
	async ready() {
		const state = await this.browser.until(() => document.documentElement.dataset.ready);
		if (state !== 'true')
			throw new Error(await this.browser.text('#message'));
	}

	// Change the state; what is not named has its default.
	async go(state) {
		await this.browser.run((hash) => {
			window.location.hash = hash;
		}, `#${new URLSearchParams(state)}`);
		// hashchange comes later
		await this.painted();
	}

	painted() {
		return this.browser.run(() => new Promise((done) => {
			setTimeout(() => requestAnimationFrame(() => setTimeout(done)));
		}));
	}

	state() {
		return this.browser.run(() =>
			Object.fromEntries(new URLSearchParams(window.location.hash.slice(1))));
	}

	// The cells of a view's table as they are shown.
	cells(view) {
		return this.browser.run(readTable, `${view}-table`);
	}

	// The rows of a view's table: name, module, place, depth, inlined, and exact values by column.
	async rows(view) {
		const all = await this.cells(view);
		return all.map(({ cells, level }) => {
			const row = { depth: level - 1 };
			for (const key of ['self', 'total', 'kernel']) {
				if (cells[key])
					row[key] = exactOf(cells[key].title);
			}
			if (cells.samples)
				row.samples = numberOf(cells.samples.text);
			// what the compiler made of it is said after the name
			const [, name, mark] = /^(.*?)(?: \[(partly inlined|inlined)\])?$/s
				.exec(cells.function.text);
			return { ...row, name, inlined: mark ?? 'no', module: cells.module.title,
				place: cells.place.title };
		});
	}

	// What the flame graph's tooltip says at a point of it, in pixels: { node, name, inlined, facts },
	// or null if there is none.
	async tooltip(x, y) {
		const { left, top } = await this.browser.run(() => {
			const { left: l, top: t } = document.getElementById('flame-canvas').getBoundingClientRect();
			return { left: l, top: t };
		});
		await this.browser.hoverAt(left + x, top + y);
		return this.browser.run(() => {
			const tip = document.getElementById('tooltip');
			if (tip.hidden)
				return null;
			const label = tip.querySelector('.label').textContent;
			return {
				node: Number(tip.dataset.node), name: label.replace(/ \[inlined\]$/, ''),
				inlined: label.endsWith(' [inlined]') ? 'inlined' : 'no',
				facts: Object.fromEntries([...tip.querySelectorAll('dd')].map((dd) =>
					[dd.dataset.fact, dd.textContent])),
			};
		});
	}

	click(id) {
		return this.browser.click(`#${id}`);
	}

	// The file that a button saves.
	async saved(id) {
		const { name, data } = await this.browser.download(() => this.click(id));
		return { name, text: data.toString('utf8') };
	}
}
