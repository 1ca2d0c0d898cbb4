#!/bin/bash
# Very many threads: the first 4096 that end keep their rows and trees, the later ones are
# one row; with -t all, all share their trees. No time is lost, the shares are right, and
# memory is used again. A program killed while threads are being merged loses nothing.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"
. "$top/tests/lib/shell/killed.sh"

manythreads=$(program manythreads)

# threads DIR: "rows, rows of ended threads, trees without a thread"
threads() {
	"$hpcprof" dump "$1"/manythreads.*.csp >"$1.dump" || return 1
	printf '%s, %s, %s\n' "$(grep -c '  tid [0-9]*  name ' "$1.dump")" \
		"$(grep -c '  tid 0  name "ended threads"' "$1.dump")" \
		"$(grep -c '^ *tree [0-9]*:  thread 4294967295 ' "$1.dump")"
}

# shares_are_right NAME: heavy() has three quarters of the steps, by samples and by time. Where
# a machine's host takes a CPU away, one sample may weigh as much as many others: then chance
# leaves more than three points.
printf 'heavy 3\nlight 1\n' >truth
shares_are_right() {
	check "$1: shares of the samples" lib shares.py --samples --or-chance 3 truth "$1"
	check "$1: shares of their time" lib shares.py --or-chance 3 truth "$1"
}

# memory_is_bounded FILE: from the half of the threads on the program grows by less than
# 256 kB. (The first 4096 keep their trees, which takes memory.)
memory_is_bounded() {
	check "$1: memory" awk '/^after/ { n++; kb[n] = $3 }
		END { printf "%d kB after half of the threads, %d after all\n", kb[int(n / 2)], kb[n]
		      exit !(n >= 4 && kb[n] - kb[int(n / 2)] < 256) }' "$1.out"
}

# Each at a rate at which a thread has a few samples.
run() { # run NAME OPTION... -- ARGUMENT...
	local name=$1 options=()
	shift
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	timeout 200 "$hpcrun" -q "${options[@]}" -o "$name" "$manythreads" "$@" >"$name.out" 2>"$name.err"
	is "$name: the program's end" "$? $(head -3 "$name.err")" "0 "
}

run each -e CPUTIME@f5000 -- run 9000 500000 4
is "each: rows" "$(threads each)" "4098, 1, 0"
check "each: the equations hold" lib account.py each
shares_are_right each
memory_is_bounded each
"$hpcprof" text --all -q each >each.text
is "each: the summary counts the rows" "$(grep -o '^ *threads .*' each.text | head -1 | tr -s ' ')" \
	" threads more than 4097"

run all -e CPUTIME@f5000 -t all -- run 5000 500000 4
is "all: rows" "$(threads all | cut -d, -f1,2)" "4098, 1"
is "all: trees are shared" "$(grep -o '^ *tree [0-9]*:  thread [0-9]*' all.dump | sed 's/.* //' |
	sort -u)" 4294967295
check "all: the equations hold" lib account.py all
shares_are_right all

# Each thread makes the next one: creators have ended, and been merged, before what they
# made has begun. A sample comes later than it is due by what a timer takes here, which in threads
# of 0.1 ms moved up to five points from heavy() to light(), which is the last.
for trees in each all; do
	run "chain-$trees" -e CPUTIME@f5000 -t $trees -- run 6000 300000 0
	is "chain-$trees: rows" "$(threads "chain-$trees" | cut -d, -f1,2)" "4098, 1"
	check "chain-$trees: the equations hold" lib account.py "chain-$trees"
	shares_are_right "chain-$trees"
done

# What lives for less than a period has as many samples as are due, and they fall into all its
# time alike, of children as well as of threads. If other work or a host takes the CPU away from one
# that waits for its sample, the timer expires too soon, and the rest of the period may not be shorter
# than the pace allows: it is too late for some. So if there are too few, there are two more runs.
printf 'early 1\nlate 1\n' >halves
for kind in "threads 4000" "children 2000"; do
	dir=short-${kind% *}
	for _ in 1 2 3; do
		rm -rf "$dir"
		# shellcheck disable=SC2086
		timeout 200 "$hpcrun" -q -e CPUTIME@f500 -o "$dir" "$(program halves)" $kind
		status=$?
		[ $status = 0 ] && ! lib firsts.py 500 "$dir" >/dev/null || break
	done
	is "$dir: measured" $status 0
	check "$dir: samples" lib firsts.py 500 "$dir"
	check "$dir: shares" lib shares.py --samples chance halves "$dir"
done

# A failed exec: the trees are shared by then, and measuring goes on.
cat >exec.py <<'END'
import os, threading, time

def burn(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        sum(range(1000))

def work():
    burn(0.2)
    gate.wait()
    burn(0.2)

gate = threading.Event()
threads = [threading.Thread(target=work) for _ in range(3)]
for t in threads: t.start()
time.sleep(0.8)
for i in range(3):
    try:
        os.execv("/nonexistent", ["x"])
    except FileNotFoundError:
        burn(0.1)
gate.set()
for t in threads: t.join()
END
for trees in each all; do
	timeout 60 "$hpcrun" -q -t $trees -o "exec-$trees" "$python" exec.py
	is "exec-$trees: the program's end" $? 0
	check "exec-$trees: the equations hold" lib account.py "exec-$trees"
done

# The first node of a thread gets what is left over at its end; its tree is another one's by
# then, if the thread was not sampled when the exec failed.
cat >held.py <<'END'
import os, signal, threading, time

def burn(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        sum(range(100))

burn(0.05)
signal.signal(signal.SIGURG, lambda *_: None)
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGURG})
signal.raise_signal(signal.SIGURG)
burn(0.05)
try:
    os.execv("/nonexistent", ["x"])
except FileNotFoundError:
    pass
threads = [threading.Thread(target=burn, args=[0.1]) for _ in range(4)]
for t in threads: t.start()
for t in threads: t.join()
signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGURG})
burn(0.01)
END
for trees in each all; do
	timeout 60 "$hpcrun" -q -t $trees -o "held-$trees" "$python" held.py
	is "held-$trees: the program's end" $? 0
	check "held-$trees: the equations hold" lib account.py "held-$trees"
done

# Killed in the middle of merging; more often in tests/soak/follow-threads.t.
killed_merging each 1.3
killed_merging all 1.7

# The names that threads gave themselves are there, too, if no thread's end is seen.
for end in exit kill; do
	"$hpcrun" -q -o "named-$end" "$(program named)" $end >named.out 2>&1
	"$hpcprof" --threads --json -q "named-$end" >named.json
	is "$end: names of threads that did not end" "$("$python" -c 'import json
rows = json.load(open("named.json"))["threads"]["rows"]
print(*sorted(r["name"] + ">0" * (r["self"][0] > 0) for r in rows if not r["main"]))')" \
		"by-prctl>0 by-pthread>0 by-syscall>0 named>0"
done
done_testing
