// Columns of pages, as share/html/README.md describes them.

export function varints(values) {
	const out = new Uint8Array(values.length * 8);
	let at = 0;

	for (let v of values) {
		while (v >= 128) {
			out[at++] = (v % 128) | 128;
			v = Math.floor(v / 128);
		}
		out[at++] = v;
	}
	return out.slice(0, at);
}

const zigzag = (s) => (s < 0 ? -2 * s - 1 : 2 * s);

/** Differences of the sums in quanta. */
function quanta(values, quantum) {
	let sum = 0n, before = 0n;
	return values.map((v) => {
		sum += BigInt(v);
		const q = sum / BigInt(quantum), d = Number(q - before);
		before = q;
		return d;
	});
}

/** Node numbers in preorder, children by falling inclusive value. parents come before children. */
function preorder(parent, weight) {
	const n = parent.length, total = Float64Array.from(weight);
	const first = new Int32Array(n + 1).fill(-1), next = new Int32Array(n).fill(-1);

	for (let i = n - 1; i >= 0; i--)
		if (parent[i] >= 0)
			total[parent[i]] += total[i];
	const byTotal =
		Array.from({ length: n }, (_, i) => i).sort((a, b) => total[a] - total[b] || b - a);
	for (const i of byTotal) {
		next[i] = first[parent[i] + 1];
		first[parent[i] + 1] = i;
	}
	const order = [], stack = [first[0]];
	while (stack.length) {
		const i = stack.pop();
		if (i < 0)
			continue;
		order.push(i);
		stack.push(next[i], first[i + 1]);
	}
	return order;
}

/** Samples and events of values, coded as in the columns: [samples, events or null]. */
function coded(samples, events, { has, quantum, mean }) {
	const q = has ? quanta(events, quantum) : [];
	return samples.map((v, i) => [v, ...has ? [zigzag(q[i] - Math.round(v * mean))] : []]);
}

/** The column `units`; place[node] is a node's position. */
function encodeUnits(units, place, metrics) {
	const out = [];
	for (const { cells } of units) {
		const at = cells.node.map((_, k) => k).sort(
			(a, b) => place[cells.node[a]] - place[cells.node[b]]);
		const values = metrics.map((m, k) => coded(at.map((c) => cells.samples[k][c]),
			at.map((c) => cells.events[k][c]), m));
		let before = 0;
		out.push(at.length);
		at.forEach((c, i) => {
			const node = place[cells.node[c]];
			out.push(node - before);
			before = node;
			for (const v of values)
				out.push(...v[i]);
		});
	}
	return varints(out);
}

/** The column `lines` of [{file, line, fn, self, total}], with [samples, events] by metric. */
function encodeLines(lines, metrics) {
	const out = [lines.length];
	let file = 0, line = 0;
	lines.sort((a, b) => a.file - b.file || a.line - b.line);
	for (const l of lines) {
		out.push(l.file - file, l.file === file ? l.line - line : l.line, l.fn + 1);
		for (const values of [l.self, l.total])
			values.forEach(([samples, events], k) => {
				const { has, quantum, mean } = metrics[k], q = Math.floor(events / quantum);
				out.push(samples);
				if (has)
					out.push(zigzag(q - Math.round(samples * mean)));
			});
		file = l.file;
		line = l.line;
	}
	return varints(out);
}

/**
 * The columns `instructions` and `instruction-texts`. procedures: [{name, module}], numbers of
 * modules; list: [{file, line, procedure, address, text, values}], values are [samples, events] by
 * metric; lines as encodeLines() has sorted them.
 */
