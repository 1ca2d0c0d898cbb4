#!/bin/bash
# Names that a terminal would obey, or that are not UTF-8, in every place where a program has names:
# they reach no output raw.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"

# escape sequences, C1, what changes the direction of text, no UTF-8
evil=$'\e]0;t\a\xc2\x9b1m\xe2\x80\xae\xff'
source=$'so\e[31m\xc2\x9bur\xe2\x80\xaece.c'
{
	printf '#line 2 "so\\033[31m\\302\\233ur\\342\\200\\256ce.c"\n'
	cat <<'C'
#define _GNU_SOURCE
#include <hpcrun.h>
#include <pthread.h>
#define EVIL "\033]0;t\a\302\2331m\342\200\256\377"
static volatile unsigned long sink;
__attribute__((noinline)) void work(void)
{
C
	printf '\tfor (long i = 0; i < 60000000; i++) /* \e[31m %s */\n' "$evil"
	cat <<'C'
		sink = sink * 3 + 1;
}
static void *thread(void *arg)
{
	pthread_setname_np(pthread_self(), "t\033[1m\302\2331m\377");
	hpcrun_label_set("k" EVIL, "v" EVIL "\n");
	hpcrun_label_set("kind", "=1" EVIL);
	hpcrun_region_begin("r" EVIL);
	hpcrun_record(hpcrun_metric_new("OWN", "bytes"), 5);
	hpcrun_record(hpcrun_metric_new("OWN" EVIL, "bytes"), 5);
	work();
	hpcrun_region_end("r" EVIL);
	return arg;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, thread, NULL);
	pthread_join(t, NULL);
	return 0;
}
C
} >evil.c
cp evil.c "$source"
cc -g -O1 "-I$top/runtime" -S -o evil.s evil.c
sed -i 's/"work"/"w\\033]0;t\\007\\302\\2331m\\342\\200\\256\\377"/' evil.s
cc -o plain evil.s -ldl -pthread
folder=$'folder\e[1m\xc2\x9bm\xff'
mkdir "$folder"
check "a program gets evil names" objcopy --redefine-sym "work=w$evil" plain "$folder/program$evil"
for m in m m2; do
	"$hpcrun" -q --values 8 -o $m "$folder/program$evil" "$evil" $'two\nlines' 2>err
done
"$hpcrun" -o "m3$evil" "$folder/program$evil" 2>said

# shows NAME EXPECTED COMMAND...: its output and messages are clean, and have EXPECTED.
shows() {
	local name=$1 expected=$2
	shift 2
	"$@" >"$name.out" 2>"$name.err"
	check "$name: clean" lib clean.py "$name.out" "$name.err"
	check "$name: it is there, escaped" grep -qF -e "$expected" "$name.out"
}
check "hpcrun: clean" lib clean.py said
check "hpcrun: it is there" grep -qF '\033]0;t' said

name='w\x1b]0;t\x07'
"$hpcprof" -q db -o a.db m
function=$("$hpcprof" query --format csv "SELECT id FROM function WHERE name LIKE 'w%0;t%'" a.db | tail -1)
check "the function is in the database" [ -n "$function" ]
shows text "$name" "$hpcprof" --all m
shows labels '[label]' "$hpcprof" tree --group-by kind m
shows threads "t\\x1b[1m" "$hpcprof" --all -n 0 m
shows tree "$name" "$hpcprof" tree --min 0 m
shows callers "$name" "$hpcprof" callers "w$evil" m
shows callees "$name" "$hpcprof" callees thread m
shows annotate '/* \x1b[31m' "$hpcprof" annotate "w$evil" m
shows annotate-object "$name" "$hpcprof" annotate --object "w$evil" m
shows values OWN "$hpcprof" values m
shows dump '\x1b]0;t' "$hpcprof" dump m/*.csp
shows diff "$name" "$hpcprof" diff --all m m2
shows top "$name" "$hpcprof" top --screens 1 m
shows text-json 'w\u001b]0;t' "$hpcprof" --json m
shows tree-json 'w\u001b]0;t' "$hpcprof" tree --json m
shows dump-json '\u001b]0;t' "$hpcprof" dump --json m/*.csp
shows diff-json 'w\\x1b]0;t' "$hpcprof" diff --json --all m m2
shows error 'no such file' sh -c '"$@" 2>&1 | tr N n' - "$hpcprof" "none$evil"
for format in table csv json; do
	shows "query-$format" 'w\' "$hpcprof" query --format $format 'SELECT name FROM function' m
	shows "query-raw-$format" 'a' "$hpcprof" query --format $format \
		"SELECT 'a' || char(27, 155, 8238, 7) || CAST(x'ff' AS TEXT) AS \"b$evil\"" a.db
done
for query in $("$hpcprof" query --list | sed -n 's/^\([a-z-]*\).*/\1/p'); do
	"$hpcprof" query "$query" m >"q-$query.out" 2>"q-$query.err"
