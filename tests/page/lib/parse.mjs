// Reading what the page exports, strictly and without code of the page.

// The rows of CSV as RFC 4180 has it; lines end with \n or \r\n. What is not CSV is an error.
export function parseCsv(text) {
	const rows = [];
	let row = [];
	const cell = /"((?:[^"]|"")*)"|([^",\r\n]*)/y;
	const end = /,|\r?\n|$/y;
	while (cell.lastIndex < text.length) {
		const begin = cell.lastIndex;
		const found = cell.exec(text);
		row.push(found[1] === undefined ? found[2] : found[1].replaceAll('""', '"'));
		end.lastIndex = cell.lastIndex;
		const ended = end.exec(text);
		if (!ended)
			throw new Error(`no CSV at ${begin}: ${JSON.stringify(text.slice(begin, begin + 80))}`);
		cell.lastIndex = end.lastIndex;
		if (ended[0] !== ',') {
			rows.push(row);
			row = [];
		} else if (cell.lastIndex === text.length) {
			row.push('');
		}
	}
	if (row.length)
		rows.push(row);
	return rows;
}

// Rows as objects, by the names in the first row.
export function csvRecords(text) {
	const [names, ...rows] = parseCsv(text.replace(/^\uFEFF/, ''));
	return rows.map((row) => {
		if (row.length !== names.length)
			throw new Error(`a row of ${row.length} cells, with ${names.length} names: ${row}`);
		return Object.fromEntries(row.map((value, i) => [names[i], value]));
	});
}
