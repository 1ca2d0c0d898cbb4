// From the columns of the page to typed arrays. The format is described in share/html/README.md.

import { buildTree, prefixSums } from './tree.js';
import { Compare } from './compare.js';
import { Lines } from './lines.js';
import { UnitValues } from './units.js';
import { DataError, readVarints, unzigzag } from './varint.js';

export { DataError, unzigzag };

function parseNames(bytes) {
	const names = JSON.parse(new TextDecoder().decode(bytes));
	const f = names.functions, n = f.name.length;

	if (![f.module, f.file, f.line].every((a) => Array.isArray(a) && a.length === n))
		throw new DataError('the names do not fit together');
	if (f.module.some((m) => !(m >= -1 && m < names.modules.length)) ||
		f.file.some((m) => !(m >= -1 && m < names.files.length)))
		throw new DataError('a name refers to something that is missing');
	return names;
}

/**
 * A profile: one tree of calling contexts, its functions, and its metrics. Values are decoded when
 * they are first asked for, as a page with ten metrics seldom shows more than one.
 */
export class Profile {
	/**
	 * meta is the object of #profile; columns maps names to Uint8Arrays; sources maps numbers
	 * of files to functions that promise the bytes of their texts.
	 */
	constructor(meta, columns, sources = {}) {
		if (!meta || meta.version !== 1)
			throw new DataError('this page cannot read the version of its data');
		this.title = String(meta.title ?? '');
		this.report = meta.report ?? {};
		this.metrics = meta.metrics;
		this.columns = columns;
		this.sources = sources;
		const names = parseNames(this.column('names'));
		this.functions = names.functions;
		this.modules = names.modules;
		this.files = names.files;
		this.functionCount = names.functions.name.length;
		this.tree = this.readTree(meta.nodes);
		this.sums = new Map();
		this.kernelModule = this.modules.indexOf('[kernel]');
		// Of one unit there is nothing to choose.
		const told = Array.isArray(meta.units) && meta.units.length > 1 && columns.units;
		this.units = told ? meta.units : [];
		this.compare = meta.compare ? new Compare(meta.compare, this) : null;
	}

	/** The values of single units; they are decoded when they are first read. */
	get unitValues() {
		this.unitValuesKept ??= new UnitValues(this.column('units'), this.units.length,
			this.coding(), this.tree.count);
		return this.unitValuesKept;
	}

	/** How the values of each metric are coded where they stand side by side. */
	coding() {
		return this.metrics.map((m, k) => (
			{ events: this.hasEvents(k), mean: m.mean ?? 0, quantum: m.quantum || 1 }));
	}

	/** Source lines with values. */
	get lines() {
		this.linesKept ??= new Lines(this.column('lines'), this.coding(),
			{ files: this.files.length, functions: this.functionCount },
			this.compare?.goneLines());
		return this.linesKept;
	}

	/** Does the page have the text of a file? */
	hasSource(file) {
		return this.sources[file] !== undefined;
	}

	/** The text of a file; what is not UTF-8 is U+FFFD. */
	async source(file) {
		return new TextDecoder().decode(await this.sources[file]());
	}

	column(name) {
		const bytes = this.columns[name];
		if (!bytes)
			throw new DataError(`column ${name} is missing`);
		return bytes;
	}

	readTree(n) {
		const limit = 2 * this.functionCount;

		// A node has a byte at least: the number of nodes is checked before there is room
		// for them.
		if (!Number.isInteger(n) || n < 0 || n > this.column('pops').length)
			throw new DataError('column pops ends early');
		// Numbers from 2^32 on are wrong here, and must not be cut to ones that are not.
		const pops = readVarints(this.column('pops'), new Float64Array(n), 'pops');
		const code =
			readVarints(this.column('functions'), new Float64Array(n), 'functions');
		for (let i = 0; i < n; i++)
			if (code[i] >= limit)
				throw new DataError('a node has an unknown function');
		const tree = buildTree(pops, Uint32Array.from(code));
		if (!tree)
			throw new DataError('the tree of call paths is broken');
		return tree;
	}

	/** Are events of the metric something else than its samples? */
	hasEvents(metric) {
		return this.columns[`events-${metric}`] !== undefined;
	}

	/**
	 * {prefix, scale, total, unit} of a metric; of is 'events' or 'samples'. prefix[i] is the
	 * sum over the nodes before i, in units of scale.
	 */
	values(metric, of) {
		const m = this.metrics[metric];
		const events = of === 'events' && this.hasEvents(metric);
		const v = this.sums.get(`${metric} ${events}`) ?? this.readSums(metric, events);
		return { ...v, unit: of === 'events' ? m.unit : 'samples' };
	}

	/** Decodes the sums of a metric; with its events those of its samples are made, too. */
	readSums(metric, events) {
		const n = this.tree.count, name = `samples-${metric}`, m = this.metrics[metric];
		const own = readVarints(this.column(name), new Float64Array(n), name);

		// What was shown last stays; more would only cost memory.
		while (this.sums.size > 2)
			this.sums.delete(this.sums.keys().next().value);
		const samples = this.keep(`${metric} false`, prefixSums(own), 1);
		if (!events)
			return samples;
		const other = `events-${metric}`, mean = m.mean ?? 0;
		const diff = readVarints(this.column(other), new Float64Array(n), other);
		for (let i = 0; i < n; i++)
			own[i] = unzigzag(diff[i]) + Math.round(own[i] * mean);
		return this.keep(`${metric} true`, prefixSums(own), m.quantum || 1);
	}

	keep(key, prefix, scale) {
		const v = { prefix, scale, total: prefix[this.tree.count] * scale };
		this.sums.set(key, v);
		return v;
	}

	/** The name of the module of function f, or ''. */
	moduleName(f) {
		const m = this.functions.module[f];
		return m < 0 ? '' : this.modules[m];
	}

	/** file:line where function f begins, or ''. */
	place(f) {
		const file = this.functions.file[f], line = this.functions.line[f];
		return file < 0 ? '' : this.files[file] + (line ? `:${line}` : '');
	}

	isKernel(f) {
		const m = this.functions.module[f];
		return m >= 0 && m === this.kernelModule;
	}
}

function fromBase64(text) {
	if (Uint8Array.fromBase64)
		return Uint8Array.fromBase64(text);
	const binary = atob(text), bytes = new Uint8Array(binary.length);
	for (let i = 0; i < bytes.length; i++)
		bytes[i] = binary.charCodeAt(i);
	return bytes;
}

/** The bytes of a column, which is base64 of raw DEFLATE data. */
export async function inflate(base64) {
	const packed = new Blob([fromBase64(base64.trim())]).stream();
	const stream = packed.pipeThrough(new DecompressionStream('deflate-raw'));

	return new Uint8Array(await new Response(stream).arrayBuffer());
}
