// What hpcprof says of a measurement, by its other views and by a database: the values that its
// page must show.

import { execFileSync } from 'node:child_process';

const MOST = 1 << 30; // bytes of output

function run(program, args) {
	return execFileSync(program, args, { encoding: 'utf8', maxBuffer: MOST, timeout: 300e3,
		stdio: ['ignore', 'pipe', 'inherit'] });
}

// What a page has above call paths whose outermost frames are missing; the other views mark the
// outermost frames that are there.
export const PARTIAL = '[partial call paths]';

// "file:line", as a page names a place.
const place = (row) => (row.file ?? '') + (row.line ? `:${row.line}` : '');

// All rows, with those of partial trees below a row of their own.
function withPartial(trees) {
	const whole = trees.filter((t) => !t.partial);
	const partial = trees.filter((t) => t.partial);
	if (partial.length) {
		const total = partial.reduce((sum, t) => sum + t.rows[0].total, 0);
		const top = {
			depth: 0, name: PARTIAL, module: '', place: '', inlined: 'no', self: 0, total,
		};
		const below = partial.flatMap((t) => t.rows.map((r) => ({ ...r, depth: r.depth + 1 })));
		whole.push({ rows: [top, ...below] });
	}
	return whole.sort((a, b) => b.rows[0].total - a.rows[0].total).flatMap((t) => t.rows);
}

export class Reference {
	// database: the same measurement, written by `hpcprof db`.
	constructor(hpcprof, profile, database) {
		this.hpcprof = hpcprof;
		this.profile = profile;
		this.database = database;
		this.text = this.#json('text', '--functions', '-n', '0', '--sort', 'total');
		this.metrics = this.text.metrics;
	}

	#json(view, ...options) {
		return JSON.parse(run(this.hpcprof, [view, '--json', '-q', ...options, this.profile].map(String)));
	}

	// of: 'events' or 'samples', as everywhere here.
	total(metric, of) {
		const { total, total_samples: samples } = this.metrics[metric];
		return of === 'samples' ? samples : total;
	}

	// { name, module, place, inlined, self, total, kernel } of each function, by falling total.
	functions(metric, of) {
		const samples = of === 'samples' ? ['--samples'] : [];
		const { functions } = this.#json('text', '--functions', '-n', '0', '--sort', 'total',
			'-m', this.metrics[metric].name, ...samples);
		return functions.rows.map((row) => ({
			name: row.function, module: row.module ?? '', place: place(row), self: row.self[0],
			total: row.total[0], kernel: row.kernel ?? 0,
			inlined: { no: 'no', partly: 'partly inlined', yes: 'inlined' }[row.inlined],
		}));
	}

	// The tree in preorder, heavy children first: members as above, and depth and inlined. With levels,
	// it is that of callers, so far; a large program's has too many rows beyond.
	tree(metric, of, levels = 0) {
		const bottomUp = levels > 0;
		const options = of === 'samples' ? ['--samples'] : [];
		if (bottomUp)
			options.push('--bottom-up');
		const { tree } = this.#json('tree', '--min', '0', '--depth', levels, '--sort', 'total',
			'-m', this.metrics[metric].name, ...options);
		const depth = new Map([[null, -1]]);
		const trees = []; // rows of each outermost function
		for (const node of tree.nodes) {
			depth.set(node.id, depth.get(node.parent) + 1);
			if (node.parent === null)
				trees.push({ partial: node.partial && !bottomUp, rows: [] });
			trees.at(-1).rows.push({
				depth: depth.get(node.id), name: node.function, module: node.module ?? '',
				place: place(node), inlined: node.inlined ? 'inlined' : 'no',
				self: node.self[0], total: node.total[0],
			});
		}
		return bottomUp ? trees.flatMap((t) => t.rows) : withPartial(trees);
	}

	#query(sql) {
		const text = run('sqlite3', ['-readonly', '-json', this.database, sql]);
		return text.trim() ? JSON.parse(text) : [];
	}

	// The same by the database: what each function has, by name and by the last part of the module.
	functionsOfDatabase(metric, of) {
		const suffix = of === 'samples' ? '_samples' : '';
		return this.#query(`SELECT function AS name, module, coalesce(file, '') ||
				coalesce(':' || line, '') AS place, self${suffix} AS self, total${suffix} AS total
			FROM functions WHERE metric = '${this.metrics[metric].name.replaceAll('\'', '\'\'')}'`);
	}

	totalOfDatabase(metric, of) {
		return this.#query(`SELECT sum(${of}) AS total FROM metric
			WHERE name = '${this.metrics[metric].name.replaceAll('\'', '\'\'')}'`)[0].total;
	}
}
