-- Indexes and views of a profile database, created after the tables are filled.

CREATE INDEX function_name ON function (name);
CREATE INDEX label_key ON label (key, value);
CREATE INDEX label_set_label ON label_set (label);
CREATE INDEX call_callee ON call (callee);
CREATE INDEX call_caller ON call (caller);

CREATE VIEW value AS -- the values of a metric in a context
SELECT i.metric, i.context, coalesce(e.events, 0) AS exclusive_events,
	coalesce(e.samples, 0) AS exclusive_samples,
	i.events AS inclusive_events, i.samples AS inclusive_samples
FROM inclusive i LEFT JOIN exclusive e ON e.metric = i.metric AND e.context = i.context;

CREATE VIEW functions AS -- the hottest functions: one row per function, recursion counted once
SELECT m.measurement, m.name AS metric, f.name AS function, o.base AS module, s.name AS file, f.line,
	v.exclusive_events AS self, v.inclusive_events AS total,
	v.exclusive_samples AS self_samples, v.inclusive_samples AS total_samples,
	round(100.0 * v.exclusive_events / nullif(m.events, 0), 3) AS self_percent,
	round(100.0 * v.inclusive_events / nullif(m.events, 0), 3) AS total_percent,
	CASE WHEN NOT f.inlined THEN 'no' WHEN f.standing THEN 'partly' ELSE 'yes' END AS inlined,
	f.id AS function_id, m.id AS metric_id
FROM function_value v JOIN metric m ON m.id = v.metric JOIN function f ON f.id = v.function
	JOIN module o ON o.id = f.module LEFT JOIN file s ON s.id = f.file
ORDER BY m.id, v.exclusive_events DESC, v.inclusive_events DESC, f.name, f.id;

CREATE VIEW lines AS -- the same by source line
SELECT m.measurement, m.name AS metric, s.name AS file, l.number AS line, f.name AS function,
	o.base AS module, -- of code without a known file
	v.exclusive_events AS self, v.inclusive_events AS total,
	v.exclusive_samples AS self_samples, v.inclusive_samples AS total_samples,
	round(100.0 * v.exclusive_events / nullif(m.events, 0), 3) AS self_percent,
	round(100.0 * v.inclusive_events / nullif(m.events, 0), 3) AS total_percent,
	l.id AS line_id, m.id AS metric_id
FROM line_value v JOIN metric m ON m.id = v.metric JOIN line l ON l.id = v.line
	JOIN file s ON s.id = l.file LEFT JOIN function f ON f.id = l.function LEFT JOIN module o ON o.id = s.module
ORDER BY m.id, v.exclusive_events DESC, v.inclusive_events DESC, s.name, l.number, l.id;

CREATE VIEW files AS -- by source file
SELECT m.measurement, m.name AS metric, s.name AS file, o.base AS module,
	v.exclusive_events AS self, v.inclusive_events AS total,
	v.exclusive_samples AS self_samples, v.inclusive_samples AS total_samples,
	round(100.0 * v.exclusive_events / nullif(m.events, 0), 3) AS self_percent,
	round(100.0 * v.inclusive_events / nullif(m.events, 0), 3) AS total_percent,
	s.id AS file_id, m.id AS metric_id
FROM file_value v JOIN metric m ON m.id = v.metric JOIN file s ON s.id = v.file
	LEFT JOIN module o ON o.id = s.module
ORDER BY m.id, v.exclusive_events DESC, v.inclusive_events DESC, s.name, s.id;

CREATE VIEW modules AS -- by load module
SELECT m.measurement, m.name AS metric, o.name AS module, o.build_id,
	v.exclusive_events AS self, v.inclusive_events AS total,
	v.exclusive_samples AS self_samples, v.inclusive_samples AS total_samples,
	round(100.0 * v.exclusive_events / nullif(m.events, 0), 3) AS self_percent,
	round(100.0 * v.inclusive_events / nullif(m.events, 0), 3) AS total_percent,
	o.id AS module_id, m.id AS metric_id
FROM module_value v JOIN metric m ON m.id = v.metric JOIN module o ON o.id = v.module
ORDER BY m.id, v.exclusive_events DESC, v.inclusive_events DESC, o.name, o.id;

