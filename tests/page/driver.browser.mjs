// The driver itself: that it sees what a page must not do, and that nothing is left of it. Without
// this a test of the page could pass because nothing was looked at.

import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { Browser, missing } from './lib/browser.mjs';
import { skipAll, tap } from './lib/tap.mjs';

if (missing())
	skipAll(missing());

const folder = fs.mkdtempSync(path.join(process.env.TMPDIR ?? '/tmp', 'driver.'));
process.on('exit', () => fs.rmSync(folder, { recursive: true, force: true }));

function page(name, body, head = '') {
	const file = path.join(folder, name);
	fs.writeFileSync(file, `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">
<link rel="icon" href="data:,"><title>t</title>${head}</head><body>${body}</body></html>`);
	return file;
}

// Scripts only by a hash, which is that of nothing.
const policy = '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; ' +
	'script-src \'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\'">';

async function faults(t, browser) {
	const has = async (name, pattern, file) => {
		await browser.open(file);
		const found = await browser.complaints();
		t.check(`sees ${name}`, found.some((line) => pattern.test(line)), found.join('\n'));
	};
	await browser.open(page('good.html', '<p id="p">good</p>'));
	t.none('a good page has no complaints', await browser.complaints());
	await browser.open(page('data.html', '<img alt="" src="data:image/svg+xml,%3Csvg xmlns=' +
		'%22http://www.w3.org/2000/svg%22/%3E">'));
	t.none('data: is no request', await browser.complaints());
	for (const level of ['log', 'debug', 'warn', 'error'])
		await has(`console.${level}`, /^console: .*told/,
			page('c.html', `<script>console.${level}('told')</script>`));
	await has('an exception', /^error: .*Error: thrown/,
		page('e.html', '<script>setTimeout(() => { throw new Error("thrown") })</script>'));
	await has('a rejection', /^error: rejected: .*refused/,
		page('r.html', '<script>Promise.reject(new Error("refused"))</script>'));
	await has('a script that the policy forbids', /^policy: script-src/,
		page('s.html', '<script>1</script>', policy));
	await has('a handler that the policy forbids', /^policy: script-src/,
		page('h.html', '<img alt="" src="data:," onerror="1">', policy));
	await has('another file', /^request: file:.*good\.html/,
		page('f.html', '<iframe src="good.html"></iframe>'));
}

async function network(t, browser) {
	let asked = 0;
	const server = http.createServer((request, response) => {
		asked++;
		response.end('');
	});
	await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
	const { port } = server.address();
	await browser.open(page('n.html', `<img alt="" src="http://127.0.0.1:${port}/x.png">`));
	const found = await browser.complaints();
	t.check('sees a request', found.some((line) => line.includes(`:${port}/x.png`)),
		found.join('\n'));
	t.check('which was made', asked > 0);
	server.closeAllConnections?.();
	server.close();
}

async function input(t, browser) {
	await browser.open(page('i.html', `<button id="b" style="position:absolute;left:300px;top:200px;
		width:80px;height:40px" onclick="this.title='clicked'">b</button><input id="i">
		<p id="n" style="margin-top:3000px">below</p>
		<script>document.body.onmousemove = (e) => { window.at = [e.clientX, e.clientY] };
		document.ondblclick = () => { window.twice = true };
		onwheel = (e) => { window.turned = e.deltaY };</script>`));
	await browser.click('#b');
	t.is('clicks an element', await browser.run(() => document.getElementById('b').title),
		'clicked');
	await browser.hoverAt(123, 45);
	t.is('moves the pointer', await browser.run(() => window.at), [123, 45]);
	await browser.clickAt(340, 220, { times: 2 });
	t.is('clicks twice', await browser.run(() => window.twice), true);
	await browser.wheelAt(100, 100, 0, 50);
	t.is('turns the wheel', await browser.until(() => window.turned), 50);
	await browser.click('#i');
	await browser.type('a+é\u{1F600}');
	await browser.keys('Home', 'Shift+ArrowRight', 'B', 'End', '+');
	t.is('types and presses keys', await browser.run(() => document.getElementById('i').value),
		'B+é\u{1F600}+');
	t.is('knows the focus', await browser.focused(), 'input#i');
	await browser.keys('Control+a', 'Control+c');
	t.is('reads the clipboard', await browser.clipboard(), 'B+é\u{1F600}+');
	t.is('reads text', await browser.text('#n'), 'below');
	t.is('text is exact both ways', await browser.run((text) => text + '\uDC00\0',
		'\uD800\u2028\0'), '\uD800\u2028\0\uDC00\0');
	t.is('elements are arguments', await browser.run((a, e, b) => a + e.id + b, 'x',
		await browser.find('#b'), 'y'), 'xby');
	let failure;
	await browser.run(() => nothing()).catch((error) => {
		failure = error;
	});
	t.check('a failure in the page is one here', /nothing is not defined/.test(failure?.message));
}

