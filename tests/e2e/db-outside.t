#!/bin/bash
# Databases and datafiles from outside hpcprof: the sqlite3 shell with the extension, python3's
# sqlite3, pandas with a plot, and the tables as CSV.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"
. "$top/tests/lib/shell/database.sh"

measured threads8
measured cxx 2
events=$(sql cxx.db 'SELECT events FROM metric')

# ---- the sqlite3 shell, alone ---------------------------------------------------------------
is "sqlite3: the total" "$(sql cxx.db 'SELECT sum(self) FROM functions')" "$events"
is "sqlite3: functions as hpcprof has them" "$(sql cxx.db "SELECT function, self FROM functions LIMIT 5" | tr '|' ,)" \
	"$("$hpcprof" query --format csv -n 5 'SELECT replace(function, char(44), char(124)) AS f, self FROM functions' cxx.db | tail -n +2 | tr -d '"' | tr '|' ,)"
for view in $(sql cxx.db "SELECT name FROM sqlite_schema WHERE type = 'view'"); do
	rows=$(sql cxx.db "SELECT count(*) FROM $view")
	case $view in
		# waits: see realtime.t; instruction_values: see values.t; labels: see labels.t
		difference | waits | labels | label_functions | instruction_values) check "sqlite3: the view $view can be read: $rows" [ "$rows" -ge 0 ] ;;
		*) check "sqlite3: the view $view has rows" [ "$rows" -gt 0 ] ;;
	esac
done

