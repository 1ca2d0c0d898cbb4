// Numbers and names as text. Numbers read as in the reports of hpcprof text.

const TIMES = [[1, 'ns'], [1e3, 'us'], [1e6, 'ms'], [1e9, 's']];
const SIZES = [
	[1, 'B'], [2 ** 10, 'KiB'], [2 ** 20, 'MiB'], [2 ** 30, 'GiB'], [2 ** 40, 'TiB'],
	[2 ** 50, 'PiB']
];
const COUNTS = [[1e3, 'k'], [1e6, 'M'], [1e9, 'G'], [1e12, 'T']];
const MINUTE = 60e9, HOUR = 3600e9;

/** Three digits, in the largest step that is not greater than value. */
function steps(value, table) {
	let k = 0;

	// 999.6 would round to 1000: use the next step.
	while (k + 1 < table.length && value >= table[k + 1][0] * 0.9995)
		k++;
	const x = value / table[k][0];
	const digits = table[k][0] === 1 || x >= 99.95 ? 0 : x >= 9.995 ? 1 : 2;
	return `${x.toFixed(digits)} ${table[k][1]}`;
}

/** 1234567 as 1,234,567. */
export function exact(value) {
	return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** A value with its unit: ns, bytes, or a count. */
export function scaled(value, unit) {
	if (value < 0)
		return `-${scaled(-value, unit)}`;
	if (unit === 'ns') {
		if (value >= 2 * HOUR)
			return `${(value / HOUR).toFixed(2)} h`;
		if (value >= 2 * MINUTE)
			return `${(value / MINUTE).toFixed(value < 10 * MINUTE ? 2 : 1)} min`;
		return steps(value, TIMES);
	}
	if (unit === 'bytes')
		return steps(value, SIZES);
	if (value >= 999999.5)
		return steps(value, COUNTS);
	if (value >= 99.95 || Number.isInteger(value))
		return exact(value);
	return value.toFixed(value >= 9.995 ? 1 : 2);
}

/** 2 and 'process' as "2 processes". */
export function plural(n, one) {
	const ending = n === 1 ? '' : one.endsWith('ss') ? 'es' : 's';
	return `${exact(n)} ${one}${ending}`;
}

/** All digits and the unit, which may be "", for tooltips. */
export function exactValue(value, unit) {
	return exact(value) + (unit && ` ${unit}`);
}

/** The head of a column of a file. */
export function headOf(name, unit) {
	return name + (unit && ` (${unit})`);
}

export function percent(value, total) {
	return total ? `${(100 * value / total).toFixed(1)}%` : '-';
}

export function baseName(path) {
	return path.slice(path.lastIndexOf('/') + 1) || path;
}

/** Code units of text that do not end within a surrogate pair. */
function head(text, n) {
	const c = text.charCodeAt(n - 1);
	return text.slice(0, c >= 0xd800 && c < 0xdc00 ? n - 1 : n);
}

function tail(text, n) {
	const c = text.charCodeAt(text.length - n);
	return n > 0 ? text.slice(text.length - (c >= 0xdc00 && c < 0xe000 ? n - 1 : n)) : '';
}

/**
 * [start, end] of a name that is too long for some place: there the start is cut, and the end, in
 * which names differ more often, stays.
 */
export function startAndEnd(text) {
	const end = tail(text, text.length > 24 ? Math.min(18, Math.floor(text.length * 0.4)) : 0);
	return [text.slice(0, text.length - end.length), end];
}

/** At most n characters: the beginning and, as names differ there more often, more of the end. */
export function cutMiddle(text, n) {
	if (text.length <= n)
		return text;
	if (n < 3)
		return n > 0 ? '…'.slice(0, n) : '';
	const first = Math.floor((n - 1) * 0.4);
	return `${head(text, first)}…${tail(text, n - 1 - first)}`;
}

/** What is seen of a text in n characters, if its start is cut as startAndEnd() says. */
export function seenOf(text, n) {
	if (text.length <= n)
		return text;
	const [start, end] = startAndEnd(text);
	return `${start.slice(0, Math.max(0, n - 1 - end.length))}…${end}`;
}

/**
 * For names that are seen side by side, each in so many characters (rooms): how to write those that
 * would read the same although they are not, or null for the others. Arguments go first; if that
 * does not help, what they differ in is shown.
 */
export function tellApart(texts, rooms) {
	const out = texts.map(() => null), seen = new Map();
	const isCut = (i) => texts[i].length > rooms[i];
	// Those with more room do not differ to the eye for the characters that they show more.
	const least = Math.min(...rooms.filter((_, i) => isCut(i)));

	texts.forEach((text, i) => {
		const key = isCut(i) ? seenOf(text, least) : text;
		if (!seen.has(key))
			seen.set(key, []);
		seen.get(key).push(i);
	});
	for (const list of seen.values()) {
		const names = new Set(list.map((i) => texts[i]));
		if (names.size < 2)
			continue;
		const distinct = (write) =>
			new Set([...names].map((t) => write(t, least))).size === names.size;
		const differ = difference([...names]);
		const write = distinct(shorten) ? shorten : differ;
		for (const i of list)
			out[i] = write(texts[i], rooms[i]);
	}
	return out;
}

/** A function that writes one of these names in n characters, with what they differ in. */
function difference(names) {
	const [first] = names, least = Math.min(...names.map((t) => t.length));
	let before = 0, after = 0;

	while (before < least && names.every((t) => t[before] === first[before]))
		before++;
	while (after < least - before &&
		names.every((t) => t.at(-1 - after) === first.at(-1 - after)))
		after++;
	// Words are not cut.
	while (before > 0 && /\w/.test(first[before - 1]))
		before--;
	return (text, n) => {
		const middle =
			cutMiddle(text.slice(before, text.length - after), Math.floor(n * 0.6));
		const rest = Math.max(0, n - middle.length - 2),
		      a = Math.min(before, Math.floor(rest * 0.6));
		const b = Math.min(after, rest - a);
		const gaps = [a < before ? '…' : '', b < after ? '…' : ''];
		return head(text, a) + gaps[0] + middle + gaps[1] + tail(text, b);
	};
}

/** The end of the operator name that begins at i ("operator<<" or so), or i. */
function skipOperator(name, i) {
	if (!name.startsWith('operator', i) || /\w/.test(name[i - 1] ?? ' '))
		return i;
	const m = /^operator\s*(<=>|<<=?|>>=?|->\*?|<=|>=|<|>|\(\)|)/.exec(name.slice(i, i + 20));
	return i + m[0].length;
}

/**
 * A C++ or Rust name whose template arguments are <...>, and with parameters also whose parameters
 * are (...). The name as it is, if brackets do not match.
 */
export function stripArguments(name, parameters) {
	let out = '', depth = 0, closers = [];

	for (let i = 0; i < name.length; i++) {
		const past = depth ? i : skipOperator(name, i);
		if (past > i) {
			out += name.slice(i, past);
			i = past - 1;
			continue;
		}
		const c = name[i];
		const opens =
			c === '<' || (c === '(' && (depth || strippable(name, i, parameters)));
		if (opens && !(c === '<' && (i === 0 || isPythonPart(name, i)))) {
			if (!depth)
				out += c === '<' ? '<...>' : '(...)';
			closers[depth++] = c === '<' ? '>' : ')';
		} else if (depth && c === closers[depth - 1] &&
			!(c === '>' && name[i - 1] === '-')) {
			depth--;
		} else if (!depth) {
			out += c;
		}
	}
	return depth ? name : out;
}

/** Is this "<locals>" or so, a part of a Python function's name? */
function isPythonPart(name, i) {
	return name[i - 1] === '.' && /^<[a-z]+>/.test(name.slice(i, i + 20));
}

/** Does a list of parameters begin at i? "(anonymous namespace)" and "f()" have none. */
function strippable(name, i, parameters) {
	return parameters && i > 0 && name[i + 1] !== ')' && !name.startsWith('(anonymous', i);
}

/** A name in at most n characters: arguments go first, then the middle. */
export function shorten(name, n) {
	if (name.length <= n)
		return name;
	if (name.length < 5000) {
		for (const parameters of [false, true]) {
			const s = stripArguments(name, parameters);
			if (s.length <= n)
				return s;
		}
		return cutMiddle(stripArguments(name, true).replace(/<\.{3}>|\(\.{3}\)/g, ''), n);
	}
	return cutMiddle(name, n);
}
