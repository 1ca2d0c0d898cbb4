// Makes the data of pages without hpcprof: from a list of call paths, or by a seeded generator.
// `node tests/page/lib/sample.mjs KIND [NODES [DEPTH [SEED]]] >page.html` writes a whole page; KIND
// is small, tree (NODES contexts of up to DEPTH levels) or deep (one recursion, DEPTH levels).

import fs from 'node:fs';
import zlib from 'node:zlib';
import { fileURLToPath } from 'node:url';

/** A generator of numbers in [0, 1) (mulberry32). */
export function random(seed) {
	let s = seed | 0;
	return () => {
		s = (s + 0x6d2b79f5) | 0;
		let t = Math.imul(s ^ (s >>> 15), 1 | s);
		t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
		return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
	};
}

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
 * {meta, columns}: the data of a page. nodes: {parent, fn, inlined, metrics: [{name, unit, sampled,
 * samples, events}]}, arrays by node; names as in the column. Parents come before their children.
 * units: [{meta, cells: {node, samples, events}}], the last two by metric; lines: see encodeLines;
 * sources: texts by number of file.
 */
export function encode({title = 'sample', nodes, names, quantum = 1, report = {}, units = [], lines,
	sources = {}}) {
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

/** The values of lines of call paths, from the frames' places: file, and at or line. */
function linesOf(list, metrics, fileOf, functionOf) {
	const lines = new Map(), zero = () => metrics.map(() => [0, 0]);
	const add = (to, samples, events) => to.forEach((v, k) => {
		v[0] += [samples].flat()[k];
		v[1] += [events].flat()[k];
	});
	for (const [path, samples, events] of list) {
		const seen = new Set();
		path.forEach((f, i) => {
			if (!f.file)
				return;
			const file = fileOf(f.file), line = f.at ?? f.line ?? 0, key = `${file} ${line}`;
			const fn = functionOf(f);
			if (!lines.has(key))
				lines.set(key, { file, line, fn, self: zero(), total: zero() });
			const l = lines.get(key);
			if (l.fn !== fn)
				l.fn = -1;
			if (!seen.has(key))
				add(l.total, samples, events);
			seen.add(key);
			if (i === path.length - 1)
				add(l.self, samples, events);
		});
	}
	return [...lines.values()];
}

/**
 * Nodes and names of a list of [path, samples, events, unit]. A path is an array, outermost first,
 * of names or {name, module, file, line, inlined, at}; at is the line that runs or calls; samples
 * and events are numbers, or arrays with one for each metric of options.metrics ([{name, unit,
 * sampled}]); unit is an index of options.units. options.sources has texts by name of file.
 */
export function fromPaths(list, {metrics = [{name: 'CPUTIME', unit: 'ns'}], units = [],
	sources = {}, ...rest} = {}) {
	const names = {
		functions: { name: [], module: [], file: [], line: [] },
		modules: [],
		files: []
	};
	const functions = new Map(), children = new Map();
	const nodes = {
		parent: [],
		fn: [],
		inlined: [],
		metrics: metrics.map((m) => ({ ...m, samples: [], events: [] }))
	};
	const cells = units.map(() => new Map());
	const index = (all, x) => (x ? (all.includes(x) ? all.indexOf(x) : all.push(x) - 1) : -1);
	const functionOf = (f) => {
		const key = JSON.stringify([f.name, f.module, f.file, f.line]);
		if (!functions.has(key)) {
			functions.set(key, functions.size);
			names.functions.name.push(f.name);
			names.functions.module.push(index(names.modules, f.module));
			names.functions.file.push(index(names.files, f.file));
			names.functions.line.push(f.line ?? 0);
		}
		return functions.get(key);
	};
	const child = (parent, frame) => {
		const f = typeof frame === 'string' ? { name: frame, module: '/usr/bin/sample' }
						    : frame;
		const fn = functionOf(f), key = `${parent} ${fn} ${!!f.inlined}`;
		if (!children.has(key)) {
			children.set(key, nodes.fn.length);
			nodes.parent.push(parent);
			nodes.fn.push(fn);
			nodes.inlined.push(f.inlined ? 1 : 0);
			nodes.metrics.forEach((m) => {
				m.samples.push(0);
				m.events.push(0);
			});
		}
		return children.get(key);
	};
	for (const [path, samples, events, unit] of list) {
		let at = -1;
		for (const frame of path)
			at = child(at, frame);
		nodes.metrics.forEach((m, k) => {
			m.samples[at] += [samples].flat()[k];
			m.events[at] += [events].flat()[k];
		});
		if (unit === undefined)
			continue;
		const cell = cells[unit].get(at) ?? metrics.map(() => [0, 0]);
		cell.forEach((v, k) => {
			v[0] += [samples].flat()[k];
			v[1] += [events].flat()[k];
		});
		cells[unit].set(at, cell);
	}
	const lines = linesOf(list, metrics, (file) => index(names.files, file), functionOf);
	const part = (map, which) => metrics.map((_, k) => [...map.values()].map((v) => v[k][which]));
	return encode({
		...rest,
		nodes,
		names,
		lines,
		sources: Object.fromEntries(
			Object.entries(sources).map(([file, text]) => [index(names.files, file), text])),
		units: units.map((meta, u) => ({
			meta,
			cells: {
				node: [...cells[u].keys()],
				samples: part(cells[u], 0),
				events: part(cells[u], 1)
			}
		}))
	});
}

const WORDS = [
	'core', 'http', 'parser', 'alloc', 'buffer', 'index', 'query', 'plan', 'merge', 'sort',
	'hash', 'tree', 'graph', 'visit', 'read', 'write', 'flush', 'lock', 'queue', 'task',
	'cache', 'codec', 'stream', 'socket', 'frame', 'layout', 'render', 'style', 'check', 'emit',
	'range'
];

function syntheticNames(count, rnd) {
	const pick = () => WORDS[Math.floor(rnd() * WORDS.length)];
	const modules = [
		'/usr/bin/server', '/usr/lib/libc.so.6', '/usr/lib/libstdc++.so.6', '[kernel]',
		...['codec', 'http', 'index', 'json', 'render', 'sql', 'ui', 'xml'].map(
			(x) => `/usr/lib/lib${x}.so`)
	];
	const files = Array.from({ length: 400 }, (_, i) => `/src/${pick()}/${pick()}_${i}.cc`);
	const f = { name: [], module: [], file: [], line: [] };

	for (let i = 0; i < count; i++) {
		const args = rnd() < 0.3 ? `<${pick()}::${pick()}, std::allocator<${pick()}>>` : '';
		f.name.push(`${pick()}::${pick()}::${pick()}_${pick()}_${i}${args}(${pick()}::${
			pick()} const&)`);
		f.module.push(Math.floor(modules.length * rnd() ** 2));
		f.file.push(rnd() < 0.9 ? Math.floor(files.length * rnd()) : -1);
		f.line.push(1 + Math.floor(rnd() * 3000));
	}
	return { functions: f, modules, files };
}

/** A report like that of `hpcprof text --json`, with what the page shows of it. */
export function report(metrics, { lost = 0.004, partial = 0.001, nameless = 0.02 } = {}) {
	const part = (share) => metrics.map((m) => Math.round(m.events * share));
	const outcome = (name, samples, m, share) =>
		({ outcome: name, samples, events: Math.round(m.events * share) });
	return {
		version: 1,
		view: 'text',
		metrics: metrics.map((m) => ({
			name: m.name,
			unit: m.unit,
			sampled: m.sampled,
			total: m.events,
			total_samples: m.samples,
			kernel: 0,
			measuring_ns: Math.round(0.03 * m.events),
			account: m.sampled ? [
				outcome('recorded', m.samples, m, 1 - partial),
				outcome('partial', 1, m, partial),
				outcome('unwind failed', 2, m, lost)
			] : null
		})),
		run: {
			command: 'server --port 8080 --threads 8',
			executable: '/usr/bin/server',
			host: 'alpha',
			end: 'exit 0',
			start_ns: 1.7e18,
			end_ns: 1.7e18 + 4e9,
			wall_ns: 4e9,
			cpu_ns: metrics[0].events,
			outside_ns: 0,
			runs: 1,
			processes: 2,
			images: 2,
			threads: 9,
			hosts: 1
		},
		quality: {
			profiles: 2,
			without_samples: 0,
			without_paths: 0,
			partial_paths: part(partial),
			without_name: part(nameless),
			without_line: part(0.1),
			skipped_or_damaged: { files: [], left_out: 0 },
			unmeasured: { programs: [], left_out: 0 }
		}
	};
}

/**
 * {meta, columns} of n contexts by chance: paths of up to depth levels, calls that recur below
 * different callers, recursion, and two metrics if options.metrics is 2. options.units is the number
 * of threads, and options.lines that of source lines with values.
 */
export function synthetic(
	n, { depth = 60, functions = 20000, seed = 1, metrics = 1, units = 0, lines = 0 } = {}) {
	const rnd = random(seed), names = syntheticNames(Math.min(functions, n), rnd);
	const count = names.functions.name.length;
	const parent = new Int32Array(n), fn = new Uint32Array(n), level = new Int32Array(n);
	const seen = new Set();
	const callee = (f) => {
		if (rnd() < 0.02)
			return f;
		// Every function calls few others, most of them the common ones.
		return Math.floor(count * random(f * 32 + Math.floor(32 * rnd() ** 2))() ** 2);
	};
	let last = -1;
	for (let i = 0; i < n;) {
		if (last < 0 || rnd() > 0.8 || level[last] + 1 >= depth)
			last = i ? Math.floor(rnd() * i) : -1;
		const p = last >= 0 && level[last] + 1 < depth ? last : i ? 0 : -1;
		const f = p < 0 ? 0 : callee(fn[p]), key = p * count + f;
		if (i && seen.has(key) && rnd() < 0.9) {
			last = -1;
			continue;
		}
		seen.add(key);
		parent[i] = p;
		fn[i] = f;
		level[i] = p < 0 ? 0 : level[p] + 1;
		last = i++;
	}
	return finish(parent, fn, names, rnd,
		{ metrics, title: `synthetic ${n}`, units, lines, seed });
}

/** {meta, columns} of one recursion of n levels, with two functions, and a leaf at every third. */
export function deep(levels, { seed = 1 } = {}) {
	const rnd = random(seed), names = syntheticNames(50, rnd);
	const parent = [], fn = [];
	let last = -1;

	for (let i = 0; i < levels; i++) {
		parent.push(last);
		last = fn.push(i % 2) - 1;
		if (i % 3 === 0) {
			parent.push(last);
			fn.push(2 + Math.floor(rnd() * 48));
		}
	}
	return finish(parent, fn, names, rnd, { title: `recursion of ${levels} levels` });
}

/** Values of nodes given to threads of two programs, to up to three each. */
function spread(count, { metrics }, n, rnd) {
	const units = Array.from({ length: count }, (_, u) => ({
		meta: {
			name: `thread ${100 + u} worker${u} of process ${u % 2}`,
			thread: `worker${u}`,
			tid: 100 + u,
			process: u % 2,
			program: ['server', 'client'][u % 2],
			command: `/usr/bin/${['server', 'client'][u % 2]} --port 8080`,
			host: 'alpha'
		},
		cells: {
			node: [],
			samples: metrics.map(() => []),
			events: metrics.map(() => [])
		}
	}));
	const give = (u, node, part) => {
		const { cells } = units[u];
		cells.node.push(node);
		metrics.forEach((m, k) => {
			const [samples, events] = part(m);
			cells.samples[k].push(samples);
			cells.events[k].push(events);
		});
	};
	for (let i = 0; i < n; i++) {
		if (!metrics.some((m) => m.samples[i] || m.events[i]))
			continue;
		const a = Math.floor(count * rnd()), b = (a + 1) % count, half = (v) => Math.floor(v / 2);
		if (rnd() < 0.5) {
			give(a, i, (m) => [m.samples[i], m.events[i]]);
			continue;
		}
		give(a, i, (m) => [half(m.samples[i]), half(m.events[i])]);
		give(b, i, (m) => [m.samples[i] - half(m.samples[i]), m.events[i] - half(m.events[i])]);
	}
	return units;
}

/** Lines by chance, some thousand a file at most, of functions that begin there. */
function someLines(count, names, metrics, rnd) {
	const { file, line } = names.functions, lines = new Map();
	for (let i = 0; i < count; i++) {
		const fn = Math.floor(file.length * rnd());
		if (file[fn] < 0)
			continue;
		const at = { file: file[fn], line: line[fn] + Math.floor(40 * rnd()), fn };
		const value = metrics.map(() => Math.ceil(1 / (rnd() + 0.001)));
		const self = value.map((v) => [v, v * 1000000]), total = value.map((v) => [2 * v, 2000000 * v]);
		lines.set(`${at.file} ${at.line}`, { ...at, self, total });
	}
	return [...lines.values()];
}

function finish(parent, fn, names, rnd,
	{ metrics: count = 1, title, units = 0, lines = 0, seed = 1 }) {
	const n = parent.length, leaf = new Uint8Array(n).fill(1), metrics = [];

	for (const p of parent)
		if (p >= 0)
			leaf[p] = 0;
	for (let k = 0; k < count; k++) {
		const samples = new Array(n), events = new Array(n);
		for (let i = 0; i < n; i++) {
			samples[i] = leaf[i] || rnd() < 0.3 ? Math.ceil(1 / (rnd() + 0.001)) : 0;
			events[i] = samples[i] * 1000000 +
				(samples[i] ? Math.floor(rnd() * 2000) - 1000 : 0);
		}
		metrics.push(k ? {
			name: `EVENT${k}`,
			unit: 'events',
			samples: events,
			events,
			sampled: false
		}
			       : { name: 'CPUTIME', unit: 'ns', samples, events, sampled: true });
	}
	const total = metrics[0].events.reduce((a, b) => a + b, 0), more = random(seed + 1000);
	const made = encode({
		title,
		names,
		nodes: { parent, fn, metrics },
		quantum: total > 2 ** 42 ? 1000 : 1,
		units: units ? spread(units, { metrics }, n, more) : [],
		lines: lines ? someLines(lines, names, metrics, more) : undefined
	});
	made.meta.report = report(made.meta.metrics);
	return made;
}

/** A small program whose figures can be checked by eye. */
export function small() {
	const at = (name, module, file, line, inlined) => ({ name, module, file, line, inlined });
	const main = at('main', '/usr/bin/work', '/src/work.c', 10);
	const run = at('run', '/usr/bin/work', '/src/work.c', 40);
	const fib = at('fib', '/usr/lib/libwork.so', '/src/fib.c', 3);
	const map = at('std::map<int, std::string>::find(int const&) const', '/usr/bin/work',
		'/usr/include/c++/map', 120, true);
	const read = at('[kernel] read', '[kernel]');
	const on = (f, line) => ({ ...f, at: line });
	const unit = (tid, thread) => ({
		name: `thread ${tid} ${thread}`,
		thread,
		tid,
		process: 7,
		program: 'work',
		command: 'work --fast',
		host: 'alpha'
	});
	const made = fromPaths(
		[
			[[on(main, 12)], 1, 1e6, 0],
			[[on(main, 13), on(run, 42)], 10, 10.5e6, 0],
			[[on(main, 13), on(run, 43), on(map, 121)], 20, 20e6, 0],
			[[on(main, 13), on(run, 44), on(fib, 4)], 30, 30e6, 0],
			[[on(main, 13), on(run, 44), on(fib, 6), on(fib, 4)], 15, 15e6, 0],
			[[on(main, 13), on(run, 44), on(fib, 6), on(fib, 6), on(fib, 4)], 5, 5e6, 0],
			[[on(main, 13), on(run, 44), on(fib, 5), on(map, 121)], 4, 4e6, 0],
			[[on(main, 14), read], 12, 12e6, 0],
			[[on(main, 13), on(run, 45), read], 3, 3e6, 0],
			[[at('thread_start', '/usr/lib/libc.so.6'), on(run, 44), on(fib, 4)], 7, 7.25e6, 1],
		],
		{
			title: 'work --fast',
			units: [unit(7, 'work'), unit(8, 'worker1')],
			sources: {
				'/src/fib.c': '#include "map.h"\n\nlong fib(int n) {\n\tif (n < 2) return n;\n' +
					'\tfind(n);\n\treturn fib(n - 1) + fib(n - 2);\n}\n'
			}
		});
	made.meta.report = report(made.meta.metrics);
	return made;
}

/** A whole page from the template (page.html, as built) and the data. */
export function page(template, {meta, columns}, summary = 'The text report.') {
	const html = (s) =>
		s.replace(/[&<>]/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[c]);
	const data = [`<script type="application/json" id="profile">${
		JSON.stringify(meta).replace(/</g, '\\u003c')}</script>`];

	for (const [name, bytes] of Object.entries(columns))
		data.push(`<script type="text/plain" class="column" id="${name}">${
			zlib.deflateRawSync(bytes, { level: 9 }).toString('base64')}</script>`);
	return template.replace('<!--title-->', () => html(meta.title))
		.replace('<!--summary-->', () => html(summary))
		.replace('<!--data-->', () => data.join('\n'));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
	const [kind = 'small', nodes = '100000', depth = '60', seed = '1'] = process.argv.slice(2);
	const template =
		fs.readFileSync(new URL('../../../share/html/page.html', import.meta.url), 'utf8');
	const made = kind === 'small' ? small()
		: kind === 'deep'
		? deep(Number(depth))
		: synthetic(Number(nodes), {
			  depth: Number(depth),
			  seed: Number(seed),
			  metrics: 2,
			  units: 16,
			  lines: 100000
		  });
	process.stdout.write(page(template, made));
}
