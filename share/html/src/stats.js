// Statistics of functions over units, or over groups of units.

const CHUNK = 1 << 14;  // steps between two yields

/** Numbers that are added at the end. */
class Growing {
	constructor(Type) {
		this.Type = Type;
		this.list = new Type(1024);
		this.length = 0;
	}

	push(v) {
		if (this.length === this.list.length) {
			const more = new this.Type(2 * this.length);
			more.set(this.list);
			this.list = more;
		}
		this.list[this.length++] = v;
	}
}

/** Adds up functions in one unit after the other. */
class Adder {
	constructor(tree, cells, functionCount) {
		this.tree = tree;
		this.cells = cells;
		this.sums = new Float64Array(functionCount);
		this.has = new Uint8Array(functionCount);
		this.touched = [];
	}

	add(f, v) {
		if (!this.has[f]) {
			this.has[f] = 1;
			this.touched.push(f);
		}
		this.sums[f] += v;
	}

	/** Calls use(f, sum) for the functions that something was added to, and begins anew. */
	take(use) {
		for (const f of this.touched) {
			use(f, this.sums[f]);
			this.sums[f] = 0;
			this.has[f] = 0;
		}
		this.touched = [];
	}

	*self(unit) {
		const { cells, tree } = this;
		for (let k = cells.start[unit]; k < cells.start[unit + 1]; k++) {
			this.add(tree.fn[cells.node[k]], cells.value[k]);
			if (k % CHUNK === CHUNK - 1)
				yield;
		}
	}

	/**
	 * Totals: only nodes with a value and those above them are looked at, each once. They are
	 * visited in preorder, so that outermost occurrences are known as in tree.js.
	 */
	*total(unit) {
		const { cells, tree } = this, { fn, end, parent } = tree;
		this.room ??= {
			seen: new Int32Array(tree.count).fill(-1),
			sum: new Float64Array(tree.count),
			visited: new Int32Array(tree.count),
			until: new Int32Array(this.sums.length),
			untilOf: new Int32Array(this.sums.length).fill(-1)
		};
		const { sum, visited, until, untilOf } = this.room;
		const n = yield* this.visit(unit);
		for (let k = n - 1; k >= 0; k--) {
			const up = parent[visited[k]];
			if (up >= 0)
				sum[up] += sum[visited[k]];
			if (k % CHUNK === 0)
				yield;
		}
		for (let k = 0; k < n; k++) {
			const i = visited[k], f = fn[i];
			if (untilOf[f] !== unit || i >= until[f]) {
				this.add(f, sum[i]);
				untilOf[f] = unit;
				until[f] = end[i];
			}
			if (k % CHUNK === CHUNK - 1)
				yield;
		}
		for (let k = 0; k < n; k++)
			sum[visited[k]] = 0;
		return cells;
	}

	/** Lists the nodes with a value, and those above them, in preorder. How many there are. */
	*visit(unit) {
		const { cells, tree: { parent } } = this, { seen, sum, visited } = this.room;
		let n = 0, since = 0;
		for (let k = cells.start[unit]; k < cells.start[unit + 1]; k++) {
			const node = cells.node[k];
			let fresh = 0;
			for (let i = node; i >= 0 && seen[i] !== unit; i = parent[i]) {
				seen[i] = unit;
				fresh++;
			}
			// What is new above a node comes after all that was there.
			for (let i = node, at = n + fresh - 1; at >= n; i = parent[i])
				visited[at--] = i;
			n += fresh;
			sum[node] += cells.value[k];
			since += fresh + 1;
			if (since > CHUNK) {
				since = 0;
				yield;
			}
		}
		return n;
	}
}

/**
 * A generator whose result is {groups, start, group, value}: the groups with a value of function f
 * are group[start[f]] to group[start[f + 1] - 1], rising, and value their values. groups is an
 * array of arrays of units, what is 'self' or 'total', and cells is what UnitValues.read() gave.
 */
export function* byFunctionAndGroup(tree, cells, groups, functionCount, what) {
	const adder = new Adder(tree, cells, functionCount),
	      start = new Int32Array(functionCount + 1);
	const fns = new Growing(Int32Array), ids = new Growing(Int32Array);
	const values = new Growing(Float64Array);

	for (let g = 0; g < groups.length; g++) {
		for (const unit of groups[g]) {
			yield* adder[what](unit);
			yield;
		}
		adder.take((f, v) => {
			if (!(v > 0))
				return;
			fns.push(f);
			ids.push(g);
			values.push(v);
			start[f + 1]++;
		});
	}
	for (let f = 0; f < functionCount; f++)
		start[f + 1] += start[f];
	const next = start.slice(), group = new Int32Array(fns.length);
	const value = new Float64Array(fns.length);
	for (let k = 0; k < fns.length; k++) {
		const at = next[fns.list[k]]++;
		group[at] = ids.list[k];
		value[at] = values.list[k];
		if (k % CHUNK === CHUNK - 1)
			yield;
	}
	return { groups: groups.length, start, group, value };
}

/**
 * Arrays by function: present (groups with a value), mean, deviation (n - 1), least, most,
 * imbalance (most / mean - 1). Groups without a value count as 0.
 */
export function summarize({ groups: n, start, value }) {
	const count = start.length - 1, make = () => new Float64Array(count);
	const out = {
		present: new Int32Array(count),
		mean: make(),
		deviation: make(),
		least: make(),
		most: make(),
		imbalance: make()
	};

	for (let f = 0; f < count; f++) {
		const a = start[f], b = start[f + 1], present = b - a;
		if (!present)
			continue;
		let sum = 0, least = Infinity, most = 0;
		for (let k = a; k < b; k++) {
			sum += value[k];
			least = Math.min(least, value[k]);
			most = Math.max(most, value[k]);
		}
		const mean = sum / n;
		let squares = (n - present) * mean * mean;
		for (let k = a; k < b; k++)
			squares += (value[k] - mean) ** 2;
		out.present[f] = present;
		out.mean[f] = mean;
		out.deviation[f] = n > 1 ? Math.sqrt(squares / (n - 1)) : 0;
		out.least[f] = present < n ? 0 : least;
		out.most[f] = most;
		out.imbalance[f] = most / mean - 1;
	}
	return out;
}

/** The value of each group for function f. */
export function valuesOf({ groups, start, group, value }, f) {
	const out = new Float64Array(groups);
	for (let k = start[f]; k < start[f + 1]; k++)
		out[group[k]] = value[k];
	return out;
}

/**
 * A strip of at most `most` cells: [{value, groups}], in the order of groups or, if sorted, with
 * the highest first. With more groups than cells, a cell has neighbours and the highest of their
 * values.
 */
export function strip(values, most, sorted) {
	const order = Array.from(values, (_, g) => g), n = order.length, cells = [];
	if (sorted)
		order.sort((a, b) => values[b] - values[a] || a - b);
	const size = Math.min(n, most);
	for (let c = 0; c < size; c++) {
		const groups =
			order.slice(Math.floor(c * n / size), Math.floor((c + 1) * n / size));
		cells.push({ value: Math.max(...groups.map((g) => values[g])), groups });
	}
	return cells;
}
