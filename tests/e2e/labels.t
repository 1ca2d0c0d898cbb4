#!/bin/bash
# Labels of a program's own (runtime/hpcrun.h): what is measured has the labels that its thread had, and
# views are by them.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"
. "$top/tests/lib/shell/labels.sh"

labels=$BUILD/programs/labels

measure() { # DATA ARGUMENTS
	timeout 60 "$hpcrun" -q -e CPUTIME@f2000 -o "$@" >said 2>said.err || true
}

is 'alone it runs as if there were none' "$("$labels" | wc -l) $("$labels" stacked)" '1000 '
for trees in each all; do
	measure "server-$trees" -t $trees "$labels"
	cp said truth
	"$hpcprof" text --functions --json --ci -n 0 --group-by request "server-$trees" >by-request
	check "a server of 1000 requests, -t $trees: what each took" lib labels.py by-request truth
	note "$(lib labels.py by-request truth)"
	is_by "-t $trees: by another key" size "server-$trees" 'large 57' 'small 43'
done
metric=BYTES by request server-each >got
is 'what was recorded has the labels, too' "$(grep -c '^500 0$' got) $(wc -l <got)" '1 999'
is 'exactly' "$("$hpcprof" export -q --format folded -m BYTES --label request=^500\$ server-each | awk '{ n += $NF } END { print n }')" 500
is 'only some' "$(by request server-each --label 'request=^99.$' | cut -d' ' -f1 | paste -sd' ')" \
	'990 991 992 993 994 995 996 997 998 999'
is 'of several keys all must match, of one key any' \
	"$(by request server-each --label 'request=^8$' --label 'request=^9$' --label size=large | cut -d' ' -f1)" 8
"$hpcprof" --label nokey=. server-each >said 2>said.err
is 'of none' "$? $(wc -l <said) $(cat said.err)" '3 0 hpcprof: nothing has the labels that --label asks for'
is 'a key that nothing has' "$("$hpcprof" export --format folded -m CPUTIME --group-by nokey server-each 2>&1 >said | grep 'label')" \
	'hpcprof: nothing has a label nokey (--group-by)'
# Just before a thread has its second label, a sample may have one alone.
"$hpcprof" export -q --format folded -m CPUTIME --group-by size --group-by request server-each |
	cut -d';' -f1,2 | sort -u | sed -n 's/^\[label\] size=.*;\[label\] request=//p' | sort >pairs
by request server-each | grep -v '^-' | cut -d' ' -f1 | sort >requests
check 'by two keys' test "$(wc -l <pairs)" -ge $(($(wc -l <requests) * 98 / 100)) -a "$(comm -23 pairs requests | wc -l)" = 0
is 'each request has one size' "$(uniq -d pairs)" ''
is 'without a key nothing is to be seen of them' "$("$hpcprof" export -q --format folded -m CPUTIME server-each | grep -c '\[label\]')" 0
"$hpcprof" server-each >text
check 'the report says that there are some' says text 'There are labels: .hpcprof query labels. shows them'
"$hpcprof" --group-by size server-each >text
check 'but not if they are used' bash -c '! grep "There are labels" text'
"$hpcprof" tree --group-by size --depth 1 -m CPUTIME server-each >tree
check 'a tree by them' says tree '5[0-9]\.[0-9]% .*\[label\] size=large'

measure inherited "$labels" inherited
is_by 'a thread begins with the labels of its creator, and a child, too' who inherited 'main 50' 'child 17' 'forked 17' '- 17'
# A database has them, too.
# same_by NAME FROM TO OPTIONS: what is by labels in the measurement and in the database.
same_by() {
	local m
	for m in CPUTIME BYTES; do
		"$hpcprof" export -q --format folded -m $m "${@:4}" "$2" | sort >expected
		"$hpcprof" export -q --format folded -m $m "${@:4}" "$3" | sort >got
		check "$1, $m" cmp expected got
	done
}
"$hpcprof" db -q -o server.db server-each
"$hpcprof" db -q -o inherited.db inherited
"$hpcprof" db -q -o again.db server.db
"$hpcprof" again.db >text
check 'the report on a database says so, too' says text 'There are labels'
for table in label label_set label_value; do
	is "a database of the database: $table" "$(sqlite3 again.db "SELECT * FROM $table")" "$(sqlite3 server.db "SELECT * FROM $table")"
