#!/bin/bash
# Databases of real measurements: agreement with the other views, in both directions; the same
# bytes; whole files or none; queries, what they may and may not do; real questions.
. "$(dirname "$0")/../lib/tap.sh"
. "$top/tests/lib/measure.sh"

command -v sqlite3 >/dev/null || skip_all "sqlite3 is not installed"

"$hpcrun" -q -o recursion "$(program recursion)" >/dev/null
"$hpcrun" -q -o threads "$(program threads8)" >/dev/null
"$hpcrun" -q -o cxx "$(program cxx)" 2 >/dev/null
"$hpcrun" -q -o processes sh -c 'ls -lR /usr/share/doc | sort | tail -n 1' >/dev/null
all='recursion threads cxx processes'

sql() { # sql DATABASE SQL: its rows, or the error
	sqlite3 -batch "$1" "$2" 2>&1
}

for d in $all; do
	check "$d: a database" "$hpcprof" db --per-profile yes -o "$d.db" "$d"
	is "$d: integrity" "$(sql "$d.db" 'PRAGMA integrity_check')" ok
	is "$d: foreign keys" "$(sql "$d.db" 'PRAGMA foreign_key_check')" ""
	"$hpcprof" db --per-profile yes -j 1 -o again.db "$d"
	check "$d: the same bytes again, with one thread" cmp "$d.db" again.db
	check "$d: agrees with itself" lib dbcheck.py --itself "$d.db"
	"$hpcprof" db --no-inline --per-profile yes -o plain.db "$d"
	check "$d: agrees with text and XML" lib dbcheck.py "$hpcprof" "$d" plain.db
	"$hpcprof" -n 0 "$d" | sed '/^Quality/,$d' >from.data
	"$hpcprof" -n 0 "$d.db" | sed '/^Quality/,$d' >from.db
	check "$d: the text view of the database" cmp from.data from.db
	for view in 'tree --min 0' 'tree --bottom-up' xml 'xml --callpath' 'callers main' 'callees main'; do
		# shellcheck disable=SC2086 # words
		if "$hpcprof" $view "$d" >from.data 2>/dev/null; then
			"$hpcprof" $view "$d.db" >from.db 2>/dev/null
			check "$d: $view of the database" cmp from.data from.db
		fi
	done
	"$hpcprof" db --per-profile no -o twice.db "$d.db"
	for table in context exclusive inclusive function_value line_value call account; do
		sql "$d.db" "SELECT * FROM $table" >from.data
		sql twice.db "SELECT * FROM $table" >from.db
		check "$d: a database of the database: $table" cmp from.data from.db
	done
done

# Everything is described: no column without a word on it or a name that says it.
is "each table has a comment" "$(sql cxx.db "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND
	name NOT LIKE 'sqlite_%' AND sql NOT LIKE '%--%'")" 0
is "application_id" "$(sql cxx.db 'PRAGMA application_id')" "$((0x48504370))"

# Several measurements.
"$hpcprof" db -o history.db recursion
"$hpcprof" db --append -o history.db cxx
check "append" "$hpcprof" db --append -o history.db recursion
is "three measurements" "$(sql history.db 'SELECT count(*) FROM measurement')" 3
is "integrity" "$(sql history.db 'PRAGMA integrity_check; PRAGMA foreign_key_check')" ok
is "contexts of the same measurement match" "$(sql history.db "SELECT count(*) FROM context a JOIN context b ON b.hash = a.hash
	JOIN measurement m ON m.id = 1 JOIN measurement n ON n.id = 3 WHERE a.id BETWEEN m.first_context AND m.last_context
	AND b.id BETWEEN n.first_context AND n.last_context AND a.depth = b.depth")" \
	"$(sql recursion.db 'SELECT count(*) FROM context')"
is "which functions grew: none between two of the same" \
	"$("$hpcprof" query --format csv difference 1 3 history.db | wc -l)" 1
is "all that the other has is new" \
	"$(sql history.db 'SELECT sum(self_after) FROM difference WHERE before = 1 AND after = 2')" \
	"$(sql cxx.db 'SELECT events FROM metric')"
is "over time" "$("$hpcprof" query --format csv over-time mix history.db | wc -l)" 3

# CSV.
check "csv" "$hpcprof" db --csv tables recursion
is "a file a table" "$(ls tables | wc -l)" "$(sql recursion.db "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")"
sqlite3 loaded.db '.mode csv' '.import tables/exclusive.csv exclusive' 2>/dev/null
is "that can be read back" "$(sql loaded.db 'SELECT sum(events) FROM exclusive')" \
	"$(sql recursion.db 'SELECT sum(events) FROM exclusive')"

