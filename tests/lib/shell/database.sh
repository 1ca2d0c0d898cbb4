# Sourced after measure.sh by the tests of databases.

command -v sqlite3 >/dev/null || skip_all "sqlite3 is not installed"

# measured PROGRAM [ARGUMENT...]: measure it into a folder with its name, and write PROGRAM.db.
measured() {
	"$hpcrun" -q -o "$1" "$(program "$1")" "${@:2}" >/dev/null 2>&1
	"$hpcprof" db -q -o "$1.db" "$1"
}
sql() { # sql DATABASE SQL: its rows, or the error
	sqlite3 -batch "$1" "$2" 2>&1
}
query() { # query ARGUMENT...: rows as CSV without the names
	"$hpcprof" query --format csv "$@" | tail -n +2
}
raw() { # raw SQL: in the sqlite3 shell, with the extension
	sqlite3 -batch :memory: ".load $BUILD/lib/hpcprof_sqlite" "$1" 2>&1
}
tables() { # tables DATABASE: their names
	sql "$1" "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name"
}
# refused STATUS WORDS ARGUMENT...: hpcprof exits with the status, and prints a message with the
# words.
refused() {
	local status=$1 words=$2
	shift 2
	timeout 60 "$hpcprof" "$@" >out 2>errors
	is "$*: status" "$?" "$status"
	check "$*: $words" grep -qF -- "$words" errors
}
