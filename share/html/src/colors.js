// Colours of frames, as 32-bit pixels (0xAABBGGRR) and as CSS.

import { baseName } from './format.js';

// After Okabe and Ito, lightened: kept apart by those who see no red, green or blue too, and text
// in black is read on all of them.
const PALETTE = ['#8ecbee', '#f3b861', '#7fcfae', '#f2e57c', '#e59573', '#dcaacb', '#a9b7ee'];
const KERNEL = '#c9b29b', OTHER = '#cfcfcf', USER = PALETTE[0];
const HIT = '#ff5ad6', DIMMED = 0.45;
// Of a comparison. Orange and blue differ for all eyes.
const GROWN = '#ee8a3c', SHRUNK = '#5aa2e8', SAME = '#d6d6d6';

/** '#rrggbb' as a pixel. */
export function pixel(hex) {
	const v = parseInt(hex.slice(1), 16);
	return (0xff000000 | (v & 0xff) << 16 | (v & 0xff00) | v >> 16) >>> 0;
}

export function hex(p) {
	const v = (p & 0xff) << 16 | (p & 0xff00) | p >> 16 & 0xff;
	return `#${v.toString(16).padStart(6, '0')}`;
}

/** Part b of a, and the rest of another colour. */
export function mix(a, other, b) {
	let out = 0xff000000;
	for (const shift of [0, 8, 16]) {
		const x = a >> shift & 0xff, y = other >> shift & 0xff;
		out |= Math.round(x * b + y * (1 - b)) << shift;
	}
	return out >>> 0;
}

/** Black or white, whichever is easier to read on the colour. */
export function ink(p) {
	const part = (v) => (v <= 10 ? v / 3294.6 : ((v / 255 + 0.055) / 1.055) ** 2.4);
	const light = 0.2126 * part(p & 0xff) + 0.7152 * part(p >> 8 & 0xff) +
		0.0722 * part(p >> 16 & 0xff);
	return light > 0.179 ? '#000000' : '#ffffff';
}

function byName(name) {
	let h = 0;
	for (let i = 0; i < Math.min(name.length, 200); i++)
		h = Math.imul(h, 31) + name.charCodeAt(i) | 0;
	h = Math.imul(h ^ h >>> 15, 0x2c1b3c6d) >>> 0;
	// Similar lightness, so that no function stands out by chance.
	const color = pixel(PALETTE[h % PALETTE.length]);
	return mix(color, pixel('#ffffff'), 0.6 + (h >>> 8) % 5 / 10);
}

/**
 * {of, dimmed, legend, back, faded, hit}: of[f] is the pixel of function f, dimmed[f] the same if
 * others match a search, and legend a list of [color, text, title]. kind is 'module', 'function',
 * 'kernel' or 'change', for which frames have colours of their own, see changeColors(); share gives
 * the self value of each function.
 */
export function colors(profile, kind, self, dark) {
	const n = profile.functionCount, of = new Uint32Array(n), legend = [];
	const shade = (p) => (dark ? mix(p, 0xff000000, 0.84) : p);
	const back = pixel(dark ? '#16181d' : '#ffffff');

	if (kind === 'function') {
		for (let f = 0; f < n; f++)
			of[f] = shade(byName(profile.functions.name[f]));
	} else if (kind === 'kernel') {
		for (let f = 0; f < n; f++)
			of[f] = shade(pixel(profile.isKernel(f) ? PALETTE[1] : USER));
		legend.push([shade(pixel(USER)), 'user'], [shade(pixel(PALETTE[1])), 'kernel']);
	} else if (kind === 'change') {
		of.fill(shade(pixel(SAME)));
		legend.push([shade(pixel(GROWN)), 'more than before', 'The paler, the smaller'],
			[shade(pixel(SHRUNK)), 'less than before', 'The paler, the smaller'],
			[shade(pixel(SAME)), 'within noise', 'Or the same']);
	} else {
		const module = byModule(profile, self, legend, shade);
		for (let f = 0; f < n; f++)
			of[f] = module[profile.functions.module[f] + 1];
	}
	return {
		of,
		dimmed: of.map((c) => dim(c, back)),
		legend,
		back,
		faded: pixel(dark ? '#454952' : '#dfe2e6'),
		hit: shade(pixel(HIT))
	};
}

/** A function that gives the colour of a frame that changed by x, from -1 (gone) to 1 (new). */
export function changeColors(dark) {
	const shade = (p) => (dark ? mix(p, 0xff000000, 0.84) : p);
	const [grown, shrunk, same] = [GROWN, SHRUNK, SAME].map((c) => shade(pixel(c)));
	const STEPS = 8, table = new Map();
	for (let k = -STEPS; k <= STEPS; k++) {
		// What changed at all is seen; half as much again is as strong as it gets.
		const part = Math.min(1, 0.35 + 1.3 * Math.abs(k) / STEPS);
		table.set(k, k ? mix(k > 0 ? grown : shrunk, same, part) : same);
	}
	return (x) => table.get(Math.sign(x) * Math.ceil(Math.abs(x) * STEPS) || 0);
}

/** Part DIMMED of a colour on the background, as of what a search does not match. */
export const dim = (color, back) => mix(color, back, DIMMED);

/** Colours by module + 1: the heaviest ones have colours of their own. */
function byModule(profile, self, legend, shade) {
	const sums = new Float64Array(profile.modules.length);
	profile.functions.module.forEach((m, f) => {
		if (m >= 0)
			sums[m] += self[f];
	});
	const order = [...sums.keys()]
			      .sort((a, b) => sums[b] - sums[a])
			      .filter((m) => m !== profile.kernelModule);
	const of = new Uint32Array(profile.modules.length + 1).fill(shade(pixel(OTHER)));
	order.slice(0, PALETTE.length).forEach((m, k) => {
		of[m + 1] = shade(pixel(PALETTE[k]));
		legend.push([of[m + 1], baseName(profile.modules[m]), profile.modules[m]]);
	});
	if (profile.kernelModule >= 0) {
		of[profile.kernelModule + 1] = shade(pixel(KERNEL));
		legend.push([of[profile.kernelModule + 1], 'kernel', '[kernel]']);
	}
	if (order.length > PALETTE.length)
		legend.push(
			[of[0], `${order.length - PALETTE.length} others`, 'The other modules']);
	return of;
}
