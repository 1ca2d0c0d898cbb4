// From the columns of the page to typed arrays. The format is described in share/html/README.md.

import { buildTree, prefixSums } from './tree.js';
import { Activations } from './activations.js';
import { Compare } from './compare.js';
import { drain } from './drain.js';
import { Instructions } from './instructions.js';
import { Lines } from './lines.js';
import { UnitValues } from './units.js';
import { DataError, readVarints, unzigzag } from './varint.js';

export { DataError, unzigzag };

const PIECE = 1 << 17;  // bytes that are unpacked within some milliseconds

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
	 * of files to functions that promise the bytes of their texts; later maps names of other
	 * columns to functions that promise them. Columns of the tree are forgotten when it is made.
	 */
	constructor(meta, columns, sources = {}, later = {}) {
		if (!meta || meta.version !== 1)
			throw new DataError('this page cannot read the version of its data');
		this.title = String(meta.title ?? '');
		this.report = meta.report ?? {};
		this.metrics = meta.metrics;
		this.columns = { ...columns };
		this.later = later;
		this.sources = sources;
		const names = parseNames(this.column('names'));
		this.functions = names.functions;
		this.modules = names.modules;
		this.files = names.files;
		this.functionCount = names.functions.name.length;
		this.tree = this.readTree(meta.nodes);
		for (const name of ['names', 'pops', 'functions'])
			delete this.columns[name];
		this.sums = new Map();
		this.kernelModule = this.modules.indexOf('[kernel]');
		// Of one unit there is nothing to choose.
		const told = Array.isArray(meta.units) && meta.units.length > 1 && this.has('units');
		this.units = told ? meta.units : [];
		this.activations = meta.ends
			? new Activations(this.column('activations'), this.tree, this.functionCount,
				meta.ends === 'all')
			: null;
		delete this.columns.activations;
		this.compare = meta.compare ? new Compare(meta.compare, this) : null;
	}

	/** Does the page have a column of this name? */
	has(name) {
		return this.columns[name] !== undefined || this.later[name] !== undefined;
	}

	/**
	 * A generator that sees to it that columns are there, if the page has them. It yields
	 * promises of the bytes of those that are not, and wants these for them.
	 */
	*load(names) {
		for (const name of names)
			if (!this.columns[name] && this.later[name])
				this.columns[name] = yield this.later[name]();
	}

	/** The columns of a metric that are not there yet. */
	missing(metric) {
		return [`samples-${metric}`, `events-${metric}`].filter(
			(name) => !this.columns[name] && this.later[name]);
	}

	/** A generator whose result is that of unitValues.read(). */
	*readUnits(metric, of) {
		yield* this.load(['units']);
		return yield* this.unitValues.read(metric, of);
	}

	/** The values of single units, if they are there; they are decoded when they are first read. */
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

	/** Source lines with values, if their column is there. */
	get lines() {
		this.linesKept ??= new Lines(this.column('lines'), this.coding(),
			{ files: this.files.length, functions: this.functionCount },
			this.compare?.goneLines());
		return this.linesKept;
	}

	/** The instructions of lines, or null if the page has none. */
	get instructions() {
		if (!this.has('instructions'))
			return null;
		this.instructionsKept ??= new Instructions(this.column('instructions'),
			this.column('instruction-texts'), this.coding(), this.modules.length);
		return this.instructionsKept;
	}

	/** Does the page have the text of a file? */
	hasSource(file) {
		return this.sources[file] !== undefined;
	}

	/** The text of a file; what is not UTF-8 is U+FFFD. */
	async source(file) {
		return new TextDecoder().decode(await this.sources[file]());
	}

	/** The bytes of a column; load() has been asked for one that is read later. */
	column(name) {
		const bytes = this.columns[name];
		if (!bytes)
			throw new DataError(
				`column ${name} is ${this.later[name] ? 'damaged' : 'missing'}`);
		return bytes;
	}

	readTree(n) {
		// A node has a byte at least: the number of nodes is checked before there is room
		// for them.
		if (!Number.isInteger(n) || n < 0 || n > this.column('pops').length)
			throw new DataError('column pops ends early');
		const broken = 'the tree of call paths is broken';
		const pops = readVarints(
			this.column('pops'), new Uint32Array(n), 'pops', n + 1, broken);
		const code = readVarints(this.column('functions'), new Uint32Array(n), 'functions',
			Math.min(2 * this.functionCount, 2 ** 32), 'a node has an unknown function');
		const tree = buildTree(pops, code);
		if (!tree)
			throw new DataError(broken);
		return tree;
	}

	/** Are events of the metric something else than its samples? */
	hasEvents(metric) {
		return this.has(`events-${metric}`);
	}

	/**
	 * {prefix, scale, total, unit} of a metric; of is 'events' or 'samples'. prefix[i] is the
	 * sum over the nodes before i, in units of scale.
	 */
	values(metric, of) {
		const m = this.metrics[metric];
		const events = of === 'events' && this.hasEvents(metric);
		const key = `${metric} ${events}`;
		const v = this.sums.get(key) ?? drain(this.decodeSums(metric, events));
		// What was asked for last is forgotten last.
		this.sums.delete(key);
		this.sums.set(key, v);
		return { ...v, unit: of === 'events' ? m.unit : 'samples' };
	}

	/** Have the values of a metric been decoded? */
	hasValues(metric, of) {
		return this.sums.has(`${metric} ${of === 'events' && this.hasEvents(metric)}`);
	}

	/** A generator after which values() of these or of samples has nothing to decode. */
	*reading(metric, of) {
		yield* this.load(this.missing(metric));
		for (const which of [of, 'samples'])
			if (!this.hasValues(metric, which))
				yield* this.decodeSums(
					metric, which === 'events' && this.hasEvents(metric));
	}

	/** Decodes the sums of a metric; with its events those of its samples are made, too. */
	*decodeSums(metric, events) {
		const n = this.tree.count, name = `samples-${metric}`, m = this.metrics[metric];
		const own = readVarints(this.column(name), new Float64Array(n), name);

		yield;
		// What was shown last stays; more would only cost memory.
		while (this.sums.size > 2)
			this.sums.delete(this.sums.keys().next().value);
		const samples = this.keep(`${metric} false`, prefixSums(own), 1);
		if (!events)
			return samples;
		yield;
		const other = `events-${metric}`, mean = m.mean ?? 0;
		const diff = readVarints(this.column(other), new Float64Array(n), other);
		yield;
		for (let i = 0; i < n; i++)
			own[i] = unzigzag(diff[i]) + Math.round(own[i] * mean);
		yield;
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

	/** [function] 1 if it is code in the kernel. */
	get kernelFunctions() {
		const length = this.functionCount;
		this.kernel ??= Uint8Array.from({ length }, (_, f) => (this.isKernel(f) ? 1 : 0));
		return this.kernel;
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

/** Hands bytes to a stream, some at a time if pause, which promises to come back, is given. */
async function write(bytes, writer, pause) {
	const step = pause ? PIECE : Math.max(1, bytes.length);
	for (let at = 0; at < bytes.length; at += step) {
		await writer.write(bytes.subarray(at, at + step));
		await pause?.();
	}
	await writer.close();
}

/**
 * The bytes of a column, which is base64 of raw DEFLATE data. pause is called now and then, if the
 * page is to answer meanwhile.
 */
export async function inflate(base64, pause) {
	const { readable, writable } = new DecompressionStream('deflate-raw');
	const parts = [], from = readable.getReader();

	// What is wrong is told by the other end.
	write(fromBase64(base64), writable.getWriter(), pause).catch(() => {});
	let length = 0, at = 0;
	for (let part; !(part = await from.read()).done;) {
		parts.push(part.value);
		length += part.value.length;
	}
	const out = new Uint8Array(length);
	for (const part of parts) {
		out.set(part, at);
		at += part.length;
	}
	return out;
}