# Whole or not at all.
is "-o is needed" "$("$hpcprof" db recursion >/dev/null 2>&1; echo $?)" 2
mkdir closed
cp recursion.db closed/old.db
before=$(md5sum <closed/old.db)
(ulimit -f 16; "$hpcprof" db -o closed/old.db cxx 2>errors)
is "a full disk leaves the old file" "$(md5sum <closed/old.db)" "$before"
check "and says so" grep -q 'closed/old.db: ' errors
is "and nothing else" "$(ls closed)" old.db
yes cxx | head -n 400 >list
for signal in INT TERM; do
	for delay in 0.02 0.05 0.1 0.2; do
		timeout --preserve-status -s "$signal" "$delay" "$hpcprof" db -q -o closed/old.db threads cxx processes 2>/dev/null
		[ "$(ls closed)" = old.db ] || not_ok "$signal after $delay leaves nothing behind" "$(ls closed)"
		[ "$(sql closed/old.db 'PRAGMA integrity_check')" = ok ] || not_ok "$signal after $delay leaves a whole file"
	done
done
ok "signals leave a whole file and nothing else"

# Queries.
query() { # query ARGUMENT...: rows as CSV without the names
	"$hpcprof" query --format csv "$@" | tail -n +2
}
for name in $("$hpcprof" query --list | awk '{ print $1 }'); do
	case $name in
	callers | callees | over-time) arguments=main ;;
	beneath | path | deep) arguments=3 ;;
	difference) arguments='1 3' ;;
	ranks) arguments=CPUTIME ;;
	matching) arguments=^m ;;
	*) arguments= ;;
	esac
	# shellcheck disable=SC2086 # words
	check "query $name" "$hpcprof" query "$name" $arguments history.db
done
is "of a database and of datafiles the same" "$(query functions recursion.db)" "$(query functions recursion)"
is "JSON" "$("$hpcprof" query --format json functions recursion | "$python" -c 'import json, sys; print(len(json.load(sys.stdin)))')" \
	"$(query functions recursion | wc -l)"
is "callers are those of the view" "$(query callers mix recursion | cut -d, -f2,4 | sort)" \
	"$(sql recursion.db "SELECT r.name || ',' || c.inclusive_events FROM call c JOIN function f ON f.id = c.callee AND f.name = 'mix'
		JOIN function r ON r.id = c.caller" | sort)"
check "parameters of SQL" test "$(query 'SELECT count(*) FROM function WHERE name = ?' fib recursion.db)" = 1
refused() { # refused STATUS WORDS ARGUMENT...
	local status=$1 words=$2
	shift 2
	timeout 60 "$hpcprof" query "$@" >out 2>errors
	is "$*: status" "$?" "$status"
	check "$*: $words" grep -qF "$words" errors
}
before=$(md5sum <recursion.db)
refused 2 'can only read' 'DELETE FROM context' recursion.db
refused 2 'can only read' 'CREATE TABLE t (x)' recursion.db
refused 2 'can only read' "ATTACH 'x.db' AS x" recursion.db
refused 2 'can only read' 'PRAGMA user_version = 7' recursion.db
refused 2 'can only read' 'PRAGMA journal_mode = WAL' recursion.db
refused 2 'can only read' "VACUUM INTO 'x.db'" recursion.db
refused 2 'not authorized' "SELECT load_extension('x')" recursion.db
refused 2 'line 2, column 6' 'SELECT 1
FROM nothing' recursion.db
refused 2 "column 22: 'functions'" 'SELECT function  fro functions' recursion.db
refused 2 'another' 'SELECT 1; SELECT 2' recursion.db
refused 2 'no SQL' ' ' recursion.db
refused 2 'no query is called' nonesuch recursion.db
refused 2 'takes 1 argument' callers recursion.db
refused 3 'longer than 0.5 seconds' --time-limit 0.5 'WITH RECURSIVE c (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT max(x) FROM c' recursion.db
refused 3 'more than 8 MiB' --memory-limit 8 "SELECT length(hex(zeroblob(20000000)))" recursion.db
is "nothing was written" "$(md5sum <recursion.db)" "$before"
check "nor made" test ! -e x.db

# Bad files.
head -c 20000 cxx.db >cut.db
refused 3 'cut.db' functions cut.db
"$hpcprof" cut.db >out 2>errors
is "a cut database is no PROFILE" $? 3
check "as is told" grep -q 'cut.db: ' errors
for at in 100 5000 20000 60000 90000 120000; do
	cp cxx.db damaged.db
	head -c 3000 /dev/urandom | dd of=damaged.db bs=1 seek="$at" conv=notrunc 2>/dev/null
	timeout 60 "$hpcprof" damaged.db >/dev/null 2>errors
	status=$?
	[ "$status" -le 3 ] || not_ok "damage at $at: status $status"
	timeout 60 "$hpcprof" query functions damaged.db >/dev/null 2>errors
	status=$?
	[ "$status" -le 3 ] || not_ok "a query of damage at $at: status $status"
done
ok "damage ends in a message"
sqlite3 other.db 'CREATE TABLE t (x)'
refused 3 'not a profile database' functions other.db
cp cxx.db later.db
sql later.db 'PRAGMA user_version = 2'
refused 3 'a newer hpcprof wrote it' functions later.db

