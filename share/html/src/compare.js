// Comparisons: a page of two sides, of a run or several each. The units of its profile are the runs.
// Values of a side are the means of its runs, each divided by the run's factor: what all rows have in
// common with the other runs. What is beyond noise was found by hpcprof diff.

import { realSums } from './tree.js';
import { drain } from './drain.js';
import { sumOfUnits } from './units.js';
import { DataError, countVarints, readVarints } from './varint.js';

/** What was found of a function, in bits, as in hpcprof/views/html/compare.h. */
export const SELF_BEYOND = 1, TOTAL_BEYOND = 2;
const LINE_BEYOND = 1, LINE_GONE = 2;

/** Less than this share of all is not a change but a rounding. */
const NOTHING = 1e-9;

/** The sides that can be shown, and what is said of them. */
export const SIDES = [
	['after', 'after'], ['before', 'before'], ['grown', 'what grew'], ['shrunk', 'what shrank']
];

export class Compare {
	/** told is the member `compare` of the profile. */
	constructor(told, profile) {
		this.profile = profile;
		this.told = told;
		this.runs = told.runs;
		if (!Array.isArray(this.runs) || this.runs.length !== profile.units.length)
			throw new DataError('the runs do not fit the values');
		this.totalLines = told.inclusive_lines === true;
		this.isAfter = this.runs.map((r) => r.after === true);
		const n = profile.functionCount;
		const functions = readVarints(profile.column('compare-functions'),
			new Float64Array(2 * n), 'compare-functions');
		this.marks = new Uint8Array(n);
		this.moved = new Int32Array(n);
		this.callee = new Uint8Array(n);
		for (let f = 0; f < n; f++) {
			const other = Math.floor(functions[2 * f + 1] / 2) - 1;
			if (other >= n)
				throw new DataError('a function moved to one that is missing');
			this.marks[f] = functions[2 * f];
			this.moved[f] = other;
			this.callee[f] = functions[2 * f + 1] % 2;
		}
		this.nodes = readVarints(profile.column('compare-nodes'),
			new Uint8Array(profile.tree.count), 'compare-nodes');
	}

	/** How many runs a side has. */
	count(after) {
		return this.isAfter.filter((x) => x === after).length;
	}

	/** The factor by which the values of a run stand for those of its side. */
	weight(run) {
		const { factor } = this.runs[run];
		return 1 / ((factor > 0 ? factor : 1) * this.count(this.isAfter[run]));
	}

	/** Have the sums of a metric been made? */
	has(metric) {
		return this.kept?.metric === metric;
	}

	/**
	 * {before, after, grown, shrunk, both} of a metric: sums over the nodes before each node, in
	 * quanta. What grew and what shrank are of each context's own value, so that one does not
	 * hide the other; both is before and after.
	 */
	sums(metric) {
		return this.has(metric) ? this.kept : drain(this.reading(metric));
	}

	/** A generator whose result is that of sums(). */
	*reading(metric) {
		if (this.has(metric))
			return this.kept;
		const cells = yield* this.profile.readUnits(metric, 'events');
		const before = yield* this.meanOf(cells, false);
		const after = yield* this.meanOf(cells, true);
		const sums = function*(value) {
			const all = realSums(before.map((b, i) => value(b, after[i])));
			yield;
			return all;
		};
		this.kept = {
			metric,
			before: yield* sums((b) => b),
			after: yield* sums((b, a) => a),
			grown: yield* sums((b, a) => Math.max(0, a - b)),
			shrunk: yield* sums((b, a) => Math.max(0, b - a)),
			both: yield* sums((b, a) => a + b)
		};
		return this.kept;
	}

	/** The own values of a side by node; a generator. */
	*meanOf(cells, after) {
		const n = this.profile.tree.count, own = new Float64Array(n);
		for (let run = 0; run < this.runs.length; run++) {
			if (this.isAfter[run] !== after)
				continue;
			const chosen = this.runs.map((_, k) => k === run);
			const sums = yield* sumOfUnits(cells, chosen, n), weight = this.weight(run);
			for (let i = 0; i < n; i++)
				own[i] += sums[i] * weight;
			yield;
		}
		return own;
	}

	/**
	 * What a side shows: {prefix, second, scale, total, unit}. Second is the other side, if
	 * there is one. Percentages are of the total before.
	 */
	values(metric, side) {
		const sums = this.sums(metric), m = this.profile.metrics[metric];
		const scale = this.profile.hasEvents(metric) ? m.quantum || 1 : 1;
		const second = { after: sums.before, before: sums.after }[side];
		const n = this.profile.tree.count, all = sums.before[n] || sums.after[n];
		return { prefix: sums[side], second, scale, total: all * scale, unit: m.unit };
	}

	/** The column `compare-lines`: five numbers for each line of the column `lines`. */
	lineColumn() {
		this.lineColumnKept ??= readAll(this.profile.column('compare-lines'));
		return this.lineColumnKept;
	}

	/** For each line of the column `lines`: is it not there after? */
	goneLines() {
		const all = this.lineColumn(), gone = new Uint8Array(all.length / 5);
		for (let i = 0; i < gone.length; i++)
			gone[i] = all[5 * i + 4] & LINE_GONE ? 1 : 0;
		return gone;
	}

	/**
	 * Values of lines, in units of scale: {before: {self, total}, after: {self, total},
	 * beyond}, by line of what Lines.read() gives. beyond is of self, or of the total if
	 * totalLines is set.
	 */
	lines({ entry, count, scale }) {
		const all = this.lineColumn(), make = () => new Float64Array(count);
		const out = {
			before: { self: make(), total: make() },
			after: { self: make(), total: make() },
			beyond: new Uint8Array(count)
		};
		entry.forEach((at, i) => {
			out.before.self[at] += all[5 * i] / scale;
			out.after.self[at] += all[5 * i + 1] / scale;
			out.before.total[at] += all[5 * i + 2] / scale;
			out.after.total[at] += all[5 * i + 3] / scale;
			out.beyond[at] |= all[5 * i + 4] & LINE_BEYOND;
		});
		return out;
	}
}

/** The numbers of a column of which five belong together. */
function readAll(bytes) {
	const name = 'compare-lines';
	const all = readVarints(bytes, new Float64Array(countVarints(bytes)), name);
	if (all.length % 5)
		throw new DataError(`column ${name} ends early`);
	return all;
}

/** A change, without what is only rounding. */
export function change(before, after, total) {
	const d = after - before;
	return Math.abs(d) > total * NOTHING ? d : 0;
}

/** "+10.2%", "× 31", "new", "gone", or "" for nothing. */
export function ratio(before, after) {
	if (!(before > 0))
		return after > 0 ? 'new' : '';
	if (!(after > 0))
		return 'gone';
	if (after / before >= 10)
		return `× ${(after / before).toFixed(0)}`;
	const percent = 100 * (after / before - 1);
	return `${percent < 0 ? '' : '+'}${percent.toFixed(1)}%`;
}

/** From -1 (gone) by 0 (the same) to 1 (new). */
export function relative(before, after) {
	const most = Math.max(before, after);
	return most > 0 ? (after - before) / most : 0;
}
