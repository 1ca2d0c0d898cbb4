import test from 'node:test';
import assert from 'node:assert/strict';
import { baseName, cutMiddle, exact, exactValue, headOf, percent, plural, scaled, seenOf, shorten, startAndEnd,
	stripArguments, tellApart } from '../../share/html/src/format.js';
import { csv, csvCell, fileName, svg, xml } from '../../share/html/src/export.js';
import { details, facts, quality } from '../../share/html/src/quality.js';
import { colors, hex, ink, mix, pixel } from '../../share/html/src/colors.js';
import { random, report, small } from './lib/sample.mjs';
import { Profile } from '../../share/html/src/data.js';

test('numbers as in hpcprof text', () => {
	const times = [
		[0, '0 ns'], [7, '7 ns'], [999.4, '999 ns'], [999.6, '1.00 us'], [660e3, '660 us'],
		[94.3e6, '94.3 ms'], [2.79e9, '2.79 s'], [99.94e9, '99.9 s'], [99.96e9, '100 s'],
		[119e9, '119 s'], [120e9, '2.00 min'], [3600e9, '60.0 min'], [7200e9, '2.00 h']
	];
	for (const [v, text] of times)
		assert.equal(scaled(v, 'ns'), text);
	assert.deepEqual(
		[1023, 1024, 1536, 5 * 2 ** 20, 3 * 2 ** 30].map((v) => scaled(v, 'bytes')),
		['1023 B', '1.00 KiB', '1.50 KiB', '5.00 MiB', '3.00 GiB']);
	assert.deepEqual(
		[0, 12, 999999, 1234567, 2.5e9, 0.5, 12.34].map((v) => scaled(v, 'samples')),
		['0', '12', '999,999', '1.23 M', '2.50 G', '0.50', '12.3']);
	assert.equal(scaled(-94.3e6, 'ns'), '-94.3 ms');
	assert.equal(exact(1234567), '1,234,567');
	assert.equal(exact(999), '999');
	assert.deepEqual([exactValue(1234, 'ns'), exactValue(70, '')], ['1,234 ns', '70']);
	assert.deepEqual([headOf('self', 'ns'), headOf('self', '')], ['self (ns)', 'self']);
	assert.equal(plural(1, 'process'), '1 process');
	assert.equal(plural(2000, 'process'), '2,000 processes');
	assert.equal(plural(0, 'file'), '0 files');
	assert.equal(percent(1, 3), '33.3%');
	assert.equal(percent(1, 0), '-');
	assert.equal(baseName('/usr/lib/x.so'), 'x.so');
	assert.equal(baseName('[kernel]'), '[kernel]');
});

test('names cut in the middle', () => {
	assert.equal(cutMiddle('abcdefghij', 10), 'abcdefghij');
	assert.equal(cutMiddle('abcdefghij', 6), 'ab…hij');
	assert.equal(cutMiddle('abc', 0), '');
	for (let n = 0; n < 30; n++) {
		const cut = cutMiddle('😀'.repeat(20), n);
		assert.ok(cut.length <= n);
		assert.ok(cut.isWellFormed?.() ?? true);
	}
});

test('the end of a name stays', () => {
	assert.deepEqual(startAndEnd('short'), ['short', '']);
	for (const name of ['core::parser::parse_value_from_a(int)', '😀'.repeat(20),
		     `x${'😀'.repeat(20)}`]) {
		const [start, end] = startAndEnd(name);
		assert.equal(start + end, name);
		assert.ok(end.length > 8 && (end.isWellFormed?.() ?? true));
	}
});

