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
		'the interval between samples, or has a <'
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

	/** A line for a tooltip, or none: [label, text]. time: as for eachText, or null. */
	facts(c, time) {
		if (!c.entered)
			return [];
		const each = time ? ` of ${eachText(c.entered, time)}` : '';
		return [['calls', `${plural(c.entered, 'activation')}${each}; ${this.ends(c)}`]];
	}
}

/**
 * The value of one of `entered` activations, with < before it if calls were missed. time: {total,
 * inFrame, mean, unit}, the value of all, the part of it that is innermost in their frames, and the mean
 * of a sample.
 */
export function eachText(entered, time) {
	return `${areMissed(entered, time) ? '<' : ''}${scaled(time.total / entered, time.unit)}`;
}

/** As activations_are_missed in hpcprof/metrics/activations.h. */
function areMissed(entered, { total, inFrame, mean }) {
	const missed = 0.2, samples = total / mean, counted = entered / (1 - missed);
	return total > 0 && (inFrame / total) ** Math.max(samples / counted, 1) > missed;
}

function at(values, k) {
	const [entered, returned, abandoned] = values.subarray(k * KINDS, (k + 1) * KINDS);
	return { entered, returned, abandoned };
}
