// Simple, slow computations on small trees, for tests to compare with.

import { Profile } from '../../../share/html/src/data.js';
import { fromPaths, random } from './sample.mjs';

/** A list of [path, samples, events] by chance, of few functions, so that much recurs. */
export function randomPaths(seed, count = 40) {
	const rnd = random(seed), list = [];
	const frame = () => {
		const k = Math.floor(rnd() * 6);
		return {
			name: `f${k}`,
			module: k < 2 ? '[kernel]' : '/usr/bin/x',
			file: '/src/x.c',
			line: k,
			inlined: rnd() < 0.2
		};
	};

	for (let i = 0; i < count; i++) {
		const path = Array.from({ length: 1 + Math.floor(rnd() * 7) }, frame);
		const samples = Math.floor(rnd() * 5);
		list.push(
			[path, samples, samples * 1000 + (samples ? Math.floor(rnd() * 500) : 0)]);
	}
	return list;
}

export function profileOf(list, options) {
	const { meta, columns } = fromPaths(list, options);
	return new Profile(meta, columns);
}

/** The names on the path of a node. */
export function namesOf(profile, node) {
	return profile.tree.path(node).map((i) => profile.functions.name[profile.tree.fn[i]]);
}

/** {self: Map, total: Map} by name; k is 1 for samples, 2 for events. */
export function flatOf(list, k) {
	const self = new Map(), total = new Map();
	const add = (map, name, v) => map.set(name, (map.get(name) ?? 0) + v);

	for (const row of list) {
		const names = row[0].map((f) => f.name ?? f);
		add(self, names.at(-1), row[k]);
		for (const name of new Set(names))
			add(total, name, row[k]);
	}
	return { self, total };
}

export const SEEDS = Array.from({length: 30}, (_, i) => i + 1);

/** For each group of units (rows have a unit as their fourth member) what flatOf() says of it. */
export function flatOfGroups(list, k, groups) {
	return groups.map((units) => flatOf(list.filter((row) => units.includes(row[3])), k));
}