test('arguments go before the middle does', () => {
	const name = 'std::map<int, std::string>::find(int const&) const';
	assert.equal(stripArguments(name, false), 'std::map<...>::find(int const&) const');
	assert.equal(stripArguments(name, true), 'std::map<...>::find(...) const');
	assert.equal(shorten(name, 40), 'std::map<...>::find(int const&) const');
	assert.equal(shorten(name, 30), 'std::map<...>::find(...) const');
	assert.equal(shorten(name, 100), name);
	assert.equal(shorten(name, 12), 'std:…d const');
	for (const same of ['a < b', 'operator<', 'x::operator<<', 'f()', 'operator()',
		     'operator->', 'a<b', '<lambda at x.c:3', '(anonymous namespace)::f', '>', 'a)',
		     ''])
		assert.equal(stripArguments(same, true), same);
	assert.equal(stripArguments('A.f.<locals>.<lambda>', true), 'A.f.<locals>.<lambda>');
	assert.equal(stripArguments('x::operator()(int)', true), 'x::operator()(...)');
	assert.equal(stripArguments('x::operator<< <char>(y&)', true), 'x::operator<< <...>(...)');
	assert.equal(stripArguments('f<(a->b)>(int)', true), 'f<...>(...)');
	assert.equal(stripArguments('cooperator<int>', true), 'cooperator<...>');
	assert.ok(shorten('<'.repeat(100000), 20).length <= 20);
	// What begins alike can be told apart.
	assert.notEqual(shorten('core::parser::parse_value_from_a', 12),
		shorten('core::parser::parse_value_from_b', 12));
});

test('CSV that no spreadsheet runs', () => {
	assert.equal(csv([['a', 1], ['b,c', 2.5]]), 'a,1\r\n"b,c",2.5\r\n');
	for (const c of ['=', '+', '-', '@', '\t'])
		assert.equal(csvCell(`${c}x`), `'${c}x`);
	assert.equal(csvCell('\rx'), '"\'\rx"');
	assert.equal(csvCell(-5), '-5');
	assert.equal(csvCell('say "hi"'), '"say ""hi"""');
	assert.equal(csvCell('a\nb'), '"a\nb"');
	assert.equal(csvCell('x=1'), 'x=1');
});

test('SVG of text that would be markup', () => {
	const bad = '</title><script>alert(1)</script>"\'&\u0000\u001b\ud800x';
	const image = svg({
		width: 10,
		height: 18,
		rowHeight: 18,
		background: '#ffffff',
		title: bad,
		frames: [{
			x: 0,
			y: 0,
			width: 10,
			text: bad,
			title: bad,
			fill: '#ff0000',
			ink: '#000000'
		}]
	});
	assert.equal(image.match(/<title>/g).length, 2);
	assert.ok(!image.includes('<script') && !/[\u0000\u001b\ud800]/.test(image));
	assert.equal(xml('<&>"\''), '&#60;&#38;&#62;&#34;&#39;');
	assert.equal(xml('😀'), '😀');
	assert.equal(fileName('../a b/"c"', 'flat', 'csv'), 'a-b-c-flat.csv');
	assert.equal(fileName('…', 'flat', 'csv'), 'profile-flat.csv');
});

test('quality: said always, wrong only if it is', () => {
	const { meta } = small(), m = meta.metrics[0];
	const wrong = (r, metric = m) =>
		quality(r, metric).filter((x) => x.wrong).map((x) => x.id);
	assert.deepEqual(quality(meta.report, m).map((x) => x.id),
		['samples', 'recorded', 'partial', 'nameless']);
	assert.deepEqual(wrong(meta.report), []);
	assert.deepEqual(wrong(report([m], { lost: 0.2 })), ['recorded']);
	assert.deepEqual(wrong(report([m], { partial: 0.2 })), ['partial']);
	assert.deepEqual(wrong(report([m], { nameless: 0.2 })), ['nameless']);
	assert.deepEqual(wrong(meta.report, { ...m, samples: 5 }), ['samples']);
	assert.equal(
		quality(report([m], { lost: 0.25, partial: 0 }), m)[1].text, '80.0% recorded');
	assert.deepEqual(quality({}, m).map((x) => x.id), ['samples']);
	const { account, rest } = details(report([m], { lost: 0.25, partial: 0 }), m);
	assert.deepEqual(account.map((r) => r.slice(0, 2)), [
		['recorded with a complete path', '80.0%'],
		['recorded with a partial path', '0.0%'],
		['dropped: unwind failed', '20.0%']
	]);
	assert.ok(rest.some((r) => r[0] === "without a function's name" && r[1] === '2.0%'));
	const lost = { ...meta.report, quality: { ...meta.report.quality,
		skipped_or_damaged: { files: [{ file: 'a.csp', why: 'damaged' }], left_out: 1 } } };
	assert.ok(details(lost, m).rest.some((r) => r[2] === 'a.csp damaged'));
	assert.ok(quality(lost, m).some((x) => x.wrong && x.text === '2 files skipped or damaged'));
	assert.deepEqual(details({}, m), { account: [], rest: [] });
	assert.deepEqual(facts(undefined), []);
	assert.ok(facts(meta.report.run).some((f) => f.text === '4.00 s of wall time'));
	assert.ok(facts(meta.report.run).some((f) => f.text === '2 processes'));
});

