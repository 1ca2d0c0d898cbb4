-- The named queries of hpcprof query. Each begins with a line "-- name: NAME PARAMETER..." and a
-- line that describes it. Its parameters are ?1, ?2 and so on.

-- name: functions
-- the functions with most in themselves
SELECT metric, function, module, self, self_percent, total, total_percent, inlined
FROM functions LIMIT 100;

-- name: lines
-- the source lines with most in themselves
SELECT metric, coalesce(file, '(no source) ' || module) AS file, line, function, self, self_percent, total,
	total_percent FROM lines LIMIT 100;

-- name: inlined-lines
-- the ten lines with most samples in code that was inlined
SELECT metric, file, line, function, module, samples, self, share FROM (
	SELECT m.id, m.name AS metric, s.name AS file, l.number AS line, o.base AS module, v.samples, v.events AS self,
		CASE v.functions WHEN 1 THEN f.name ELSE v.functions || ' functions' END AS function,
		round(100.0 * v.events / nullif(m.events, 0), 3) AS share,
		row_number() OVER (PARTITION BY m.id ORDER BY v.samples DESC, v.events DESC, v.line) AS place
	FROM (SELECT metric, line, min(function) AS function, count(*) AS functions, sum(events) AS events,
			sum(samples) AS samples FROM inlined_line GROUP BY metric, line) v
		JOIN metric m ON m.id = v.metric JOIN line l ON l.id = v.line
		JOIN file s ON s.id = l.file JOIN function f ON f.id = v.function JOIN module o ON o.id = f.module)
WHERE place <= 10 ORDER BY id, place;

-- name: modules
-- the load modules with most in themselves
SELECT metric, module, self, self_percent, total, total_percent FROM modules LIMIT 100;

-- name: paths
-- the call paths with most at their ends
SELECT metric, self, self_percent, path, file, line, context FROM call_paths LIMIT 20;

-- name: values
-- values of instructions that are nearly always the same, those of the hottest functions first
SELECT self, function, module, printf('0x%x', address) AS address, file, line, kind, value, value_module, percent, seen
FROM instruction_values WHERE percent >= 90 AND seen >= 10 AND NOT (value = 0 AND
	(kind LIKE 'stride of %' OR kind LIKE '% store')) AND kind <> 'address'
LIMIT 100;

-- name: labels
-- what was recorded with each of the program's labels, by key
SELECT metric, key, value, total, percent, samples FROM (
	SELECT metric, metric_id, key, value, total, percent, samples, label_id,
		row_number() OVER (PARTITION BY metric_id, key ORDER BY total DESC, label_id) AS place FROM labels)
WHERE place <= 100 ORDER BY metric_id, key, place;

-- name: label-functions KEY
-- for each value of a label, the ten functions with most in themselves
SELECT metric, value, total, function, module, self, share FROM (
	SELECT f.metric, f.metric_id, f.value, f.label_id, t.total, f.function, f.module, f.self, f.function_id,
		round(100.0 * f.self / nullif(t.total, 0), 3) AS share,
		dense_rank() OVER (PARTITION BY f.metric_id ORDER BY t.total DESC, f.label_id) AS label_place,
		row_number() OVER (PARTITION BY f.metric_id, f.label_id ORDER BY f.self DESC, f.function_id) AS place
	FROM label_functions f JOIN labels t ON t.metric_id = f.metric_id AND t.label_id = f.label_id
	WHERE f.key = ?1 AND t.key = ?1)
WHERE place <= 10 AND label_place <= 20 ORDER BY metric_id, label_place, place;

-- name: hot-path
-- from the root on, always the heaviest callee
SELECT metric, depth, function, file, line, total, total_percent, self, context FROM hot_path;

-- name: callers FUNCTION
-- what called a function, and how much is on call paths with that call
SELECT m.name AS metric, coalesce(r.name, '(outermost)') AS caller, o.base AS module, f.name AS function,
	w.inclusive_events AS total,
	round(100.0 * w.inclusive_events / nullif(v.inclusive_events, 0), 3) AS share,
	w.exclusive_events AS self
FROM function f JOIN call c ON c.callee = f.id CROSS JOIN metric m
	CROSS JOIN call_value w ON w.metric = m.id AND w.call = c.id
	JOIN function_value v ON v.metric = m.id AND v.function = f.id
	LEFT JOIN function r ON r.id = c.caller LEFT JOIN module o ON o.id = r.module
