// How interactions are timed in the browser.

// Runs in the page. Waits for an event and notes the milliseconds from it (from the time that the
// browser gives it) until acknowledged(was) and until done(was) are true at the end of a painted
// frame, and the longest time for which the page did not answer. was is what before() gave now.
function watch(type, before, done, acknowledged) {
	const was = before();
	const tasks = [];
	const observer = new PerformanceObserver((list) => tasks.push(...list.getEntries()));
	observer.observe({ type: 'longtask' });
	window.__timed = new Promise((resolve) => {
		window.addEventListener(type, (event) => {
			const begin = event.timeStamp;
			let first;
			const end = (shown) => setTimeout(() => {
				tasks.push(...observer.takeRecords());
				observer.disconnect();
				const late = tasks.filter((t) => t.startTime + t.duration > begin);
				resolve({
					first,
					shown,
					blocked: Math.max(0, ...late.map((t) => t.duration))
				});
			}, 100);
			const look = () => requestAnimationFrame(() => {
				const channel = new MessageChannel();
				channel.port1.onmessage = () => {
					const now = performance.now() - begin, ready = done(was);
					if (ready || acknowledged(was))
						first ??= now;
					if (ready)
						end(now);
					else
						look();
				};
				channel.port2.postMessage(0);
			});
			look();
		}, { capture: true, once: true });
	});
}

/**
 * Does action(), which makes the browser send an event of a type to the page:
 * {first, shown, blocked}. before, done and acknowledged are functions of the page.
 */
export async function timed(browser, type, action,
	{ before = () => 0, done = () => true, acknowledged = () => false } = {}) {
	await browser.run(new Function(
		`(${watch})('${type}', ${before}, ${done}, ${acknowledged});`));
	await action();
	return browser.run(() => Promise.race([
		window.__timed, new Promise((_, no) => setTimeout(no, 60000, new Error('not in 60 s')))
	]));
}

export function median(list) {
	const sorted = [...list].sort((a, b) => a - b);
	return sorted[sorted.length - 1 >> 1];
}

/** The medians of each member of some results, and the worst blocked time. */
export function medians(results) {
	return {
		first: median(results.map((r) => r.first)),
		shown: median(results.map((r) => r.shown)),
		blocked: Math.max(...results.map((r) => r.blocked))
	};
}

/** Chooses an option of a list, as a reader does; the event is 'change'. */
export function choose(browser, id, value) {
	return browser.run((list, to) => {
		const e = document.getElementById(list);
		e.value = to;
		e.dispatchEvent(new Event('change', { bubbles: true }));
	}, id, value);
}
