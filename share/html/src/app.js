// What all views share: the profile, the state, and what follows from the two. Views ask for it
// when they need it; it is computed once for each state.

import { byFunction, inlining, partOf, prefixSums, selfByFunction, totalByFunction }
	from './tree.js';
import { drain, facetsOf, parseChosen, sumOfUnits, unitTotals } from './units.js';
import { inSlices } from './slices.js';
import { DataError } from './varint.js';
import { SELF_BEYOND, change } from './compare.js';
import { matchFunctions, matchedValue } from './search.js';
import { DEFAULTS, consistent, formatState, parseState } from './state.js';
import { byId } from './dom.js';
import { baseName, percent, scaled } from './format.js';

// What takes fewer steps is done at once.
const AT_ONCE = 200000;

/** A function that computes again only if its key differs from that of the last call. */
function remember(key, compute) {
	let last, value;
	return () => {
		const k = key();
		if (k !== last) {
			value = compute();
			last = k;
		}
		return value;
	};
}

/** The place of each text among all; the same for equal texts. */
function ranks(texts) {
	const order = texts.map((_, i) => i)
			      .sort((a, b) => (texts[a] < texts[b]	  ? -1
						    : texts[a] > texts[b] ? 1
									  : 0));
	const rank = new Int32Array(texts.length);
	for (let k = 1; k < order.length; k++)
		rank[order[k]] =
			rank[order[k - 1]] + (texts[order[k]] === texts[order[k - 1]] ? 0 : 1);
	return rank;
}

export class App {
	constructor(profile, viewNames) {
		const p = this.profile = profile;
		this.tree = p.tree;
		this.viewNames = viewNames;
		this.listeners = [];
		this.state = this.read();
		this.pending = null;
		this.sums = new Map();
		if (!this.done(this.work(this.state)))
			this.state.units = '';
		const metric = () => this.valuesKey;
		this.current = remember(metric, () => this.valuesOf(this.state.of));
		this.facets = remember(() => 0, () => facetsOf(p.units));
		this.flat = remember(metric, () => this.sumUp());
		this.sides = remember(() => this.state.metric, () => this.sumSides());
		this.byFile = remember(metric, () => this.sumFiles());
		this.fileSides = remember(() => this.state.metric, () => {
			const { before, after } = this.compare.sums(this.state.metric);
			return { before: this.sumFiles(before), after: this.sumFiles(after) };
		});
		this.filesWithLines = remember(() => 0, () => {
			const has = new Uint8Array(p.files.length),
			      { file } = p.lines.read(0, 'events');
			for (const f of file)
				has[f] = 1;
			return has;
		});
		this.inlining = remember(() => 0, () => inlining(this.tree, p.functionCount));
		this.matching = remember(
			() => this.state.q, () => matchFunctions(p.functions.name, this.state.q));
		this.matched = remember(() => `${metric()} ${this.state.q}`, () => {
			const { hits } = this.matching();
			return hits ? matchedValue(this.tree, this.values.prefix, hits) : null;
		});
		this.passing = remember(
			() => `${this.state.module} ${this.state.noise} ${this.state.filter}`,
			() => this.filter());
		window.addEventListener('hashchange', () => this.goTo(this.read()));
	}

	read() {
		return parseState(window.location.hash, this.profile, this.viewNames);
	}

	get values() {
		return this.current();
	}

	get samples() {
		return this.valuesOf('samples');
	}

	/** What tells the shown values from others. */
	get valuesKey() {
		const { metric, of, units, side } = this.state;
		return `${metric} ${of} ${units} ${this.compare ? side : ''}`;
	}

	/** The comparison that the page is of, or null. */
	get compare() {
		return this.profile.compare;
	}

	/** By what frames are coloured. */
	get color() {
		const { color } = this.state, { second } = this.values;
		const known = color !== 'auto' && (color !== 'change' || second);
		return known ? color : second ? 'change' : 'module';
	}

	/** Values of all threads or of the chosen ones; of is 'events' or 'samples'. */
	valuesOf(of) {
		const { metric, units, side } = this.state, { profile: p } = this;
		if (this.compare && of === 'events')
			return this.compare.values(metric, side);
		if (!units)
			return p.values(metric, of);
		const unit = of === 'events' ? p.metrics[metric].unit : 'samples';
		return { ...this.sums.get(this.sumKey(this.state, of)), unit };
	}