WHERE f.id IN (SELECT id FROM function WHERE name = ?1
	UNION SELECT id FROM function WHERE linkage_name = ?1 OR substr(name, 1, length(?1) + 1) = ?1 || '(')
ORDER BY m.id, f.id, w.inclusive_events DESC, w.exclusive_events DESC, caller;

-- name: callees FUNCTION
-- what a function called
SELECT m.name AS metric, f.name AS function, e.name AS callee, o.base AS module, w.inclusive_events AS total,
	round(100.0 * w.inclusive_events / nullif(v.inclusive_events, 0), 3) AS share,
	w.exclusive_events AS self
FROM function f JOIN call c ON c.caller = f.id CROSS JOIN metric m
	CROSS JOIN call_value w ON w.metric = m.id AND w.call = c.id
	JOIN function_value v ON v.metric = m.id AND v.function = f.id JOIN function e ON e.id = c.callee
	JOIN module o ON o.id = e.module
WHERE f.id IN (SELECT id FROM function WHERE name = ?1
	UNION SELECT id FROM function WHERE linkage_name = ?1 OR substr(name, 1, length(?1) + 1) = ?1 || '(')
ORDER BY m.id, f.id, w.inclusive_events DESC, w.exclusive_events DESC, callee;

-- name: beneath CONTEXT
-- what a context called, heaviest first (hot-path and paths give the numbers of contexts)
WITH RECURSIVE child (id, beyond) AS ( -- the first is the next context, the second follows the last one beneath the first
	SELECT id + 1, last + 1 FROM context WHERE id = CAST(?1 AS INTEGER)
	UNION ALL SELECT (SELECT c.last + 1 FROM context c WHERE c.id = child.id), beyond
	FROM child WHERE id < beyond)
SELECT m.name AS metric, c.id AS context, f.name AS function, s.name AS file, l.number AS line,
	v.inclusive_events AS total, v.exclusive_events AS self,
	round(100.0 * v.inclusive_events / nullif(u.events, 0), 3) AS share
FROM child CROSS JOIN context c ON c.id = child.id AND child.id < child.beyond CROSS JOIN metric m CROSS JOIN value v ON v.metric = m.id AND v.context = c.id
	JOIN inclusive u ON u.metric = v.metric AND u.context = c.parent
	JOIN function f ON f.id = c.function JOIN line l ON l.id = c.line JOIN file s ON s.id = l.file
ORDER BY m.id, v.inclusive_events DESC, c.id;

-- name: path CONTEXT
-- the call path of a context, a frame a row, the outermost first
WITH RECURSIVE up (id, parent, depth) AS (
	SELECT id, parent, depth FROM context WHERE id = CAST(?1 AS INTEGER)
	UNION ALL SELECT c.id, c.parent, c.depth FROM up JOIN context c ON c.id = up.parent)
SELECT up.depth, f.name AS function, s.name AS file, l.number AS line, c.inlined, up.id AS context
FROM up JOIN context c ON c.id = up.id JOIN function f ON f.id = c.function
	JOIN line l ON l.id = c.line JOIN file s ON s.id = l.file ORDER BY up.depth;

