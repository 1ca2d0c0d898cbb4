// Unpacks the code of the page, which stands in it compressed, and runs it. The policy has its hash.

const message = document.getElementById('message');

async function load() {
	const packed = atob(document.getElementById('code').textContent);
	const bytes = Uint8Array.from(packed, (c) => c.charCodeAt(0));
	const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
	const script = document.createElement('script');

	script.textContent = await new Response(stream).text();
	document.body.append(script);
}

load().catch((e) => {
	const why = typeof DecompressionStream === 'undefined'
		? 'this browser is too old: it has no DecompressionStream'
		: `its code is damaged (${e.message})`;
	message.className = 'error';
	message.textContent = `The page cannot be shown: ${why}. The text report follows.`;
	document.documentElement.dataset.ready = 'error';
});
