// A headless Chromium with one tab, driven through chromedriver.
//
//     const browser = await Browser.start({ width: 1280, height: 800, dark: true });
//     await browser.open('report.html');
//     const title = await browser.run(() => document.title);
//     await browser.close();
//
// Nothing waits without a limit. Processes and files are removed by close(), or when node exits.
//
// It notes what a page must not do: messages on the console, errors that nothing caught, violations
// of the page's policy, and requests for anything but the file itself. See complaints().

import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { Driver, delay, which } from './webdriver.mjs';
import {
	clickActions, dragActions, keyActions, moveActions, typeActions, wheelActions,
} from './keys.mjs';

export { missing } from './webdriver.mjs';

// The member of an element in JSON, by the protocol.
const ELEMENT = 'element-6066-11e4-a52e-4f735466cecf';

const isElement = (value) => value !== null && typeof value === 'object' && ELEMENT in value;

// Runs in each page before its own scripts.
function watchPage() {
	const seen = { errors: [], violations: [] };
	Object.defineProperty(window, '__seen', { value: seen });
	addEventListener('error', (event) => {
		seen.errors.push(String(event.error?.stack ?? event.message));
	}, true);
	addEventListener('unhandledrejection', (event) => {
		seen.errors.push(`rejected: ${event.reason?.stack ?? event.reason}`);
	});
	document.addEventListener('securitypolicyviolation', (event) => {
		seen.violations.push(`${event.violatedDirective}: ${event.blockedURI} ${event.sample}`);
	});
}

// Runs in the page: the milliseconds that action(...args) took, and those until it was painted.
function timePainted(action, args) {
	return new Promise((resolve) => {
		const begin = performance.now();
		action(...args);
		const script = performance.now() - begin;
		requestAnimationFrame(() => {
			const channel = new MessageChannel();
			channel.port1.onmessage = () => {
				resolve({ script, painted: performance.now() - begin });
			};
			channel.port2.postMessage(0);
		});
	});
}

// Runs in the page before its own scripts: notes when ready() is first true, in milliseconds since
// the navigation began. It is looked at once a frame, after the frame was painted.
function timeReady(ready) {
	const look = () => {
		requestAnimationFrame(() => {
			const channel = new MessageChannel();
			channel.port1.onmessage = () => {
				if (document.body && ready())
					window.__ready = performance.now();
				else
					look();
			};
			channel.port2.postMessage(0);
		});
	};
	look();
}

function chromiumArguments(profile, { width, height, sandbox, more }) {
	return [
		`--user-data-dir=${profile}`, `--window-size=${width},${height}`,
		'--headless=new', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run',
		'--no-default-browser-check', '--disable-extensions', '--disable-sync',
		'--disable-background-networking', '--disable-component-update', '--disable-breakpad',
		'--disable-default-apps', '--disable-search-engine-choice-screen', '--mute-audio',
		'--password-store=basic', '--force-color-profile=srgb', '--lang=en-US',
		...sandbox ? [] : ['--no-sandbox'], ...more,
	];
}

export class Browser {
	// Options: width and height of the view in pixels of CSS, scale (device pixels for one of CSS),
	// dark, seconds (the limit of a command), more (arguments of Chromium).
	static async start(options = {}) {
		const {
			width = 1280, height = 800, scale = 1, dark = false, seconds = 120, more = [],
		} = options;
		const browser = await Browser.#shared(seconds, more) ??
			new Browser(await Driver.start(), seconds);
		try {
			if (!browser.session)
				await browser.#begin({ width, height, more });
			await browser.cdp('Page.addScriptToEvaluateOnNewDocument',
				{ source: `(${watchPage})()` });
			await browser.cdp('Browser.setDownloadBehavior',
				{ behavior: 'allow', downloadPath: browser.downloads });
			await browser.cdp('Browser.grantPermissions',
				{ permissions: ['clipboardReadWrite', 'clipboardSanitizedWrite'] });
			await browser.resize(width, height, scale);
			await browser.media({ dark });
		} catch (error) {
			browser.driver.kill();
			throw error;
		}
		return browser;
	}

