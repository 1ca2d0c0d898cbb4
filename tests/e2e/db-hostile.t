#!/bin/bash
# Databases that others made: what is in the place of a table, what would run when rows are added,
# changes that are not in the file yet, pages that are used again and again. Nothing of it runs,
# nothing waits, and no file appears beside the database. Queries that others wrote: what they may
# call, and that the limits hold inside functions.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"
. "$top/tests/lib/shell/database.sh"

measured recursion
cp recursion.db sound.db

# A copy of the database as NAME.db after some SQL.
made() {
	local name=$1
	shift
	cp sound.db "$name.db"
	sqlite3 "$name.db" "$@" >made.out || return
}
# A view and a query refuse NAME.db within a second, and say why.
denied() {
	local name=$1 why=$2
	run 3 timeout 1 "$hpcprof" text "$name.db" && says err "$why" &&
		run 3 timeout 1 "$hpcprof" query functions "$name.db" && says err "$why"
}
# The same of adding a measurement, which leaves it as it is.
not_appended() {
	local name=$1 why=$2
	cp "$name.db" before.db
	run 3 timeout 2 "$hpcprof" db -q --append -o "$name.db" recursion && says err "$why" &&
		cmp "$name.db" before.db
}

# ---- the schema -----------------------------------------------------------------------------
endless='AS WITH RECURSIVE c (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM c) SELECT i AS metric, i AS context, i AS events, i AS samples FROM c'
other='that hpcprof db makes \(write it again'
check "a view in the place of a table" made view "DROP TABLE exclusive; CREATE VIEW exclusive $endless"
check "view is refused" denied view "its table exclusive is not one $other"
check "view is not added to" not_appended view "its table exclusive is not one $other"
check "a table that computes" made computes "DROP TABLE line; CREATE TABLE line (id INTEGER PRIMARY KEY, file, number AS (length(printf('%*d', 100000000, id))), function)"
check "computes is refused" denied computes "its table line is not one $other"
check "a table that is missing" made missing "DROP TABLE line"
check "missing is refused" denied missing "its table line is not one $other"
check "another column" made column "ALTER TABLE module ADD COLUMN other"
check "column is refused" denied column "its table module is not one $other"
check "column is not added to" not_appended column "its table module is not one $other"

check "a trigger" made trigger "CREATE TRIGGER t AFTER INSERT ON measurement BEGIN DELETE FROM process; END"
check "a measurement is added" "$hpcprof" db -q --append -o trigger.db recursion
is "and the trigger did not run" "$(sql trigger.db 'SELECT count(*) FROM process')" \
	"$((2 * $(sql sound.db 'SELECT count(*) FROM process')))"
check "an index on an expression" made index "CREATE INDEX costly ON context (length(printf('%*d', 1000000, id)))"
check "is no matter for reading" "$hpcprof" text index.db
check "index is not added to" not_appended index "its index costly computes something for each row"
check "an index with a condition" made partial "CREATE INDEX part ON context (id) WHERE length(printf('%*d', 1000000, id)) > 1"
check "partial is not added to" not_appended partial "its index part computes something for each row"
check "a plain index of the user's" made plain "CREATE INDEX mine ON module (note)"
check "is kept" "$hpcprof" db -q --append -o plain.db recursion
is "and has the new rows" "$(sql plain.db 'PRAGMA integrity_check')" ok
check "a table of the user's" made mine "CREATE TABLE mine (x); INSERT INTO mine VALUES (7)"
check "is no matter for others" "$hpcprof" text mine.db
check "a table of a module" made module "CREATE VIRTUAL TABLE tree USING rtree (id, a, b)"
check "is no matter for others" "$hpcprof" text module.db
check "nor for queries" "$hpcprof" query functions module.db

# ---- pages ----------------------------------------------------------------------------------
# Pages of a table whose children are all the same page: the database has 400^8 rows of it.
cat >again.py <<'END'
import sqlite3, struct, sys
path, table = sys.argv[1:]
db = sqlite3.connect(path)
root, = db.execute("SELECT rootpage FROM sqlite_schema WHERE name = ?", [table]).fetchone()
size, = db.execute("PRAGMA page_size").fetchone()
db.close()
data = bytearray(open(path, "rb").read())
leaf = data[(root - 1) * size : root * size]
assert leaf[0] in (10, 13) # a leaf
first, = struct.unpack(">H", leaf[8:10])
row = b"\x01" if leaf[0] == 13 else leaf[first : first + 1 + leaf[first]]
def page(child):
    at = size
    body = bytearray(size)
    for i in range(400):
        at -= 4 + len(row)
        body[at : at + 4 + len(row)] = struct.pack(">I", child) + row
        body[12 + 2 * i : 14 + 2 * i] = struct.pack(">H", at)
    body[:12] = struct.pack(">BHHHBI", leaf[0] - 8, 0, 400, at, 0, child)
    return body