CREATE VIEW labels AS -- what was recorded with each label
SELECT m.measurement, m.name AS metric, l.key, l.value, l.number, sum(v.events) AS total,
	sum(v.samples) AS samples, round(100.0 * sum(v.events) / nullif(m.events, 0), 3) AS percent,
	l.id AS label_id, m.id AS metric_id
FROM label l JOIN label_set s ON s.label = l.id CROSS JOIN metric m ON m.measurement = l.measurement
	JOIN label_value v ON v.metric = m.id AND v.label_set = s.id
GROUP BY m.id, l.id ORDER BY m.id, l.key, sum(v.events) DESC, l.id;

CREATE VIEW label_functions AS -- the same by function, without what it called
SELECT m.measurement, m.name AS metric, l.key, l.value, f.name AS function, o.base AS module,
	sum(v.events) AS self, sum(v.samples) AS self_samples,
	round(100.0 * sum(v.events) / nullif(m.events, 0), 3) AS self_percent,
	l.number, l.id AS label_id, f.id AS function_id, m.id AS metric_id
FROM label l JOIN label_set s ON s.label = l.id CROSS JOIN metric m ON m.measurement = l.measurement
	JOIN label_value v ON v.metric = m.id AND v.label_set = s.id
	JOIN context c ON c.id = v.context JOIN function f ON f.id = c.function JOIN module o ON o.id = f.module
GROUP BY m.id, l.id, f.id ORDER BY m.id, l.key, sum(v.events) DESC, l.id, f.name, f.id;

CREATE VIEW call_path AS -- a context's call path as text, outermost frame first; select a single context
SELECT c.id AS context, (WITH RECURSIVE up (parent, depth, name) AS (
		SELECT c.parent, c.depth, f.name FROM function f WHERE f.id = c.function
		UNION ALL
		SELECT p.parent, p.depth, f.name FROM up JOIN context p ON p.id = up.parent
			JOIN function f ON f.id = p.function)
	SELECT group_concat(name, ' > ') FROM (SELECT name FROM up ORDER BY depth)) AS path
FROM context c;

CREATE VIEW call_paths AS -- the hottest call paths, up to a thousand per metric
SELECT m.measurement, m.name AS metric, h.place, e.events AS self, e.samples AS self_samples,
	round(100.0 * e.events / nullif(m.events, 0), 3) AS self_percent,
	(SELECT path FROM call_path p WHERE p.context = h.context) AS path, s.name AS file,
	l.number AS line, h.context, m.id AS metric_id
FROM metric m CROSS JOIN hottest h ON h.metric = m.id CROSS JOIN context c ON c.id = h.context
	JOIN exclusive e ON e.metric = h.metric AND e.context = h.context
	JOIN line l ON l.id = c.line JOIN file s ON s.id = l.file
ORDER BY m.id, h.place;

CREATE VIEW hot_path AS -- from the root to the heaviest callee of each context
WITH RECURSIVE hot (metric, context, depth) AS (
	SELECT m.id, (SELECT i.context FROM measurement n CROSS JOIN inclusive i
		WHERE n.id = m.measurement AND i.metric = m.id
			AND i.context IN (n.first_context, n.partial_context)
		ORDER BY i.events DESC, i.context LIMIT 1), 0
	FROM metric m WHERE m.events > 0
	UNION ALL -- the first child is the next context, the second follows the last one beneath the first
	SELECT metric, (WITH RECURSIVE child (id, beyond) AS (
			SELECT id + 1, last + 1 FROM context WHERE id = hot.context
			UNION ALL
			SELECT (SELECT c.last + 1 FROM context c WHERE c.id = child.id), beyond
			FROM child WHERE id < beyond)
		SELECT id FROM (SELECT id, (SELECT i.events FROM inclusive i
				WHERE i.metric = hot.metric AND i.context = child.id) AS events
			FROM child WHERE id < beyond)
		WHERE events IS NOT NULL ORDER BY events DESC, id LIMIT 1), depth + 1
	FROM hot WHERE context IS NOT NULL)
SELECT m.measurement, m.name AS metric, hot.depth, f.name AS function, s.name AS file, l.number AS line,
	v.inclusive_events AS total, v.exclusive_events AS self,
	round(100.0 * v.inclusive_events / m.events, 3) AS total_percent, hot.context, m.id AS metric_id
