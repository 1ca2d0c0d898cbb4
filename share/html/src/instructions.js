// The instructions of source lines: the columns `instructions` and `instruction-texts`.

import { lowerBound } from './tree.js';
import { drain } from './drain.js';
import { DataError, Varints, countVarints, readValue, unzigzag } from './varint.js';

const CHUNK = 10000;  // instructions between two yields

export class Instructions {
	/**
	 * bytes and texts are the two columns; metrics is that of Lines; modules is their number.
	 */
	constructor(bytes, texts, metrics, modules) {
		this.bytes = bytes;
		this.textBytes = texts;
		this.metrics = metrics;
		this.modules = modules;
		this.kept = null;
	}

	/**
	 * {count, line, procedure, address, self, scale}: arrays by instruction, in the order of
	 * lines, which are those of lines, the result of Lines.read(); self is in units of scale.
	 */
	read(metric, of, lines) {
		return this.kept?.lines === lines ? this.kept : drain(this.reading(metric, of, lines));
	}

	/** A generator whose result is that of read(). */
	*reading(metric, of, lines) {
		const events = of === 'events' && this.metrics[metric].events;
		if (this.kept?.lines !== lines)
			this.kept = { ...yield* this.decode(metric, events, lines), lines };
		return this.kept;
	}

	*decode(metric, events, lines) {
		const from = new Varints(this.bytes, 'instructions');
		const most = countVarints(this.bytes), { entry } = lines;

		this.moduleOf = this.readProcedures(from, most);
		const n = this.limited(from.next(), most);
		const out = {
			count: n,
			line: new Int32Array(n),
			procedure: new Int32Array(n),
			address: new Float64Array(n),
			self: new Float64Array(n),
			scale: events ? this.metrics[metric].quantum || 1 : 1
		};
		let line = 0, address = 0;
		for (let i = 0; i < n; i++) {
			line += from.next();
			const procedure = from.next();
			address += unzigzag(from.next());
			if (line >= entry.length || procedure >= this.moduleOf.length)
				throw new DataError(
					'column instructions refers to something that is missing');
			out.line[i] = entry[line];
			out.procedure[i] = procedure;
			out.address[i] = address;
			out.self[i] = readValue(from, this.metrics, metric, events);
			if (i % CHUNK === CHUNK - 1)
				yield;
		}
		if (!from.ended)
			throw new DataError('column instructions is longer than its instructions');
		return out;
	}

	/** The modules of the procedures. */
	readProcedures(from, most) {
		const n = this.limited(from.next(), most);
		return Int32Array.from({ length: n }, () => {
			const module = from.next();
			if (module >= this.modules)
				throw new DataError(
					'column instructions refers to something that is missing');
			return module;
		});
	}

	/** A number of things, each of which has a varint at least. */
	limited(n, most) {
		if (n > most)
			throw new DataError('column instructions ends early');
		return n;
	}

	/** The names of procedures, then the texts of instructions. */
	get texts() {
		this.textsKept ??= new TextDecoder().decode(this.textBytes).split('\n');
		return this.textsKept;
	}

	/** The name of the procedure that an instruction stands in. */
	name(i) {
		return this.texts[this.kept.procedure[i]] ?? '';
	}

	/** The module of that. */
	module(i) {
		return this.moduleOf[this.kept.procedure[i]];
	}

	text(i) {
		return this.texts[this.moduleOf.length + i] ?? '';
	}
}

/** [from, to): the instructions of a line. */
export function instructionsOfLine({ line, count }, k) {
	return [lowerBound(line, 0, count, k), lowerBound(line, 0, count, k + 1)];
}

/** The rows of a listing in which some lines are open, so that their instructions follow them. */
export class OpenRows {
	/**
	 * count is the number of the listing's rows; open has {row, from, to} of those that are
	 * open, by row.
	 */
	constructor(count, open) {
		this.rows = Int32Array.from(open, (o) => o.row);
		this.from = Int32Array.from(open, (o) => o.from);
		this.before = new Int32Array(open.length + 1);  // instructions before the row
		open.forEach((o, i) => {
			this.before[i + 1] = this.before[i] + o.to - o.from;
		});
		this.places = this.rows.map((row, i) => row + this.before[i]);
		this.count = count + this.before[open.length];
	}

	/** What is in a row: [row of the listing, instruction or -1]. */
	at(row) {
		const i = lowerBound(this.places, 0, this.places.length, row) - 1;
		if (i < 0)
			return [row, -1];
		const k = row - this.places[i] - 1;
		return k < this.before[i + 1] - this.before[i]
			? [this.rows[i], this.from[i] + k]
			: [row - this.before[i + 1], -1];
	}

	/** The row in which a row of the listing is. */
	rowOf(row) {
		return row + this.before[lowerBound(this.rows, 0, this.rows.length, row)];
	}
}
