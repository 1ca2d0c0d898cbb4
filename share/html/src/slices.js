// Long work in slices of time, between which the page answers. Work is a generator. It may yield a
// promise: then it goes on when this is kept, and gets its value.

const SLICE = 10;  // ms

/**
 * Runs a generator to its end, then calls done with its result, or failed with what it threw. If
 * now is true, the first slice is run at once, so what is short is done before this returns. Returns
 * a function that stops it.
 */
export function inSlices(work, done, failed, now = false) {
	const channel = new MessageChannel();
	let stopped = false;

	const next = () => work.next();
	const post = () => channel.port2.postMessage(0);
	const end = (use, value) => {
		channel.port1.close();
		use(value);
	};
	const run = (step, again) => {
		const until = performance.now() + SLICE;
		do {
			let result;
			if (stopped)
				return;
			try {
				result = step();
			} catch (e) {
				end(failed, e);
				return;
			}
			const { value } = result;
			if (result.done) {
				end(done, value);
				return;
			}
			if (value instanceof Promise) {
				value.then((v) => run(() => work.next(v), post),
					(e) => run(() => work.throw(e), post));
				return;
			}
			step = next;
		} while (performance.now() < until);
		again();
	};
	channel.port1.onmessage = () => run(next, post);
	// The screen first shows that it has begun.
	const later = () => requestAnimationFrame(post);
	if (now)
		run(next, later);
	else
		later();
	return () => {
		stopped = true;
		channel.port1.close();
	};
}

/** Promises to come back when the browser has done what waits. */
export function pause() {
	return new Promise((resolve) => {
		const { port1, port2 } = new MessageChannel();
		port1.onmessage = () => {
			port1.close();
			resolve();
		};
		port2.postMessage(0);
	});
}

/** Runs a generator to its end without pauses but for what it waits for; promises its result. */
export async function settle(work) {
	let step = work.next();
	while (!step.done) {
		if (!(step.value instanceof Promise)) {
			step = work.next();
			continue;
		}
		let value;
		try {
			value = await step.value;
		} catch (e) {
			step = work.throw(e);
			continue;
		}
		step = work.next(value);
	}
	return step.value;
}
