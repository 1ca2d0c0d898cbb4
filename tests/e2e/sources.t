#!/bin/bash
# A thread that computes is sampled by a timer and has no event; one that also waits has an event,
# and is hardly ever woken for nothing.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"

bursts=$(program bursts)
"$hpcrun" -q -v source -o probe "$(program manythreads)" hold 1 0 1 >out 2>said
grep -q 'sampling by perf task-clock' said || skip_all "no performance events to be had"

"$hpcrun" -q -o computes "$bursts" 300000 0 1 >computes.out
is "one that computes has no event" "$(cut -d' ' -f1,2 computes.out)" "events 0"
"$hpcrun" -q -o waits "$bursts" 20000 100 20 >waits.out
is "one that waits now and then has one" "$(cut -d' ' -f1,2 waits.out)" "events 1"

# At 2000 samples a second some 12 come in each time that it computes.
"$hpcrun" -q -e CPUTIME@f2000 -o bursts "$bursts" 6000 1000 150 >bursts.out
more=$(awk '{ print $4 }' bursts.out)
check "it is woken for nothing a few times, not each time: $more of 150" test "$more" -le 20
check "its account holds" lib account.py bursts

done_testing