FROM hot CROSS JOIN metric m ON m.id = hot.metric CROSS JOIN context c ON c.id = hot.context
	CROSS JOIN function f ON f.id = c.function CROSS JOIN line l ON l.id = c.line
	CROSS JOIN file s ON s.id = l.file
	CROSS JOIN value v ON v.metric = hot.metric AND v.context = hot.context
ORDER BY m.id, hot.depth;

CREATE VIEW waits AS -- what threads waited for, and the functions that waited
SELECT m.measurement, m.name AS metric, w.kind, f.name AS function, o.base AS module, sum(e.events) AS blocked,
	round(100.0 * sum(e.events) / nullif(m.events, 0), 3) AS percent, f.id AS function_id, m.id AS metric_id
FROM metric m JOIN exclusive e ON e.metric = m.id JOIN wait w ON w.context = e.context
	LEFT JOIN function f ON f.id = w.function LEFT JOIN module o ON o.id = f.module
WHERE m.name = 'BLOCKED'
GROUP BY m.id, w.kind, w.function ORDER BY m.id, sum(e.events) DESC, w.kind, f.name;

CREATE VIEW instruction_values AS -- what instructions produced, all measurements added up: the most frequent value of each kind
WITH each AS (
	SELECT i.id, coalesce(o.build_id, o.name) AS build, i.address, i.what, i.seen, i.zeros, i.same
	FROM instruction_value i JOIN module o ON o.id = i.module),
one AS (
	SELECT min(id) AS id, build, address, what, sum(seen) AS seen, sum(zeros) AS zeros, sum(same) AS same
	FROM each GROUP BY build, address, what),
number AS (
	SELECT e.build, e.address, e.what, v.value, coalesce(t.build_id, t.name) AS target, min(t.base) AS value_module,
		sum(v.at_least) AS at_least,
		row_number() OVER (PARTITION BY e.build, e.address, e.what
			ORDER BY sum(v.at_least) DESC, v.value, coalesce(t.build_id, t.name)) AS place
	FROM each e JOIN frequent_value v ON v.instruction_value = e.id LEFT JOIN module t ON t.id = v.module
	GROUP BY e.build, e.address, e.what, v.value, target),
heat AS (
	SELECT f.hash, sum(v.exclusive_events) AS self FROM function f JOIN function_value v ON v.function = f.id
		JOIN metric m ON m.id = v.metric
	WHERE m.name = (SELECT name FROM metric ORDER BY id LIMIT 1) GROUP BY f.hash)
SELECT h.self, -- of the function, in the first metric
	f.name AS function, o.base AS module, i.address, s.name AS file, l.number AS line, i.kind, u.seen, u.zeros, u.same,
	n.value, n.value_module, -- of kinds that are addresses of code
	n.at_least, round(100.0 * n.at_least / u.seen, 3) AS percent,
	i.what, i.bytes, i.function AS function_id, i.line AS line_id
FROM one u JOIN instruction_value i ON i.id = u.id JOIN module o ON o.id = i.module
	LEFT JOIN number n ON n.build = u.build AND n.address = u.address AND n.what = u.what AND n.place = 1
	LEFT JOIN function f ON f.id = i.function LEFT JOIN line l ON l.id = i.line LEFT JOIN file s ON s.id = l.file
	LEFT JOIN heat h ON h.hash = f.hash
ORDER BY h.self DESC, o.base, i.address, i.what;

CREATE VIEW processes AS -- what was measured, with totals
SELECT p.measurement, p.id AS process, p.command, p.host, p.pid, p.rank, p.start_ns, p.wall_ns, p.cpu_ns,
	p.threads, p."end", m.name AS metric, v.events, v.samples,
	round(100.0 * v.events / nullif(m.events, 0), 3) AS percent
FROM process p LEFT JOIN process_value v ON v.process = p.id LEFT JOIN metric m ON m.id = v.metric
ORDER BY p.id, m.id;

