#!/bin/bash
# The views tree, callers, callees and annotate of programs that were really measured; their
# figures against a script that reads the datafiles itself.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"
export COLUMNS=100

recursion=$(program recursion)
check "a recursive program can be measured" "$hpcrun" -q -o one "$recursion"
check "and in two processes" "$hpcrun" -q -o two "$recursion" fork
functions="fib even odd inlined mix step"
check "all views of it are right" lib viewcheck.py "$hpcprof" recursion "" one $functions
check "of both processes, too" lib viewcheck.py "$hpcprof" recursion "" two $functions
check "and of a part of it" lib viewcheck.py "$hpcprof" recursion "^odd$" two $functions

# Epochs: plugins that stand in each other's place.
for name in first second; do
	gcc -O1 -g -shared -fPIC -o $name.so -x c - <<END
static volatile unsigned sink;
__attribute__((noinline, noclone)) static void burn_$name(int depth)
{
	for (int i = 0; i < 20000000; i++)
		sink += i;
	if (depth)
		burn_$name(depth - 1);
	sink++;
}
__attribute__((noinline, noclone)) void work(int ms) { burn_$name(ms % 4); sink++; }
END
done
check "epochs can be measured" "$hpcrun" -q -o epochs "$(program epochs)" 3 ./first.so ./second.so
check "all views of them are right" \
	lib viewcheck.py "$hpcprof" epochs,first.so,second.so burn_ epochs work burn_first burn_second

# How trees are drawn.
"$hpcprof" tree one >text
check "the tree marks the hot path" grep -qE '^\* +[0-9.]+% .* main$' text
check "and inlined code" grep -q 'mix \[inlined\]' text
check "the outermost frame is first" bash -c "sed -n 4p text | grep -q '_start$'"
"$hpcprof" tree --depth 4 one >text
check "--depth sums what is deeper" grep -qE '\.\.\. [0-9]+ callees? deeper' text
check "no more frames are shown" bash -c "! grep -qE ' (fib|even)$' text"
"$hpcprof" tree --focus '^ev.n$' one >text
check "--focus has the rest in the last line" bash -c "tail -1 text | grep -qE '^ +[0-9.]+% .*on other paths'"
check "and no function that is not on its paths" bash -c "! grep -q fib text"
check "--no-inline has none of it" bash -c '! "$1" tree --no-inline one | grep -qF "[inlined]"' - "$hpcprof"
status() {
	"$@" >text 2>errors
	echo $?
}
is "an expression that matches nothing is the user's mistake" "$(status "$hpcprof" tree --focus nonesuch one)" 2
is "and so is one that is none" "$(status "$hpcprof" tree --focus 'a(' one)" 2
check "and it says why" grep -q 'takes an extended regular expression' errors
is "--min takes percentages" "$(status "$hpcprof" tree --min 101 one)" 2
is "a view does not take the options of others" "$(status "$hpcprof" text --bottom-up one)" 2

# Functions are found by name.
is "a function that is not there" "$(status "$hpcprof" callers nonesuch one)" 2
is "a part of several names" "$(status "$hpcprof" callers d one)" 2
check "some of which are told" grep -qE "matches [0-9]+ functions: .*(even|odd|inlined)" errors
is "a part of one name is enough" "$(status "$hpcprof" callers nline one)" 0
check "of which the callers are shown" grep -qE '^Callers of inlined' text
is "FUNCTION needs a PROFILE behind it" "$(status "$hpcprof" callers fib)" 2

# Sources.
source=$top/tests/programs/recursion.c
hot=$(grep -n 'sink \* 3' "$source" | cut -d: -f1)
"$hpcprof" annotate recursion.c one >text
check "annotate shows the source" grep -qF 'sink = sink * 3 + 1;' text
check "with the hottest line marked and inlined" grep -qE "^\* .* i +$hot  " text
# it, or by the CPU's skid the head of its loop
is "first in the list on top" \
	"$(sed -n '/hottest lines/{n;p}' text | grep -cE "i +($hot|$((hot - 1)))  (sink|for)")" 1
"$hpcprof" annotate --all recursion.c one >text
is "--all shows every line" "$(sed '1,/source (/d' text | wc -l)" "$(wc -l <"$source")"
"$hpcprof" annotate mix one >text
check "a function has its lines" grep -qE "^\* .* i +$hot  " text
check "and not those of others" bash -c "! grep -q 'return n < 2' text"