	// The browser of lib/share.mjs, in a tab of its own and without what is stored of another test;
	// undefined if there is none.
	static async #shared(seconds, more) {
		const file = process.env.HPCTEST_BROWSER;
		if (!file || more.length)
			return undefined;
		const { address, session } = JSON.parse(fs.readFileSync(file, 'utf8'));
		const browser = new Browser(Driver.at(address), seconds);
		try {
			browser.session = session;
			const old = await browser.#get('window/handles');
			const { handle } = await browser.#post('window/new', { type: 'tab' });
			for (const other of old) {
				await browser.#post('window', { handle: other });
				await browser.driver.send('DELETE', `${session}/window`, undefined, seconds);
			}
			await browser.#post('window', { handle });
			await browser.cdp('Page.bringToFront');
			await browser.cdp('Storage.clearDataForOrigin',
				{ origin: 'file://', storageTypes: 'all' });
			return browser;
		} catch {
			browser.driver.kill(); // it has ended: start one
			return undefined;
		}
	}

	constructor(driver, seconds) {
		this.driver = driver;
		this.seconds = seconds;
		this.downloads = path.join(driver.folder, 'downloads');
		fs.mkdirSync(this.downloads);
		this.#forget();
	}

	#forget() {
		this.messages = [];
		this.requests = [];
	}

	async #begin(how) {
		// As an ordinary user Chromium has its sandbox, where the system lets it have one.
		const choices = process.getuid?.() === 0 ? [false] : [true, false];
		for (const sandbox of choices) {
			try {
				await this.#session({ ...how, sandbox });
				return;
			} catch (error) {
				if (sandbox === choices.at(-1))
					throw error;
			}
		}
	}

	async #session(how) {
		const profile = path.join(this.driver.folder, how.sandbox ? 'sandboxed' : 'profile');
		const { sessionId } = await this.driver.send('POST', '/session', {
			capabilities: {
				alwaysMatch: {
					browserName: 'chrome',
					unhandledPromptBehavior: 'ignore', // a dialog that a page opened is an error
					timeouts: {
						script: this.seconds * 1000, pageLoad: this.seconds * 1000, implicit: 0,
					},
					'goog:loggingPrefs': { browser: 'ALL', performance: 'ALL' },
					'goog:chromeOptions': {
						binary: which('chromium'),
						args: chromiumArguments(profile, how),
						perfLoggingPrefs: { enableNetwork: true, enablePage: false },
					},
				},
			},
		}, this.seconds);
		this.session = `/session/${sessionId}`;
	}

	#post(command, body = {}) {
		return this.driver.send('POST', `${this.session}/${command}`, body, this.seconds + 5);
	}

	#get(command) {
		return this.driver.send('GET', `${this.session}/${command}`, undefined, this.seconds + 5);
	}

	cdp(cmd, params = {}) {
		return this.#post('goog/cdp/execute', { cmd, params });
	}

	// ---- the page as a whole ------------------------------------------------------

	// Load a file; what was noted of the page before it is forgotten.
	async open(file, fragment = '') {
		// Where only the fragment differs, nothing would be loaded.
		await this.#post('url', { url: 'about:blank' });
		await this.#collect();
		this.#forget();
		await this.#post('url', { url: pathToFileURL(file).href + fragment });
	}

	// Load a file; the milliseconds from there until ready(), run in the page, is true and painted.
	async openTimed(file, ready, fragment = '') {
		const { identifier } = await this.cdp('Page.addScriptToEvaluateOnNewDocument',
			{ source: `(${timeReady})(${ready})` });
		await this.open(file, fragment);
		const time = await this.until(() => window.__ready);
		await this.cdp('Page.removeScriptToEvaluateOnNewDocument', { identifier });
		return time;
	}

	url() {
		return this.#get('url');
	}

	back() {
		return this.#post('back');
	}

	resize(width, height, deviceScaleFactor = 1) {
		return this.cdp('Emulation.setDeviceMetricsOverride',
			{ width, height, deviceScaleFactor, mobile: false });
	}

	// dark: what the system's setting is said to be; print: as if it were printed.
	media({ dark = false, print = false, lessMotion = false } = {}) {
		return this.cdp('Emulation.setEmulatedMedia', {
			media: print ? 'print' : '',
			features: [
				{ name: 'prefers-color-scheme', value: dark ? 'dark' : 'light' },
				{
					name: 'prefers-reduced-motion',
					value: lessMotion ? 'reduce' : 'no-preference',
				},
			],
		});
	}

	// For pages that are opened after it. run() does not work without JavaScript; text() does.
	javascript(on) {
		return this.cdp('Emulation.setScriptExecutionDisabled', { value: !on });
	}

	async screenshot(file) {
		fs.writeFileSync(file, Buffer.from(await this.#get('screenshot'), 'base64'));
	}

	// The page as it would be printed: the bytes of a PDF file.
	async print(options = {}) {
		return Buffer.from(await this.#post('print', options), 'base64');
	}

	// ---- running code in it -------------------------------------------------------

	// The value of a function of the page, which may be async and gets args: JSON values or
	// elements. The value is JSON or undefined. Text is exact, also halves of surrogate pairs.
	async run(action, ...args) {
		const script = `const [json, elements] = arguments;
			const args = JSON.parse(json).map((value, i) => elements[i] ?? value);
			return (async () => JSON.stringify({ value: await (${action})(...args) }))();`;
		const json = JSON.stringify(args.map((value) => isElement(value) ? null : value));
		const elements = args.map((value) => isElement(value) ? value : null);
		const text = await this.#post('execute/sync', { script, args: [json, elements] });
		return JSON.parse(text).value;
	}

	// Run a function of the page: { script, painted }, the milliseconds that it took and those until
	// what it changed was painted.
	painted(action, ...args) {
		return this.run(new Function('args', `return (${timePainted})(${action}, args);`), args);
	}

	// Add a script whose text the page's policy would not allow.
	async inject(source) {
		await this.#post('execute/sync', { script: source, args: [] });
	}

	// Wait until a function of the page is true; its value. If it throws, it is not true yet.
	async until(ready, ...args) {
		const end = Date.now() + this.seconds * 1000;
		for (let pause = 5; ; pause = Math.min(pause * 2, 100)) {
			let failure;
			try {
				const value = await this.run(ready, ...args);
				if (value)
					return value;
			} catch (error) {
				failure = error;
				if (error.name !== 'javascript error')
					throw error;
			}
			if (Date.now() > end)
				throw new Error(`not in ${this.seconds} s: ${ready} ${failure?.message ?? ''}`);
			await delay(pause);
		}
	}

	// ---- elements and input -------------------------------------------------------

	find(selector) {
		return this.#post('element', { using: 'css selector', value: selector });
	}

	findAll(selector) {
		return this.#post('elements', { using: 'css selector', value: selector });
	}

	#element(what) {
		return typeof what === 'string' ? this.find(what) : what;
	}

	// The text of an element as it is shown. what: an element or a selector, here and below.
	async text(what) {
		const element = await this.#element(what);
		return this.#get(`element/${element[ELEMENT]}/text`);
	}

	// The element that has the focus, described as 'tag#id'.
	focused() {
		return this.run(() => {
			const e = document.activeElement;
			return e ? e.tagName.toLowerCase() + (e.id ? `#${e.id}` : '') : '';
		});
	}

	#act(actions) {
		return this.#post('actions', { actions });
	}

	// Click at the centre of an element, or at x and y from there; it must be in view, or is
	// scrolled to.
	async click(what, { x = 0, y = 0, ...how } = {}) {
		const element = await this.#element(what);
		await this.run((e) => e.scrollIntoView({ block: 'nearest', inline: 'nearest' }), element);
		await this.#act(clickActions(element, x, y, how));
	}

	// Click at a point of the view.
	clickAt(x, y, how = {}) {
		return this.#act(clickActions('viewport', Math.round(x), Math.round(y), how));
	}

	async hover(what, x = 0, y = 0) {
		await this.#act(moveActions(await this.#element(what), x, y));
	}

	hoverAt(x, y) {
		return this.#act(moveActions('viewport', Math.round(x), Math.round(y)));
	}

	dragAt(x, y, dx, dy) {
		return this.#act(dragActions('viewport', Math.round(x), Math.round(y), dx, dy));
	}

	wheelAt(x, y, dx, dy) {
		return this.#act(wheelActions('viewport', Math.round(x), Math.round(y), dx, dy));
	}

	// Press keys one after the other: 'Enter', 'a', 'Shift+Tab'.
	keys(...chords) {
		return this.#act(keyActions(chords));
	}

	type(text) {
		return this.#act(typeActions(text));
	}

	// ---- what leaves the page -----------------------------------------------------

	// The file that is downloaded by what action() does here: { name, data }.
	async download(action) {
		const before = new Set(fs.readdirSync(this.downloads));
		await action();
		const end = Date.now() + this.seconds * 1000;
		for (;;) {
			const added = fs.readdirSync(this.downloads).filter((name) => !before.has(name));
			const done = added.filter((name) => !/\.crdownload$|^\.org\.chromium\./.test(name));
			if (done.length && done.length === added.length) {
				const file = path.join(this.downloads, done[0]);
				const data = fs.readFileSync(file);
				fs.rmSync(file);
				return { name: done[0], data };
			}
			if (Date.now() > end)
				throw new Error(`nothing was downloaded in ${this.seconds} s`);
			await delay(20);
		}
	}

	// The text in the clipboard, which is the browser's own.
	clipboard() {
		return this.run(() => navigator.clipboard.readText());
	}

	// Bytes of memory that live values of JavaScript take, those in typed arrays included.
	async heap() {
		await this.cdp('HeapProfiler.collectGarbage');
		const { usedSize, backingStorageSize = 0 } = await this.cdp('Runtime.getHeapUsage');
		return usedSize + backingStorageSize;
	}

	// ---- what a page must not do --------------------------------------------------

	async #collect() {
		for (const { level, message } of await this.#post('se/log', { type: 'browser' }))
			this.messages.push(`${level}: ${message}`);
		for (const { message } of await this.#post('se/log', { type: 'performance' })) {
			const { method, params } = JSON.parse(message).message;
			if (method === 'Network.requestWillBeSent')
				this.requests.push(params.request.url);
			else if (method === 'Network.webSocketCreated')
				this.requests.push(params.url);
		}
	}

	// What the page did since open() that it must not do, as lines of text.
	async complaints() {
		await this.#collect();
		const own = await this.url();
		const foreign = this.requests.filter((url) =>
			!/^(data|blob|about):/.test(url) && url.split('#')[0] !== own.split('#')[0]);
		const seen = await this.run(() => window.__seen ?? { errors: [], violations: [] });
		return [
			...this.messages.map((text) => `console: ${text}`),
			...seen.errors.map((text) => `error: ${text}`),
			...seen.violations.map((text) => `policy: ${text}`),
			...foreign.map((url) => `request: ${url.slice(0, 200)}`),
		];
	}

	async close() {
		try {
			if (this.driver.child)
				await this.driver.send('DELETE', this.session, undefined, 10);
		} catch {
			// what is left is killed
		}
		await this.driver.end();
	}
}
