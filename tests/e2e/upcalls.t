#!/bin/bash
# Upcalls (runtime/hpcrun.h): functions of the program that are called for samples, and are switched off
# if they fault or take too long.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"

upcalls=$BUILD/programs/upcalls

# calls WHAT [OPTIONS]: measure it. What it prints last becomes the values of "state" and of its other words.
declare -A got
calls() {
	local what=$1 words
	shift
	rm -rf data
	timeout 60 "$hpcrun" -q -e CPUTIME@f2000 "$@" -o data "$upcalls" "$what" >out 2>err
	status=$?
	samples=$("$hpcprof" -q --json data | sed -n 's/.*"total_samples":\([0-9]*\).*/\1/p' | head -1)
	read -ra words < <(sed -n "s/^$what: //p" out | sed 's/too slow/too-slow/')
	got=([state]=${words[0]:-})
	for ((i = 1; i + 1 < ${#words[@]}; i += 2)); do got[${words[i]}]=${words[i + 1]}; done
	note "$what: $(tail -1 out), $samples samples"
}
# at CONDITION: of these values, in arithmetic without fractions.
at() {
	local expression=$1 name
	for name in "${!got[@]}"; do expression=${expression//@$name/${got[$name]}}; done
	expression=${expression//@samples/$samples}
	(($expression))
}

is 'alone nothing is called' "$("$upcalls") $("$upcalls" wrong | head -1)" 'counts: nothing -1 -1 -1'
for mark in whole memo marks; do
	calls counts --mark $mark
	is "--mark $mark: called" "$status ${got[state]} ${got[wrong]} ${got[dropped]}" '0 on 0 0'
	check "--mark $mark: for each sample" at '@calls == @seen && @calls <= @samples && @calls * 100 >= @samples * 95'
	check "--mark $mark: with its weight" at '@ms > 280 && @ms < 330'
	check "--mark $mark: its registers, its path and its thread" at '@placed == @calls && @deep * 10 > @calls * 9 && @same == @calls'
done
calls waits -e REALTIME
check 'for samples of waits, too' at '@calls > 5 && @wrong == 0 && @ms > 20'
calls some
check 'for one in ten' at '@calls * 100 > @samples * 4 && @calls * 100 < @samples * 18'
calls threads
check 'in all threads' at '@calls * 100 >= @samples * 95 && @same * 100 > @calls * 20 && @same * 100 < @calls * 40'
calls forks
check 'in a forked child, too' says out '^child: on calls [1-9][0-9]* seen [1-9][0-9]* .* wrong 0 '
check 'which has counts of its own and those of its parent' test "$(sed -n 's/^child:.* calls \([0-9]*\) seen .*/\1/p' out)" -gt "${got[calls]}"
calls works
check 'its share of the time is that of the child alone' says out '^child: on calls'
calls stops
is 'stopped' "${got[state]}" stopped
check 'it is not called, and not while it is disabled' at '@seen == @calls && @seen * 100 < @samples * 55 && @dropped * 100 > @samples * 8'
calls wrong
is 'wrong use is refused' "$(head -1 out)" '-1 -1 -1'
calls many
is 'there are 8, and others in the place of those that were stopped' "$(head -1 out)" '8 1000'
check 'also while they are called' at '@calls * 100 >= @samples * 95'

calls uses
is 'of what hpcrun.h has an upcall can stop itself' "$status ${got[state]} ${got[calls]} ${got[wrong]}" '0 stopped 100 0'
"$hpcprof" export -q --format folded -m CPUTIME --group-by label data >folded
is 'and changes nothing that is measured' "$(grep -v 'label=outside;.*;\[region\] the region;nested;' folded | awk '{ other += $NF }
	END { print (other < 3e6 ? "all in the region" : other) }') $(grep -c own <("$hpcprof" -q text data))" 'all in the region 0'

for way in faults divides; do
	calls $way
	is "one that $way: switched off, and the program goes on" "$status ${got[state]} ${got[calls]} ${got[seen]}" '0 faulted 1 1'
	is 'it is said' "$(sed 's/ \[[0-9]*\]//' err)" 'hpcrun: an upcall is switched off: it has faulted'
	check 'and samples are taken as before' test "$samples" -gt 300
done
calls slow
is 'one that takes too long: switched off' "$status ${got[state]}" '0 too-slow'
check 'soon' at '@calls <= 3 && @seen == @calls'
is 'it is said, too' "$(sed 's/ \[[0-9]*\]//' err)" 'hpcrun: an upcall is switched off: it takes more than its share of the time'
check 'its time is that of measuring' says <("$hpcprof" -q text --all data) 'measuring itself \(own code\)'

calls counts -D upcalls
is '-D upcalls: one that calls nothing unsafe' "$status ${got[state]}" '0 on'
# An allocator takes only what it gave, as jemalloc does; a sanitizer begins before it can be called.
LD_PRELOAD=$BUILD/programs/allocator_plugin calls memory -D upcalls
is '-D upcalls: with an allocator of its own' "$status ${got[state]}" '0 on'
for sanitizer in address thread; do
	"${CC:-gcc}" -std=gnu11 -D_GNU_SOURCE -I"$top" -g -O1 -pthread "-fsanitize=$sanitizer" -o sanitized "$top/tests/programs/upcalls.c"
	rm -rf data
	timeout 60 "$hpcrun" -q -D upcalls -o data ./sanitized memory >out 2>err
	is "-D upcalls: with -fsanitize=$sanitizer" "$? $(sed 's/ .*//' out)" '0 memory:'
done
for unsafe in 'allocates malloc' 'prints printf'; do
	calls "${unsafe% *}" -D upcalls
	is "-D upcalls: one that ${unsafe% *} aborts the program" "$status" 134
	check "and it is said why" says err "an upcall calls (puts|${unsafe#* }), which is not async-signal-safe"
done
done_testing
