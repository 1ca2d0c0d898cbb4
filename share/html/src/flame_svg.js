// What a flame graph shows, as an SVG image.

import { hex, ink } from './colors.js';
import { svg } from './export.js';
import { seeLevel } from './flame_paint.js';
import { percent, scaled, shorten } from './format.js';
import { ROW } from './flame_picture.js';

/** The levels from first to last of a view (FlameView), as wide as on the screen. */
export function flameSvg(view, [first, last]) {
	const { app, graph } = view, { tree, prefix } = graph, width = view.place.clientWidth;
	const { back, faded, hit } = view.colors, { hits } = app.matching();
	const { scale, total, unit } = app.values, frames = [];
	const base = view.base < 0 ? 0 : tree.depth[view.base];

	for (let d = first; d <= last; d++) {
		const y = view.root === 'top' ? (d - first) * ROW : (last - d) * ROW;
		seeLevel(graph, d, view.x0, view.x1, width, hits, (i, left, right) => {
			const f = tree.fn[i], x = (prefix[tree.end[i]] - prefix[i]) * scale;
			const color = hits && hits[f] ? hit : d < base ? faded : view.frameColor(i);
			const n = Math.floor((right - left - 7) / view.charWidth);
			frames.push({
				x: left,
				y,
				width: right - left,
				fill: hex(color),
				ink: ink(color),
				text: n > 2 ? shorten(app.profile.functions.name[f], n) : '',
				title: `${view.title(i)}: ${percent(x, total)}, ${scaled(x, unit)}`
			});
		});
	}
	return svg({
		width,
		height: (last - first + 1) * ROW,
		rowHeight: ROW,
		background: hex(back),
		title: app.profile.title,
		frames
	});
}