pages = len(data) // size
data += leaf
for i in range(7):
    data += page(pages + 1 + i)
data[(root - 1) * size : root * size] = page(pages + 8)
data[28:32] = struct.pack(">I", len(data) // size)
open(path, "wb").write(data)
END
damaged() {
	run 3 timeout 1 "$hpcprof" text again.db && says err "$1"
}
limited() {
	run 3 timeout 3 "$hpcprof" query --time-limit 1 "SELECT sum(rowid) FROM line" again.db &&
		says err "longer than 1 second"
}
for table in line exclusive; do
	cp sound.db again.db
	check "pages of $table that are used again and again" "$python" again.py again.db $table
	case $table in
	line) why='row 1 of line of the database is damaged' ;;
	*) why='has more rows than fit into its bytes: it is damaged' ;;
	esac
	check "are not read without end" damaged "$why"
	[ $table = line ] && check "nor queried" limited
	check "nor added to" not_appended again "it is damaged: "
done

cp sound.db holes.db
truncate -s +100M holes.db
check "a database of holes is refused" denied holes 'holes.db: has more than 64 MiB of holes'

# ---- changes that are not in the file ----------------------------------------------------------
pending='may have changes that are not in it yet'
cp sound.db wal.db
is "a database with a write-ahead log" "$(sqlite3 wal.db 'PRAGMA journal_mode = WAL')" wal
check "can be read" "$hpcprof" text wal.db
check "and queried" "$hpcprof" query functions wal.db
is "no file appears beside it" "$(echo wal.db*)" wal.db
check "and added to" "$hpcprof" db -q --append -o wal.db recursion
is "with both measurements" "$(query 'SELECT count(*) FROM measurement' wal.db)" 2
is "and no other file" "$(echo wal.db*)" wal.db
cat >hold.py <<'END'
import sqlite3, sys
db = sqlite3.connect(sys.argv[1], isolation_level=None)
for sql in sys.argv[2:]:
    db.execute(sql)
print("ready", flush=True)
sys.stdin.read()
END
# held DB SQL...: with what a program does meanwhile
held() {
	mkfifo hold.in
	"$python" hold.py "$@" <hold.in >hold.out 3>&- &
	exec 5>hold.in
	until_true grep -q ready hold.out
}
let_go() {
	exec 5>&-
	wait
	rm hold.in
}
cp sound.db log.db
held log.db "PRAGMA journal_mode = WAL" "UPDATE module SET note = 'new'"
check "log is refused" denied log "log.db-wal $pending"
check "log is not added to" not_appended log "log.db-wal $pending"
let_go
check "when the program has ended it can be read" "$hpcprof" text log.db
cp sound.db busy.db
held busy.db "PRAGMA journal_mode = DELETE" "BEGIN EXCLUSIVE" "UPDATE module SET note = 'new'"
check "busy is refused" denied busy "another program is writing to it"
check "busy is not added to" not_appended busy "another program is writing to it"
let_go
cp sound.db soon.db
held soon.db "PRAGMA journal_mode = DELETE" "BEGIN IMMEDIATE" "UPDATE module SET note = 'new'"
check "a program that is about to write has a journal" test -s soon.db-journal
check "and the database can be read" "$hpcprof" text soon.db
is "as it was before" "$(query "SELECT count(*) FROM module WHERE note = 'new'" soon.db)" 0
let_go
cp sound.db hot.db
head -c 1024 /dev/urandom | tr '\0' 'x' >hot.db-journal
check "hot is refused" denied hot "hot.db-journal $pending"
check "hot is not added to" not_appended hot "hot.db-journal $pending"
head -c 1024 /dev/zero >hot.db-journal
check "a journal that is done with" "$hpcprof" text hot.db
ln -s hot.db link.db
printf x >hot.db-journal
check "link is refused" denied link "hot.db-journal $pending"
rm hot.db-journal

# ---- names ----------------------------------------------------------------------------------
for name in 'file:x?mode=rwc&vfs=memdb' ':memory:' 'a%20b#c'; do
	cp sound.db "./$name"
	is "a database named $name" "$(query 'SELECT count(*) FROM measurement' "./$name")" 1
done

