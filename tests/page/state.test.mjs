import test from 'node:test';
import assert from 'node:assert/strict';
import { DEFAULTS, formatState, parseState } from '../../share/html/src/state.js';
import { profileOf } from './lib/naive.mjs';

const VIEWS = ['flat', 'topdown', 'flame'];
const profile = profileOf([[[{ name: 'a', module: '/bin/x y&z=#' }, 'b'], [1, 2], [10, 2]]],
	{ metrics: [{ name: 'CPUTIME', unit: 'ns' }, { name: 'L1 misses&=#', unit: 'events' }] });
const parse = (fragment) => parseState(fragment, profile, VIEWS);

test('nothing is the default, and the default is nothing', () => {
	assert.deepEqual(parse(''), { ...DEFAULTS });
	assert.deepEqual(parse('#'), { ...DEFAULTS });
	assert.equal(formatState(parse(''), profile), '');
});

test('readable, and the same after reading', () => {
	assert.equal(formatState({ ...DEFAULTS, view: 'flame', of: 'samples', zoom: '1' }, profile),
		'view=flame&of=samples&zoom=1');
	for (const patch of [{ metric: 1 }, { q: 'a&b=c#d +%é😀' }, { q: '/^x$/' },
		     { filter: 'f g' }, { module: 0 }, { module: 1 }, { sort: '-function' },
		     { zoom: '1' }, { view: 'topdown', node: 1 }, { root: 'bottom' },
		     { order: 'callers', zoom: 'f1.0.1' }, { color: 'kernel' }, { theme: 'dark' },
		     { as: 'value' }]) {
		const state = { ...DEFAULTS, ...patch };
		assert.deepEqual(parse(`#${formatState(state, profile)}`), state);
	}
});

test('what is broken or unknown is ignored', () => {
	for (const fragment of ['view=nothing', 'metric=NONE', 'of=', 'zoom=2', 'zoom=-1',
		     'zoom=1e0', 'zoom=x', 'zoom=f', 'zoom=f0', 'order=callers&zoom=f0.9',
		     'order=callers&zoom=1', 'node=99', 'sort=<b>', 'x=1', '__proto__=1',
		     'constructor=1', '%', '%ff%', '&&&', '=', 'theme=pink', 'module=none',
		     'zoom=1.5'])
		assert.deepEqual({ ...parse(fragment), order: 'calls' }, { ...DEFAULTS }, fragment);
	assert.equal(parse('view=bad&zoom=1').zoom, '1');
});
