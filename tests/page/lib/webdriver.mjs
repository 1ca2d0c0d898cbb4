// The WebDriver protocol: chromedriver as a child process, and commands to it over HTTP. What is
// started here, and all files of it, are gone when node exits, whatever the reason.

import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

// The path of a program, or undefined.
export function which(name) {
	const folders = (process.env.PATH ?? '').split(path.delimiter);
	return folders.map((folder) => path.join(folder, name)).find((file) => {
		try {
			fs.accessSync(file, fs.constants.X_OK);
			return true;
		} catch {
			return false;
		}
	});
}

// Why no browser can be driven here; undefined if one can.
export function missing() {
	const absent = ['chromium', 'chromedriver'].filter((name) => !which(name));
	return absent.length ? `not installed: ${absent.join(', ')}` : undefined;
}

export function delay(milliseconds) {
	return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

// Processes whose arguments name this folder. Chromium is no child of ours and has a process group
// of its own, so the folder of its profile is how to find it.
function processesOf(folder) {
	const pids = fs.readdirSync('/proc').filter((name) => /^\d+$/.test(name)).map(Number);
	return pids.filter((pid) => {
		try {
			return pid !== process.pid &&
				fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(folder);
		} catch {
			return false; // it has ended, or is another user's
		}
	});
}

function killAll(pids) {
	for (const pid of pids) {
		try {
			process.kill(pid, 'SIGKILL');
		} catch {
			// it has ended
		}
	}
}

// Only what is synchronous works in a handler of 'exit'.
function sleep(milliseconds) {
	Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

export class Driver {
	// Start chromedriver on a port that it chooses. Its folder is for all files of the browser.
	static async start(seconds = 60) {
		const driver = new Driver();
		driver.#spawn();
		await driver.#listen(seconds);
		return driver;
	}

	// One that another process has started, and ends.
	static at(address) {
		const driver = new Driver();
		driver.address = address;
		return driver;
	}

	constructor() {
		// Short, as there are sockets in it, whose paths are limited.
		this.folder = fs.mkdtempSync(path.join(os.tmpdir(), 'page.'));
		this.onExit = () => this.kill();
		process.on('exit', this.onExit);
	}

	#spawn() {
		const home = path.join(this.folder, 'home');
		fs.mkdirSync(home);
		const env = {
			...process.env, HOME: home, TMPDIR: this.folder,
			XDG_CONFIG_HOME: home, XDG_CACHE_HOME: home, XDG_RUNTIME_DIR: home,
		};
		this.log = path.join(this.folder, 'chromedriver.log');
		const output = fs.openSync(this.log, 'w');
		this.child = spawn(which('chromedriver'), ['--port=0'], {
			cwd: this.folder, env, stdio: ['ignore', output, output],
		});
		fs.closeSync(output);
		this.child.on('error', (error) => {
			this.failure = error;
		});
		this.child.on('exit', (code, signal) => {
			this.failure ??= new Error(`chromedriver ended: ${signal ?? `status ${code}`}`);
		});
	}

	async #listen(seconds) {
		const end = Date.now() + seconds * 1000;
		for (;;) {
			const text = fs.readFileSync(this.log, 'utf8');
			const found = /started successfully on port (\d+)/.exec(text);
			if (found) {
				this.address = `http://127.0.0.1:${found[1]}`;
				return;
			}
			if (this.failure || Date.now() > end) {
				this.kill();
				throw this.failure ?? new Error(`chromedriver is silent for ${seconds} s: ${text}`);
			}
			await delay(20);
		}
	}

	// Send a command; its value. Fails after that many seconds.
	async send(method, where, body, seconds = 120) {
		if (this.failure)
			throw this.failure;
		let response;
		try {
			response = await fetch(this.address + where, {
				method,
				headers: { 'Content-Type': 'application/json; charset=utf-8' },
				body: body === undefined ? undefined : JSON.stringify(body),
				signal: AbortSignal.timeout(seconds * 1000),
			});
			const { value } = await response.json();
			if (response.ok)
				return value;
			throw Object.assign(new Error(`${value.error}: ${value.message}`),
				{ name: value.error });
		} catch (error) {
			if (response)
				throw error;
			throw new Error(`${method} ${where}: ${this.failure?.message ?? error.message}`);
		}
	}

	// kill(), and the child is waited for.
	async end() {
		const ended = this.child?.exitCode === null && this.child.signalCode === null &&
			new Promise((resolve) => this.child.once('exit', resolve));
		this.kill();
		await ended;
	}

	// End all processes, remove all files. May be called twice, and from a handler of 'exit'.
	kill() {
		process.removeListener('exit', this.onExit);
		if (!this.folder)
			return;
		this.failure ??= new Error('the browser is closed');
		if (this.child?.exitCode === null)
			this.child.kill('SIGKILL');
		for (let tries = 0; this.child && tries < 100; tries++) {
			const left = processesOf(this.folder);
			if (!left.length)
				break;
			killAll(left);
			sleep(20);
		}
		fs.rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
		this.folder = undefined;
	}
}