-- name: matching REGEX
-- what share was recorded in or beneath functions whose names match an expression, each path once
WITH found AS (SELECT c.id, c.last, c.measurement, max(c.last) OVER
		(ORDER BY c.id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
	FROM (SELECT x.id, x.last, o.measurement FROM function f JOIN module o ON o.id = f.module
		CROSS JOIN outermost y ON y.function = f.id CROSS JOIN context x ON x.id = y.context
		WHERE f.name REGEXP ?1) c)
SELECT m.name AS metric, sum(i.events) AS total,
	round(100.0 * sum(i.events) / nullif(m.events, 0), 3) AS share, count(*) AS contexts
FROM found CROSS JOIN metric m ON m.measurement = found.measurement
	CROSS JOIN inclusive i ON i.metric = m.id AND i.context = found.id
WHERE coalesce(found.before, 0) < found.id GROUP BY m.id;

-- name: over-time FUNCTION
-- a function in all measurements of the database, the earliest first
SELECT n.id AS measurement, n.name, datetime(n.start_ns / 1000000000, 'unixepoch') AS start,
	m.name AS metric, f.name AS function, v.exclusive_events AS self, v.inclusive_events AS total,
	round(100.0 * v.exclusive_events / nullif(m.events, 0), 3) AS self_percent
FROM function f JOIN function_value v ON v.function = f.id JOIN metric m ON m.id = v.metric
	JOIN measurement n ON n.id = m.measurement
WHERE f.id IN (SELECT id FROM function WHERE name = ?1
	UNION SELECT id FROM function WHERE linkage_name = ?1 OR substr(name, 1, length(?1) + 1) = ?1 || '(')
ORDER BY m.name, n.start_ns, n.id, f.id;

-- name: difference BEFORE AFTER
-- the functions that changed most from one measurement to another, by their numbers in table measurement
SELECT metric, function, module, self_before, self_after, self_change, total_change FROM difference
WHERE before = CAST(?1 AS INTEGER) AND after = CAST(?2 AS INTEGER) AND self_change <> 0
ORDER BY metric, abs(self_change) DESC, function LIMIT 100;

-- name: grew BEFORE AFTER
-- the functions that had more in themselves in a later measurement, by how much more
SELECT metric, function, module, self_before, self_after, self_change, total_change FROM difference
WHERE before = CAST(?1 AS INTEGER) AND after = CAST(?2 AS INTEGER) AND self_change > 0
ORDER BY metric, self_change DESC, function LIMIT 100;

-- name: measurements
-- what is in the database
SELECT id, name, command, datetime(start_ns / 1000000000, 'unixepoch') AS start,
	last_context - first_context + 1 AS contexts FROM measurement;

-- name: processes
-- the program images, with their totals
SELECT process, command, host, pid, rank, metric, events, samples, percent FROM processes;

-- name: ranks METRIC
-- which rank has most of a metric, and in which function
SELECT p.rank, p.host, p.pid, v.events, round(100.0 * v.events / nullif(m.events, 0), 3) AS percent,
	f.name AS most_in
FROM metric m JOIN process_value v ON v.metric = m.id JOIN process p ON p.id = v.process
	LEFT JOIN process_most x ON x.metric = m.id AND x.process = p.id LEFT JOIN function f ON f.id = x.function
WHERE m.name = ?1 ORDER BY v.events DESC, p.id;

-- name: threads
-- what each thread recorded in each load module
SELECT q.id AS profile, q.tid, q.name AS thread, m.name AS metric, o.base AS module, x.events AS self,
	round(100.0 * x.events / nullif(m.events, 0), 3) AS percent
FROM profile_module x JOIN profile q ON q.id = x.profile JOIN metric m ON m.id = x.metric
	JOIN module o ON o.id = x.module
ORDER BY q.id, m.id, x.events DESC, o.base;

-- name: thread-groups
-- the threads by their names, in which numbers may differ, and by the function that created them
SELECT metric, events, percent, threads, kind, name, creator FROM thread_groups;

-- name: waits
-- what threads waited for, and in which functions (hpcrun -e REALTIME measures it)
SELECT blocked, percent, kind, function, module FROM waits LIMIT 100;

-- name: activations
-- how often functions were called, as far as samples have seen it (hpcrun --mark marks), and how long each call took
WITH RECURSIVE counted AS ( -- flags: 8 returns, 16 activations, 32 what was left in another way
	SELECT m.measurement, c.function, sum(v.events) FILTER (WHERE m.flags & 16) AS activations,
		sum(v.events) FILTER (WHERE m.flags & 8) AS returned,
		sum(v.events) FILTER (WHERE m.flags & 32) AS abandoned
	FROM metric m JOIN exclusive v ON v.metric = m.id JOIN context c ON c.id = v.context
	WHERE m.flags & 56 GROUP BY m.measurement, c.function),
time AS (
	SELECT min(id) AS id FROM metric WHERE sampled AND events > 0
		AND measurement IN (SELECT measurement FROM counted) GROUP BY measurement),
timed AS ( -- a function that is on a path several times was called so often
	SELECT v.metric, c.function, sum(v.events) AS total
	FROM time CROSS JOIN inclusive v ON v.metric = time.id JOIN context c ON c.id = v.context
	WHERE NOT c.inlined GROUP BY v.metric, c.function),
climb(metric, events, context) AS ( -- from inlined code, and what the kernel did, to the function's frame
	SELECT v.metric, v.events, v.context FROM time CROSS JOIN exclusive v ON v.metric = time.id
	UNION ALL
	SELECT b.metric, b.events, c.parent FROM climb b JOIN context c ON c.id = b.context
		JOIN function f ON f.id = c.function
	WHERE c.inlined OR f.module IN (SELECT id FROM module WHERE name = '[kernel]')),
innermost AS (
	SELECT b.metric, c.function, sum(b.events) AS events FROM climb b JOIN context c ON c.id = b.context
	WHERE NOT c.inlined GROUP BY b.metric, c.function)
-- each_at_most: as hpcprof/metrics/activations.h says
SELECT m.name AS metric, f.name AS function, o.base AS module, t.total, n.activations,
	round(1.0 * t.total / n.activations) AS each, coalesce(n.returned, 0) AS returned,
	coalesce(n.abandoned, 0) AS abandoned,
	coalesce(pow(1.0 * i.events / nullif(t.total, 0), max(0.8 * t.total * m.samples / m.events / n.activations, 1))
		> 0.2, 0) AS each_at_most
FROM timed t JOIN metric m ON m.id = t.metric JOIN counted n USING (measurement, function)
	LEFT JOIN innermost i ON i.metric = t.metric AND i.function = t.function
	JOIN function f ON f.id = t.function JOIN module o ON o.id = f.module
WHERE n.activations ORDER BY n.measurement, t.total DESC, function LIMIT 100;

-- name: imbalance
-- the functions that would gain most from an even distribution over the profiles
SELECT metric, function, module, profiles, most, most_in, round(mean) AS mean, factor, round(gain) AS gain
FROM imbalance WHERE profiles > 1 ORDER BY metric, gain DESC, function LIMIT 100;

-- name: deep DEPTH
-- contexts that are deeper than so many frames, the deepest first, with what is beneath them
SELECT c.id AS context, c.depth, f.name AS function, s.name AS file, l.number AS line, m.name AS metric,
	i.events AS total
FROM (SELECT x.id, x.depth, x.function, x.line FROM deepest d JOIN context x ON x.id = d.context
		WHERE x.depth > CAST(?1 AS INTEGER) ORDER BY x.depth DESC, x.id LIMIT 100) c
	JOIN function f ON f.id = c.function JOIN line l ON l.id = c.line JOIN file s ON s.id = l.file
	LEFT JOIN inclusive i ON i.context = c.id AND i.metric IN (SELECT id FROM metric)
	LEFT JOIN metric m ON m.id = i.metric
ORDER BY c.depth DESC, c.id, m.id;

-- name: only-beneath FUNCTION
-- the functions that are never seen but beneath another, by what is beneath them
WITH above AS (SELECT x.id, x.last FROM outermost y CROSS JOIN context x ON x.id = y.context
		WHERE y.function IN (SELECT id FROM function WHERE name = ?1
		UNION SELECT id FROM function WHERE linkage_name = ?1 OR substr(name, 1, length(?1) + 1) = ?1 || '(')),
	widest AS (SELECT id, last FROM (SELECT id, last, max(last) OVER
			(ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before FROM above)
		WHERE coalesce(before, 0) < id),
	-- the ranges between them, the widest first: the contexts from low to high are beneath none
	-- of them
	gap AS MATERIALIZED (SELECT low, high FROM (
			SELECT coalesce(lag(last) OVER (ORDER BY id), 0) + 1 AS low, id AS high FROM widest
			UNION ALL SELECT max(last) + 1, 9223372036854775807 FROM widest)
		ORDER BY high - low DESC),
	only AS MATERIALIZED (SELECT f.id FROM function f WHERE EXISTS (SELECT 1 FROM above) AND NOT EXISTS (
		SELECT 1 FROM gap WHERE EXISTS (SELECT 1 FROM outermost y
			WHERE y.function = f.id AND y.context BETWEEN gap.low AND gap.high)))
SELECT m.name AS metric, f.name AS function, o.base AS module, v.exclusive_events AS self,
	v.inclusive_events AS total, round(100.0 * v.inclusive_events / nullif(m.events, 0), 3) AS total_percent
FROM only CROSS JOIN metric m CROSS JOIN function_value v ON v.metric = m.id AND v.function = only.id
	JOIN function f ON f.id = only.id JOIN module o ON o.id = f.module
ORDER BY m.id, v.inclusive_events DESC, v.exclusive_events DESC, f.name, f.id LIMIT 100;

-- name: quality
-- the outcome of each sample
SELECT metric, disposition, samples, events, percent FROM quality WHERE events OR samples;
