import assert from 'node:assert/strict';
import test from 'node:test';
import { csvRecords, parseCsv } from './lib/parse.mjs';
import { hostile } from './lib/names.mjs';

test('CSV is read as RFC 4180 has it', () => {
	assert.deepEqual(parseCsv('a,b\r\n"c,""d\n",\n,e\n'), [['a', 'b'], ['c,"d\n', ''], ['', 'e']]);
	assert.deepEqual(parseCsv('a,'), [['a', '']]);
	assert.deepEqual(parseCsv('a'), [['a']]);
	for (const bad of ['"a"b\n', 'a"b\n', '"a', 'a\rb'])
		assert.throws(() => parseCsv(bad), /no CSV/, bad);
	assert.deepEqual(csvRecords('x,y\n1,2\n'), [{ x: '1', y: '2' }]);
	assert.throws(() => csvRecords('x,y\n1\n'), /1 cells/);
});

test('there are at least 200 hostile names', () => {
	assert.ok(hostile.length >= 200, `${hostile.length}`);
	assert.ok(hostile.some((name) => name.length === 100000));
});
