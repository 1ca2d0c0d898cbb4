// The same contexts as a page of ours and as a profile of speedscope.

import fs from 'node:fs';
import path from 'node:path';
import { Profile } from '../../../share/html/src/data.js';
import { page, synthetic } from '../../page/lib/sample.mjs';

const template = fs.readFileSync(new URL('../../../share/html/page.html', import.meta.url), 'utf8');

// Base64 of a part is that part of the base64 if its length is a multiple of 3.
const PART = 3 << 20;

/**
 * Writes a page of n contexts into a folder: {file, size, raw (bytes of its columns), profile}.
 * options are those of synthetic().
 */
export function writePage(folder, n, options) {
	const made = synthetic(n, options), file = path.join(folder, 'ours.html');
	const columns = Object.values(made.columns);
	fs.writeFileSync(file, page(template, made));
	return {
		file,
		size: fs.statSync(file).size,
		raw: columns.reduce((sum, bytes) => sum + bytes.length, 0),
		profile: new Profile(made.meta, made.columns)
	};
}

/** The parts of a profile of type "sampled": one sample for each context with a value. */
function* speedscopeParts(profile) {
	const { tree } = profile, { prefix, scale } = profile.values(0, 'events');
	const value = (i) => prefix[i + 1] - prefix[i];
	const { name, line } = profile.functions;
	const frames = name.map((text, f) => ({
		name: text,
		file: profile.place(f).replace(/:\d+$/, '') || undefined,
		line: line[f] || undefined
	}));
	const head = {
		$schema: 'https://www.speedscope.app/file-format-schema.json',
		shared: { frames },
		profiles: []
	};
	yield JSON.stringify(head).replace(/\]\}$/, '');
	yield `{"type":"sampled","name":"synthetic","unit":"nanoseconds","startValue":0,"endValue":${
		prefix[tree.count] * scale},"samples":[`;
	let text = '', separator = '';
	const stack = [];
	for (let i = 0; i < tree.count; i++) {
		stack.length = tree.depth[i];
		stack.push(tree.fn[i]);
		if (value(i) <= 0)
			continue;
		text += `${separator}[${stack.join()}]`;
		separator = ',';
		if (text.length > PART) {
			yield text;
			text = '';
		}
	}
	const weights = [];
	for (let i = 0; i < tree.count; i++)
		if (value(i) > 0)
			weights.push(value(i) * scale);
	yield `${text}],"weights":[${weights.join()}]}]}`;
}

/**
 * Writes the contexts for speedscope, as its command does it to open a file in a browser: a script
 * that hands the profile over in base64. {file, size (of the profile itself)}.
 */
export function writeSpeedscope(folder, profile) {
	const file = path.join(folder, 'theirs.js'), to = fs.openSync(file, 'w');
	let rest = Buffer.alloc(0), size = 0;

	fs.writeSync(to, 'speedscope.loadFileFromBase64("synthetic.speedscope.json", "');
	for (const part of speedscopeParts(profile)) {
		const bytes = Buffer.concat([rest, Buffer.from(part)]);
		const whole = bytes.length - bytes.length % 3;
		fs.writeSync(to, bytes.toString('base64', 0, whole));
		rest = bytes.subarray(whole);
		size += part.length;
	}
	fs.writeSync(to, `${rest.toString('base64')}")`);
	fs.closeSync(to);
	return { file, size };
}

/**
 * Different frames to point at: [{depth, x}], x from 0 to 1 of the width. They are at most
 * `deepest` levels deep, at least `width` of all wide, and spread over the width.
 */
export function someFrames(profile, count, { deepest = 8, width = 0.006 } = {}) {
	const { tree } = profile, { prefix } = profile.values(0, 'events');
	const all = prefix[tree.count], found = new Set();
	const wide = (i) => prefix[tree.end[i]] - prefix[i] >= width * all;

	for (let k = 0; k < 10 * count; k++) {
		const x = (k + 0.5) / (10 * count) * all;
		let node = -1, next = tree.firstChild(-1);
		while (next >= 0 && prefix[next] <= x && tree.depth[next] <= deepest && wide(next)) {
			if (prefix[tree.end[next]] <= x) {
				next = tree.nextSibling(next);
			} else {
				node = next;
				next = tree.firstChild(node);
			}
		}
		if (node >= 0)
			found.add(node);
	}
	const list = [...found], step = Math.max(1, list.length / count);
	return Array.from({ length: count }, (_, k) => list[Math.floor(k * step) % list.length])
		.map((i) => ({
			depth: tree.depth[i],
			x: (prefix[i] + prefix[tree.end[i]]) / 2 / all
		}));
}