CREATE VIEW thread_groups AS -- threads whose names are alike, by what created them, with totals
SELECT g.measurement, g.id AS thread_group, g.kind, g.name, g.first_name, g.last_name, g.creator, g.threads,
	m.name AS metric, v.events, v.samples, round(100.0 * v.events / nullif(m.events, 0), 3) AS percent
FROM thread_group g LEFT JOIN thread_group_value v ON v.thread_group = g.id LEFT JOIN metric m ON m.id = v.metric
ORDER BY m.id, v.events DESC, g.id;

-- deviation: of a sample, as in --stats: the root of the sum of squared differences from the mean,
-- divided by profiles - 1; NULL for a single profile. Profiles without the function count as 0.
CREATE VIEW statistics AS -- the values of a function in the profiles, and which profile has most
SELECT t.measurement, t.name AS metric, f.name AS function, o.base AS module, t.profiles, t.profiles_with,
	t.least * (t.profiles_with = t.profiles) AS least, t.most, t.most_in, t.mean,
	sqrt(((SELECT sum((v.events - t.mean) * (v.events - t.mean)) FROM profile_function v
			WHERE v.metric = t.metric AND v.function = t.function)
		+ (t.profiles - t.profiles_with) * t.mean * t.mean) / nullif(t.profiles - 1, 0)) AS deviation,
	t.sum, t.function AS function_id, t.metric AS metric_id
FROM (SELECT v.metric, v.function, m.measurement, m.name, n.profiles, count(*) AS profiles_with,
		min(v.events) AS least, max(v.events) AS most, v.profile AS most_in,
		1.0 * sum(v.events) / n.profiles AS mean, sum(v.events) AS sum
	FROM profile_function v JOIN metric m ON m.id = v.metric
		JOIN (SELECT measurement, count(*) AS profiles FROM profile GROUP BY measurement) n
			ON n.measurement = m.measurement
	GROUP BY v.metric, v.function) t
	JOIN function f ON f.id = t.function JOIN module o ON o.id = f.module;

CREATE VIEW imbalance AS -- the gain if the profile with most of a function had only the mean
SELECT measurement, metric, function, module, profiles, most, mean, most_in,
	round(most / mean, 3) AS factor, most - mean AS gain, function_id, metric_id
FROM statistics WHERE sum > 0;

CREATE VIEW quality AS -- the outcome of each sample
SELECT m.measurement, m.name AS metric, a.disposition, a.samples, a.events,
	round(100.0 * a.events / nullif((SELECT sum(b.events) FROM account b WHERE b.metric = a.metric), 0), 3)
		AS percent, a.position < 2 AS is_in_tree
FROM account a JOIN metric m ON m.id = a.metric ORDER BY m.id, a.position;

CREATE VIEW difference AS -- the functions of two measurements, matched by name and module
SELECT d.before, d.after, d.metric, f.name AS function, o.base AS module, d.self_before, d.self_after,
	d.self_after - d.self_before AS self_change, d.total_before, d.total_after,
	d.total_after - d.total_before AS total_change
FROM (SELECT b.id AS before, a.id AS after, m.name AS metric, x.function,
		x.exclusive_events AS self_before, coalesce(y.exclusive_events, 0) AS self_after,
		x.inclusive_events AS total_before, coalesce(y.inclusive_events, 0) AS total_after
	FROM measurement b CROSS JOIN measurement a ON a.id <> b.id CROSS JOIN metric m ON m.measurement = b.id
		LEFT JOIN metric n ON n.measurement = a.id AND n.name = m.name
		JOIN comparable x ON x.metric = m.id
		LEFT JOIN comparable y ON y.metric = n.id AND y.hash = x.hash
	UNION ALL -- functions that are only in the later one
	SELECT b.id, a.id, n.name, y.function, 0, y.exclusive_events, 0, y.inclusive_events
	FROM measurement b CROSS JOIN measurement a ON a.id <> b.id CROSS JOIN metric n ON n.measurement = a.id
		LEFT JOIN metric m ON m.measurement = b.id AND m.name = n.name
		JOIN comparable y ON y.metric = n.id
	WHERE NOT EXISTS (SELECT 1 FROM comparable x WHERE x.metric = m.id AND x.hash = y.hash)) d
	CROSS JOIN function f ON f.id = d.function CROSS JOIN module o ON o.id = f.module;
