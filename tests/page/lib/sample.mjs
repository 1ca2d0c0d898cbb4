// Makes the data of pages without hpcprof: from a list of call paths, or by a seeded generator.
// `node tests/page/lib/sample.mjs KIND [NODES [DEPTH [SEED]]] >page.html` writes a whole page; KIND
// is small, tree (NODES contexts of up to DEPTH levels) or deep (one recursion, DEPTH levels).

import fs from 'node:fs';
import zlib from 'node:zlib';
import { fileURLToPath } from 'node:url';
import { encode, varints } from './encode.mjs';

export { varints };

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
 * sampled}]); unit is an index of options.units. options.sources has texts by name of file;
 * options.instructions is as for encodeInstructions, but with names of files and modules.
 */
export function fromPaths(list, {metrics = [{name: 'CPUTIME', unit: 'ns'}], units = [],
	sources = {}, instructions, ...rest} = {}) {
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
		instructions: instructions && {
			procedures: instructions.procedures.map(
				(p) => ({ ...p, module: index(names.modules, p.module) })),
			list: instructions.list.map((i) => ({ ...i, file: index(names.files, i.file) }))
		},
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
	const instruction = (file, line, procedure, address, text, samples, events) =>
		({ file, line, procedure, address, text, values: [[samples, events]] });
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
			instructions: {
				procedures: [
					{ name: 'fib', module: '/usr/lib/libwork.so' },
					{ name: 'run', module: '/usr/bin/work' }
				],
				list: [
					instruction('/src/fib.c', 4, 0, 0x1139, 'cmpl $1, %edi', 7, 7.25e6),
					instruction('/src/fib.c', 4, 0, 0x113c, 'jle 0x1150 <+0x17>', 50, 50e6),
					instruction('/src/fib.c', 4, 0, 0x1150, 'retq', 0, 0),
					instruction('/usr/include/c++/map', 121, 1, 0x4010, 'movq (%rax), %rcx', 24, 24e6)
				]
			},
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
