// Matching names, and adding up what matches.

/**
 * A test of names for what the reader typed: a part of the name, in any case, or a regular
 * expression /like this/ with flags. {test, part, error}: test is null without a query, or if the
 * expression is wrong; part is the part, in lower case.
 */
export function matcher(query) {
	if (!query)
		return { test: null, error: '' };
	const m = /^\/(.*)\/([a-z]*)$/s.exec(query);
	if (m && m[1]) {
		try {
			const re = new RegExp(m[1], m[2].replace(/[gy]/g, ''));
			return { test: (name) => re.test(name), error: '' };
		} catch (e) {
			return { test: null, error: 'not a regular expression' };
		}
	}
	const part = query.toLowerCase();
	return { test: (name) => name.toLowerCase().includes(part), part, error: '' };
}

/** A query that finds a name: the name, if it does not look like a regular expression. */
export function queryFor(name) {
	return name.startsWith('/') ? `/^${name.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')}$/` : name;
}

/** The texts in lower case; they are kept as long as the list is. */
function lowered(list) {
	if (!lowerCase.has(list))
		lowerCase.set(list, list.map((text) => text.toLowerCase()));
	return lowerCase.get(list);
}

const lowerCase = new WeakMap();

// What was searched for last: names, part, and hits of it.
let last = {};

/**
 * {hits, functions, error}: hits[f] is 1 if the name of function f matches; null without a query.
 */
export function matchFunctions(names, query) {
	const { test, part, error } = matcher(query);
	if (!test)
		return { hits: null, functions: 0, error };
	const hits = new Uint8Array(names.length), texts = part ? lowered(names) : names;
	// What has a word has all parts of it.
	const known = last.names === names && part?.includes(last.part) ? last.hits : null;
	let functions = 0;

	for (let f = 0; f < names.length; f++)
		if ((!known || known[f]) && (part ? texts[f].includes(part) : test(names[f]))) {
			hits[f] = 1;
			functions++;
		}
	if (part)
		last = { names, part, hits };
	return { hits, functions, error };
}

/**
 * What call paths through a match have: {value, nodes}. Each path counts once, by its outermost
 * match; nodes is how many contexts match, of those that have a value: contexts[f] is how many
 * there are of function f.
 */
export function matchedValue(tree, prefix, hits, contexts) {
	const { fn, end, count } = tree;
	let value = 0, nodes = 0;

	for (let f = 0; f < hits.length; f++)
		nodes += hits[f] ? contexts[f] : 0;
	// What is below a match is not looked at.
	for (let i = 0; i < count;) {
		if (hits[fn[i]]) {
			value += prefix[end[i]] - prefix[i];
			i = end[i];
		} else {
			i++;
		}
	}
	return { value, nodes };
}

/**
 * The next (step 1) or previous (step -1) node with a value after node whose function matches,
 * among those from first to last - 1, beginning again at the other end; -1 if there is none.
 */
export function nextMatch(tree, prefix, hits, node, step, first, last) {
	const n = last - first;
	let i = node < first || node >= last ? (step > 0 ? last - 1 : first) : node;

	for (let k = 0; k < n; k++) {
		i += step;
		if (i >= last)
			i = first;
		else if (i < first)
			i = last - 1;
		if (hits[tree.fn[i]] && prefix[tree.end[i]] > prefix[i])
			return i;
	}
	return -1;
}
