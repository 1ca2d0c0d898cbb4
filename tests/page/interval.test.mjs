import test from 'node:test';
import assert from 'node:assert/strict';
import { effectiveSamples, interval, intervalText } from '../../share/html/src/interval.js';

test('intervals are those of Wilson', () => {
	const near = (got, want) => got.forEach((x, i) => assert.ok(Math.abs(x - want[i]) < 5e-5,
		`${got}, expected ${want}`));
	near(interval(0.5, 100), [0.40383, 0.59617]);
	near(interval(0, 10), [0, 0.27753]);
	near(interval(1, 10), [0.72247, 1]);
	near(interval(0.1, 50), [0.04348, 0.21361]);
});

test('only what was sampled has one', () => {
	const metrics = [
		{ name: 'CPUTIME', sampled: true, samples: 100 }, { name: 'calls', sampled: false, samples: 9 }
	];
	const p = { metrics, report: { metrics: [{ name: 'CPUTIME', effective_samples: 80 }] } };
	assert.equal(effectiveSamples(p, 0, 'events'), 80);
	assert.equal(effectiveSamples(p, 0, 'samples'), 100);
	assert.equal(effectiveSamples(p, 1, 'events'), 0);
	assert.equal(effectiveSamples({ ...p, report: {} }, 0, 'events'), 0);
	assert.equal(intervalText(50, 100, 100), '40.4% to 59.6%');
	assert.deepEqual([[1, 0, 5], [1, 10, 0], [-1, 10, 5], [11, 10, 5]].map((x) => intervalText(...x)),
		['', '', '', '']);
});
