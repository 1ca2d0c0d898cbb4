// Numbers in columns. The format is described in share/html/README.md.

/** What is wrong with the data, in words for the reader. */
export class DataError extends Error {}

/**
 * Fills `out` with varints of the column `what`; all bytes must be used. A number that is not below
 * limit is an error, of which wrong is said.
 */
export function readVarints(bytes, out, what, limit = Infinity, wrong = '') {
	const n = out.length, end = bytes.length;
	let at = 0;

	for (let i = 0; i < n; i++) {
		if (at >= end)
			throw new DataError(`column ${what} ends early`);
		let value = bytes[at++];
		if (value >= 128) {
			let scale = 128, b;
			value &= 127;
			do {
				if (at >= end || scale > 2 ** 49)
					throw new DataError(`column ${what} has a broken number`);
				b = bytes[at++];
				value += (b & 127) * scale;
				scale *= 128;
			} while (b >= 128);
		}
		if (value >= limit)
			throw new DataError(wrong);
		out[i] = value;
	}
	if (at !== end)
		throw new DataError(`column ${what} is longer than the tree`);
	return out;
}

/** How many varints there are. */
export function countVarints(bytes) {
	let n = 0;
	for (let i = 0; i < bytes.length; i++)
		n += bytes[i] < 128 ? 1 : 0;
	return n;
}

/** Varints one after the other. */
export class Varints {
	constructor(bytes, what) {
		this.bytes = bytes;
		this.what = what;
		this.at = 0;
	}

	next() {
		const { bytes } = this;
		let value = 0, scale = 1, b;
		do {
			if (this.at >= bytes.length)
				throw new DataError(`column ${this.what} ends early`);
			if (scale > 2 ** 49)
				throw new DataError(`column ${this.what} has a broken number`);
			b = bytes[this.at++];
			value += (b & 127) * scale;
			scale *= 128;
		} while (b >= 128);
		return value;
	}

	/** Goes on behind some of them. */
	skip(count) {
		const { bytes } = this;
		let { at } = this;
		while (count > 0 && at < bytes.length)
			count -= bytes[at++] < 128 ? 1 : 0;
		if (count)
			throw new DataError(`column ${this.what} ends early`);
		this.at = at;
	}

	get ended() {
		return this.at === this.bytes.length;
	}
}

/** The whole number that a zigzag varint stands for. */
export function unzigzag(v) {
	if (v < 2 ** 31)
		return v >>> 1 ^ -(v & 1);
	return v % 2 ? -(v + 1) / 2 : v / 2;
}

/**
 * Reads the values of all metrics, where they stand side by side as metrics say ({events, mean}); that
 * of one.
 */
export function readValue(from, metrics, metric, events) {
	let out = 0;
	for (let k = 0; k < metrics.length; k++) {
		const m = metrics[k], samples = from.next();
		const other = m.events ? unzigzag(from.next()) : 0;
		if (k === metric)
			out = events ? other + Math.round(samples * m.mean) : samples;
	}
	return out;
}