done
check "named queries: clean" lib clean.py q-*
check "there are some" [ "$(cat q-*.out | grep -cF 'w\x1b')" -ge 3 ]
for format in folded callgrind csv json speedscope chrome firefox otlp; do
	case $format in folded | callgrind | csv) in='w\x1b]0' ;; *) in='0;t' ;; esac
	shows "export-$format" "$in" "$hpcprof" export --format $format -m CPUTIME m
done
check "export: pprof" "$hpcprof" -q export --format pprof -o a.pb.gz m
check "pprof: clean" lib clean.py a.pb.gz
shows xml '\x1b' "$hpcprof" xml m
shows xml-callpath '\x1b' "$hpcprof" xml --callpath m
check "html" "$hpcprof" -q html --sources --instructions -o a.html m
check "html: clean" lib clean.py a.html
check "html: it is there" grep -qF '\u001b' a.html
check "diff --html" "$hpcprof" -q diff --html b.html m m2
check "diff --html: clean" lib clean.py b.html
check "db --csv" "$hpcprof" -q db --csv csv m
check "db --csv: clean" lib clean.py csv/*.csv
check "db --csv: it is there" grep -qF 'w\x1b]0;t' csv/function.csv
sqlite3 a.db .dump | grep '^INSERT' >dump.sql
check "db: clean" lib clean.py dump.sql
check "db: it is there" grep -qF 'w\x1b]0;t' dump.sql
"$hpcprof" --json a.db >from-db.json
is "from the database as it was" "$("$python" -c 'import json
print([r["function"] for r in json.load(open("from-db.json"))["functions"]["rows"]
       if r["function"].startswith("w\x1b]0;t\x07\x9b1m\u202e")].__len__())')" 1

# ---- formulas
quoted() {
	"$hpcprof" query --format csv "$@" "SELECT column1 AS \"=x\", -1 AS n FROM (VALUES ('=1+2'), ('+a'), ('-a'),
		('@a'), (char(9) || 'a'), (char(65309) || '1'), ('a=1'), ('=\"a\",b'), (char(301)), (''), (NULL))" a.db
}
is "CSV as it is" "$(quoted)" "=x,n
=1+2,-1
+a,-1
-a,-1
@a,-1
	a,-1
＝1,-1
a=1,-1
\"=\"\"a\"\",b\",-1
ĭ,-1
\"\",-1
,-1"
is "with --quote-formulas" "$(quoted --quote-formulas)" "'=x,n
'=1+2,-1
'+a,-1
'-a,-1
'@a,-1
'	a,-1
'＝1,-1
a=1,-1
\"'=\"\"a\"\",b\",-1
ĭ,-1
\"\",-1
,-1"
"$hpcprof" -q db --csv quoted --quote-formulas m
check "db --csv --quote-formulas" grep -qF "'=1" quoted/label.csv
cc -O1 "-I$top/runtime" -o plain evil.c -ldl -pthread
objcopy --redefine-sym 'work==1+2' plain formula
"$hpcrun" -q -o of-formula ./formula
check "export as it is" bash -c '"$1" -q export --format csv "$2" | grep -qF ",=1+2,"' - "$hpcprof" of-formula
check "export --quote-formulas" bash -c \
	'"$1" -q export --format csv --quote-formulas "$2" | grep -qF ",'"'"'=1+2,"' - "$hpcprof" of-formula

done_testing
