// Work that may be done in slices of time (see slices.js), done at once.

/** Runs a generator to its end; its result. */
export function drain(work) {
	for (;;) {
		const { done, value } = work.next();
		if (done)
			return value;
	}
}
