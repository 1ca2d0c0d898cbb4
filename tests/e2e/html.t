#!/bin/bash
# hpcprof html: the data in the page is that of the database, exactly; names cannot leave their place.
# What a browser shows is tested by page.t.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"

# agrees NAME: the page of a measurement has what its database has, and so has the page of that.
agrees() {
	"$hpcprof" db -q -o "$1.db" "$1" && "$hpcprof" html -q -o "$1.html" "$1" &&
		lib page.py "$hpcprof" "$1.html" "$1.db" &&
		"$hpcprof" html -q -o again.html "$1.db" && lib page.py "$hpcprof" again.html "$1.db"
}

# ---- real programs ----------------------------------------------------------------
for i in $(seq 100); do
	echo "int f$i(int a) { int s = 0; for (int i = 0; i < a; i++) s += i * $i ^ s; return s; }"
done >big.c
"$hpcrun" -q -o gcc gcc -O2 -g -c big.c
check "gcc with its children" agrees gcc
"$hpcrun" -q -o cxx "$(program cxx)" >out 2>&1
check "C++ with inlined functions" agrees cxx
"$hpcrun" -q -o threads "$(program threads8)" >out 2>&1
check "threads" agrees threads
"$hpcprof" html --sources -o sources.html cxx 2>said
check "sources are in it if they were asked for" lib page.py "$hpcprof" sources.html cxx.db
check "and each is told" test "$(grep -c ' in the page' said)" -gt 1
is "as many as there are" "$(grep -c 'id="source-' sources.html)" \
	"$(grep -oE '[0-9]+ source files' said | grep -oE '[0-9]+')"
is "without asking there are none" "$(grep -c 'id="source-' cxx.html)" 0
"$hpcprof" html --instructions -o instructions.html cxx 2>said
check "instructions are in it if they were asked for" \
	lib page.py "$hpcprof" instructions.html cxx "$(basename "$(program cxx)")"
check "all else is as without" lib page.py "$hpcprof" instructions.html cxx.db
check "and it is told" grep -qE '[0-9]+ instructions of [0-9]+ procedures are in the page' said
is "without asking there are none" "$(grep -c 'id="instruction' cxx.html)" 0
"$hpcprof" html -q --instructions --no-inline -o whole.html cxx
check "without inlining they are those of the outer function" \
	lib page.py "$hpcprof" whole.html cxx "$(basename "$(program cxx)")"
"$hpcrun" -q -o python "$python" -c 'import json
for i in range(2000): json.loads(json.dumps({str(k): [k] * 9 for k in range(50)}))'
check "Python" agrees python
"$hpcrun" -q -o deep "$(program recursion)" >out 2>&1
check "recursion" agrees deep
"$hpcrun" -q -o none true
check "hardly anything" agrees none
"$hpcprof" merge -q -o gcc.csp gcc
columns() { # columns PROFILE: those of nodes and functions
	"$hpcprof" html -q -o columns.html "$1" && grep -E 'id="(pops|functions|samples-0|events-0)"' columns.html
}
check "a merged file has the same data" cmp <(columns gcc) <(columns gcc.csp)
is "which is not nothing" "$(columns gcc | wc -l)" 4
"$hpcprof" html -q -o one.html gcc && "$hpcprof" html -q -j 4 -o two.html gcc
check "the same input gives the same bytes" cmp one.html two.html
check "a page of a few thousand contexts is small" test "$(stat -c %s gcc.html)" -lt 200000

# ---- several metrics, and none of them sampled -------------------------------------
printf '%s\n' 'main;a;b 10' 'main;a 5' 'main;<i>;</script> 7' "main;\"&amp;';a 1" >stacks.folded
check "collapsed stacks" agrees stacks.folded
printf 'events: Ir Dw\nfl=a.c\nfn=main\n1 10 2\n2 30 0\ncfn=f\ncalls=3 4\n2 70 5\nfn=f\n4 70 5\n' >callgrind.out.1
check "callgrind's file with two metrics" agrees callgrind.out.1
"$hpcprof" html -q -m Dw -o dw.html callgrind.out.1
is "-m chooses one" "$(grep -o '"name":"Dw"' dw.html | wc -l; grep -c '"name":"Ir"' dw.html)" "2
0"

# ---- names ------------------------------------------------------------------------
printf '%s\n' 'main;x</script><script>alert(1)</script>;<!-- 3' '<img src=x onerror=alert(1)> 4' \
	$'a\xff\xfeb;\xe2\x80\xae 5' ']]>;&lt;b&gt; 6' >evil.folded
mkdir '<b>&"'\'
cp evil.folded '<b>&"'\''/<script>.folded'
"$hpcprof" html -q -o evil.html '<b>&"'\''/<script>.folded'
"$hpcprof" db -q -o evil.db '<b>&"'\''/<script>.folded'
check "evil names are data" lib page.py "$hpcprof" evil.html evil.db
is "and no element" "$(grep -ciE '<(img|b|i)[ >]|<script>alert|<!-- 3' evil.html)" 0
count=$(grep -o '<script' "$top/share/html/page.html" | wc -l)
is "scripts are those of the page, the columns and the profile" \
	"$(grep -o '<script' evil.html | wc -l)" $((count + $(grep -c 'class="column"' evil.html) + 1))

# ---- showing it -------------------------------------------------------------------
mkdir bin
printf '#!/bin/sh\nprintf "%%s|" "$@" >>opened\nexit $STATUS\n' >bin/xdg-open
chmod +x bin/xdg-open
show() { # show STATUS DISPLAY FILE
	STATUS=$1 DISPLAY=$2 WAYLAND_DISPLAY= PATH=$PWD/bin:$PATH "$hpcprof" html --open -o "$3" gcc 2>said
}
rm -f opened
show 0 :0 -shown.html
is "--open shows the file" "$? $(cat opened)" "0 ./-shown.html|"
show 3 :0 shown.html
is "a failure is told" "$? $(cat said)" "1 hpcprof: shown.html: written
hpcprof: shown.html: xdg-open failed with status 3"
rm -f opened shown.html
show 0 '' shown.html
is "without a desktop nothing is opened" "$? $(grep -c 'no desktop' said) $(ls opened 2>/dev/null)" "1 1 "
check "but the page is written" cmp shown.html gcc.html
PATH=$PWD DISPLAY=:0 "$hpcprof" html --open -o shown.html gcc 2>said
is "a desktop without xdg-open is told" "$? $(grep -c xdg-utils said)" "1 1"

# ---- the file ---------------------------------------------------------------------
"$hpcprof" html gcc 2>said
is "without -o it is report.html, and that is said" "$? $(cat said)" \
	"0 hpcprof: report.html: written; open it in a browser"
check "it is the page" cmp report.html gcc.html
echo before >kept.html
"$hpcprof" html -o kept.html nothing-here 2>said
is "nothing to show leaves a file alone" "$? $(cat kept.html)" "3 before"
check "and says why" grep -q "nothing-here" said
"$hpcprof" html -o . gcc 2>said
is "a folder is no file" "$?" 3
"$hpcprof" html -q -o /dev/full gcc 2>said
is "a full disk is a failure" "$?" 3
check "that is told" grep -q "/dev/full" said
done_testing
