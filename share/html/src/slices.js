// Long work in slices of time, between which the page answers.

const SLICE = 10;  // ms

/**
 * Runs a generator to its end, then calls done with its result, or failed with what it threw.
 * Returns a function that stops it.
 */
export function inSlices(work, done, failed) {
	const channel = new MessageChannel();
	let stopped = false;

	channel.port1.onmessage = () => {
		if (stopped)
			return;
		const until = performance.now() + SLICE;
		do {
			let step;
			try {
				step = work.next();
			} catch (e) {
				channel.port1.close();
				failed(e);
				return;
			}
			if (step.done) {
				channel.port1.close();
				done(step.value);
				return;
			}
		} while (performance.now() < until);
		channel.port2.postMessage(0);
	};
	// The screen first shows that it has begun.
	requestAnimationFrame(() => channel.port2.postMessage(0));
	return () => {
		stopped = true;
		channel.port1.close();
	};
}