# The extension.
raw() { # raw SQL: in the sqlite3 shell, with the extension
	sqlite3 -batch :memory: ".load $BUILD/lib/hpcprof_sqlite" "$1" 2>&1
}
file=$(ls threads/*.csp)
for what in metrics threads trees; do
	check "csprof_$what has rows" test "$(raw "SELECT count(*) FROM csprof_$what('$file')")" -gt 0
done
is "csprof_modules names the program" "$(raw "SELECT count(*) FROM csprof_modules('$file') WHERE epoch = 0 AND name = '$(program threads8)'")" 1
is "csprof_nodes has all nodes" "$(raw "SELECT count(*) FROM csprof_nodes('$file')")" \
	"$(raw "SELECT sum(nodes) FROM csprof_trees('$file')")"
is "of one tree, too" "$(raw "SELECT count(*) FROM csprof_nodes('$file') WHERE tree = 2")" \
	"$(raw "SELECT nodes FROM csprof_trees('$file') WHERE number = 2")"
is "of a tree that is not there" "$(raw "SELECT count(*) FROM csprof_nodes('$file') WHERE tree IN (-1, 1000000)")" 0
is "csprof_values add up" "$(raw "SELECT sum(value) FROM csprof_values('$file') WHERE metric = 0")" \
	"$(sql threads.db 'SELECT events FROM metric')"
is "csprof_account adds up, too" "$(raw "SELECT sum(weight) FROM csprof_account('$file') WHERE metric = 0 AND disposition IN ('recorded', 'partial')")" \
	"$(sql threads.db 'SELECT events FROM metric')"
is "hpcprof_contexts is the table of contexts" \
	"$(raw "SELECT context, last, depth, function, line, inlined, exclusive_events, inclusive_samples FROM hpcprof_contexts('cxx') WHERE parent")" \
	"$(sql cxx.db 'SELECT c.id, c.last, c.depth, f.name, l.number, c.inlined, v.exclusive_events, v.inclusive_samples FROM context c
		JOIN function f ON f.id = c.function JOIN line l ON l.id = c.line JOIN value v ON v.context = c.id ORDER BY c.id')"
check "a file that is not there is told" grep -q '/nonesuch: cannot be opened' <(raw "SELECT * FROM csprof_nodes('/nonesuch')")
check "and one that is no datafile" grep -q 'expected magic' <(raw "SELECT * FROM csprof_nodes('cxx.db')")
check "and none at all" grep -q 'takes the name of a datafile' <(raw 'SELECT * FROM csprof_nodes')
check "a join over two of them" test "$(raw "SELECT count(*) FROM csprof_trees('$file') t JOIN csprof_nodes('$file') n ON n.tree = t.number WHERE t.thread = 1")" -gt 0
is "hpcprof query has them, too" "$(query "SELECT count(*) FROM csprof_nodes('$file')" cxx.db)" "$(raw "SELECT count(*) FROM csprof_nodes('$file')")"

# Real questions, with answers from another side.
is "time per library by thread" \
	"$(query threads threads | awk -F, '{ s += $6 } END { printf "%d\n", s }')" "$(sql threads.db 'SELECT events FROM metric')"
is "the ten lines with most samples in inlined code are no more than the lines have" \
	"$(sql cxx.db "SELECT count(*) FROM (SELECT c.line, sum(e.samples) AS n FROM exclusive e JOIN context c ON c.id = e.context
		WHERE c.inlined GROUP BY c.line ORDER BY n DESC LIMIT 10) t JOIN line_value v ON v.line = t.line
		WHERE t.n > v.exclusive_samples")" 0
is "contexts deeper than 100" "$(query 'SELECT count(*) FROM context WHERE depth > 100' recursion)" \
	"$(query 'WITH RECURSIVE d (id, n) AS (SELECT id, 0 FROM context WHERE parent IS NULL UNION ALL
		SELECT c.id, d.n + 1 FROM d JOIN context c ON c.parent = d.id) SELECT count(*) FROM d WHERE n > 100' recursion)"
is "fib is never seen without main above it" "$(sql recursion.db "SELECT count(*) FROM context c JOIN function f ON f.id = c.function
	WHERE f.name = 'fib' AND NOT EXISTS (SELECT 1 FROM context a JOIN function g ON g.id = a.function
	WHERE g.name = 'main' AND c.id BETWEEN a.first AND a.last)")" 0
is "the share of time beneath ^fib$ is fib's total" "$(query matching '^fib$' recursion.db | cut -d, -f2)" \
	"$(query "SELECT total FROM functions WHERE function = 'fib'" recursion.db)"
is "is_beneath agrees with the range" "$(query "SELECT count(*) FROM context a, context b WHERE is_beneath(a.id, b.id) <> (a.id BETWEEN b.id AND b.last)" recursion.db)" 0

# From outside.
is "python3 reads it" "$("$python" -c "import sqlite3
print(sqlite3.connect('cxx.db').execute('SELECT sum(self) FROM functions').fetchone()[0])")" \
	"$(sql cxx.db 'SELECT events FROM metric')"
if "$python" -c 'import pandas' 2>/dev/null; then
	is "and so does pandas" "$("$python" -c "import pandas, sqlite3
print(int(pandas.read_sql('SELECT * FROM functions', sqlite3.connect('cxx.db')).self.sum()))")" \
		"$(sql cxx.db 'SELECT events FROM metric')"
else
	skip "pandas reads it" "python3-pandas is not installed"
fi
done_testing