done
for db in server.db again.db; do
	same_by "$db: by a key" server-each $db --group-by request
	same_by "$db: by two" server-each $db --group-by size --group-by request
	same_by "$db: some" server-each $db --label 'request=^9'
	same_by "$db: some, by another" server-each $db --label size=large --group-by request
	same_by "$db: as if there were none" server-each $db
done
"$hpcprof" text --label who=child inherited.db >text
is 'what programs and processes have of some labels of a database is not known' \
	"$(grep -c '^Programs' text) $("$hpcprof" text --processes --label who=child inherited.db | sed -n '/^Processes/{n;p}' | awk '{ print $1, $2 }')" '0 wall pid'
is 'and not in JSON' "$("$hpcprof" text --json --processes --label who=child inherited.db | "$python" -c 'import json, sys
rows = json.load(sys.stdin)["processes"]["rows"]
print(len(rows), [row["self"] for row in rows if row["self"]])')" '2 []'
"$hpcprof" text --label size=large server-each | sed '/^Threads$/,/^$/d' >expected
"$hpcprof" text --label size=large server.db | sed '/^Threads$/,/^$/d' >got
check 'the text of some of the database' cmp expected got
"$hpcprof" merge -q -o merged.csp server-each
same_by 'a merged file: some, by another' server-each merged.csp --label size=large --group-by request
"$hpcprof" text --label size=large server-each | sed -n '/^Functions (C/,$p' >expected
"$hpcprof" text --label size=large merged.csp | sed -n '/^Functions (C/,$p' >got
check 'the text of some of a merged file' cmp expected got
is 'which has no sums of threads with labels' "$("$hpcprof" text --label size=large merged.csp | grep -c '^Threads')" 0
is 'each context has at most its value with labels' "$(sqlite3 server.db 'SELECT count(*), sum(v.events <= e.events AND v.samples <= e.samples)
	FROM (SELECT metric, context, sum(events) AS events, sum(samples) AS samples FROM label_value GROUP BY metric, context) v
	JOIN exclusive e USING (metric, context)')" "$(sqlite3 server.db 'SELECT n || "|" || n FROM (SELECT count(*) AS n
	FROM (SELECT DISTINCT metric, context FROM label_value))')"
is 'labels in SQL: numbers are numbers' "$(sqlite3 server.db "SELECT key, min(number), max(number), count(*), count(DISTINCT value) FROM label GROUP BY key")" \
	'request|0|999|1000|1000
size|||2|2'
is 'a query of labels' "$("$hpcprof" query --format csv labels server.db | awk -F, '$1 == "BYTES" && $2 == "size" { print $3, $4, $6 }')" 'small 375000 750
large 124500 250'
is 'a query of the functions by a label' "$("$hpcprof" query --format csv label-functions size server.db | awk -F, '$1 == "BYTES" { print $2, $3, $4, $6, $7 }')" \
	'small 375000 hpcrun_record 375000 100.0
large 124500 hpcrun_record 124500 100.0'
"$hpcprof" xml -q -o server.xml server-each
"$hpcprof" --label size=large server.xml >said 2>said.err
is 'a PROFILE has none' "$? $(head -1 said.err)" '3 hpcprof: server.xml: neither a datafile nor a database: it has no labels (skipped)'

measure stacked "$labels" stacked
is_by 'labels that are set, pushed and taken away' a stacked '1 50' '2 17' '- 33'
is_by 'numbers' b stacked '-7 66' '- 33'
measure strange "$labels" strange
"$hpcprof" export -q --format folded -m CPUTIME --group-by k=e=y strange >strange.folded
check 'strange ones: a sign in a key is another in views' awk '/^\[label\] k_e_y=v=a.*l;/ { n += $NF } { t += $NF }
	END { exit !(n > 0.9 * t) }' strange.folded
is 'strange ones: those that are too many are left out' "$(by key0 strange; by key49 strange)" '-9223372036854775808 100
- 100'
measure flood "$labels" flood
for of in strange flood; do
	"$hpcprof" db -q -o $of.db $of
	"$hpcprof" export -q --format folded -m CPUTIME --group-by k=e=y --group-by n $of | sort >expected
	"$hpcprof" export -q --format folded -m CPUTIME --group-by k=e=y --group-by n $of.db | sort >got
	check "$of: the same in a database" cmp expected got
