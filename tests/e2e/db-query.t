#!/bin/bash
# hpcprof query: the shipped queries, forms of output, errors that say where, limits, and that
# nothing can be written; databases in bad places and bad databases.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"
. "$top/tests/lib/shell/database.sh"

measured recursion
measured cxx 2
"$hpcprof" db -q -o history.db recursion
"$hpcprof" db -q --append -o history.db recursion

# ---- all that have names --------------------------------------------------------------------
sed -n '/^The named queries are/,/^\.SH/p' "$top/share/man/hpcprof-query.1" | tr -d '\\' >queries.man
check "the manual lists the named queries" test -s queries.man
for name in $("$hpcprof" query --list | awk '{ print $1 }'); do
	case $name in
	callers | callees | over-time | only-beneath) arguments=main ;;
	beneath | path | deep) arguments=3 ;;
	difference | grew) arguments='1 2' ;;
	ranks) arguments=CPUTIME ;;
	matching) arguments=^m ;;
	label-functions) arguments=request ;;
	*) arguments= ;;
	esac
	# shellcheck disable=SC2086 # words
	check "query $name" "$hpcprof" query "$name" $arguments history.db
	check "query $name is in the manual" grep -qwF -- "$name" queries.man
done
is "of a database and of datafiles the same" "$(query functions recursion.db)" "$(query functions recursion)"
is "callers are those of the view" "$(query callers mix recursion | cut -d, -f2,5 | sort)" \
	"$(sql recursion.db "SELECT r.name || ',' || v.inclusive_events FROM call_value v JOIN call c ON c.id = v.call JOIN function f ON f.id = c.callee AND f.name = 'mix'
		JOIN function r ON r.id = c.caller" | sort)"
is "is_beneath agrees with the range" "$(query "SELECT count(*) FROM context a, context b WHERE is_beneath(a.id, b.id) <> (a.id BETWEEN b.id AND b.last)" recursion.db)" 0
is "path_text is the view call_path" "$(query "SELECT count(*) FROM call_path WHERE path IS NOT path_text(context)" recursion.db)" 0
is "the path of a context is its text" \
	"$(query path "$(query 'SELECT max(context) FROM hot_path' recursion.db)" recursion.db | cut -d, -f2 | paste -sd '>' | sed 's/>/ > /g')" \
	"$(query 'SELECT path FROM call_path WHERE context = (SELECT max(context) FROM hot_path)' recursion.db)"

# ---- forms ----------------------------------------------------------------------------------
rows="SELECT 1 AS whole, 2.5 AS part, NULL AS \"nothing\", 'it''s \"a, b\"' AS text, '' AS empty, x'4142' AS bytes"
is "csv" "$("$hpcprof" query --format csv "$rows" cxx.db)" "whole,part,nothing,text,empty,bytes
1,2.5,,\"it's \"\"a, b\"\"\",\"\",AB"
is "json" "$("$hpcprof" query --format json "$rows" cxx.db)" '[
 {"whole": 1, "part": 2.5, "nothing": null, "text": "it'"'"'s \"a, b\"", "empty": "", "bytes": "AB"}
]'
is "a table" "$("$hpcprof" query "SELECT 'one' AS name, 12345 AS value UNION ALL SELECT 'another', 6" cxx.db)" \
	"  name     value
  one      12345
  another      6"
is "JSON of all functions" "$("$hpcprof" query --format json functions cxx | "$python" -c 'import json, sys; print(len(json.load(sys.stdin)))')" \
	"$(query functions cxx | wc -l)"
is "CSV of all functions" "$("$hpcprof" query --format csv functions cxx | "$python" -c 'import csv, sys; print(len(list(csv.DictReader(sys.stdin))))')" \
	"$(query functions cxx | wc -l)"
is "-n cuts" "$(query -n 2 functions cxx.db | wc -l)" 2
check "-o writes a file" "$hpcprof" query --format csv -o rows.csv functions cxx.db
is "that has the rows" "$(tail -n +2 rows.csv)" "$(query functions cxx.db)"
is "a parameter" "$(query 'SELECT count(*) FROM function WHERE name = ?' fib recursion.db)" 1
is "two parameters" "$(query 'SELECT ?2 - ?1' 3 5 recursion.db)" 2
is "a name in quotes and lines" "$(query 'SELECT length(?1)' "a'b\"c
d" recursion.db)" 7
is "a name that is no UTF-8" "$(query 'SELECT hex(?1)' $'\xff\xfe' recursion.db)" FFFE

# ---- what may not be asked ------------------------------------------------------------------
before=$(md5sum <recursion.db)
for statement in 'DELETE FROM context' 'UPDATE context SET depth = 1' "INSERT INTO loss VALUES (1, 'x', 'y', 0)" \
	'CREATE TABLE t (x)' 'CREATE TEMP TABLE t (x)' 'DROP TABLE context' 'ALTER TABLE context RENAME TO c' \
	"ATTACH 'x.db' AS x" 'DETACH main' 'PRAGMA user_version = 8' 'PRAGMA journal_mode = WAL' 'PRAGMA writable_schema = 1' \
	'PRAGMA query_only = 0' "VACUUM INTO 'x.db'" VACUUM REINDEX ANALYZE BEGIN; do
	refused 2 'read-only' query "$statement " recursion.db
