// Tests that print TAP:
//
//     await tap(async (t) => {
//         t.is('what it should be', got, expected);
//         t.check('it works', condition, 'what to know if it does not');
//     }, { seconds: 300 });
//
// An exception is a failed point. After the time limit the program ends, and so does what it
// started.

import { isDeepStrictEqual, inspect } from 'node:util';

const MOST = 2000; // characters of a value that is shown

function shown(value) {
	const text = inspect(value, { depth: 6, maxStringLength: MOST, maxArrayLength: 50 });
	return text.length > MOST ? `${text.slice(0, MOST)} ...` : text;
}

class Tap {
	constructor() {
		this.count = 0;
		this.failed = 0;
		this.prefix = '';
	}

	note(text) {
		for (const line of String(text).split('\n'))
			console.log(`# ${line}`);
	}

	// One point; text is noted if it failed. Returns whether it succeeded.
	check(name, good, text = '') {
		this.count++;
		const title = `${this.prefix}${name}`.replace(/[#\n]/g, ' ');
		console.log(`${good ? 'ok' : 'not ok'} ${this.count} - ${title}`);
		if (!good) {
			this.failed++;
			if (text)
				this.note(text);
		}
		return Boolean(good);
	}

	is(name, got, expected) {
		return this.check(name, isDeepStrictEqual(got, expected),
			`got:      ${shown(got)}\nexpected: ${shown(expected)}`);
	}

	// No line of a list.
	none(name, list) {
		return this.check(name, list.length === 0, list.slice(0, 20).join('\n').slice(0, MOST));
	}

	skip(name, reason) {
		this.count++;
		console.log(`ok ${this.count} - ${this.prefix}${name} # SKIP ${reason}`);
	}

	// Points of one part; an exception there is a failed point, and the next part goes on.
	async part(name, body) {
		const before = this.prefix;
		this.prefix = `${before}${name}: `;
		try {
			await body();
		} catch (error) {
			this.check('runs to its end', false, error.stack);
		}
		this.prefix = before;
	}
}

export async function tap(body, { seconds = 600 } = {}) {
	const t = new Tap();
	for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'])
		process.on(signal, () => process.exit(143));
	setTimeout(() => {
		t.check(`ends within ${seconds} s`, false);
		process.exit(1);
	}, seconds * 1000).unref();
	try {
		await body(t);
	} catch (error) {
		t.check('runs to its end', false, error.stack);
	}
	console.log(`1..${t.count}`);
	// Connections that are kept would keep node waiting.
	process.exit(t.failed ? 1 : 0);
}

// Nothing in this file can be tested here.
export function skipAll(reason) {
	console.log(`1..0 # SKIP ${reason}`);
	process.exit(0);
}