# A program whose source is moved, missing, changed, or something else.
mkdir -p src moved/deep
cp "$source" src/prog.c
gcc -O1 -g -fno-optimize-sibling-calls -o prog src/prog.c
touch -d '1 hour ago' src/prog.c
"$hpcrun" -q -o data ./prog
"$hpcprof" annotate prog.c data >text
check "no warning without a reason" bash -c "! grep -q Warning text"
touch -d '1 hour' src/prog.c
"$hpcprof" annotate prog.c data >text
check "a source newer than the binary is told" bash -c "tr -s ' \n' ' ' <text | grep -q 'Warning: the source is newer than'"
mv src/prog.c moved/deep/prog.c
"$hpcprof" annotate prog.c data >text
check "a missing source is told" grep -q 'No source: not found' text
check "with lines and functions all the same" grep -qE "i +$hot  mix" text
shows() {
	"$hpcprof" annotate "$@" data >text 2>&1 && grep -qF 'sink = sink * 3' text
}
check "-I maps folders" shows -I "$scratch/src=$scratch/moved/deep" prog.c
check "--directory searches one" shows --directory "$scratch/moved/deep" prog.c
mkdir tree
cp -r moved/deep tree/src
check "by the end of the path, too" shows --directory "$scratch/tree" prog.c
check "another folder is not taken" bash -c '! "$1" annotate -I "$2/sr=$2/moved/deep" prog.c data | grep -qF "sink = sink"' - "$hpcprof" "$scratch"
ln -s ../moved/deep/prog.c src/prog.c
check "a link of the program's own folder is followed" shows prog.c
rm src/prog.c
mkdir roots
ln -s "$scratch/moved/deep/prog.c" roots/prog.c
check "one that leads out of a given folder is not" bash -c '! "$1" annotate --directory roots prog.c data | grep -qF "sink = sink"' - "$hpcprof"
check "and that is told" bash -c '"$1" annotate --directory roots prog.c data | tr -s " \n" " " | grep -q "leads out of the given directory"' - "$hpcprof"
rm roots/prog.c
mkfifo roots/prog.c
is "a pipe is not read" "$(status timeout 20 "$hpcprof" annotate --directory roots prog.c data)" 0
check "and that is told, too" grep -q 'not a regular file' text
rm roots/prog.c
head -c 100000 /dev/zero >roots/prog.c
check "nor is what is no text" bash -c '"$1" annotate --directory roots prog.c data | grep -q "not a text"' - "$hpcprof"
truncate -s 17M roots/prog.c
check "or too large" bash -c '"$1" annotate --directory roots prog.c data | grep -q "larger than 16 MiB"' - "$hpcprof"

# Instructions.
"$hpcprof" annotate --object mix one >text
check "--object shows instructions" grep -qE '^\* +[0-9.]+% .* [0-9a-f]+  (add|lea|mov|cmp|sub|j)' text
check "and where they come from" grep -qE "; recursion.c:$hot \[inlined mix\]" text
check "calls have names" grep -qE 'call.* <(even|odd|fib|inlined|\+0x0)' text
cat >without.c <<'END'
#include <dlfcn.h>
#include <string.h>
void *dlopen(const char *name, int how)
{
	void *(*next)(const char *, int);
	*(void **)&next = dlsym(RTLD_NEXT, "dlopen");
	return next(name && strstr(name, "capstone") ? "./nothing.so" : name, how);
}
END
gcc -D_GNU_SOURCE -shared -fPIC -o without.so without.c -ldl
is "which takes Capstone" "$(LD_PRELOAD=./without.so "$hpcprof" annotate --object mix one 2>&1 | cut -d: -f1-3)" \
	"hpcprof: instructions cannot be shown without Capstone: ./nothing.so"
is "and the page says that it has none" "$(LD_PRELOAD=./without.so "$hpcprof" html --instructions -o without.html one 2>&1 | cut -d: -f1-3 | head -1)" \
	"hpcprof: instructions cannot be shown without Capstone: ./nothing.so"
"$hpcprof" annotate --object --all --samples even one >text
is "the instructions add up to the procedure" \
	"$(awk '/instruction \(/ { on = 1; next } on { s += substr($0, 11, 8) } END { print s }' text)" \
	"$(sed -n 's/.*: self [0-9.]*%, \([0-9]*\);.*/\1/p' text)"
COLUMNS=80 "$hpcprof" annotate --object --all fib one >text
check "no line is wider than the terminal" awk 'length($0) > 80 { exit 1 }' text
check "code in no file is told" bash -c '"$1" -q -o jit "$3" &&
	"$2" annotate --object "$("$2" -n 0 jit | grep -oE "\[anonymous\]\+0x[0-9a-f]+" | head -1)" jit | grep -q "cannot be disassembled"' - "$hpcrun" "$hpcprof" "$(program jit)"
done_testing
