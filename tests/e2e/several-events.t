#!/bin/bash
# Several events in one measurement: each has the total that the kernel says, its samples are where it
# happened, and its account is complete; with perf, without, and as an ordinary user.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"
. "$top/tests/lib/shell/ordinary-user.sh"

counted=$(program counted)
events=CPUTIME,page-faults,context-switches
# an image has that many page faults before main, and as it ends
PER_IMAGE=400

# totals NAME COMMAND...: under hpcrun, which may come after other words of the command, the events have
# the totals that it prints; those that match $only.
only=.
totals() {
	local name=$1
	shift
	rm -rf "$name"
	"$@" >"$name.all" 2>"$name.err" || note "$(cat "$name.err")"
	grep "$only" "$name.all" >"$name.totals"
	check "$name: the totals are the kernel's" lib totals.py "$name.totals" "$PER_IMAGE" "$name"
	check "$name: the account of each event is complete" lib account.py "$name"
}

# counted_by_perf DIR: the number of sources that are perf's counters.
counted_by_perf() {
	sources_named "$1" | tr '+' '\n' | grep -cE '^ *perf( *$|,)'
}

# shares NAME POINTS EVENT MODE ROUNDS FUNCTION SHARE...
shares() {
	local name=$1 points=$2 event=$3 mode=$4 rounds=$5
	shift 5
	printf '%s %s\n' "$@" >truth
	timeout 100 "$hpcrun" -q -o "$name" -e "$event" -e CPUTIME "$counted" "$mode" "$rounds" >/dev/null
	check "$name: in these functions" lib shares.py "$points" truth "$name"
}

totals faults "$hpcrun" -q -o faults -e "$events" "$counted" faults 60
totals switches "$hpcrun" -q -o switches -e "$events" "$counted" switches 300
totals threads "$hpcrun" -q -o threads -e "$events" "$counted" threads 60
# what waits for the children, and the end of a process, are not theirs alone
only=page-faults
totals children "$hpcrun" -q -o children -e "$events" "$counted" children 30
only=.
totals without-perf "$(program noperf)" "$hpcrun" -q -o without-perf -e "$events" "$counted" threads 60
is "and no event is counted by perf" "$(counted_by_perf without-perf)" 0
only=page-faults
totals alone "$hpcrun" -q -o alone -e page-faults "$counted" faults 60
only=.
check "alone: the report is of it" run 0 "$hpcprof" alone
check "and says what measuring took" says out 'page-faults in [0-9,]* samples; measuring took [0-9.]*%'
totals one-tree "$hpcrun" -q -t all -o one-tree -e "$events" "$counted" threads 60
# every second fault, and all together
totals often "$hpcrun" --budget 5 -o often -e page-faults@2,minor-faults@3,major-faults,context-switches@1,CPUTIME@f200 \
	"$counted" faults 60
check "often: measuring takes 7% at most" says often.err '; measuring took [0-6]\.[0-9]%'

# With few samples, the last switches of a thread are long before its end; they are not left out.
timeout 100 "$hpcrun" -q --budget 1 -o paced -e context-switches@1 "$counted" switches 600 >/dev/null
check "paced: the account is complete" lib account.py paced
check "paced: the report" run 0 "$hpcprof" --quality paced
check "paced: the switches after the last sample are at the call paths" test -z "$(grep 'ends of threads' out)"

# Where the kernel tells when it happens.
if [ "$(counted_by_perf alone)" -gt 0 ]; then
	shares fault-shares chance page-faults@50 faults 100 many 4 few 1
	shares switch-shares chance context-switches@1 switches 400 often 3 seldom 1
else
	skip "fault-shares: in these functions" "no perf for this user"
	skip "switch-shares: in these functions" "no perf for this user"
fi

# As an ordinary user.
mkdir -m 777 user
mkdir tool
cp -r "$BUILD/bin" "$BUILD/lib" tool/
cp "$counted" "$(program noperf)" .
totals user/ordinary as_user tool/bin/hpcrun -q -o user/ordinary -e "$events" ./counted threads 60
totals user/refused as_user ./noperf tool/bin/hpcrun -q -o user/refused -e "$events" ./counted threads 60

# refused EVENTS WHAT: with status 125, before the program begins.
refused() {
	check "-e $1: refused" run 125 "$hpcrun" -q -o refused -e "$1" touch began
	check "and why" says err "$2"
}
refused page-fault "did you mean page-faults"
refused CPUTIME,page-faults,CPUTIME "'CPUTIME': the event is given twice"
refused CPUTIME,page-faults@ms "'page-faults@ms': expected how many"
refused CPUTIME@100ns,page-faults "'CPUTIME@100ns': periods go from @10us to @1s"
refused , "unknown event"
check "and nothing began" test ! -e began

HPCRUN_EVENTS=page-faults "$hpcrun" -q -o named -e context-switches@1 -e CPUTIME "$counted" switches 20 >named.out
check "the command line replaces what the environment says" test \
	"$("$hpcprof" dump named/*.csp | grep -c 'name "page-faults"')" = 0
HPCRUN_EVENTS=page-faults@1 "$hpcrun" -q -o environment "$counted" faults 1 >environment.out
run 0 "$hpcprof" environment
check "which counts where the command line says nothing" says out 'Functions \(page-faults\)'

done_testing
