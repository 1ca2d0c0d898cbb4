// What the header says of a profile: what ran, and how far its data can be trusted. The limits are
// those of hpcprof text.

import { exact, percent, plural, scaled } from './format.js';

const LOST = 0.05, NAMELESS = 0.1;

const OUTCOMES = {
	recorded: 'recorded with a complete path',
	partial: 'recorded with a partial path'
};

/** An entry of a list of the report in words. */
function words(entry) {
	return typeof entry === 'string' ? entry
		: Object.values(entry).filter((v) => v !== null).join(' ');
}

/** Facts of report.run: [{id, text}]. */
export function facts(run) {
	if (!run)
		return [];
	const out = [], add = (id, text) => out.push({ id, text });

	if (run.cpu_ns)
		add('cpu', `${scaled(run.cpu_ns, 'ns')} of CPU time`);
	if (run.wall_ns)
		add('wall', `${scaled(run.wall_ns, 'ns')} of wall time`);
	if (run.processes)
		add('processes', plural(run.processes, 'process'));
	if (run.threads)
		add('threads', plural(run.threads, 'thread'));
	if (run.hosts > 1)
		add('hosts', plural(run.hosts, 'host'));
	if (run.host && run.hosts <= 1)
		add('host', `on ${run.host}`);
	if (run.end && run.end !== 'exit 0')
		add('end', run.end);
	return out;
}

/** Statements on a metric: [{id, text, title, wrong}]. */
export function quality(report, metric) {
	const index = report.metrics?.findIndex((x) => x.name === metric.name) ?? -1;
	const out = [], m = report.metrics?.[index], q = report.quality;
	const add = (id, text, title, wrong) => out.push({ id, text, title, wrong: !!wrong });

	add('samples', `${exact(metric.samples)} ${metric.sampled ? 'samples' : metric.unit || 'events'}`,
		m?.measuring_ns ? `Measuring took ${scaled(m.measuring_ns, 'ns')}.` : '',
		metric.sampled && metric.samples < 100);
	if (m?.account?.length)
		account(m.account, add);
	const part = (list) => (metric.events ? (list?.[index] ?? 0) / metric.events : 0);
	if (q && !m?.account?.length)
		add('partial', `${percent(part(q.partial_paths), 1)} with a partial call path`, '',
			part(q.partial_paths) > LOST);
	if (q) {
		add('nameless', `${percent(part(q.without_name), 1)} without a function's name`,
			`${percent(part(q.without_line), 1)} without a source line`,
			part(q.without_name) > NAMELESS);
		losses(q, add);
	}
	return out;
}

function account(rows, add) {
	const all = rows.reduce((sum, r) => sum + r.events, 0);
	const of = (name) =>
		rows.filter((r) => r.outcome === name).reduce((sum, r) => sum + r.events, 0);
	const partial = of('partial'), lost = all - of('recorded') - partial;
	const row = (r) =>
		`${percent(r.events, all)} ${r.outcome} (${plural(r.samples, 'sample')})`;
	const table = rows.map(row).join('\n');

	add('recorded', `${percent(all - lost, all)} recorded`, table, lost > LOST * all);
	add('partial', `${percent(partial, all)} with a partial call path`, table,
		partial > LOST * all);
}

/** What is missing altogether; only said if something is. */
function losses(q, add) {
	const count = (x, rows) => (x?.[rows]?.length ?? 0) + (x?.left_out ?? 0);
	const damaged = count(q.skipped_or_damaged, 'files');
	const programs = count(q.unmeasured, 'programs');
	const list = (rows) => rows.map(words).join('\n');

	if (damaged)
		add('damaged', `${plural(damaged, 'file')} skipped or damaged`,
			list(q.skipped_or_damaged.files), true);
	if (programs)
		add('unmeasured', `${plural(programs, 'program')} not measured`,
			list(q.unmeasured.programs), true);
	if (q.without_samples) {
		const all = plural(q.profiles, 'profile');
		add('empty', `${exact(q.without_samples)} of ${all} without samples`, '', false);
	}
}

/** All that the report says of a metric's quality: {account, rest}, with lists of texts as rows. */
export function details(report, metric) {
	const index = report.metrics?.findIndex((x) => x.name === metric.name) ?? -1;
	const m = report.metrics?.[index], q = report.quality, rest = [];
	const all = m?.account?.reduce((sum, r) => sum + r.events, 0);
	const account = (m?.account ?? []).map((r) => [
		OUTCOMES[r.outcome] ?? `dropped: ${r.outcome}`, percent(r.events, all),
		scaled(r.events, metric.unit), exact(r.samples)
	]);
	const part = (name, text) => {
		if (q?.[name]?.[index] !== undefined)
			rest.push([text, percent(q[name][index], metric.events),
				scaled(q[name][index], metric.unit)]);
	};

	part('partial_paths', 'with a partial call path');
	part('without_name', "without a function's name");
	part('without_line', 'without a source line');
	if (m?.measuring_ns)
		rest.push(['taken by measuring', '', scaled(m.measuring_ns, 'ns')]);
	if (q)
		rest.push(['profiles', '', exact(q.profiles)],
			['profiles without samples', '', exact(q.without_samples)],
			['profiles without call paths', '', exact(q.without_paths)]);
	for (const file of q?.skipped_or_damaged?.files ?? [])
		rest.push(['skipped or damaged', '', words(file)]);
	for (const program of q?.unmeasured?.programs ?? [])
		rest.push(['not measured', '', words(program)]);
	return { account, rest };
}