	/** The values of all threads, whichever are chosen. */
	get whole() {
		return this.profile.values(this.state.metric, this.state.of);
	}

	sumKey({ metric, units }, of) {
		const events = of === 'events' && this.profile.hasEvents(metric);
		return `${metric} ${events} ${units}`;
	}

	/** What is to be computed before a state can be shown: a generator, or null for nothing. */
	work(state) {
		// Without events of their own, these are the samples.
		const list = this.profile.hasEvents(state.metric) ? ['samples', state.of] : ['samples'];
		const missing = list.filter((of) => !this.sums.has(this.sumKey(state, of)));
		return state.units && missing.length ? this.sumChosen(state, new Set(missing))
						     : null;
	}

	*sumChosen(state, missing) {
		const { profile: p } = this, n = p.tree.count;
		const chosen = parseChosen(state.units, p.units.length);
		for (const of of missing) {
			const cells = yield* p.unitValues.read(state.metric, of);
			const prefix = prefixSums(yield* sumOfUnits(cells, chosen, n));
			const events = of === 'events' && p.hasEvents(state.metric);
			const scale = events ? p.metrics[state.metric].quantum || 1 : 1;
			this.makeRoom(state);
			this.sums.set(this.sumKey(state, of),
				{ prefix, scale, total: prefix[n] * scale });
			yield;
		}
	}

	/** Forgets sums that neither the shown state nor the next one needs; a few stay. */
	makeRoom(next) {
		const needed = new Set([this.state, next].flatMap(
			(state) => ['samples', state.of].map((of) => this.sumKey(state, of))));
		for (const key of this.sums.keys())
			if (this.sums.size > 3 && !needed.has(key))
				this.sums.delete(key);
	}

	/** What each unit has of the metric, in units of values.scale; a generator. */
	*unitTotals() {
		const { metric, of } = this.state;
		return unitTotals(yield* this.profile.unitValues.read(metric, of));
	}

	/**
	 * Sums by function: self, total, kernel, samples; in units of values.scale but for
	 * samples.
	 */
	sumUp() {
		const n = this.profile.functionCount, { prefix } = this.values;
		const kernel = new Uint8Array(n);
		let any = false;

		for (let f = 0; f < n; f++)
			if (this.profile.isKernel(f))
				any = kernel[f] = 1;
		const sums = byFunction(this.tree, prefix, n);
		sums.kernel = any ? totalByFunction(this.tree, partOf(this.tree, prefix, kernel), n)
				  : new Float64Array(n);
		sums.samples = selfByFunction(this.tree, this.samples.prefix, n);
		return sums;
	}

	/** Of a comparison: {before, after}, each with {self, total} by function. */
	sumSides() {
		const { before, after } = this.compare.sums(this.state.metric);
		const sum = (prefix) => byFunction(this.tree, prefix, this.profile.functionCount);
		return { before: sum(before), after: sum(after) };
	}

	/**
	 * The change from before to after, as the side that is shown has it: of what grew or shrank
	 * it is v, its value there.
	 */
	changeOf(before, after, v) {
		const { side } = this.state, { total, scale } = this.values;
		return side === 'grown' ? v
			: side === 'shrunk' ? -v
					    : change(before, after, total / scale);
	}

	/** Sums by source file, of the functions that begin there: {self, total}. */
	sumFiles(prefix = this.values.prefix) {
		const { tree, profile: p } = this, fn = new Uint32Array(tree.count);
		const { file } = p.functions;
		// 0 is no file.
		for (let i = 0; i < tree.count; i++)
			fn[i] = file[tree.fn[i]] + 1;
		const by = { fn, end: tree.end, count: tree.count };
		const { self, total } = byFunction(by, prefix, p.files.length + 1);
		return { self: self.subarray(1), total: total.subarray(1) };
	}

	/** Functions that the filters of the tables let pass, or null for all. */
	filter() {
		const { module, filter, noise } = this.state, { functions } = this.profile;
		const beyond = this.compare && noise === 'beyond';
		if (module < 0 && !filter && !beyond)
			return null;
		const { hits } = matchFunctions(functions.name, filter);
		const pass = hits ?? new Uint8Array(functions.name.length).fill(1);
		if (module >= 0)
			functions.module.forEach((m, f) => {
				pass[f] &= m === module ? 1 : 0;
			});
		for (let f = 0; beyond && f < pass.length; f++)
			pass[f] &= this.compare.marks[f] ? 1 : 0;
		return pass;
	}

