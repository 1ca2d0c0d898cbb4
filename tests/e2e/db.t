#!/bin/bash
# Databases of all test programs: agreement with the other views, in both directions, for every
# metric and function; the same bytes again; several measurements in one file.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"
. "$top/tests/lib/shell/database.sh"

all=
measure() { # measure NAME COMMAND...: into the folder NAME; the program may end as it likes
	local name=$1
	shift
	timeout 60 "$hpcrun" -q ${options:+$options} -o "$name" "$@" >/dev/null 2>&1
	all="$all $name"
}
plugins="$(program unwind_plugin) $(program stress_plugin)"
measure asked "$(program asked)" 50 50
measure recursion "$(program recursion)"
measure threads "$(program threads8)"
options='-t all' measure merged "$(program threads8)"
measure cxx "$(program cxx)" 2
measure exceptions "$(program exceptions)" 1
# shellcheck disable=SC2086 # words
measure epochs "$(program epochs)" 50 $plugins
measure stress "$(program stress)" 1 "$(program stress_plugin)"
measure manypaths "$(program manypaths)" 200
measure manythreads "$(program manythreads)" run 60 20 8
measure jit "$(program jit)" 200
measure shares "$(program shares)" 30
measure truth "$(program truth)" 100
measure starts "$(program starts)" 50 fork
measure follow "$(program follow)" 50 report spawn
measure storm "$(program storm)" fork 20
measure killed "$(program manypaths)" 100 kill
measure transfers "$(program transfers)" 0.2
measure processes sh -c 'ls -lR /usr/share/doc | sort | tail -n 1'
measure sleeping sleep 0.1
# Three metrics, partial paths, modules that are not there, the other byte order.
mkdir example
"$(program mkcsp)" example/plain.csp
"$(program mkcsp)" --big --relabel --shuffle 7 example/big.csp
all="$all example"

same_rows() { # same_rows A.db B.db TABLE...: the two have the same rows there
	local table all=
	for table in "${@:3}"; do
		all+="SELECT '$table'; SELECT * FROM $table; "
	done
	diff --text <(sql "$1" "$all") <(sql "$2" "$all")
}
same_view() { # same_view PROFILE DATABASE VIEW...: prints the same of both
	local profile=$1 database=$2
	shift 2
	"$hpcprof" "$@" "$profile" >from.data 2>errors.data
	local status=$?
	"$hpcprof" "$@" "$database" >from.db 2>errors.db
	[ $? -eq $status ] && cmp from.data from.db
}

for d in $all; do
	check "$d: a database" "$hpcprof" db -q --per-profile yes -o "$d.db" "$d"
	is "$d: integrity, foreign keys" "$(sql "$d.db" 'PRAGMA integrity_check; PRAGMA foreign_key_check')" ok
	"$hpcprof" db -q --per-profile yes -j 1 -o again.db "$d"
	check "$d: the same bytes again, with one thread" cmp "$d.db" again.db
	"$hpcprof" db -q --no-inline --per-profile yes -o plain.db "$d"
	check "$d: each total and function is that of text and XML" lib dbcheck.py "$hpcprof" "$d" "$d.db" plain.db
	"$hpcprof" db -q --per-profile yes -o twice.db "$d.db"
	# shellcheck disable=SC2046 # words: all but the name of what was measured
	check "$d: a database of the database" same_rows "$d.db" twice.db $(tables "$d.db" | grep -v '^measurement$')
	for view in 'text --all -n 0' 'tree --min 0' 'tree --bottom-up' xml 'xml --callpath' 'callers main' 'callees main' \
		'--samples' '--stats --by thread' '--stats --by process' 'tree --stats --by host'; do
		# shellcheck disable=SC2086 # words
		check "$d: $view of the database" same_view "$d" "$d.db" $view
	done
done
is "several metrics are among them" "$(sql example.db 'SELECT count(*) FROM metric WHERE events')" 2

# Everything is described: each table and each column has a word on it or a name that says it.
is "each table has a comment" "$(sql cxx.db "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND
	name NOT LIKE 'sqlite_%' AND sql NOT LIKE '%--%'")" 0
is "each view has a comment" "$(sql cxx.db "SELECT count(*) FROM sqlite_schema WHERE type = 'view' AND sql NOT LIKE '%--%'")" 0
is "application_id" "$(sql cxx.db 'PRAGMA application_id')" "$((0x48504370))"
is "user_version" "$(sql cxx.db 'PRAGMA user_version')" 11

# Several measurements.
history() { # history FILE: of three runs
	"$hpcprof" db -o "$1" recursion && "$hpcprof" db --append -o "$1" cxx && "$hpcprof" db --append -o "$1" recursion
}
check "append" history history.db
is "three measurements" "$(sql history.db 'SELECT count(*) FROM measurement')" 3
is "integrity, foreign keys" "$(sql history.db 'PRAGMA integrity_check; PRAGMA foreign_key_check')" ok
history other.db
check "the same bytes again, in the same order" cmp history.db other.db
is "contexts of the same measurement match" "$(sql history.db "SELECT count(*) FROM context a JOIN context b ON b.hash = a.hash
	JOIN measurement m ON m.id = 1 JOIN measurement n ON n.id = 3 WHERE a.id BETWEEN m.first_context AND m.last_context
	AND b.id BETWEEN n.first_context AND n.last_context AND a.depth = b.depth")" \
	"$(sql recursion.db 'SELECT count(*) FROM context')"
is "none grew between two of the same" "$(query difference 1 3 history.db)$(query grew 1 3 history.db)" ""
is "all that the other has is new" \
	"$(sql history.db 'SELECT sum(self_after) FROM difference WHERE before = 1 AND after = 2')" \
	"$(sql cxx.db 'SELECT events FROM metric')"
is "over time" "$(query over-time mix history.db | wc -l)" 2
is "the sum of all is shown" "$(query 'SELECT sum(events) FROM metric' history.db)" \
	"$("$hpcprof" db -q -o sum.db history.db && sql sum.db 'SELECT events FROM metric')"

# Values of profiles are small enough to be there unless asked for otherwise.
"$hpcprof" db -q -o default.db threads
check "values of profiles are the default" cmp default.db threads.db
"$hpcprof" db -q --per-profile no -o without.db threads
is "--per-profile no" "$(sql without.db 'SELECT (SELECT count(*) FROM profile_value) + (SELECT count(*) FROM profile_function)')" 0
done_testing
