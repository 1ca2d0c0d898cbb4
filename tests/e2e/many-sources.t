#!/bin/bash
# Only so many threads at once have a performance event, the best source; the others get the
# next one, or an event all the same where they cannot. When threads end, new ones have
# events again, and so has a child.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"

manythreads=$(program manythreads)
each_cpu=$((2 * $("$python" -c 'import os; print(len(os.sched_getaffinity(0)))')))
most=$((each_cpu > 64 ? each_cpu : 64))

# sources NAME COMMAND...: how many threads had which, as "64 perf task-clock 37 thread timers"
sources() {
	local name=$1
	shift
	timeout 60 "$@" >"$name.out" 2>"$name.err" || echo "exit status $?"
	sed -n 's/.*\] sampling by \(.*\) [0-9]*$/\1/p' "$name.err" | sort | uniq -c | xargs
}

# measured DIR COMMAND...
measured() {
	local dir=$1
	shift
	sources "$dir" "$hpcrun" -q -v source -o "$dir" "$@"
}

# recorded LEAST MOST DIR: percent of the CPU time that have a call path, of all but what the
# library itself and the ends of threads took, which is MOST percent of all. Threads that begin at
# once wait for each other in the kernel with their CPU; a host that takes a CPU away then makes
# that long.
recorded() {
	"$hpcprof" text --all -q "$3" | sed -n '/recorded with a complete path/,/^$/p' |
		awk -v least="$1" -v most="$2" '$2 !~ /%$/ { exit }
			{ print }
			/recorded with a complete path/ { share = $2 + 0 }
			/measuring itself|ends of threads/ { own += $2 }
			END { exit !(100 * share >= least * (100 - own) && own <= most) }'
}

if [ "$(measured one "$manythreads" hold 1 0 1)" != "2 perf task-clock" ]; then
	skip_all "no performance events to be had"
fi

# The main thread is one of them.
is "as many as may have events" "$(measured few "$manythreads" hold $((most - 1)) 0 1)" \
	"$most perf task-clock"
# All are there before the first one ends. A thread that waits often, as the main thread may where
# many are created, comes to have timers, and leaves its event to a new one.
got=$(measured many "$manythreads" busy $((most + 99)) 100000 20)
left=$(grep -c '\] now sampling by thread timers' many.err)
check "more than that: $got, $left of them changed to timers" awk -v most="$most" -v left="$left" \
	'{ exit !(NF == 6 && $1 >= most && $1 <= most + left && $1 + $4 == most + 100) }' <<<"$got"
is "the datafile names both" "$(sources_named many)" "perf task-clock + thread timers"
is "many, but few at once" "$(measured turns "$manythreads" run $((2 * most)) 1000 4)" \
	"$((2 * most + 1)) perf task-clock"
is "no timers to be had" "$(sources events prlimit --sigpending=0 "$hpcrun" -q -v source \
	-o events "$manythreads" hold $((most + 99)) 0 1)" "$((most + 100)) perf task-clock"

# A child of a process with many threads has one thread, and room for events.
cat >fork.py <<'END'
import os, sys, threading

def hold(n, then):
    gate = threading.Event()
    threads = [threading.Thread(target=gate.wait) for _ in range(n)]
    for t in threads: t.start()
    then()
    gate.set()
    for t in threads: t.join()

def fork():
    child = os.fork()
    if child == 0:
        hold(1, lambda: None)
        os._exit(0)
    os.waitpid(child, 0)

hold(int(sys.argv[1]), fork)
END
# Where the main thread, which waits for each new one, has come to have timers, another one may
# have its event.
got=$(measured child "$python" fork.py $((most + 9)))
check "a child has events of its own: $got" grep -qxE \
	"$((most + 2)) perf task-clock 10 thread timers|$((most + 3)) perf task-clock 9 thread timers" <<<"$got"

# A thread that gives its CPU up all the time pays for an event with each switch. It has timers
# meanwhile.
work=$(program work)
measured settled "$work" settled 2000 >/dev/null
# Where a host takes CPUs away the two come to compute, or to wait, in between as well; not often, as
# who changes its mind is believed more slowly each time.
got=$(awk '{ had[$NF] = had[$NF] " " $(NF - 1) } END { for (tid in had) print had[tid] }' settled.err |
	sort -k 1,1 | awk '{ print $NF, (NF > 1 && NF < 10) }' | sort | paste -sd,)
is "both ends that send bytes to and fro get timers, and the one that then computes an event" \
	"$got" "task-clock 1,timers 1"
check "whose time adds up" lib account.py settled
measured computes "$work" loop 3000 >/dev/null
is "one that computes keeps its event" "$(grep -c now computes.err)" 0

# Both kinds of threads are measured alike, at work without a pause and in short turns.
printf 'heavy 3\nlight 1\n' >truth
for how in "busy $((most + 36)) 250000 100" "hold $((most + 36)) 1000000 4"; do
	dir=${how%% *}
	# shellcheck disable=SC2086
	timeout 300 "$hpcrun" -q -o "$dir" "$manythreads" $how >"$dir.out" 2>"$dir.err"
	is "$dir: the program's end" "$? $(head -3 "$dir.err")" "0 "
	is "$dir: sources" "$(sources_named "$dir")" "perf task-clock + thread timers"
	check "$dir: the equations hold" lib account.py "$dir"
	# wide, as a machine shared with others takes CPUs away for many periods at a time
	check "$dir: shares" lib shares.py 6 truth "$dir"
	check "$dir: recorded" recorded 99.5 8 "$dir"
done
done_testing
