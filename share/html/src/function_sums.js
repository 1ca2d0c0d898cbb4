// Sums by function, and by source file, of one tree and its values. Each is computed when it is
// first read, or before that in steps. All are in units of the values' scale but for samples and
// contexts.

import { drain } from './drain.js';
import { contextsInSteps, framesInSteps, inFramesInSteps, partOf, selfInSteps, totalInSteps } from './tree.js';

export class FunctionSums {
	/**
	 * prefix is that of the values, samples that of the samples; of the profile only what is
	 * said of functions is used.
	 */
	constructor(tree, profile, prefix, samples) {
		this.tree = tree;
		this.profile = profile;
		this.prefix = prefix;
		this.samplePrefix = samples;
		this.kept = {};
	}

	/** The sum of each function's own values alone. */
	get self() {
		return this.read('self');
	}

	/** What is on call paths through a function; a path counts once. */
	get total() {
		return this.read('total');
	}

	/** What is on call paths through a function, once for each of its frames that is not inlined. */
	get frames() {
		return this.read('frames');
	}

	/** The part of these that is innermost there, in what was inlined, or in the kernel. */
	get inFrames() {
		return this.read('inFrames');
	}

	/** The part of the total that was spent in the kernel. */
	get kernel() {
		return this.read('kernel');
	}

	/** Each function's own samples. */
	get samples() {
		return this.read('samples');
	}

	/** In how many contexts that have a value each function is. */
	get contexts() {
		return this.read('contexts');
	}

	/** Sums by source file, of the functions that begin there: {self, total}. */
	get files() {
		return this.read('files');
	}

	read(part) {
		if (!this.kept[part])
			drain(this.make([part]));
		return this.kept[part];
	}

	/** Which of some parts, named as above, have not been computed. */
	missing(parts) {
		return parts.filter((part) => !this.kept[part]);
	}

	/** Computes parts; a generator. */
	*make(parts) {
		for (const part of this.missing(parts)) {
			const made = yield* this.compute(part);
			this.kept[part] = made;
		}
	}

	compute(part) {
		const { tree, prefix } = this, n = this.profile.functionCount;
		switch (part) {
		case 'self': return selfInSteps(tree, prefix, n);
		case 'total': return totalInSteps(tree, prefix, n);
		case 'frames': return framesInSteps(tree, prefix, n);
		case 'inFrames': return inFramesInSteps(tree, prefix, this.profile.kernelFunctions, n);
		case 'kernel': return this.kernelInSteps();
		case 'samples': return selfInSteps(tree, this.samplePrefix, n);
		case 'contexts': return contextsInSteps(tree, prefix, n);
		default: return this.filesInSteps();
		}
	}

	*kernelInSteps() {
		const { tree, profile: p } = this, n = p.functionCount;
		const kernel = p.kernelFunctions;
		if (!kernel.includes(1))
			return new Float64Array(n);
		const part = partOf(tree, this.prefix, kernel);
		yield;
		return yield* totalInSteps(tree, part, n);
	}

	*filesInSteps() {
		const { tree, profile: p } = this, n = p.files.length + 1;
		// 0 is no file.
		const of = Uint32Array.from(p.functions.file, (f) => f + 1);
		const fn = tree.fn.map((f) => of[f]), by = { fn, end: tree.end, count: tree.count };
		yield;
		const self = yield* selfInSteps(by, this.prefix, n);
		const total = yield* totalInSteps(by, this.prefix, n);
		return { self: self.subarray(1), total: total.subarray(1) };
	}
}

/** What views read of them as soon as they are shown; others read only `self`. */
const PARTS = {
	flat: ['self', 'total', 'kernel', 'samples'],
	bottomup: ['self', 'samples'],
	sandwich: ['self', 'total'],
	source: ['files']
};

export function partsOf(view) {
	return PARTS[view] ?? ['self'];
}