test('text on every colour can be read', () => {
	const light =
		(p) => [0, 8, 16]
			       .map((s) => (p >>> s) & 255)
			       .map((v) => v / 255)
			       .map((v) => (v <= 0.04045 ? v / 12.92
							 : ((v + 0.055) / 1.055) ** 2.4))
			       .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
	const made = small(), p = new Profile(made.meta, made.columns);
	for (const dark of [false, true])
		for (const kind of ['module', 'function', 'kernel']) {
			const c = colors(p, kind, new Float64Array(p.functionCount).fill(1), dark);
			for (const x of [...c.of, ...c.dimmed, c.faded, c.hit]) {
				const [a, b] =
					[light(x), light(pixel(ink(x)))].sort((u, v) => v - u);
				assert.ok((a + 0.05) / (b + 0.05) >= 4.5, hex(x));
			}
		}
	assert.equal(hex(pixel('#123456')), '#123456');
	assert.equal(hex(mix(pixel('#ffffff'), pixel('#000000'), 0.5)), '#808080');
});

test('names that would read the same are told apart', () => {
	const long = (a) => `std::vector<int, some::allocator<${a}>>::push_back(value_type const&)`;
	const texts = [
		'std::map<aaaaaaaaaaaaaaaaaaaaaaa>::find_or_insert_it(int)',
		'std::map<aaaaaaaaaaaaaaaaaaaaaaa, int>::lower_find_or_insert_it(int)', 'main',
	];
	// Without arguments they differ.
	const short = tellApart(texts, [39, 39, 39]);
	assert.deepEqual(short, [shorten(texts[0], 39), shorten(texts[1], 39), null]);
	assert.ok(short[0].startsWith('std::map<...>::find'), short[0]);
	// They differ in arguments only.
	const args = [long('warehouse::Item'), long('warehouse::Name')];
	const seen = tellApart(args, [40, 40]);
	assert.ok(seen.every((t) => t.length <= 40), seen.join('\n'));
	assert.ok(seen[0].includes('Item') && seen[1].includes('Name'), seen.join('\n'));
	// More room does not make them differ to the eye.
	assert.ok(tellApart(args, [40, 43]).every((t, i) => t.length <= 40 + 3 * i));
	// The same name twice is no reason, nor are names with room.
	assert.deepEqual(tellApart([args[0], args[0]], [40, 40]), [null, null]);
	assert.deepEqual(tellApart(args, [200, 200]), [null, null]);
	assert.deepEqual(tellApart([], []), []);
	const rnd = random(5);
	for (let k = 0; k < 300; k++) {
		const n = 10 + Math.floor(40 * rnd());
		const names = Array.from({ length: 4 }, () =>
			`${'ab<'.repeat(8)}${'xyz'[Math.floor(3 * rnd())]}${'>'.repeat(8)}::${'f'.repeat(30)}`);
		tellApart(names, names.map(() => n)).forEach((t, i) => {
			const others = names.filter((x) => x !== names[i]);
			const same = others.filter((x) => seenOf(x, n) === seenOf(names[i], n));
			assert.equal(t !== null, same.length > 0);
			assert.ok(t === null || t.length <= n);
			for (const x of same)
				assert.notEqual(t, tellApart(names, names.map(() => n))[names.indexOf(x)]);
		});
	}
});

test('what is seen of a name', () => {
	assert.equal(seenOf('short', 5), 'short');
	const text = 'abcdefghijklmnopqrstuvwxyzabcdefghijklmnop';
	assert.equal(seenOf(text, 30).length, 30);
	assert.ok(seenOf(text, 30).startsWith('abc') && seenOf(text, 30).endsWith('nop'));
});
