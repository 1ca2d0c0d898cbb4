#!/bin/bash
# The page in a browser, at length: all hostile names in all places, accessibility of a large page, and
# the pages of larger programs beside hpcprof's other views.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"
. "$top/tests/lib/shell/node.sh"
. "$top/tests/lib/shell/workloads.sh"

for name in driver hostile axe; do
	PAGE_TESTS=all taps $name 1200 "$node" "$top/tests/page/$name.browser.mjs"
done

for name in python cxx gcc sqlite threads8 threads64; do
	case $name in
	threads64) command=("$(program manythreads)" run 64 30000000 64) ;;
	*) workload $name full ;;
	esac
	"$hpcrun" -q -o "$name" "${command[@]}" <"$([ -e input ] && echo input || echo /dev/null)" >out 2>&1
	if "$hpcprof" db -q -o "$name.db" "$name" && "$hpcprof" html -q -o "$name.html" "$name"; then
		taps "$name" 1200 "$node" "$top/tests/page/values.browser.mjs" "$hpcprof" "$name" "$name.db" \
			"$name.html"
	else
		not_ok "$name has a page"
	fi
done
done_testing
