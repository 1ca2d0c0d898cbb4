#!/bin/bash
# Statistics over profiles, threads, processes, ranks and hosts: against a script that knows
# nothing but the samples; in bounded memory; of real programs; and what is refused.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"

check "rows of all views in units of every kind, in any order, with any number of threads" \
	lib statcheck.py "$hpcprof"

# Memory: 100 and 1000 profiles of the same contexts.
mkdir many
"$(program mkprofiles)" many 1000 2000 100
ls many/*.csp >list
peak() { # peak COUNT OPTION...: peak memory in kB
	head -n "$1" list | /usr/bin/time -f %M -o memory "$hpcprof" text --all -j 2 "${@:2}" --files-from - >some.text
	cat memory
}
few=$(peak 100 --stats)
all=$(peak 1000 --stats)
check "1000 profiles take at most 1.5 times the memory of 100: $few and $all kB" \
	test "$((all * 10))" -le "$((few * 15))"
check "and have all been counted" grep -q '^Statistics over 1000 profiles' some.text

# fits WIDTH: text has lines, and none is longer.
fits() {
	awk -v w="$1" 'length($0) > w { print; long = 1 } END { exit long || NR < 5 }' text
}

# A real program of several threads, in several runs.
for _ in 1 2 3 4; do
	"$hpcrun" -q "$(program threads8)" >/dev/null
done
for width in 80 200; do
	COLUMNS=$width "$hpcprof" text --all --stats --by thread hpcrun-threads8-1 >text
	check "threads in $width columns" grep -q '^Statistics over 8 threads' text
	check "no line is longer" fits "$width"
	COLUMNS=$width "$hpcprof" text --all --ci --stats hpcrun-threads8-* >text
	check "nor with intervals" fits "$width"
	COLUMNS=$width "$hpcprof" text --all --ci hpcrun-threads8-1 >text
	check "intervals stand beside shares" grep -qE '[0-9]% \[[0-9.]+, [0-9.]+\]' text
	COLUMNS=$width "$hpcprof" text --all hpcrun-threads8-* >text
	check "four profiles have common columns" grep -qE '^ *self +sum +min +max +total' text
	check "and no line is longer" fits "$width"
	COLUMNS=$width "$hpcprof" text --all hpcrun-threads8-[123] >text
	check "three have their own" grep -qE '^ *self +[^ ]*-1 +[^ ]*-2 +[^ ]*-3 +total' text
	COLUMNS=$width "$hpcprof" tree --stats hpcrun-threads8-* >text
	check "the tree has them by number" grep -qE '^  \[1\] ' text
	for view in callers callees; do
		COLUMNS=$width "$hpcprof" "$view" --ci --stats sort_some hpcrun-threads8-* >text
		check "$view have them by name" grep -q "^These $view over 4 profiles" text
		check "and intervals" grep -qE '[0-9]% \[[0-9.]+, [0-9.]+\] +[^ ]+ +(lib|threads8)' text
		check "and no line is longer" fits "$width"
	done
done
"$hpcprof" text --all --collective 0 hpcrun-threads8-* >text
check "--collective 0: no columns of profiles" bash -c '! grep -q "^Compared" text'

# Where trees are of several threads, those are one.
"$hpcrun" -q -t all -o shared "$(program threads8)" >/dev/null
"$hpcprof" merge -o merged.csp hpcrun-threads8-1 hpcrun-threads8-2
"$hpcprof" text --all --by thread shared merged.csp >text
check "shared trees and merged ones are a unit each" grep -q '^Compared: 2 threads' text
for format in "" --callpath; do
	for i in 1 2; do
		"$hpcprof" xml $format -o "$i.xml" "hpcrun-threads8-$i"
	done
	"$hpcprof" text --all --stats [12].xml >text
	check "profiles in XML are compared, too" grep -qE '^    (self|both) .* 1\.xml|^        min [12]\.xml, max [12]\.xml' text
done

# SQL has the same deviations, of a sample: mean and deviation of each function's own code.
"$hpcprof" db -q --per-profile yes -o threads8.db hpcrun-threads8-1
"$hpcprof" --functions -n 0 --stats --by thread hpcrun-threads8-1 | sed '1,/^Functions/d' |
	sed -nE 's/^ +(self|both) +[0-9.]+% +[^ ]+ [^ ]+ +[^ ]+ [^ ]+ +[^ ]+ [^ ]+ +([^ ]+ [^ ]+) +([^ ]+ [^ ]+) .*/\2|\3/p' |
	sort >deviations
"$hpcprof" query --format csv "SELECT scaled(mean, 'ns') || '|' || scaled(deviation, 'ns') FROM statistics" \
	threads8.db | tail -n +2 | sort >deviations.sql
check "some functions have deviations" test "$(wc -l <deviations.sql)" -ge 3
is "text and SQL agree about them" "$(cat deviations.sql)" "$(cat deviations)"

# Profiles of other periods have no common columns.
"$hpcrun" -q -e CPUTIME@f500 "$(program threads8)" >/dev/null
"$hpcprof" text --all hpcrun-threads8-[1235] >text
check "other periods are told" grep -q 'Their sampling periods of CPUTIME differ' text
check "and have no columns" bash -c '! grep -qE "^ *self +sum +min" text'

# What is refused.
status() {
	"$@" >/dev/null 2>errors
	echo $?
}
is "--by takes certain words" "$(status "$hpcprof" --stats --by core hpcrun-threads8-1)" 2
check "which are listed" grep -q "profile, thread, process, rank or host, not 'core'" errors
is "annotate has no statistics" "$(status "$hpcprof" annotate --stats main hpcrun-threads8-1)" 2
is "xml has no intervals" "$(status "$hpcprof" xml --ci hpcrun-threads8-1)" 2
is "the tree takes --by only with --stats" "$(status "$hpcprof" tree --by rank hpcrun-threads8-1)" 2
is "--collective takes numbers" "$(status "$hpcprof" --collective few hpcrun-threads8-1)" 2
head -c 1000 "$(ls many/p00001.csp)" >cut.csp
is "a damaged profile is no unit" "$(status "$hpcprof" text --all --stats cut.csp many/p00002.csp many/p00003.csp)" 1
"$hpcprof" text --all --stats cut.csp many/p00002.csp many/p00003.csp >text 2>/dev/null
check "the others are" grep -q '^Statistics over 2 profiles' text
done_testing
