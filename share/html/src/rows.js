// The visible rows of a tree table: which nodes are open, and in which order their children stand.
// A source has roots() and children(id), which return arrays of ids, and depth(id),
// hasChildren(id), weight(id), which is what the heaviest path goes by. Ids are small integers.

import { lowerBound } from './tree.js';

/**
 * Ids (an Int32Array, rising) in the order of value(id), which falls or rises; of equal ones the
 * lower id is first. Each gets its place among sorted values, which takes much less time than
 * comparing ids.
 */
export function inOrder(ids, value, rising) {
	const n = ids.length, keys = new Float64Array(n), out = new Int32Array(n);
	const used = new Int32Array(n);

	for (let k = 0; k < n; k++)
		keys[k] = rising ? value(ids[k]) : -value(ids[k]);
	const sorted = keys.slice().sort();
	for (let k = 0; k < n; k++) {
		const place = lowerBound(sorted, 0, n, keys[k]);
		out[place + used[place]++] = ids[k];
	}
	return out;
}

export class TreeRows {
	/** compare orders siblings. */
	constructor(source, compare) {
		this.source = source;
		this.compare = compare;
		this.open = new Uint8Array(1024);
		this.ids = new Int32Array(1024);
		this.rebuild();
	}

	isOpen(id) {
		return id < this.open.length && this.open[id] === 1;
	}

	setOpen(id, value) {
		if (id >= this.open.length) {
			const more = new Uint8Array(Math.max(2 * this.open.length, id + 1));
			more.set(this.open);
			this.open = more;
		}
		this.open[id] = value ? 1 : 0;
	}

	sorted(ids) {
		return this.compare ? ids.sort(this.compare) : ids;
	}

	/** All rows again, after the order or the source's values have changed. */
	rebuild() {
		const stack = this.sorted(this.source.roots()).reverse();
		let n = 0;

		while (stack.length) {
			const id = stack.pop();
			this.reserve(n + 1);
			this.ids[n++] = id;
			if (this.isOpen(id)) {
				const kids = this.sorted(this.source.children(id));
				for (let k = kids.length - 1; k >= 0; k--)
					stack.push(kids[k]);
			}
		}
		this.count = n;
	}

	reserve(n) {
		if (n <= this.ids.length)
			return;
		const more = new Int32Array(Math.max(2 * this.ids.length, n));
		more.set(this.ids);
		this.ids = more;
	}

	/** Shows the children of a row; how many there are. */
	expand(row) {
		const id = this.ids[row];
		if (this.isOpen(id))
			return 0;
		const kids = this.sorted(this.source.children(id));
		if (!kids.length)
			return 0;
		this.setOpen(id, true);
		this.reserve(this.count + kids.length);
		this.ids.copyWithin(row + 1 + kids.length, row + 1, this.count);
		this.ids.set(kids, row + 1);
		this.count += kids.length;
		return kids.length;
	}

	/** The row after the last one below row. */
	endOf(row) {
		const depth = this.source.depth(this.ids[row]);
		let end = row + 1;
		while (end < this.count && this.source.depth(this.ids[end]) > depth)
			end++;
		return end;
	}

	collapse(row) {
		const end = this.endOf(row);
		for (let r = row; r < end; r++)
			this.setOpen(this.ids[r], false);
		this.ids.copyWithin(row + 1, end, this.count);
		this.count -= end - row - 1;
	}

	/** Opens a row, and the rows below as long as there is only one, at most `most`. */
	expandChain(row, most = 200) {
		for (let r = row; r < row + most; r++)
			if (this.expand(r) !== 1)
				break;
	}

	/**
	 * Opens the heaviest path from row: from each row to its heaviest child, as long as this
	 * has half of its parent. Returns the last row.
	 */
	hotPath(row) {
		const total = (id) => this.source.weight(id);

		for (;;) {
			const id = this.ids[row], kids = this.source.children(id);
			const best = kids.reduce(
				(a, b) => (a < 0 || total(b) > total(a) ? b : a), -1);
			this.expand(row);
			if (best < 0 || 2 * total(best) < total(id))
				return row;
			row = this.find(best, row + 1);
		}
	}

	/** Opens what is above the last id of a path (outermost first). Its row, or -1. */
	reveal(path) {
		let row = -1;
		for (let k = 0; k < path.length; k++) {
			const from = row + 1;
			if (row >= 0)
				this.expand(row);
			row = this.find(path[k], from);
			if (row < 0)
				return -1;
		}
		return row;
	}

	/** The row of an id at or after from, or -1. */
	find(id, from = 0) {
		return this.ids.subarray(0, this.count).indexOf(id, from);
	}

	/** The row of the parent, or -1. */
	parentRow(row) {
		const depth = this.source.depth(this.ids[row]);
		for (let r = row - 1; r >= 0; r--)
			if (this.source.depth(this.ids[r]) < depth)
				return r;
		return -1;
	}

	openAll(ids) {
		this.open = new Uint8Array(ids).fill(1);
		if (!this.compare && this.source.all) {
			this.ids = this.source.all();
			this.count = this.ids.length;
		} else {
			this.rebuild();
		}
	}

	closeAll() {
		this.open.fill(0);
		this.rebuild();
	}
}
