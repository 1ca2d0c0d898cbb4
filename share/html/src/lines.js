// Source lines with values: the column `lines`.

import { lowerBound } from './tree.js';
import { drain } from './drain.js';
import { DataError, Varints, countVarints, readValue } from './varint.js';

const CHUNK = 10000;  // lines between two yields

/** What is added to the number of a line that is not there after, in a comparison. */
export const GONE = 2 ** 30;

function arrays(n) {
	return {
		file: new Int32Array(n),
		line: new Int32Array(n),
		fn: new Int32Array(n),
		self: new Float64Array(n),
		total: new Float64Array(n)
	};
}

/** Lines in an order, in which a line may be there twice, as two modules were made of it. */
function merge(all, order) {
	const out = arrays(order.length), entry = new Int32Array(order.length);
	let n = 0;

	for (const i of order) {
		const file = all.file[i], line = all.line[i], fn = all.fn[i];
		const again = n > 0 && out.file[n - 1] === file && out.line[n - 1] === line;
		const at = again ? n - 1 : n++;
		out.file[at] = file;
		out.line[at] = line;
		out.fn[at] = again && out.fn[at] !== fn ? -1 : fn;
		out.self[at] += all.self[i];
		out.total[at] += all.total[i];
		entry[i] = at;
	}
	for (const key of Object.keys(out))
		out[key] = out[key].subarray(0, n);
	return { ...out, entry, count: n };
}

/** The lines with values of a profile, by file and line. */
export class Lines {
	/**
	 * metrics has for each metric {events (are they in the column, too?), mean, quantum};
	 * limits are the numbers of files and functions; gone tells the lines of a comparison that
	 * are not there after, to whose numbers GONE is added.
	 */
	constructor(bytes, metrics, limits, gone = null) {
		this.bytes = bytes;
		this.metrics = metrics;
		this.limits = limits;
		this.gone = gone;
		this.kept = new Map();
	}

	/**
	 * {count, file, line, fn, self, total, scale, entry}: arrays by line. fn is the only
	 * function with code of the line, or -1; values are in units of scale; entry[i] is the line
	 * that the column's i-th one is part of.
	 */
	read(metric, of) {
		const events = of === 'events' && this.metrics[metric].events;
		const key = `${metric} ${events}`;

		return this.kept.get(key) ?? drain(this.reading(metric, of));
	}

	/** A generator whose result is that of read(). */
	*reading(metric, of) {
		const events = of === 'events' && this.metrics[metric].events;
		const key = `${metric} ${events}`;

		if (!this.kept.has(key)) {
			const lines = yield* this.decode(metric, events);
			while (this.kept.size > 1)
				this.kept.delete(this.kept.keys().next().value);
			this.kept.set(key, lines);
		}
		return this.kept.get(key);
	}

	*decode(metric, events) {
		const all = yield* this.readAll(metric, events), { gone } = this, n = all.file.length;
		const order = Int32Array.from({ length: n }, (_, i) => i);
		if (gone) {
			if (gone.length !== n)
				throw new DataError('column compare-lines does not fit the lines');
			all.line.forEach((line, i) => {
				all.line[i] = line + (gone[i] ? GONE : 0);
			});
			order.sort((a, b) => all.file[a] - all.file[b] || all.line[a] - all.line[b]);
		}
		const scale = events ? this.metrics[metric].quantum || 1 : 1;
		return { ...merge(all, order), scale };
	}

	/** The lines as they stand in the column. */
	*readAll(metric, events) {
		const from = new Varints(this.bytes, 'lines'), n = from.next();
		const { files, functions } = this.limits;

		if (n > countVarints(this.bytes))
			throw new DataError('column lines ends early');
		const out = arrays(n);
		let file = 0, line = 0;
		for (let i = 0; i < n; i++) {
			const step = from.next();
			file += step;
			line = step ? from.next() : line + from.next();
			const fn = from.next() - 1;
			if (file >= files || fn >= functions)
				throw new DataError(
					'column lines refers to something that is missing');
			out.file[i] = file;
			out.line[i] = line;
			out.fn[i] = fn;
			out.self[i] = readValue(from, this.metrics, metric, events);
			out.total[i] = readValue(from, this.metrics, metric, events);
			if (i % CHUNK === CHUNK - 1)
				yield;
		}
		if (!from.ended)
			throw new DataError('column lines is longer than its lines');
		return out;
	}
}

/** [from, to): the lines of a file. */
export function linesOfFile({ file, count }, f) {
	return [lowerBound(file, 0, count, f), lowerBound(file, 0, count, f + 1)];
}

/**
 * The rows of a file's listing: {count, numbers(row), index(row), rowOf(line)}. With a text
 * (an array of lines) there is a row for each of its lines, and for lines with values beyond its
 * end; else only for lines with values. A line that is not known has number 0 and is first; those
 * that are not there after are last. index is that of the line's values, or -1.
 */
export function listing(lines, file, text) {
	const [from, to] = linesOfFile(lines, file);

	if (!text) {
		const rowOf = (line) => Math.min(
			lowerBound(lines.line, from, to, line), Math.max(to - 1, from)) - from;
		return {
			count: to - from,
			number: (row) => lines.line[from + row],
			index: (row) => from + row,
			rowOf
		};
	}
	const first = from < to && lines.line[from] === 0 ? 0 : 1;
	const gone = lowerBound(lines.line, from, to, GONE);
	const last = Math.max(text.length, from < gone ? lines.line[gone - 1] : 0);
	const there = last - first + 1;
	const index = (row) => {
		if (row >= there)
			return gone + row - there;
		const k = lowerBound(lines.line, from, gone, row + first);
		return k < gone && lines.line[k] === row + first ? k : -1;
	};
	return {
		count: there + to - gone,
		number: (row) => (row < there ? row + first : lines.line[gone + row - there]),
		index,
		rowOf: (line) => (line < GONE
				? Math.max(0, Math.min(line, last) - first)
				: there + Math.min(lowerBound(lines.line, gone, to, line), to - 1) -
					gone)
	};
}

/** Indexes of a file's lines with values, those of the highest own ones first, then by total. */
export function hottest(lines, file) {
	const [from, to] = linesOfFile(lines, file);
	const list = Array.from({ length: to - from }, (_, k) => from + k);
	return list.filter((k) => lines.self[k] > 0 || lines.total[k] > 0)
		.sort((a, b) => lines.self[b] - lines.self[a] || lines.total[b] - lines.total[a] ||
				a - b);
}

/** How hot a line is, from 0 to 5: its own value beside the highest of the file. */
export function heat(value, most) {
	return value > 0 ? Math.max(1, Math.ceil(5 * value / most)) : 0;
}