# ---- and with the extension -----------------------------------------------------------------
file=$(ls threads8/*.csp)
for what in metrics threads trees account; do
	check "csprof_$what has rows" test "$(raw "SELECT count(*) FROM csprof_$what('$file')")" -gt 0
done
is "csprof_modules names the program" "$(raw "SELECT count(*) FROM csprof_modules('$file') WHERE epoch = 0 AND name = '$(program threads8)'")" 1
is "csprof_nodes has all nodes" "$(raw "SELECT count(*) FROM csprof_nodes('$file')")" \
	"$(raw "SELECT sum(nodes) FROM csprof_trees('$file')")"
is "of one tree, too" "$(raw "SELECT count(*) FROM csprof_nodes('$file') WHERE tree = 2")" \
	"$(raw "SELECT nodes FROM csprof_trees('$file') WHERE number = 2")"
is "of a tree that is not there" "$(raw "SELECT count(*) FROM csprof_nodes('$file') WHERE tree IN (-1, 1000000)")" 0
is "what the file says of each node is what csp.py reads" \
	"$(raw "SELECT tree, id, parent, ip FROM csprof_nodes('$file') ORDER BY 1, 2")" \
	"$(cd "$top/tests/lib/check" && "$python" -c "import csp, sys
for i, tree in enumerate(csp.Datafile(sys.argv[1]).trees):
    for node, (parent, ip, _) in sorted(tree.nodes.items()): print(i, node, parent, ip, sep='|')" "$scratch/$file")"
is "csprof_values add up" "$(raw "SELECT sum(value) FROM csprof_values('$file') WHERE metric = 0")" \
	"$(sql threads8.db 'SELECT events FROM metric')"
is "csprof_account adds up, too" "$(raw "SELECT sum(weight) FROM csprof_account('$file') WHERE metric = 0 AND disposition IN ('recorded', 'partial')")" \
	"$(sql threads8.db 'SELECT events FROM metric')"
is "hpcprof_contexts is the table of contexts" \
	"$(raw "SELECT context, last, depth, function, line, inlined, exclusive_events, inclusive_samples FROM hpcprof_contexts('cxx') WHERE parent")" \
	"$(sql cxx.db 'SELECT c.id, c.last, c.depth, f.name, l.number, c.inlined, v.exclusive_events, v.inclusive_samples FROM context c
		JOIN function f ON f.id = c.function JOIN line l ON l.id = c.line JOIN value v ON v.context = c.id ORDER BY c.id')"
is "beneath a context is a range" "$(raw "SELECT group_concat(b.context) FROM hpcprof_contexts('cxx') a, hpcprof_contexts('cxx') b
	WHERE a.context = 5 AND b.context BETWEEN a.context + 1 AND a.last")" \
	"$(sql cxx.db 'SELECT group_concat(b.id) FROM context a, context b WHERE a.id = 5 AND b.id BETWEEN a.first + 1 AND a.last')"
is "a context's caller is found" "$(raw "SELECT count(*) FROM hpcprof_contexts('cxx') c JOIN hpcprof_contexts('cxx') p ON p.context = c.parent")" \
	"$(sql cxx.db 'SELECT count(*) FROM inclusive i JOIN context c ON c.id = i.context WHERE c.parent')"
is "from a database, too" "$(raw "SELECT sum(exclusive_events) FROM hpcprof_contexts('cxx.db')")" "$events"
is "from a database that is open" "$(sqlite3 -batch cxx.db ".load $BUILD/lib/hpcprof_sqlite" "SELECT sum(exclusive_events) FROM hpcprof_contexts('cxx.db')")" "$events"
is "from a database in hpcprof query, too" "$(query "SELECT sum(exclusive_events) FROM hpcprof_contexts('cxx.db')" threads8.db)" "$events"
check "a file that is not there is told" grep -q '/nonesuch: cannot be opened' <(raw "SELECT * FROM csprof_nodes('/nonesuch')")
check "and one that is no datafile" grep -q 'expected magic' <(raw "SELECT * FROM csprof_nodes('cxx.db')")
check "and none at all" grep -q 'expected the name of a datafile' <(raw 'SELECT * FROM csprof_nodes')
check "a join over two of them" test "$(raw "SELECT count(*) FROM csprof_trees('$file') t JOIN csprof_nodes('$file') n ON n.tree = t.number WHERE t.thread = 1")" -gt 0
is "hpcprof query has them, too" "$(query "SELECT count(*) FROM csprof_nodes('$file')" cxx.db)" "$(raw "SELECT count(*) FROM csprof_nodes('$file')")"
is "functions" "$(raw "SELECT demangle('_ZN3foo3barEi'), scaled(1500000, 'ns'), 'std::sort' REGEXP '^std::'")" 'foo::bar(int)|1.50 ms|1'

# ---- python3 ----------------------------------------------------------------------------------
is "python3 reads it" "$("$python" -c "import sqlite3
print(sqlite3.connect('cxx.db').execute('SELECT sum(self) FROM functions').fetchone()[0])")" "$events"
is "python3 loads the extension" "$("$python" -c "import sqlite3, sys
c = sqlite3.connect(':memory:')
c.enable_load_extension(True)
c.load_extension(sys.argv[1])
print(c.execute('SELECT sum(value) FROM csprof_values(?) WHERE metric = 0', (sys.argv[2],)).fetchone()[0])" \
	"$BUILD/lib/hpcprof_sqlite" "$file" 2>&1)" "$(sql threads8.db 'SELECT events FROM metric')"

# ---- CSV ----------------------------------------------------------------------------------------
check "csv" "$hpcprof" db -q --csv tables cxx
is "a file a table" "$(ls tables)" "$(tables cxx.db | sed 's/$/.csv/')"
for table in $(tables cxx.db); do
	sqlite3 loaded.db '.mode csv' ".import tables/$table.csv $table" 2>/dev/null
	is "$table.csv has its rows" "$(sql loaded.db "SELECT count(*) FROM $table" 2>/dev/null | sed 's/.*no such table.*/0/')" \
		"$(sql cxx.db "SELECT count(*) FROM $table")"
done
is "and its values" "$(sql loaded.db 'SELECT sum(events) FROM exclusive')" "$(sql cxx.db 'SELECT sum(events) FROM exclusive')"

# ---- pandas --------------------------------------------------------------------------------------
if "$python" -c 'import pandas, matplotlib' 2>/dev/null; then
	is "pandas reads the database" "$("$python" -c "import pandas, sqlite3
print(int(pandas.read_sql('SELECT * FROM functions', sqlite3.connect('cxx.db')).self.sum()))")" "$events"
	check "pandas reads the CSV, and joins it to the same functions" lib dbpandas.py tables cxx.db
	check "a plot of load modules" lib dbplot.py threads8.db modules.png
else
	skip "pandas reads it, and a plot is made" "python3-pandas or python3-matplotlib is not installed"
fi
done_testing
