#!/bin/bash
# The values that pages of real programs show, in a browser, beside those of hpcprof's other views.
# tests/soak/page-whole.t has larger ones.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"
. "$top/tests/lib/shell/node.sh"

# page_of NAME: the page of the measurement NAME, in a browser, beside hpcprof's other views.
page_of() {
	if "$hpcprof" db -q -o "$1.db" "$1" && "$hpcprof" html -q -o "$1.html" "$1"; then
		taps "$1" 400 "$node" "$top/tests/page/values.browser.mjs" "$hpcprof" "$1" "$1.db" "$1.html"
	else
		not_ok "$1 has a page"
	fi
}

"$hpcrun" -q -o cxx "$(program cxx)" 10 >out 2>&1
page_of cxx
# two metrics, which are exact
printf 'events: Ir Dw\nfl=a.c\nfn=main\n1 10 2\n2 30 0\ncfn=f\ncalls=3 4\n2 70 5\nfn=f\n4 70 5\n' >callgrind.out.1
page_of callgrind.out.1

done_testing