done
check 'very many values: the accounts agree' bash -c '! "$1" flood 2>&1 | grep "does not agree"' - "$hpcprof"
check 'and the region is there' bash -c '"$1" tree flood | grep -q "region. flood"' - "$hpcprof"

# A frame that a recording leaves out, below which labels stand, is remembered as what it is.
for way in whole memo marks; do
	[ $way != marks ] || [ "$(uname -m)" = x86_64 ] || continue
	measure callers-$way --mark $way "$labels" callers
	is "--mark $way: recordings for callers, with labels" "$("$hpcprof" export -q --no-inline --format folded -m MINE callers-$way |
		grep -o 'below;twice.*') $("$hpcprof" export -q --no-inline --format folded -m BYTES callers-$way | grep -o 'below [0-9]*$')" \
		'below;twice;either;for_itself 3 below 3'
done

# C++ and Fortran.
include="-I$top/runtime"
cat >scope.h <<'END'
#include <time.h>
static volatile unsigned sink;
static void spin(int ms)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	long long end = t.tv_sec * 1000000000LL + t.tv_nsec + ms * 1000000LL;
	do
		for (int i = 0; i < 1000; i++)
			sink = sink + 1;
	while (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t), t.tv_sec * 1000000000LL + t.tv_nsec < end);
}
END
cat >scope.cc <<'END'
#include <hpcrun.h>
#include "scope.h"
int main()
{
	hpcrun::label outer("phase", "one");
	spin(100);
	try {
		hpcrun::label inner("phase", "two"), number("n", 9);
		spin(100);
		throw 1;
	} catch (int) {
	}
	spin(100);
	return 0;
}
END
for compiler in g++ clang++-14; do
	if ! command -v $compiler >/dev/null; then
		skip "$compiler: it is not installed" 3
		continue
	fi
	# shellcheck disable=SC2086
	$compiler -std=c++11 -Wall -Wextra -Werror -g -O2 $include -o scope scope.cc
	./scope
	is "$compiler: alone" $? 0
	rm -rf scope-data
	measure scope-data ./scope
	is_by "$compiler: a label of a block, which an exception leaves" phase scope-data 'one 67' 'two 33'
	is_by "$compiler: a number" n scope-data '9 33' '- 67'
done

if command -v gfortran >/dev/null; then
	cat >steps.f90 <<'END'
program steps
  use hpcrun
  use, intrinsic :: iso_fortran_env, only: int64
  implicit none
  real(8) :: x
  call work(x)
  call hpcrun_label_set('step', 1)
  call work(x)
  call hpcrun_label_set('step', -2_int64)
  call hpcrun_label_set('phase', 'solve  ')
  call work(x)
  call hpcrun_label_clear('step')
  call work(x)
  if (x > 0) print '(a)', 'done'
contains
  subroutine work(x)
    real(8), intent(inout) :: x
    integer :: k
    x = 0
    do k = 1, 25000000
      x = x + sqrt(real(k, 8))
    end do
  end subroutine
end program
END
	gfortran -Wall -Wextra -Werror -std=f2008 -g -O2 -fno-inline -o steps "$top/runtime/hpcrun.f90" steps.f90
	is 'gfortran: alone' "$(./steps)" 'done'
	measure steps-data ./steps
	is_by 'gfortran: numbers' step steps-data '1 25' '-2 25' '- 50'
	is_by 'gfortran: texts' phase steps-data 'solve 50' '- 50'
else
	skip 'gfortran is not installed' 3
fi

"$hpcprof" merge -q -o merged.csp server-each stacked
"$hpcprof" merge -q -o twice.csp merged.csp inherited
for key in request size a b who; do
	"$hpcprof" export -q --format folded -m CPUTIME --group-by $key server-each stacked inherited >"apart-$key"
	"$hpcprof" export -q --format folded -m CPUTIME --group-by $key twice.csp >"merged-$key"
	check "merged files have the labels: $key" cmp "apart-$key" "merged-$key"
done
is 'the accounts agree with the trees' "$("$hpcprof" server-each server-all inherited stacked 2>&1 | grep -c 'does not agree')" 0
for wrong in request =x 'request=['; do
	"$hpcprof" --label "$wrong" server-each >said 2>&1
	is "--label $wrong is refused" $? 2
done
done_testing
