// What the header says of a profile: what ran, and how far its data can be trusted. The limits are
// those of hpcprof text.

import {exact, percent, scaled} from './format.js';

const LOST = 0.05, NAMELESS = 0.1;

/** Facts of report.run: [{id, text}]. */
export function facts(run) {
	if (!run)
		return [];
	const out = [], add = (id, text) => out.push({ id, text });
	const plural = (n, one) => `${exact(n)} ${one}${
		n === 1			  ? ''
			: /ss$/.test(one) ? 'es'
					  : 's'}`;

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
export function quality(report, metric, index) {
	const out = [], m = report.metrics?.[index], q = report.quality;
	const add = (id, text, title, wrong) => out.push({ id, text, title, wrong: !!wrong });

	add('samples', `${exact(metric.samples)} ${metric.sampled ? 'samples' : metric.unit}`,
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
	const table = rows.map((r) => `${percent(r.events, all)} ${r.outcome} (${
				       exact(r.samples)} samples)`)
			      .join('\n');

	add('recorded', `${percent(all - lost, all)} recorded`, table, lost > LOST * all);
	add('partial', `${percent(partial, all)} with a partial call path`, table,
		partial > LOST * all);
}

/** What is missing altogether; only said if something is. */
function losses(q, add) {
	const count = (x, rows) => (x?.[rows]?.length ?? 0) + (x?.left_out ?? 0);
	const damaged = count(q.skipped_or_damaged, 'files'),
	      programs = count(q.unmeasured, 'programs');
	const list = (rows) =>
		rows.map((r) => (typeof r === 'string'
					 ? r
					 : Object.values(r).filter((v) => v !== null).join(' ')))
			.join('\n');

	if (damaged)
		add('damaged', `${exact(damaged)} files skipped or damaged`,
			list(q.skipped_or_damaged.files), true);
	if (programs)
		add('unmeasured', `${exact(programs)} programs not measured`,
			list(q.unmeasured.programs), true);
	if (q.without_samples)
		add('empty',
			`${exact(q.without_samples)} of ${
				exact(q.profiles)} profiles without samples`,
			'', false);
}
