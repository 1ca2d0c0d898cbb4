// What leaves the page: CSV and SVG.

import { el } from './dom.js';

/**
 * A cell of a CSV file (RFC 4180). A spreadsheet would run what begins like a formula; an
 * apostrophe makes it text.
 */
export function csvCell(value) {
	let text = String(value);
	if (typeof value === 'string' && /^[=+\-@\t\r]/.test(text))
		text = `'${text}`;
	return /[",\r\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
}

/** rows is an iterable of arrays. */
export function csv(rows) {
	const lines = [];
	for (const row of rows)
		lines.push(row.map(csvCell).join(','));
	return `${lines.join('\r\n')}\r\n`;
}

/**
 * Text as XML; characters that XML cannot have become U+FFFD. A reader would take an end of a line
 * that is not escaped for LF.
 */
export function xml(text) {
	return String(text)
		.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd')
		.replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g,
			'\ufffd')
		.replace(/[&<>"'\t\n\r]/g, (c) => `&#${c.charCodeAt(0)};`);
}

function frame(f, rowHeight) {
	const width = Math.max(f.width - 0.5, 0.5).toFixed(2), height = rowHeight - 1;
	const place = `x="${(f.x + 3).toFixed(2)}" y="${f.y + rowHeight - 5}"`;
	const look = `fill="${xml(f.ink)}" xml:space="preserve"`;
	const text = `<text ${place} ${look}>${xml(f.text)}</text>`;

	return `<g><title>${xml(f.title)}</title>` +
		`<rect x="${f.x.toFixed(2)}" y="${f.y}" width="${width}" height="${height}" ` +
		`fill="${xml(f.fill)}"/>${f.text ? text : ''}</g>`;
}

/**
 * A flame graph as SVG. frames: [{x, y, width, text, title, fill, ink}], in pixels; text is cut to
 * its frame already.
 */
export function svg({width, height, rowHeight, background, title, frames}) {
	const out = [
		`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" ` +
			`viewBox="0 0 ${width} ${height}" font-family="monospace" font-size="11">`,
		`<title>${xml(title)}</title>`,
		`<rect width="100%" height="100%" fill="${xml(background)}"/>`,
	];
	for (const f of frames)
		out.push(frame(f, rowHeight));
	out.push('</svg>\n');
	return out.join('\n');
}

/** Saves text as a file. */
export function download(name, type, text) {
	const url = URL.createObjectURL(new Blob([text], { type }));
	const a = el('a', { href: url, download: name });

	document.body.append(a);
	a.click();
	a.remove();
	setTimeout(() => URL.revokeObjectURL(url), 60000);
}

/** A name for a file, of the title and a part. */
export function fileName(title, part, ending) {
	const words =
		title.replace(/[^A-Za-z0-9._-]+/g, '-').replace(/^[-.]+|-+$/g, '').slice(0, 60);
	return `${words || 'profile'}-${part}.${ending}`;
}