async function looks(t, browser) {
	const file = page('l.html', '<p id="p">text</p><noscript><p>without</p></noscript>');
	await browser.open(file);
	const matches = (query) => browser.run((q) => matchMedia(q).matches, query);
	await browser.media({ dark: true });
	t.is('dark', await matches('(prefers-color-scheme: dark)'), true);
	await browser.media({ dark: false });
	t.is('light', await matches('(prefers-color-scheme: dark)'), false);
	await browser.media({ print: true });
	t.is('print', await matches('print'), true);
	await browser.media();
	await browser.resize(700, 500, 2);
	t.is('size and scale', await browser.run(() => [innerWidth, innerHeight, devicePixelRatio]),
		[700, 500, 2]);
	const picture = path.join(folder, 'l.png');
	await browser.screenshot(picture);
	const png = fs.readFileSync(picture);
	t.is('a screenshot has all pixels', [png.readUInt32BE(16), png.readUInt32BE(20)], [1400, 1000]);
	await browser.resize(1280, 800);
	t.is('prints PDF', (await browser.print()).subarray(0, 5).toString(), '%PDF-');
	await browser.javascript(false);
	await browser.open(page('j.html', '<p id="p"></p><script>p.textContent = "ran"</script>' +
		'<noscript><p id="w">without</p></noscript>'));
	t.is('without JavaScript nothing runs', [await browser.text('#p'), await browser.text('#w')],
		['', 'without']);
	await browser.javascript(true);
	const time = await browser.openTimed(file, () => document.getElementById('p'));
	t.check('measures the first view', time > 0 && time < 60000, `${time}`);
	const { script, painted } = await browser.painted((text) => {
		const end = performance.now() + 30;
		while (performance.now() < end);
		document.getElementById('p').textContent = text;
	}, 'new');
	t.is('and an action', await browser.text('#p'), 'new');
	t.check('which took its time', script >= 30 && painted > script, `${script} ${painted}`);
	const before = await browser.heap();
	await browser.run(() => {
		window.kept = new Float64Array(2e6).fill(1);
	});
	const grown = await browser.heap() - before;
	t.check('memory has typed arrays in it', grown > 15e6 && grown < 18e6, `${grown}`);
}

async function leaving(t, browser) {
	await browser.open(page('d.html', '<a id="a" download="file.txt">a</a><script>' +
		'a.href = URL.createObjectURL(new Blob(["content"]))</script>'));
	const { name, data } = await browser.download(() => browser.click('#a'));
	t.is('downloads', [name, data.toString()], ['file.txt', 'content']);
	const gone = browser.driver.folder;
	t.check('its folder is there', fs.existsSync(gone));
	await browser.close();
	t.check('and is gone at the end', !fs.existsSync(gone));
	const left = fs.readdirSync('/proc').filter((pid) => {
		try {
			return /^\d+$/.test(pid) && Number(pid) !== process.pid &&
				fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(gone);
		} catch {
			return false;
		}
	});
	t.none('as are its processes', left);
	const failed = await browser.run(() => 1).catch((error) => error.message);
	t.check('what is asked of it then fails', /closed/.test(failed), failed);
}

await tap(async (t) => {
	const browser = await Browser.start();
	await t.part('complaints', () => faults(t, browser));
	await t.part('network', () => network(t, browser));
	await t.part('input', () => input(t, browser));
	await t.part('looks', () => looks(t, browser));
	await t.part('end', () => leaving(t, browser));
}, { seconds: 300 });
