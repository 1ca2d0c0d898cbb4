// What all views share: the profile, the state, and what follows from the two. Views ask for it
// when they need it; it is computed once for each state.

import { inlining, prefixSums } from './tree.js';
import { FunctionSums, partsOf } from './function_sums.js';
import { facetsOf, parseChosen, sumOfUnits, unitTotals } from './units.js';
import { inSlices, settle } from './slices.js';
import { DataError } from './varint.js';
import { SELF_BEYOND, change } from './compare.js';
import { matchFunctions, matchedValue } from './search.js';
import { DEFAULTS, consistent, formatState, parseState } from './state.js';
import { byId } from './dom.js';
import { baseName, exactValue, percent, scaled } from './format.js';
import { effectiveSamples, intervalText } from './interval.js';

// The columns of source lines, if they are there.
const LINES = ['lines', 'compare-lines', 'instructions', 'instruction-texts'];

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
	const places = new Map([...new Set(texts)].sort().map((text, k) => [text, k]));
	return Int32Array.from(texts, (text) => places.get(text));
}

/** What tells the values of a state from others. */
function valuesKey({ metric, of, units, side }, compare) {
	return `${metric} ${of} ${units} ${compare ? side : ''}`;
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
		this.functionSums = new Map();
		const metric = () => this.valuesKey;
		this.current = remember(metric, () => this.valuesOf(this.state.of));
		this.facets = remember(() => 0, () => facetsOf(p.units));
		this.sides = remember(() => this.state.metric, () => this.sumSides());
		this.filesWithLines = remember(() => 0, () => {
			const has = new Uint8Array(p.files.length),
			      { file } = p.lines.read(this.state.metric, this.state.of);
			for (const f of file)
				has[f] = 1;
			return has;
		});
		this.inlining = remember(() => 0,
			() => p.functions.inlined ?? inlining(this.tree, p.functionCount));
		this.matching = remember(
			() => this.state.q, () => matchFunctions(p.functions.name, this.state.q));
		this.matched = remember(() => `${metric()} ${this.state.q}`, () => {
			const { hits } = this.matching();
			return hits ? matchedValue(
				this.tree, this.values.prefix, hits, this.flat().contexts) : null;
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
		return valuesKey(this.state, this.compare);
	}

	/** The comparison that the page is of, or null. */
	get compare() {
		return this.profile.compare;
	}

	/** By what frames are coloured. */
	get color() {
		const { color } = this.state;
		const known = color !== 'auto' && (color !== 'change' || this.compare);
		return known ? color : this.compare ? 'change' : 'module';
	}

	/** Values of all threads or of the chosen ones; of is 'events' or 'samples'. */
	valuesOf(of, state = this.state) {
		const { metric, units, side } = state, { profile: p } = this;
		if (this.compare && of === 'events')
			return this.compare.values(metric, side);
		if (!units)
			return p.values(metric, of);
		const unit = of === 'events' ? p.metrics[metric].unit : 'samples';
		return { ...this.sums.get(this.sumKey(state, of)), unit };
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
		const { profile: p } = this, { metric, of } = state;
		const decoded = p.hasValues(metric, of) && p.hasValues(metric, 'samples');
		const ready = decoded && (!this.compare || this.compare.has(metric)) && !this.columnsFor(state).length &&
			!this.missingSums(state).size &&
			!this.sumsOf(state).missing(partsOf(state.view)).length;
		return ready ? null : this.prepare(state);
	}

	/** The columns that a state needs and that have not been read. */
	columnsFor({ metric, units, view }) {
		const { profile: p } = this;
		const lines = LINES.filter((name) => p.has(name));
		const more = [
			...units || this.compare ? ['units'] : [], ...view === 'source' ? lines : []
		];
		return [...p.missing(metric), ...more.filter((name) => !p.columns[name])];
	}

	*prepare(state) {
		const { profile: p } = this, { metric, of } = state;
		yield* p.reading(metric, of);
		if (this.compare)
			yield* this.compare.reading(metric);
		yield* this.sumChosen(state);
		yield* this.sumsOf(state).make(
			[...partsOf(state.view), ...state.q ? ['contexts'] : []]);
		if (state.view === 'source')
			yield* this.readLines(state);
	}

	/** If they are damaged, the view says it. */
	*readLines({ metric, of }) {
		try {
			const { profile: p } = this;
			yield* p.load(LINES);
			const lines = yield* p.lines.reading(metric, of);
			yield* p.instructions?.reading(metric, of, lines) ?? [];
		} catch (e) {
			if (!(e instanceof DataError))
				throw e;
		}
	}

	/** Which sums of chosen threads are not there. */
	missingSums(state) {
		// Without events of their own, these are the samples.
		const list = this.profile.hasEvents(state.metric) ? ['samples', state.of] : ['samples'];
		return new Set(state.units
				? list.filter((of) => !this.sums.has(this.sumKey(state, of)))
				: []);
	}

	*sumChosen(state) {
		const { profile: p } = this, n = p.tree.count;
		const chosen = parseChosen(state.units, p.units.length);
		for (const of of this.missingSums(state)) {
			const cells = yield* p.readUnits(state.metric, of);
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
		return unitTotals(yield* this.profile.readUnits(metric, of));
	}

	/** Sums by function of the values of a state; those of a few are kept. */
	sumsOf(state) {
		const key = valuesKey(state, this.compare), kept = this.functionSums;
		const prefix = (of) => this.valuesOf(of, state).prefix;
		const sums = kept.get(key) ?? new FunctionSums(
			this.tree, this.profile, prefix(state.of), prefix('samples'));
		// What was asked for last is forgotten last.
		kept.delete(key);
		while (kept.size > 1)
			kept.delete(kept.keys().next().value);
		kept.set(key, sums);
		return sums;
	}

	/** Of a comparison: {before, after}, each with the sums by function of its values. */
	sumSides() {
		const { before, after } = this.compare.sums(this.state.metric);
		const sums = (prefix) =>
			new FunctionSums(this.tree, this.profile, prefix, this.samples.prefix);
		return { before: sums(before), after: sums(after) };
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

	/** Sums by function: self, total, kernel, samples. */
	flat() {
		return this.sumsOf(this.state);
	}

	/** The counts of calls, or null if there are none of what is shown, as of a few threads. */
	get activations() {
		return this.state.units ? null : this.profile.activations;
	}

	/** Are the values such that those of an activation can be told from them? */
	get areOfActivations() {
		const { metric, of } = this.state;
		return of === 'events' && this.profile.metrics[metric].async === true;
	}

	/** Sums by source file: {self, total}. */
	byFile() {
		return this.sumsOf(this.state).files;
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

	/** Values of activations (in units of values.scale) as eachText takes them, or null. */
	timeOfCalls(total, inFrame) {
		const { scale, unit } = this.values, m = this.profile.metrics[this.state.metric];
		return !this.areOfActivations ? null
			: { total: total * scale, inFrame: inFrame * scale, mean: m.events / m.samples, unit };
	}

	/**
	 * A value with all that is known of it: its share with the 95% interval if that is an
	 * estimate, with a unit, and with all digits. whole: of all threads, whichever are chosen.
	 */
	inFull(value, { whole = false, gap = ', ' } = {}) {
		const { metric, of } = this.state;
		const { scale, total, unit } = whole ? this.whole : this.values, x = value * scale;
		const part = whole || this.compare ? 1
			: this.samples.total / this.profile.metrics[metric].samples;
		const samples = this.compare ? 0 : effectiveSamples(this.profile, metric, of) * part;
		const range = intervalText(x, total, samples);
		return `${percent(x, total)}${range ? ` (95%: ${range})` : ''}${gap}${
			scaled(x, unit)}${gap.replace(',', '')}(${exactValue(x, unit)})`;
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
		const work = this.work(next);

		this.stop?.();
		this.stop = null;
		this.pending = null;
		if (work) {
			this.pending = next;
			const stop = inSlices(work, () => {
				this.pending = null;
				this.apply(next);
				this.showBusy();
			}, (e) => this.failed(e), true);
			if (this.pending === next)
				this.stop = stop;
		} else {
			this.apply(next);
		}
		this.showBusy();
	}

	/** Computes what the first state needs; if the data is damaged, all threads are shown. */
	async begin() {
		try {
			await settle(this.prepare(this.state));
		} catch (e) {
			this.failed(e);
			this.state = { ...this.state, units: '', metric: 0 };
		}
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
		byId('busy').textContent = this.pending ? 'Adding up…' : '';
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
