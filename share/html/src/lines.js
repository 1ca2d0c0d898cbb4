// Source lines with values: the column `lines`.

import { lowerBound } from './tree.js';
import { DataError, Varints, countVarints, unzigzag } from './varint.js';

/** The lines with values of a profile, by file and line. */
export class Lines {
	/**
	 * metrics has for each metric {events (are they in the column, too?), mean, quantum};
	 * limits are the numbers of files and functions.
	 */
	constructor(bytes, metrics, limits) {
		this.bytes = bytes;
		this.metrics = metrics;
		this.limits = limits;
		this.kept = new Map();
	}

	/**
	 * {count, file, line, fn, self, total, scale}: arrays by line. fn is the only function with
	 * code of the line, or -1; values are in units of scale.
	 */
	read(metric, of) {
		const events = of === 'events' && this.metrics[metric].events;
		const key = `${metric} ${events}`;

		if (!this.kept.has(key)) {
			const lines = this.decode(metric, events);
			while (this.kept.size > 1)
				this.kept.delete(this.kept.keys().next().value);
			this.kept.set(key, lines);
		}
		return this.kept.get(key);
	}

	decode(metric, events) {
		const from = new Varints(this.bytes, 'lines'), most = from.next();
		const { files, functions } = this.limits;

		if (most > countVarints(this.bytes))
			throw new DataError('column lines ends early');
		const out = {
			file: new Int32Array(most),
			line: new Int32Array(most),
			fn: new Int32Array(most),
			self: new Float64Array(most),
			total: new Float64Array(most)
		};
		let n = 0, file = 0, line = 0;
		for (let i = 0; i < most; i++) {
			const step = from.next();
			file += step;
			line = step ? from.next() : line + from.next();
			const fn = from.next() - 1;
			if (file >= files || fn >= functions)
				throw new DataError(
					'column lines refers to something that is missing');
			// A line may be there twice, as two modules were made of it.
			const again = n > 0 && out.file[n - 1] === file && out.line[n - 1] === line;
			const at = again ? n - 1 : n++;
			out.file[at] = file;
			out.line[at] = line;
			out.fn[at] = again && out.fn[at] !== fn ? -1 : fn;
			out.self[at] += this.value(from, metric, events);
			out.total[at] += this.value(from, metric, events);
		}
		if (!from.ended)
			throw new DataError('column lines is longer than its lines');
		for (const key of Object.keys(out))
			out[key] = out[key].subarray(0, n);
		const scale = events ? this.metrics[metric].quantum || 1 : 1;
		return { ...out, count: n, scale };
	}

	/** Reads the values of all metrics; that of one. */
	value(from, metric, events) {
		let out = 0;
		this.metrics.forEach((m, k) => {
			const samples = from.next();
			const other = m.events ? unzigzag(from.next()) : 0;
			if (k === metric)
				out = events ? other + Math.round(samples * m.mean) : samples;
		});
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
 * end; else only for lines with values. A line that is not known has number 0 and is first. index
 * is that of the line's values, or -1.
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
	const last = Math.max(text.length, from < to ? lines.line[to - 1] : 0);
	const index = (row) => {
		const k = lowerBound(lines.line, from, to, row + first);
		return k < to && lines.line[k] === row + first ? k : -1;
	};
	return {
		count: last - first + 1,
		number: (row) => row + first,
		index,
		rowOf: (line) => Math.max(0, Math.min(line, last) - first)
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
