#!/bin/bash
# hpcprof's command line: exit statuses, messages, and output that depends on nothing but
# what was measured.
. "$(dirname "$0")/../lib/shell/tap.sh"

mkcsp=$BUILD/programs/mkcsp
export TZ=UTC
unset COLUMNS NO_COLOR

silent() {
	[ ! -s err ] || {
		cat err
		return 1
	}
}

"$mkcsp" good.csp
"$mkcsp" --big --shuffle 3 other.csp
mkdir dir empty mixed
cp good.csp other.csp dir
size=$(stat -c %s good.csp)

# ---- help and usage
check "--help succeeds" run 0 "$hpcprof" --help
check "and lists the views" says out '^  dump '
check "--version succeeds" run 0 "$hpcprof" --version
check "and names the tool" says out '^hpcprof [0-9]'
for bad in '--bogus dir' '-Z dir' '-n x dir' '-n -1 dir' '-j 0 dir' '-s size dir' '--callpath dir' '--json --stats dir' \
	'dump -n 3 good.csp' 'trees dir' 'dump' '-m' '-m BYTES dir'; do
	# shellcheck disable=SC2086
	check "usage error: hpcprof $bad" run 2 "$hpcprof" $bad
	check "said on stderr in one line" [ "$(wc -l <err)" = 1 ]
	check "in the usual form" says err '^hpcprof: .*\(.*\)$'
done

check "nor is there a profile where there is none" run 2 bash -c 'cd empty && "$1"' - "$hpcprof"
check "which is said" says err '^hpcprof: no PROFILE given'

# ---- what can be read
check "a directory" run 0 "$hpcprof" dir
check "nothing on stderr" silent
check "shows two datafiles" says out '^  processes +1, with 2 program images$'
check "a view's name may be given" run 0 "$hpcprof" text -n 3 good.csp
check "options may follow" run 0 "$hpcprof" good.csp --samples -s total -j 3
check "-- ends options" run 3 "$hpcprof" -- --samples
check "a file that is not there" run 3 "$hpcprof" nowhere.csp
check "its name and the reason are said" says err '^hpcprof: nowhere.csp: No such file'
check "a directory without datafiles" run 3 "$hpcprof" empty
check "which is said" says err '^hpcprof: empty: no datafile'
mkdir above above/other
cp -r dir above/run-2
cp -r dir above/run-1
check "the directory above measurements" run 3 "$hpcprof" above
check "is told with the first of them" says err '^hpcprof: above: no datafile .*, such as above/run-1\)$'

# what: a file that is no datafile, and what it is called
echo 'plain text' >what.text
echo '#!/bin/sh' >what.script
: >what.empty
cp /bin/true what.program
printf 'PERFILE2\150\0\0\0\0\0\0\0' >what.perf
gzip -c good.csp >what.gzip
tar cf what.tar dir
printf '%0512d\303' 0 | sed 's/0*//' >what.cut # not ASCII at its end
printf '\1\2\3\200' >what.binary
head -c 6 good.csp >what.short
while read -r file is; do
	check "no profile: $file" run 3 "$hpcprof" "what.$file"
	check "which is called so" says err "^hpcprof: what.$file: $is"
	check "by dump, too" run 3 "$hpcprof" dump "what.$file"
	check "in the same words" says err "^hpcprof: what.$file: $is"