done
refused 2 'not authorized' query "SELECT * FROM pragma_journal_mode" recursion.db
refused 2 'not authorized' query "SELECT load_extension('x')" recursion.db
refused 2 'line 2, column 6' query 'SELECT 1
FROM nothing' recursion.db
refused 2 "column 22: 'functions'" query 'SELECT function  fro functions' recursion.db
refused 2 'no such column: nowhere (in the SQL at line 3, column 3' query 'SELECT
  1,
  nowhere' recursion.db
refused 2 'incomplete input' query 'SELECT (1' recursion.db
refused 2 'another' query 'SELECT 1; SELECT 2' recursion.db
refused 2 'the query is empty' query ' ' recursion.db
refused 2 'no query is named' query nonesuch recursion.db
refused 2 'needs 1 argument and a PROFILE' query callers recursion.db
refused 2 'Unmatched' query matching '(' recursion.db
endless='WITH RECURSIVE c (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT'
refused 3 'longer than 0.5 seconds of CPU time' query --time-limit 0.5 "$endless max(x) FROM c" recursion.db
refused 3 'longer than 0.5 seconds' query --time-limit 0.5 "$endless x FROM c WHERE x < 0" recursion
refused 3 'longer than 0.5 seconds' query --time-limit 0.5 --format csv -o endless.csv "$endless x FROM c" recursion.db
check "of a query that did not end there is no file" test ! -e endless.csv
refused 3 'more than 8 MiB' query --memory-limit 8 "SELECT length(hex(zeroblob(20000000)))" recursion.db
refused 3 'more than 8 MiB' query --memory-limit 8 "$endless count(DISTINCT x) FROM c" recursion.db
is "nothing was written" "$(md5sum <recursion.db)" "$before"
check "nor made" test ! -e x.db

# ---- places ---------------------------------------------------------------------------------
is "-o is needed" "$("$hpcprof" db recursion >/dev/null 2>&1; echo $?)" 2
refused 3 'none/x.db: cannot be written: No such file' db -o none/x.db recursion
refused 2 'not a regular file' db -o . recursion
refused 3 '/dev/full' db --csv /dev/full recursion
mkdir closed
cp recursion.db closed/old.db
before=$(md5sum <closed/old.db)
(ulimit -f 16; "$hpcprof" db -o closed/old.db cxx 2>errors)
is "no room leaves the old file" "$(md5sum <closed/old.db)" "$before"
check "and says what to do" grep -q 'closed/old.db: .*(free some space there' errors
is "and leaves nothing else" "$(ls closed)" old.db
mkdir small
if mount -t tmpfs -o size=64k tmpfs small 2>/dev/null; then
	refused 3 'small/x.db: ' db -o small/x.db cxx
	check "a full disk is told" grep -q '(free some space there' errors
	is "a full disk keeps nothing" "$(ls small)" ""
	mount -o remount,ro small
	refused 3 'small/x.db: cannot be written: Read-only file system (choose another place' db -o small/x.db cxx
	umount small
else
	skip "a full disk" "tmpfs cannot be mounted"
fi
for signal in INT TERM; do
	for delay in 0.02 0.05 0.1 0.2; do
		timeout --preserve-status -s "$signal" "$delay" "$hpcprof" db -q -o closed/old.db recursion cxx 2>/dev/null
		[ "$(ls closed)" = old.db ] || not_ok "$signal after $delay leaves nothing behind" "$(ls closed)"
		[ "$(sql closed/old.db 'PRAGMA integrity_check')" = ok ] || not_ok "$signal after $delay leaves a whole file"
	done
done
ok "signals leave a whole file and nothing else"

# ---- bad databases --------------------------------------------------------------------------
head -c 20000 cxx.db >cut.db
refused 3 'cut.db: ' query functions cut.db
check "and what to do" grep -q '(it is damaged: write it again' errors
refused 3 'cut.db: ' cut.db
sqlite3 other.db 'CREATE TABLE t (x)'
refused 3 'other.db: not a profile database' query functions other.db
refused 3 'other.db: not a profile database' other.db
refused 3 'other.db: not a profile database' db --append -o other.db cxx
is "and it is as it was" "$(sql other.db '.tables')" t
cp cxx.db later.db
sql later.db 'PRAGMA user_version = 99'
refused 3 'written by a newer hpcprof' query functions later.db
refused 3 'written by a newer hpcprof' later.db
refused 3 'written by a newer hpcprof' db --append -o later.db cxx
: >empty.db
check "one measurement more for an empty file" "$hpcprof" db --append -o empty.db recursion
odd="it's \"odd\"
$(printf '\377')"
mkdir "$odd"
cp recursion/*.csp "$odd"
check "an odd name" "$hpcprof" db -o "$odd.db" "$odd"
is "stands in the database" "$(sql "$odd.db" 'SELECT name FROM measurement')" "it's \"odd\"\\x0a\\xff"
is "and can be asked" "$(query 'SELECT count(*) FROM function' "$odd.db")" "$(query 'SELECT count(*) FROM function' recursion.db)"
done_testing
