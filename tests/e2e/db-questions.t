#!/bin/bash
# Real questions about real programs: the answers of shipped queries against those that are
# computed from the datafiles, with addr2line and nm for names and lines (dbtruth.py).
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"
. "$top/tests/lib/shell/database.sh"

command -v addr2line >/dev/null || skip_all "addr2line is not installed"

"$hpcrun" -q -o before "$(program asked)" 100 200 >/dev/null
"$hpcrun" -q -o after "$(program asked)" 300 100 >/dev/null
"$hpcrun" -q -o recursion "$(program recursion)" >/dev/null
"$hpcrun" -q -o threads8 "$(program threads8)" >/dev/null
"$hpcrun" -q -o cxx "$(program cxx)" 4 >/dev/null 2>&1
for d in before after recursion threads8 cxx; do
	check "$d: a database" "$hpcprof" db -q -o "$d.db" "$d"
done
cp before.db both.db
check "two runs in one" "$hpcprof" db --append -o both.db after

asked() { # asked QUESTION PROFILE DATABASE PROGRAM [ARGUMENT]
	check "$1${5:+ $5} of $2" lib dbtruth.py "$1" "$hpcprof" "$2" "$3" "$(program "$4")" ${5:+"$5"}
}
asked grew before both.db asked after
is "alpha grew most, through what is inlined there" \
	"$(sql both.db "SELECT (SELECT total_change FROM difference WHERE before = 1 AND after = 2 AND function = 'alpha')
		> 100000000 AND (SELECT total_change FROM difference WHERE before = 1 AND after = 2 AND function = 'beta') < 0")" 1
asked inlined-lines before before.db asked
asked inlined-lines recursion recursion.db recursion
asked inlined-lines cxx cxx.db cxx
is "ten lines, no more" "$(query inlined-lines cxx.db | wc -l)" 10
asked threads before before.db asked
asked threads threads8 threads8.db threads8
asked callers before before.db asked malloc
asked callers before before.db asked common
asked callers recursion recursion.db recursion mix
is "malloc is called most often from where it is" "$(query callers malloc before.db | head -n 1 | cut -d, -f2,3)" often,asked
asked deep before before.db asked 100
asked deep recursion recursion.db recursion 12
asked only-beneath before before.db asked main
asked only-beneath before before.db asked alpha
asked only-beneath before before.db asked beta
asked only-beneath recursion recursion.db recursion even
# Which of libc's functions and of the stubs that lead to them is sampled below one alone is chance.
own_beneath() {
	query only-beneath "$1" before.db | awk -F, '$3 == "asked" && $2 !~ /@plt$/ { print $2 }'
}
is "inner is only beneath alpha" "$(own_beneath alpha)" inner
is "nothing is only beneath beta" "$(own_beneath beta)" ""
asked matching before before.db asked '^(alpha|common)$'
asked matching before before.db asked '^(inner|alone|beta)$'
asked matching recursion recursion.db recursion '^fib$'
asked matching recursion recursion.db recursion 'odd|even'
asked matching cxx cxx.db cxx '^shapes::'
done_testing
