// How often functions were called, as far as samples have seen it: the column `activations`.

import { exact, plural, scaled } from './format.js';
import { readVarints } from './varint.js';

export const ACTIVATIONS = {
	key: 'activations',
	label: 'Activations',
	kind: 'number',
	title: 'Calls that were sampled while the function called others'
};
export const EACH = {
	key: 'each',
	label: 'Each',
	kind: 'number',
	title: 'The total of an activation; calls may be shorter, and more, if it is not well above ' +
		'the interval between samples'
};

export const ACTIVATION_KEYS = new Set(['activations', 'each']);

/** The columns of a table, if a profile has counts. */
export function activationColumns(profile) {
	return profile.activations ? [ACTIVATIONS, EACH] : [];
}

const KINDS = 3;

/** Counts, {entered, returned, abandoned}, of nodes and of functions. */
export class Activations {
	/** all: all ends were counted, not only the first after each sample. */
	constructor(bytes, tree, functionCount, all) {
		const values = readVarints(
			bytes, new Float64Array(tree.count * KINDS), 'activations');
		this.all = all;
		this.values = values;
		this.byFunction = new Float64Array(functionCount * KINDS);
		for (let i = 0; i < values.length; i++)
			this.byFunction[tree.fn[(i - i % KINDS) / KINDS] * KINDS + i % KINDS] += values[i];
	}

	ofNode(i) {
		return at(this.values, i);
	}

	ofFunction(f) {
		return at(this.byFunction, f);
	}

	/** Where counts c end, in words. */
	ends(c) {
		const first = this.all ? '' : 'first after a sample: ';
		return `${first}${exact(c.returned)} returned, ${exact(c.abandoned)} abandoned`;
	}

	/**
	 * A line for a tooltip, or none: [label, text]. total is that of their values in a unit, or
	 * null if it is not of the same calls.
	 */
	facts(c, total, unit) {
		if (!c.entered)
			return [];
		const each = total === null ? '' : ` of ${scaled(total / c.entered, unit)}`;
		return [['calls', `${plural(c.entered, 'activation')}${each}; ${this.ends(c)}`]];
	}
}

function at(values, k) {
	const [entered, returned, abandoned] = values.subarray(k * KINDS, (k + 1) * KINDS);
	return { entered, returned, abandoned };
}