done <<'EOF'
text a text file and no datafile \(
script a script and no datafile; measure it with
empty an empty file \(
program a program or library and no datafile; measure it with 'hpcrun COMMAND' \(
perf data of perf record and no datafile; 'perf report -i FILE'
gzip compressed by gzip; unpack it
tar a tar archive; unpack it
cut offset 0: expected magic
binary offset 0: expected magic
short offset 0: expected magic
EOF
check "beside a profile" run 1 "$hpcprof" good.csp what.text
check "it is only skipped" says out '^Functions'
check "which is said of it" says err '^hpcprof: what.text: a text file and no datafile \(skipped\)$'
"$hpcprof" db -q -o what.db good.csp
check "a database is no datafile" run 3 "$hpcprof" dump what.db
check "which dump says" says err '^hpcprof: what.db: a SQLite database and no datafile'

check "a folder of debug files that is not there" run 1 "$hpcprof" --debug-dir nowhere good.csp
check "is said" says err '^hpcprof: nowhere: No such file.*--debug-dir'
check "and the rest is shown" says out '^Functions'
check "a sysroot that is no folder" run 1 "$hpcprof" --sysroot good.csp good.csp
check "is said, too" says err '^hpcprof: good.csp: not a directory.*--sysroot'
check "some are there, some not" run 1 "$hpcprof" nowhere.csp good.csp
check "what is there is shown" says out '^Functions'

# ---- damage
head -c 100 good.csp >mixed/cut.csp
head -c $((size - 1)) good.csp >mixed/trailer.csp
cp other.csp mixed
check "a file that was cut is left out" run 1 "$hpcprof" mixed
check "with its name and the offset" says err '^hpcprof: mixed/cut.csp: offset [0-9]+: .*skipped'
check "a damaged trailer costs the trailer" says err '^hpcprof: mixed/trailer.csp: .*trailer'
check "the others are shown" says out '^Functions'
check "and the report says what is missing" says out 'mixed/cut.csp: skipped'
check "nothing but damage" run 3 "$hpcprof" mixed/cut.csp
check "dump of a good file" run 0 "$hpcprof" dump good.csp
check "dump with a damaged trailer" run 1 "$hpcprof" dump mixed/trailer.csp
check "dump of a cut file" run 3 "$hpcprof" dump mixed/cut.csp
check "dump as JSON" run 0 "$hpcprof" dump --json good.csp
check "a full disk is noticed" run 1 bash -c '"$1" good.csp >/dev/full' - "$hpcprof"
cp good.csp $'new\nline\e[1m.csp'
head -c 50 good.csp >$'new\nline\e[1m.csp'
run 3 "$hpcprof" $'new\nline\e[1m.csp'
check "names are escaped on stderr" says err '^hpcprof: new\\x0aline\\x1b'

# ---- the same bytes
COLUMNS=120 "$hpcprof" -j 1 good.csp other.csp >a
COLUMNS=120 "$hpcprof" -j 8 other.csp good.csp >b
check "order and threads change nothing" cmp a b
COLUMNS=120 "$hpcprof" good.csp ./good.csp >a
COLUMNS=120 "$hpcprof" good.csp >b
check "a file named twice counts once" cmp a b
COLUMNS=70 "$hpcprof" dir >a
check "COLUMNS is the width" [ "$(wc -L <a)" -le 70 ]
"$hpcprof" dir >a
is "and no colours in a file" "$(grep -c $'\e' a)" 0

# In a file, long names are whole.
long=long_$(printf 'name_%.0s' {1..60})
printf 'void %s(void) { for (volatile long i = 0; i < 100000000; i++); }\nint main(void) { %s(); return 0; }\n' "$long" "$long" >long.c
cc -O0 -g -o long long.c
"$hpcrun" -q -o names ./long
for view in text tree "callees main" "query functions"; do
	# shellcheck disable=SC2086
	"$hpcprof" $view names >a
	check "a name of ${#long} characters is not cut in a file: $view" grep -q "$long" a
	# shellcheck disable=SC2086
	COLUMNS=100 "$hpcprof" $view names >a
	check "it is with COLUMNS: $view" bash -c '! grep -q "$1" a' - "$long"
	check "which are the width: $view" [ "$(wc -L <a)" -le 100 ]
done

# ---- the pager
# on_terminal COMMAND...: its output on a terminal of 80 columns.
on_terminal() {
	local command
	printf -v command '%q ' "$@"
	SHELL=/bin/bash TERM=xterm script -qec "stty cols 80 rows 24; $command" /dev/null </dev/null | tr -d '\r'
}
export HPCPROF_PAGER='sed s/^/paged:/'
on_terminal "$hpcprof" names >a
check "a terminal gets a pager" says a '^paged:.*Functions'
check "and no progress of what is quick" bash -c '! grep -qE "reading:|resolving" a'
check "of its width" [ "$(grep ^paged: a | sed 's/\x1b\[[0-9]*m//g' | wc -L)" -le $((80 + 6)) ]
on_terminal "$hpcprof" tree nowhere.csp names >a
check "after the messages" says a '^hpcprof: nowhere.csp: No such file'
on_terminal "$hpcprof" query functions names >a
check "a query's rows, too" says a '^paged:.*CPUTIME'
on_terminal "$hpcprof" dump names/*.csp >a
check "and a dump" says a '^paged:'
on_terminal "$hpcprof" --no-pager names >a
check "not with --no-pager" bash -c 'grep -q Functions a && ! grep -q paged: a'
on_terminal bash -c '"$1" names | cat' - "$hpcprof" >a
check "nor if the output goes elsewhere" bash -c 'grep -q Functions a && ! grep -q paged: a'
on_terminal "$hpcprof" query -o written functions names >a
check "nor if it goes into a file" bash -c '! grep -q paged: a && grep -q CPUTIME written && ! grep -q paged: written'
for none in '' cat /there/is/no/such/pager; do
	HPCPROF_PAGER=$none PAGER='sed s/^/paged:/' on_terminal "$hpcprof" names >a
	check "nor with the pager '$none'" bash -c 'grep -q Functions a && ! grep -q paged: a'
done
on_terminal bash -c '"$1" names <&-' - "$hpcprof" >a
check "a closed stdin is not in the pager's way" says a '^paged:.*Functions'
HPCPROF_PAGER='head -n 1' on_terminal bash -c '"$1" names; echo status=$?' - "$hpcprof" >a
check "a pager that was left early is no failure" says a '^status=(0|141)$'
unset HPCPROF_PAGER
PAGER='sed s/^/other:/' on_terminal "$hpcprof" names >a
check "PAGER is taken, too" says a '^other:.*Functions'
done_testing
