#!/bin/bash
# hpcprof merge on real measurements: one datafile that shows what the many showed, in any
# order, with any number of threads and however it was made; lists of files; and what goes wrong.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"

# Processes and program images, threads, several epochs, inlined code; several metrics.
"$hpcrun" -q -e CPUTIME@f2000 -o data "$(program cxx)" 2 >/dev/null 2>&1
"$hpcrun" -q -e CPUTIME@f2000 -o data "$(program threads8)" >/dev/null
"$hpcrun" -q -e CPUTIME@f2000 -o data sh -c 'ls -lR /usr/share/doc | sort | tail -n 1' >/dev/null
"$hpcrun" -q -e CPUTIME@f1000 -e REALTIME@f500 -o data "$(program epochs)" >/dev/null 2>&1 ||
	"$hpcrun" -q -e CPUTIME@f1000 -o data "$(program epochs)" >/dev/null
count=$(ls data/*.csp | wc -l)
check "there is something to merge: $count datafiles" test "$count" -ge 5

show() { # show NAME PROFILE...
	"$hpcprof" text --all -n 0 "${@:2}" >"$1.text" 2>"$1.errors" &&
		"$hpcprof" tree --min 0 "${@:2}" >"$1.tree" &&
		"$hpcprof" xml -o "$1.xml" "${@:2}" &&
		"$hpcprof" xml --callpath -o "$1.callpath" "${@:2}" &&
		"$hpcprof" callers main "${@:2}" >"$1.callers"
}
same_views() { # same_views DESCRIPTION NAME NAME
	local view
	for view in text tree xml callpath callers; do
		check "$1: $view" cmp "$2.$view" "$3.$view"
	done
}

check "the views of the datafiles" show many data
check "merge" "$hpcprof" merge -o one.csp data
check "the views of the merged file" show one one.csp
same_views "as the datafiles" one many
check "dump shows a merged file" sh -c "'$hpcprof' dump one.csp >one.dump"
check "with a line for each program image" test "$(grep -c '^ *image [0-9]*:' one.dump)" -eq "$count"
check "dump --json" sh -c "'$hpcprof' dump --json one.csp | python3 -m json.tool >one.json"
check "it says nothing about it on stderr" test ! -s one.errors

for threads in 1 2 4; do
	check "merge with $threads threads" "$hpcprof" merge -j "$threads" -o "j$threads.csp" data
	check "the same bytes" cmp one.csp "j$threads.csp"
	"$hpcprof" text --all -j "$threads" -n 0 data >threads.text
	check "the same text view with $threads threads" cmp many.text threads.text
done
check "merge of the merged" "$hpcprof" merge -o again.csp one.csp
check "changes nothing" cmp one.csp again.csp
ls data/*.csp | sort -R --random-source=<(yes) >shuffled
check "merge in another order" "$hpcprof" merge -o order.csp $(cat shuffled)
check "changes nothing" cmp one.csp order.csp
half=$((count / 2))
check "half of them" "$hpcprof" merge -o first.csp $(head -n "$half" shuffled)
check "the other half" "$hpcprof" merge -o second.csp $(tail -n +"$((half + 1))" shuffled)
check "both halves" "$hpcprof" merge -o halves.csp second.csp first.csp
check "the same bytes" cmp one.csp halves.csp
check "a half with the rest" "$hpcprof" merge -o mixed.csp $(tail -n +"$((half + 1))" shuffled) first.csp
check "the same bytes" cmp one.csp mixed.csp
check "the image of the vdso lies beside it, too, if anything was in it" sh -c \
	"! '$hpcprof' --all -n 0 one.csp | grep -q '\[vdso\].*No such file'"

# Threads under their creators: all that is shown stays, below main and not beside it.
"$hpcprof" tree --min 0 --join-threads data >joined.tree
check "joined threads are another tree" sh -c '! cmp -s joined.tree many.tree'
check "merge --join-threads" "$hpcprof" merge --join-threads -o joined.csp data
"$hpcprof" tree --min 0 joined.csp >joined-file.tree
check "shows the same as --join-threads" cmp joined.tree joined-file.tree
is "joining moves values and adds none" \
	"$("$hpcprof" text --all -n 0 --join-threads data | sed -n '/^Functions/,/^Lines/p' | awk 'NR > 2 { sum += $1 } END { printf "%d", sum + 0.5 }')" \
	"$("$hpcprof" text --all -n 0 data | sed -n '/^Functions/,/^Lines/p' | awk 'NR > 2 { sum += $1 } END { printf "%d", sum + 0.5 }')"

# Lists of files.
"$hpcprof" text --all -n 0 --collective 0 --files-from shuffled >list.text
check "--files-from" cmp many.text list.text
"$hpcprof" text --all -n 0 --collective 0 --files-from - <shuffled >list.text
check "--files-from standard input" cmp many.text list.text
tr '\n' '\0' <shuffled >shuffled0
"$hpcprof" text --all -n 0 --collective 0 -0 --files-from shuffled0 >list.text
check "-0" cmp many.text list.text
head -n 1 shuffled >some
tail -n +2 shuffled >others
"$hpcprof" merge --files-from some -o list.csp --files-from others
check "two lists" cmp one.csp list.csp
"$hpcprof" merge -o list.csp --files-from others "$(cat some)"
check "a list and a PROFILE" cmp one.csp list.csp
"$hpcprof" --files-from shuffled0 2>errors
is "NULs without -0: usage" "$?" 2
"$hpcprof" --files-from missing 2>errors
is "a list that is missing" "$?" 3
check "is named" grep -q missing errors
"$hpcprof" --files-from /dev/null 2>errors
is "an empty list: usage" "$?" 2

# What goes wrong.
"$hpcprof" merge data >none 2>errors
is "merge without -o: usage" "$?" 2
check "which says what is missing" grep -q -e '-o FILE' errors
cp one.csp data/all.csp
cp one.csp kept
"$hpcprof" merge -o data/all.csp data 2>errors
is "the output among the PROFILEs is refused" "$?" 3
check "and is as it was" cmp data/all.csp kept
rm data/all.csp
"$hpcprof" merge -o missing/all.csp data 2>errors
is "a folder that is not there" "$?" 3
(
	ulimit -f 1
	"$hpcprof" merge -o full.csp data
) 2>errors
is "no room for the output" "$?" 3
check "leaves nothing behind" sh -c '! ls full.csp* 2>/dev/null'
head -c 1000 "$(ls data/cxx.*.csp)" >cut.csp
"$hpcprof" merge -o cut-merged.csp cut.csp data 2>errors
is "a damaged file is left out" "$?" 1
check "the others are merged" cmp one.csp cut-merged.csp
"$hpcprof" merge -o xml.csp many.xml 2>errors
is "a PROFILE has no addresses" "$?" 2
check "which is said, with its name" grep -q 'many.xml contains names instead of addresses' errors
done_testing
