// The values of single threads and processes (units): decoding them, adding up some of them, and
// the groups by which they are chosen.

import { DataError, Varints, countVarints, unzigzag } from './varint.js';

const CHUNK = 50000;  // numbers or nodes between two yields

/** Values of single units, sparse: those of unit u are at start[u] to start[u + 1] - 1. */
export class UnitValues {
	/**
	 * bytes is the column `units`; metrics has for each metric {events (are they in the column,
	 * too?), mean}; nodes is the number of nodes of the tree.
	 */
	constructor(bytes, count, metrics, nodes) {
		this.bytes = bytes;
		this.count = count;
		this.metrics = metrics;
		this.nodes = nodes;
		// Of the metric that was read last: one is shown at a time.
		this.kept = null;
		this.keptMetric = -1;
	}

	/**
	 * A generator whose result is {start, node, value}: the nodes of each unit in order, and
	 * their own values of a metric, in quanta; of is 'events' or 'samples'.
	 */
	*read(metric, of) {
		if (this.keptMetric !== metric) {
			this.kept = yield* this.decode(metric);
			this.keptMetric = metric;
		}
		const { start, node, samples, events } = this.kept;
		return { start, node, value: of === 'events' ? events : samples };
	}

	*decode(metric) {
		const perNode = this.metrics.reduce((n, m) => n + (m.events ? 2 : 1), 1);
		const size = (countVarints(this.bytes) - this.count) / perNode;
		if (!Number.isInteger(size) || size < 0)
			throw new DataError('column units does not fit the metrics');
		const cells = {
			start: new Int32Array(this.count + 1),
			node: new Int32Array(size),
			samples: new Float64Array(size)
		};
		// Without events of their own, these are the samples.
		cells.events = this.metrics[metric].events ? new Float64Array(size) : cells.samples;
		const from = new Varints(this.bytes, 'units');
		let at = 0;
		for (let u = 0; u < this.count; u++) {
			const last = at + from.next();
			if (last > size)
				throw new DataError('column units ends early');
			for (let node = 0; at < last;) {
				const until = Math.min(last, at + CHUNK);
				node = this.someNodes(from, cells, at, until, node, metric);
				at = until;
				yield;
			}
			cells.start[u + 1] = at;
		}
		if (!from.ended)
			throw new DataError('column units is longer than its units');
		return cells;
	}

	/** Reads cells from at to until - 1, after a node; the node of the last one. */
	someNodes(from, cells, at, until, node, metric) {
		const { metrics } = this, { events, mean } = metrics[metric];
		const numbers = (list) => list.reduce((n, m) => n + (m.events ? 2 : 1), 0);
		const before = numbers(metrics.slice(0, metric));
		const after = numbers(metrics.slice(metric + 1));
		for (; at < until; at++) {
			node += from.next();
			if (node >= this.nodes)
				throw new DataError('column units has an unknown node');
			cells.node[at] = node;
			from.skip(before);
			const samples = from.next();
			cells.samples[at] = samples;
			if (events)
				cells.events[at] =
					unzigzag(from.next()) + Math.round(samples * mean);
			from.skip(after);
		}
		return node;
	}
}

/** A generator whose result is own[node]: the sum of the units for which chosen[unit] is set. */
export function* sumOfUnits(cells, chosen, nodes) {
	const own = new Float64Array(nodes);

	for (let u = 0; u < chosen.length; u++) {
		if (!chosen[u])
			continue;
		for (let from = cells.start[u]; from < cells.start[u + 1]; from += CHUNK) {
			const to = Math.min(cells.start[u + 1], from + CHUNK);
			for (let k = from; k < to; k++)
				own[cells.node[k]] += cells.value[k];
			yield;
		}
	}
	return own;
}

/** What each unit has in all. */
export function unitTotals(cells) {
	const n = cells.start.length - 1, totals = new Float64Array(n);

	for (let u = 0; u < n; u++)
		for (let k = cells.start[u]; k < cells.start[u + 1]; k++)
			totals[u] += cells.value[k];
	return totals;
}

// ---- which of them are chosen

/** '0-4.7' of units 0 to 4 and 7; '' if all are chosen. */
export function formatChosen(chosen) {
	const out = [];
	let all = true;

	for (let u = 0; u < chosen.length; u++) {
		if (!chosen[u]) {
			all = false;
			continue;
		}
		let last = u;
		while (last + 1 < chosen.length && chosen[last + 1])
			last++;
		out.push(last > u ? `${u}-${last}` : String(u));
		u = last;
	}
	return all ? '' : out.join('.');
}

/** chosen[unit], of a text as above; all if the text is broken or names no unit. */
export function parseChosen(text, count) {
	const chosen = new Uint8Array(count), all = new Uint8Array(count).fill(1);

	for (const part of text.split('.')) {
		const m = /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(part);
		const first = m ? Number(m[1]) : -1, last = m ? Number(m[2] ?? m[1]) : -1;
		if (!m || first > last || last >= count)
			return all;
		chosen.fill(1, first, last + 1);
	}
	return chosen;
}

// ---- how they group

/** A name with its numbers as #, so that threads of one kind have one name. */
export function kindOfName(name) {
	return name.replace(/\d+/g, '#');
}

const processKey = (u) => (u.process === undefined ? null : `${u.process} ${u.host ?? ''}`);

/** What units are told apart by: a key, and the text of a group by its first unit. */
const KINDS = [
	{ id: 'program', label: 'Program', key: (u) => u.program ?? null, text: (u) => u.program },
	{
		id: 'thread',
		label: 'Threads by name',
		key: (u) => (u.thread ? kindOfName(u.thread) : null),
		text: (u) => kindOfName(u.thread)
	},
	{ id: 'rank', label: 'Rank', key: (u) => u.rank ?? null, text: (u) => `rank ${u.rank}` },
	{ id: 'host', label: 'Host', key: (u) => u.host ?? null, text: (u) => u.host },
	{
		id: 'process',
		label: 'Process',
		key: processKey,
		text: (u) => `${u.process} ${u.command ?? u.program ?? ''}`.trim()
	},
	{ id: 'unit', label: 'Single threads', key: (u, i) => i, text: (u) => u.name },
];

/** Units grouped by one kind: [{text, units}], in the order of their first units. */
export function groupUnits(units, id) {
	const kind = KINDS.find((k) => k.id === id), groups = new Map();

	units.forEach((u, i) => {
		const key = kind.key(u, i);
		if (!groups.has(key))
			groups.set(key,
				{ text: key === null ? 'not known' : kind.text(u), units: [] });
		groups.get(key).units.push(i);
	});
	return [...groups.values()];
}

/**
 * The ways in which units can be told apart: [{id, label, groups}]. One that tells nothing apart,
 * or the same as one before it, is left out.
 */
export function facetsOf(units) {
	const seen = new Set(), out = [];

	for (const { id, label } of KINDS) {
		const groups = groupUnits(units, id);
		const partition = groups.map((g) => g.units.join()).join(';');
		if (groups.length > 1 && !seen.has(partition))
			out.push({ id, label, groups });
		seen.add(partition);
	}
	return out;
}