	/** rank(column)[f]: where function f stands if functions are sorted by a column of text. */
	rank(column) {
		const p = this.profile;
		this.ranks ??= {};
		if (column === 'files')
			return this.ranks.files ??= ranks(p.files);
		this.ranks[column] ??= ranks(column === 'function'
				? p.functions.name
				: p.functions.name.map(
					  (_, f) => baseName(column === 'module' ? p.moduleName(f)
										 : p.place(f))));
		return this.ranks[column];
	}

	/**
	 * A value (in units of values.scale) as the reader wants it: a percentage, or with its
	 * unit.
	 */
	text(value) {
		const { scale, total, unit } = this.values;
		return this.state.as === 'percent' ? percent(value * scale, total)
						   : scaled(value * scale, unit);
	}

	/** A change as text, with its sign. */
	signed(value) {
		return value > 0 ? `+${this.text(value)}` : this.text(value);
	}

	/**
	 * Changes the state. A change is a new entry of the browser's history, unless replace is
	 * set, as for letters typed into a field.
	 */
	set(patch, { replace = false } = {}) {
		const base = this.pending ?? this.state;
		const next = consistent({ ...base, ...patch });
		const hash = `#${formatState(next, this.profile)}`;

		if (hash === `#${formatState(base, this.profile)}`)
			return;
		try {
			if (replace)
				window.history.replaceState(null, '', hash);
			else
				window.history.pushState(null, '', hash);
		} catch (e) {
			// Where a page may not have a history it still works.
		}
		this.goTo(next);
	}

	/** Shows a state, when what it needs has been computed. */
	goTo(next) {
		const work = this.work(next), { profile: p } = this;

		this.stop?.();
		this.stop = null;
		this.pending = null;
		if (work && p.unitValues.work + p.tree.count > AT_ONCE) {
			this.pending = next;
			this.stop = inSlices(work, () => {
				this.pending = null;
				this.apply(next);
				this.showBusy();
			}, (e) => this.failed(e));
		} else if (this.done(work)) {
			this.apply(next);
		}
		this.showBusy();
	}

	/** Does work at once; false if the data is damaged. */
	done(work) {
		try {
			if (work)
				drain(work);
		} catch (e) {
			this.failed(e);
			return false;
		}
		return true;
	}

	/** Says that what was to be shown cannot be; all else still works. */
	failed(e) {
		this.pending = null;
		this.showBusy();
		this.say(`This cannot be shown: ${e.message}.`);
		if (!(e instanceof DataError))
			throw e;
	}

	/** Says that a state is to come. */
	showBusy() {
		byId('views').setAttribute('aria-busy', this.pending ? 'true' : 'false');
		byId('units-busy').textContent = this.pending ? 'Adding up…' : '';
	}

	apply(next) {
		const before = this.state;
		const changed = new Set(Object.keys(DEFAULTS).filter((k) => next[k] !== before[k]));

		if (!changed.size)
			return;
		this.state = next;
		for (const listener of this.listeners)
			listener(changed, before);
	}

	onChange(listener) {
		this.listeners.push(listener);
	}

	/** Tells the reader something, shortly. */
	say(text) {
		const toast = document.getElementById('toast');
		toast.textContent = text;
		clearTimeout(this.toastTimer);
		this.toastTimer = setTimeout(() => {
			toast.textContent = '';
		}, 4000);
	}

	/** The function with the most of its own, or of all; -1 if there is none. */
	heaviest() {
		if (this.compare)
			return this.mostChanged();
		const { self, total } = this.flat(), values = this.values.total ? self : total;
		let best = -1;
		for (let f = 0; f < values.length; f++)
			if (best < 0 || values[f] > values[best])
				best = f;
		return best;
	}

	/** The function whose self changed most, of those beyond noise if there is one. */
	mostChanged() {
		const { before, after } = this.sides(), n = this.profile.functionCount;
		let best = -1, most = -1, any = false;
		for (let f = 0; f < n; f++) {
			const beyond = (this.compare.marks[f] & SELF_BEYOND) !== 0;
			const size = Math.abs(after.self[f] - before.self[f]);
			if (beyond > any || (beyond === any && size > most)) {
				best = f;
				most = size;
				any = beyond;
			}
		}
		return best;
	}

	/** The name of function f as tables show it, with what the compiler made of it. */
	name(f) {
		return this.profile.functions.name[f] +
			['', ' [partly inlined]', ' [inlined]'][this.inlining()[f]];
	}
}