# ---- queries --------------------------------------------------------------------------------
for call in "fts3_tokenizer('simple')" "load_extension('x')" "sqlite_log(1, 'x')" "sqlite_compileoption_get(1)"; do
	refused 2 "${call%%(*} (only functions that compute values are allowed)" query "SELECT $call" sound.db
done
for name in user_version User_Version APPLICATION_ID Page_size; do
	check "PRAGMA $name" "$hpcprof" query "PRAGMA $name" sound.db
	refused 2 '(queries are read-only)' query "PRAGMA $name = 5" sound.db
done
refused 2 '(queries are read-only)' query "SELECT * FROM pragma_journal_mode" sound.db
for table in sqlite_master context; do
	refused 2 'hpcprof: ' query "UPDATE $table SET rowid = 1" sound.db
done
is "columns" "$(query "SELECT name FROM pragma_table_info('function') LIMIT 2" sound.db)" 'id
module'
is "what compiles JSON" "$(query "SELECT count(*) FROM json_each('[1,2,3]')" sound.db)" 3

# over LIMIT WORDS SECONDS ARGUMENT...: a query ends soon with the words
over() {
	local words=$1 seconds=$2
	shift 2
	run 3 timeout "$seconds" "$hpcprof" query "$@" sound.db && says err "$words"
}
refused 2 'more than 1000 bytes' query "SELECT 'x' REGEXP replace(hex(zeroblob(100000)), '0', '(')" sound.db
a=$(printf '%040d' 0 | tr 0 '(')x$(printf '%040d' 0 | sed 's/0/)+/g')
refused 2 'repeats its parts too often' query "SELECT 'x' REGEXP ?" "$a" sound.db
for a in '(a{200}){200}' 'a{32767}' '(x|[]}])((yy){100,}){200}' '(\({99}){999}'; do
	refused 2 'repeats its parts too often' query "SELECT 'x' REGEXP ?" "$a" sound.db
done
for a in '[0-9]{1,3}([.][0-9]{1,3}){3}' '^[[:alpha:]]+$|a{1000}' '((a+)+)+' '[]+]{20}x*' 'a|(b{2}c){3,5}' '\+'; do
	check "the expression $a" "$hpcprof" query "SELECT 'x' REGEXP ?" "$a" sound.db
done
is "matches" "$(query "SELECT 'ab{3}' REGEXP 'b[{]3', '12.3.4.56' REGEXP '^[0-9]{1,3}([.][0-9]{1,3}){3}$', 'abc' REGEXP '^b'" sound.db)" 1,1,0

endless='WITH RECURSIVE c (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT'
# about 1e14 comparisons in one call
search="instr(zeroblob(20000000), CAST(zeroblob(10000000) || x'01' AS BLOB))"
check "a function that does not end" over 'longer than 0.5 seconds of CPU time' 4 --time-limit 0.5 "SELECT $search"
check "the same with a file" over 'longer than 0.5 seconds' 4 --time-limit 0.5 --format csv -o rows.csv "SELECT $search"
is "of which nothing is left" "$(echo rows.csv*)" 'rows.csv*'
# each copy of the group may end at each letter: the C library tries all
check "an expression that does not end" over 'longer than 0.5 seconds' 4 --time-limit 0.5 \
	"SELECT '$(printf '%0150d' 0 | tr 0 a)' REGEXP '^(a*)(a*)(a*)(a*)(a*)\1\2\3\4\5b'"
check "rows that do not end" over 'more than 16 MiB of memory' 20 --memory-limit 16 "$endless x FROM c"
check "texts that do not end" over 'more than 16 MiB of memory' 20 --memory-limit 16 "$endless group_concat(x) FROM (SELECT x FROM c LIMIT 4000000)"
check "a large text" over 'more than 16 MiB of memory' 5 --memory-limit 16 "SELECT length(printf('%*d', 100000000, 1))"
check "a limit counts what works, not what waits" test \
	"$("$hpcprof" query --format csv --time-limit 1 "$endless x, printf('%100d', x) FROM c LIMIT 20000" sound.db | (sleep 2; wc -l))" = 20001

check "a path that is a circle" made circle "PRAGMA ignore_check_constraints = ON; UPDATE context SET up = -1 WHERE id = 4"
check "ends" test "$(timeout 10 "$hpcprof" query "SELECT count(path_text(id)) FROM context" circle.db | wc -l)" = 2
check "a path that is not complete is an error" over 'longer than 0.1 seconds' 5 --time-limit 0.1 \
	"$endless count(path_text(1 + x % 8)) FROM c"
done_testing
