import test from 'node:test';
import assert from 'node:assert/strict';
import { drain } from '../../share/html/src/drain.js';
import { matchFunctions, matchedValue, matcher, nextMatch, queryFor }
	from '../../share/html/src/search.js';
import { contextsInSteps } from '../../share/html/src/tree.js';
import { SEEDS, profileOf, randomPaths } from './lib/naive.mjs';

const finds = (query, name) => matcher(query).test(name);

test('parts of names, in any case', () => {
	assert.ok(finds('PARSE', 'json::parse_value'));
	assert.ok(finds('a.b*', 'xa.b*y'));
	assert.ok(!finds('a.b', 'aXb'));
	assert.equal(matcher('').test, null);
	assert.ok(finds('/', 'a/b'));
	assert.ok(finds('//', 'a//b'));
});

test('regular expressions', () => {
	assert.ok(finds('/^json::.*e$/', 'json::parse_value'));
	assert.ok(!finds('/^JSON/', 'json::parse'));
	assert.ok(finds('/^JSON/i', 'json::parse'));
	assert.ok(finds('/a\\/b/', 'a/b'));
	// A global expression would remember where it was.
	const { test: again } = matcher('/a/g');
	assert.ok(again('a') && again('a'));
	assert.equal(matcher('/(/').test, null);
	assert.notEqual(matcher('/(/').error, '');
	assert.notEqual(matcher('/a/zz').error, '');
});

test('a query for a name finds it', () => {
	for (const name of ['main', 'a(b)', '/x/', '/(/', '/a.b*[c]\\$^+?{|}', '//', '/'])
		assert.ok(finds(queryFor(name), name), name);
	assert.ok(!finds(queryFor('/a.b/'), '/aXb/'));
});

test('letter by letter, and in any other order, finds the same', () => {
	const names = ['Alpha', 'beta', 'alphabet', 'gamma', 'ALP', ''], others = ['alphabet', 'x'];
	const typed = ['a', 'al', 'alp', 'alph', 'alp', 'al', '/^a/', 'AL', 'bet', 'be', '', 'abet'];
	for (const query of typed)
		for (const list of [names, others]) {
			const { test: matches } = matcher(query);
			const want = matches ? list.map((name) => (matches(name) ? 1 : 0)) : null;
			const { hits, functions } = matchFunctions(list, query);
			assert.deepEqual(hits && [...hits], want, query);
			assert.equal(functions, want ? want.reduce((a, b) => a + b, 0) : 0);
		}
	for (const query of typed) {
		const { test: matches } = matcher(query), { hits } = matchFunctions(names, query);
		assert.deepEqual(hits && [...hits], matches && names.map((n) => (matches(n) ? 1 : 0)));
	}
});

test('the value of what matches: a path counts once', () => {
	for (const seed of SEEDS)
		for (const query of ['f1', '/f[24]/', 'none', 'f']) {
			const list = randomPaths(seed), p = profileOf(list),
			      { prefix } = p.values(0, 'events');
			const { hits, functions } = matchFunctions(p.functions.name, query);
			const has = (name) => matcher(query).test(name);
			const want = list.filter(([path]) => path.some((f) => has(f.name)))
					     .reduce((sum, row) => sum + row[2], 0);
			const { value, nodes } = matchedValue(p.tree, prefix, hits,
				drain(contextsInSteps(p.tree, prefix, p.functionCount)));
			assert.equal(value, want);
			assert.equal(functions, p.functions.name.filter(has).length);
			assert.equal(nodes,
				[...p.tree.fn.keys()]
					.filter((i) => has(p.functions.name[p.tree.fn[i]]) &&
							prefix[p.tree.end[i]] > prefix[i])
					.length);
		}
});

test('next and previous go round, and back', () => {
	for (const seed of SEEDS) {
		const p = profileOf(randomPaths(seed)), { prefix } = p.values(0, 'events'),
		      { tree } = p;
		const { hits } = matchFunctions(p.functions.name, 'f3');
		const all = [...tree.fn.keys()].filter(
			(i) => hits[tree.fn[i]] && prefix[tree.end[i]] > prefix[i]);
		let node = -1;
		for (const want of [...all, all[0]]) {
			node = nextMatch(tree, prefix, hits, node, 1, 0, tree.count);
			assert.equal(node, want);
		}
		for (const want of [...all].reverse()) {
			node = nextMatch(tree, prefix, hits, node, -1, 0, tree.count);
			assert.equal(node, want);
		}
		assert.equal(nextMatch(tree, prefix, hits, 0, 1, 0, 0), -1);
		assert.equal(nextMatch(tree, prefix, new Uint8Array(9), 0, 1, 0, tree.count), -1);
	}
});
