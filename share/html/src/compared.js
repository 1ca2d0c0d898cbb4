// The columns of a comparison in the tables: what a row was before and after, how it changed, and
// whether that is beyond noise.

import { SELF_BEYOND, TOTAL_BEYOND, change, ratio } from './compare.js';
import { exact, exactValue, percent, plural, scaled } from './format.js';

const column = (key, label, title) => ({ key, label, title, kind: 'number', width: '7.2rem' });
const TITLES = {
	self: 'in the code of the function itself',
	total: 'in it and in all that it called; a call path counts once'
};

const ratioColumn = column('ratio', 'Ratio', 'The change beside the value before');

/** Columns for tables whose rows are mainly of one kind of value, 'self' or 'total'. */
export function comparedColumns(kind) {
	const title = TITLES[kind], name = kind === 'self' ? 'Self' : 'Total';
	return [
		column('change', `${name} change`, `How the value changed ${title}`),
		column('before', `${name} before`, `What a run recorded before, ${title}`),
		column('after', `${name} after`, `What a run recorded after, ${title}`), ratioColumn
	];
}

/** The column of the change of the other kind of value. */
export function otherChange(kind) {
	const name = kind === 'self' ? 'Self' : 'Total';
	return column('other', `${name} change`, `How the value changed ${TITLES[kind]}`);
}

/** Columns of changes, by whose size rows are sorted. */
const CHANGES = new Set(['change', 'other']);
const COLUMNS = new Set(['change', 'before', 'after', 'ratio', 'other']);

export const isCompared = (key) => COLUMNS.has(key);

/**
 * What a column sorts by. sides(id, other) gives {before, after, change} of a row; other is set for
 * the other kind of value.
 */
export function comparedSort(key, sides) {
	const values = (id) => sides(id, key === 'other');
	if (CHANGES.has(key))
		return (id) => Math.abs(values(id).change);
	if (key !== 'ratio')
		return (id) => values(id)[key];
	return (id) => {
		const { before, after } = values(id);
		return before > 0 ? after / before : after > 0 ? Infinity : 1;
	};
}

/** What is said of a change in words; beyond is null where it was not tested. */
function inWords(beyond) {
	return beyond === null ? '' : beyond ? 'beyond noise' : 'within noise';
}

/** A cell of such a column. beyond(other): is the change beyond noise? null: not tested. */
export function comparedCell(app, key, sides, beyond) {
	const { before, after, change: by } = sides;
	const { total, scale, unit } = app.values;
	const [x, y] = [before * scale, after * scale], d = by * scale;
	const both = `${scaled(x, unit)} before, ${scaled(y, unit)} after`;

	if (key === 'ratio')
		return { text: by ? ratio(before, after) : '', title: both };
	if (!CHANGES.has(key)) {
		const v = key === 'before' ? before : after;
		return {
			text: v ? app.text(v) : '',
			share: total ? v * scale / total : 0,
			title: `${percent(v * scale, total)}, ${exactValue(v * scale, unit)}`
		};
	}
	const digits = `${d > 0 ? '+' : d < 0 ? '-' : ''}${exactValue(Math.abs(d), unit)}`;
	const words = inWords(beyond);
	return {
		text: by ? `${beyond ? '● ' : ''}${app.signed(by)}` : '',
		share: total ? Math.abs(d) / total : 0,
		change: by > 0 ? 'grown' : by < 0 ? 'shrunk' : '',
		beyond: beyond === true,
		title: `${[`${percent(d, total)} of all before`, digits, words]
				.filter(Boolean).join(', ')}: ${both}`
	};
}

/** "moved to f, which it calls", if the time of function f did; or ''. */
export function movedText(app, f) {
	const { moved, callee } = app.compare, { before, after } = app.sides();
	if (moved[f] < 0)
		return '';
	const way = after.self[f] < before.self[f] ? 'to' : 'from';
	const name = app.profile.functions.name[moved[f]];
	return `moved ${way} ${name}, which ${callee[f] ? 'it calls' : 'calls it'}: ` +
		'together they changed within noise';
}

/** Lines of a tooltip: [label, text]. */
export function sideFacts(app, { before, after }, beyond, prefix) {
	const { total, scale, unit } = app.values, d = change(before, after, total / scale);
	const value = (v) => `${percent(v * scale, total)}  ${scaled(v * scale, unit)}`;
	const how = [ratio(before, after), inWords(beyond)].filter(Boolean).join(', ');
	return [
		[`${prefix}before`, value(before)], [`${prefix}after`, value(after)],
		[`${prefix}change`, `${d > 0 ? '+' : ''}${value(d)}${d ? `  ${how}` : ''}`]
	];
}

/** What is compared: [{id, text, title}]. */
export function comparedFacts({ told, runs, isAfter }, metric) {
	const { before, after, factor, p, beyond, normalize } = told, { unit } = metric;
	const side = (is) => {
		const list = runs.filter((_, i) => isAfter[i] === is);
		const samples = list.reduce((sum, r) => sum + r.samples, 0);
		return {
			title: list.map((r) => r.name).join(', '),
			text: `${list.length > 1 ? ` a run, ${list.length} runs` : ''}${
				metric.sampled ? ` in ${plural(samples, 'sample')}` : ''}`
		};
	};
	const [x, y] = [side(false), side(true)], d = after - before;
	const tested = p === undefined ? '' : beyond ? ', beyond noise' : ', within noise';
	const out = [
		{ id: 'before', text: `before: ${scaled(before, unit)}${x.text}`, title: x.title },
		{ id: 'after', text: `after: ${scaled(after, unit)}${y.text}`, title: y.title }, {
			id: 'change',
			text: d ? `change: ${d > 0 ? '+' : ''}${scaled(d, unit)} (${
					  ratio(before, after)}${tested})`
				: 'no change',
			title: p === undefined
				? 'One run a side cannot tell a slower program from a slower machine'
				: `p = ${p.toPrecision(2)}`
		}
	];
	if (Math.abs(factor - 1) >= 0.001)
		out.push({
			id: 'factor',
			text: `all values after are divided by ${factor.toFixed(3)} beside those before`,
			title: normalize
				? `which makes ${normalize} equal`
				: 'which most functions have in common; hpcprof diff --normalize none ' +
					'leaves it'
		});
	return out;
}

/** How a function changed, in words. */
export function comparedText(app, f) {
	const sides = app.sides(), { scale, unit } = app.values, marks = app.compare.marks[f];
	const kind = (key, bit) => {
		const [x, y] = [sides.before[key][f], sides.after[key][f]];
		const how = [ratio(x, y), inWords((marks & bit) !== 0)].filter(Boolean).join(', ');
		return `${key} ${scaled(x * scale, unit)} before, ${scaled(y * scale, unit)} after ` +
			`(${how})`;
	};
	return [
		kind('total', TOTAL_BEYOND), kind('self', SELF_BEYOND), movedText(app, f)
	].filter(Boolean).join('; ');
}
