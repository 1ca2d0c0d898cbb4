// Where the frames of a flame graph are, and their pixels. Of a level only what is seen is looked
// at: the first frame by binary search, and from one that is narrower than a pixel the next search
// begins behind that pixel.

/** The first index k in [a, b) of nodes whose range ends after x, or b. */
function firstEndingAfter(graph, a, b, x) {
	const { nodes, end, prefix } = graph;
	while (a < b) {
		const mid = (a + b) >>> 1;
		if (prefix[end[nodes[mid]]] <= x)
			a = mid + 1;
		else
			b = mid;
	}
	return a;
}

/** The same, if the answer is likely near a. */
function soonEndingAfter(graph, a, b, x) {
	let step = 1;
	while (a + step < b && graph.prefix[graph.end[graph.nodes[a + step]]] <= x)
		step *= 2;
	return firstEndingAfter(graph, a + (step >> 1), Math.min(b, a + step + 1), x);
}

/** What the functions here need of a tree and its values. */
export function graphOf(tree, prefix) {
	const { start, nodes } = tree.levels();
	return { tree, prefix, start, nodes, end: tree.end, fn: tree.fn, maxDepth: tree.maxDepth };
}

/**
 * Calls see(node, left, right) for the frames of depth d between the values x0 and x1, drawn width
 * pixels wide: left and right are whole pixels, right > left, and frames do not overlap. Of frames
 * that share a pixel and are no wider, one is seen: the first, or the first of which hits is set.
 */
export function seeLevel(graph, d, x0, x1, width, hits, see) {
	const { nodes, end, prefix } = graph, last = graph.start[d + 1], scale = width / (x1 - x0);
	let k = firstEndingAfter(graph, graph.start[d], last, x0);

	while (k < last) {
		let i = nodes[k];
		const from = prefix[i], to = prefix[end[i]];
		if (from >= x1)
			break;
		const left = Math.max(0, Math.floor((from - x0) * scale));
		const right = Math.min(width, Math.floor((to - x0) * scale));
		if (right > left) {
			see(i, left, right);
			k++;
			continue;
		}
		// The frames that end within this pixel are one.
		const next = soonEndingAfter(graph, k, last, x0 + (left + 1) / scale);
		i = representative(graph, k, Math.max(next, k + 1), hits);
		if (i >= 0 && left < width)
			see(i, left, left + 1);
		k = Math.max(next, k + 1);
	}
}

/** Of nodes[a] to nodes[b - 1], the first with a value, or the first of these with a hit; or -1. */
function representative({ nodes, end, prefix, fn }, a, b, hits) {
	let first = -1;

	for (let k = a; k < b; k++) {
		const i = nodes[k];
		if (prefix[end[i]] <= prefix[i])
			continue;
		if (!hits || hits[fn[i]])
			return i;
		if (first < 0)
			first = i;
	}
	return first;
}

/** The node of depth d at value x, or -1. */
export function nodeAt(graph, d, x) {
	if (d < 0 || d > graph.maxDepth)
		return -1;
	const k = firstEndingAfter(graph, graph.start[d], graph.start[d + 1], x);
	return k < graph.start[d + 1] && graph.prefix[graph.nodes[k]] <= x ? graph.nodes[k] : -1;
}

/** The deepest level in the subtree of node; of all for -1. */
export function deepest(tree, node) {
	if (node < 0)
		return tree.maxDepth;
	let most = 0;
	for (let i = node; i < tree.end[node]; i++)
		if (tree.depth[i] > most)
			most = tree.depth[i];
	return most;
}

/**
 * Paints the rows of a picture: {width, height, pixels (Uint32Array)}. what: {graph, x0, x1, base
 * (the zoomed node's depth), rowHeight, rowTop(d) (pixel of a row's upper edge), first, last
 * (depths), of and dimmed (pixel of each function), own(node) (its colour, if frames have their own),
 * faded, back, hits, hit, label(node, left,
 * right, y)}.
 */
export function paint(picture, what) {
	const { width, height, pixels } = picture, { rowHeight, hits, fn = what.graph.fn } = what;

	pixels.fill(what.back);
	for (let d = what.first; d <= what.last; d++) {
		const y = what.rowTop(d), from = Math.max(0, y);
		const to = Math.min(height, y + rowHeight - 1);
		if (from >= to)
			continue;
		const row = from * width;
		seeLevel(what.graph, d, what.x0, what.x1, width, hits, (i, left, right) => {
			const f = fn[i];
			const color = hits && hits[f] ? what.hit
				: what.own	      ? what.own(i)
				: hits		      ? what.dimmed[f]
						      : what.of[f];
			const pixel = d >= what.base ? color
				: hits && hits[f] ? what.hit : what.faded;
			// Most are a pixel wide.
			pixels[row + left] = pixel;
			// A gap of a pixel keeps neighbours apart where there is room.
			if (right - left > 1)
				pixels.fill(pixel, row + left,
					row + (right - left > 2 ? right - 1 : right));
			if (right - left > what.labelFrom)
				what.label(i, left, right, y, d);
		});
		for (let line = from + 1; line < to; line++)
			pixels.copyWithin(line * width, row, row + width);
	}
}