function encodeInstructions({ procedures, list }, lines, metrics) {
	const out = [procedures.length, ...procedures.map((p) => p.module), list.length];
	const place = (i) => lines.findIndex((l) => l.file === i.file && l.line === i.line);
	const sorted = [...list].sort((a, b) => place(a) - place(b) || a.procedure - b.procedure ||
			a.address - b.address);
	let line = 0, address = 0;
	for (const i of sorted) {
		out.push(place(i) - line, i.procedure, zigzag(i.address - address));
		i.values.forEach(([samples, events], k) => {
			const { has, quantum, mean } = metrics[k];
			out.push(samples);
			if (has)
				out.push(zigzag(Math.floor(events / quantum) - Math.round(samples * mean)));
		});
		line = place(i);
		address = i.address;
	}
	const texts = [...procedures.map((p) => p.name), ...sorted.map((i) => i.text), ''];
	return {
		instructions: varints(out),
		'instruction-texts': new TextEncoder().encode(texts.join('\n'))
	};
}

/**
 * {meta, columns}: the data of a page. nodes: {parent, fn, inlined, metrics: [{name, unit, sampled,
 * samples, events}]}, arrays by node; names as in the column. Parents come before their children.
 * units: [{meta, cells: {node, samples, events}}], the last two by metric; lines: see encodeLines;
 * sources: texts by number of file; instructions: see encodeInstructions.
 */
export function encode({title = 'sample', nodes, names, quantum = 1, report = {}, units = [], lines,
	sources = {}, instructions}) {
	const order = preorder(nodes.parent, nodes.metrics[0].events), n = order.length;
	const depth = new Int32Array(n), pops = [], functions = [], columns = {}, coding = [];
	const place = new Int32Array(n);
	let before = -1;

	order.forEach((node, i) => {
		place[node] = i;
	});
	for (let i = 0; i < n; i++)
		depth[i] = nodes.parent[i] < 0 ? 0 : depth[nodes.parent[i]] + 1;
	for (const i of order) {
		pops.push(before + 1 - depth[i]);
		before = depth[i];
		functions.push(nodes.fn[i] * 2 + (nodes.inlined?.[i] ? 1 : 0));
	}
	columns.pops = varints(pops);
	columns.functions = varints(functions);
	const metrics = nodes.metrics.map((m, k) => {
		const samples = order.map((i) => m.samples[i]),
		      events = order.map((i) => m.events[i]);
		const q = quanta(events, quantum);
		const samplesTotal = samples.reduce((a, b) => a + b, 0);
		const mean = samplesTotal ? Math.round(q.reduce((a, b) => a + b, 0) / samplesTotal) : 0;
		const has = quantum !== 1 || events.some((v, i) => v !== samples[i]);
		coding.push({ has, quantum, mean });
		columns[`samples-${k}`] = varints(samples);
		if (has)
			columns[`events-${k}`] =
				varints(q.map((v, i) => zigzag(v - samples[i] * mean)));
		return {
			name: m.name,
			unit: m.unit,
			sampled: m.sampled ?? true,
			events: events.reduce((a, b) => a + b, 0),
			samples: samplesTotal,
			quantum,
			mean
		};
	});
	if (units.length)
		columns.units = encodeUnits(units, place, coding);
	if (lines)
		columns.lines = encodeLines(lines, coding);
	if (instructions)
		Object.assign(columns, encodeInstructions(instructions, lines, coding));
	for (const [file, text] of Object.entries(sources))
		columns[`source-${file}`] = new TextEncoder().encode(text);
	names.functions.inlined ??= inlinedness(nodes, names.functions.name.length);
	columns.names = new TextEncoder().encode(JSON.stringify(names));
	const meta = { version: 1, title, nodes: n, metrics, units: units.map((u) => u.meta), report };
	return { meta, columns };
}

/** For each function: 0 never inlined, 1 sometimes, 2 always. */
function inlinedness({ fn, inlined = [] }, count) {
	const seen = new Array(count).fill(0);
	for (let i = 0; i < fn.length; i++)
		seen[fn[i]] |= inlined[i] ? 2 : 1;
	return seen.map((s) => (s === 3 ? 1 : s === 2 ? 2 : 0));
}
