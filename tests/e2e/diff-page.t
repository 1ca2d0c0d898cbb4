#!/bin/bash
# hpcprof diff --html: the data in the page is what diff --json says, and so are the values and marks
# that a browser shows. With NORMALIZE=all, of all comparisons in both ways: see tests/soak/page-diff.t.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"
. "$top/tests/lib/shell/node.sh"

# agrees PROFILE...: the page of a comparison has what the comparison says, with each of the
# arguments of --normalize in $normals.
normals=none
[ "${NORMALIZE:-}" != all ] || normals='none total'
agrees() {
	local normal
	for normal in $normals; do
		"$hpcprof" diff -q --normalize "$normal" --html page.html "$@" &&
			lib comparepage.py "$hpcprof" page.html "$normal" "$@" || return 1
	done
}

# ---- measurements -----------------------------------------------------------------
cp "$(program fifty)" fifty
check "another build" gcc -O2 -g -w -DMOVED -x c "$top/tests/programs/fifty.c" -o moved
run_of() { # run_of DIR PROGRAM ARGUMENT...
	timeout 120 "$hpcrun" -q --budget 100 -e CPUTIME@f3000 -o "$1" "${@:2}"
}
for name in a b c; do
	run_of "$name" ./fifty 5000
done
run_of slow ./moved 5000 7 150
run_of slower ./moved 5000 7 150
check "a slower function of another build" agrees a slow
normals=total check "with the same total" agrees a slow
check "it is beyond noise" test "$("$hpcprof" diff -q --json a slow | lib rows.py functions 'f["name"] == "work7"')" = work7
check "several runs" agrees a b c -- slow slower
"$hpcprof" db -q -o a.db a && "$hpcprof" merge -q -o slow.csp slow
check "a database and a merged file" agrees a.db slow.csp

cat >part.c <<-'END'
	#include <stdint.h>
	static volatile uint64_t result;
	#define LOOP uint64_t x = n; for (uint64_t i = 0; i < n; i++) x = x * 6364136223846793005 + i; result = x
	static MAYBE void part(uint64_t n) {
		LOOP;
	}
	__attribute__((noinline, noclone)) static void whole(uint64_t n) { part(n); result = 1; }
	#ifdef OLD
	__attribute__((noinline, noclone)) static void old(uint64_t n) {
		LOOP;
	}
	#else
	#define old(n) whole(n)
	#endif
	int main(void) { for (int i = 0; i < 9000; i++) { whole(30000); old(30000); } return 0; }
END
check "a program with functions" gcc -g -O2 '-DMAYBE=__attribute__((noinline))' -DOLD -o apart part.c
check "with one of them inlined" gcc -O2 '-DMAYBE=__attribute__((always_inline)) inline' -DOLD -o together part.c
check "and without one of them" gcc -g -O2 '-DMAYBE=__attribute__((noinline))' -o without part.c
for name in apart together without; do
	run_of "of-$name" "./$name"
done
check "a function that was inlined" agrees of-apart of-together
lines_too() {
	agrees "$@" >said
	local status=$?
	cat said
	[ "$status" = 0 ] && grep -q ' [1-9][0-9]* gone lines' said
}
check "a function that is gone, with its lines" lines_too of-apart of-without

# ---- counts -----------------------------------------------------------------------
printf '%s\n' 'main;a;b 100' 'main;a 50' 'main;c;c;d 30' 'main;gone 9' >before.folded
printf '%s\n' 'main;a;b 150' 'main;a 50' 'main;c;d 20' 'main;new 12' '<script>;</script> 5' >after.folded
sed 's/\(.*\) /\1 1/' after.folded >more.folded
check "counts" agrees before.folded after.folded
normals=total check "with the same total" agrees before.folded after.folded
check "several files" agrees before.folded -- after.folded more.folded

# ---- the command ------------------------------------------------------------------
"$hpcprof" diff -q --html page.html a slow
COLUMNS=120 "$hpcprof" diff -q --functions --lines --calls a slow >text
is "the text is in it" "$(sed -n '/<pre id="summary">/,/<\/pre>/p' page.html | sed '1d;$d' | sed 's/&gt;/>/g; s/&lt;/</g; s/&amp;/\&/g')" "$(cat text)"
check "and the title" grep -qx 'a → slow' page.html
"$hpcprof" diff -q -j 1 --html one.html a slow
check "the same input gives the same bytes" cmp page.html one.html
check "nothing is printed" test -z "$("$hpcprof" diff -q --html page.html a slow)"
check "--fail-above tells its answer all the same" run 4 "$hpcprof" diff -q --fail-above 3 --html slow.html a slow
check "with a page" cmp slow.html page.html
printf '%s\n' 'main;a;f 10000' 'main;b;f 10000' >paths.folded
printf '%s\n' 'main;a;f 19000' 'main;b;f 1000' >other.folded
check "call paths that grew" run 4 "$hpcprof" diff -q --fail-above 3 --calls paths.folded other.folded
check "count only if they were asked for" run 0 "$hpcprof" diff -q --fail-above 3 paths.folded other.folded
check "though a page has them" run 0 "$hpcprof" diff -q --fail-above 3 --html slow.html paths.folded other.folded
"$hpcrun" -q -o none true && "$hpcrun" -q -o nothing true
check "nothing recorded has a page" run 0 "$hpcprof" diff -q --html none.html none nothing
check "JSON is no page" run 2 "$hpcprof" diff --json --html x.html a slow
check "which is told" says err 'not both'
check "sources are for a page" run 2 "$hpcprof" diff --sources a slow
check "which is told, too" says err '\-\-html'
"$hpcprof" diff -q --sources --html sources.html a slow
check "sources are in it if they were asked for" grep -q 'id="source-' sources.html
check "and not otherwise" run 1 grep -q 'id="source-' page.html
check "nothing was written" test ! -e x.html

# ---- in a browser -----------------------------------------------------------------
"$hpcprof" diff -q --sources --normalize none --html browser.html of-apart of-without
"$hpcprof" diff -q --json --all --normalize none --functions of-apart of-without >functions.json
"$hpcprof" diff -q --json --all --normalize none --total --functions of-apart of-without >totals.json
taps "in a browser" 200 "$node" "$top/tests/page/compare.browser.mjs" browser.html functions.json totals.json
done_testing
