#!/bin/bash
# No CPU time is lost and none invented: seen from inside by the three equations of
# each datafile, and from outside by what a parent reads with wait4.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"
. "$top/tests/lib/shell/workloads.sh"

waitcpu=$(program waitcpu)
truth=$(program truth)
shares=$(program shares)
image=$(image_cost)

# stolen: microseconds that the host of a virtual machine has taken of its CPUs so far. They are on the
# clocks of who was to run, also while an image is loaded or ends.
stolen() {
	awk -v tick="$(getconf CLK_TCK)" '$1 == "cpu" { printf "%d\n", $9 * 1000000 / tick }' /proc/stat
}

# conserved NAME COMMAND...: waitcpu is measured too, but is not part of what it waits for.
conserved() {
	local name=$1 before
	shift
	before=$(stolen)
	timeout 100 "$hpcrun" -q -o "$name" "$waitcpu" -m total "$@" >"$name.out" 2>&1
	echo "stolen $(($(stolen) - before))" >>total
	# the memory of a process is freed after its last instruction
	echo "ends $("$(program ends)" "$(awk '$1 == "memory" { print $2 }' total)")" >>total
	rm -f "$name"/waitcpu.*
	check "$name" lib account.py --total total --image "$image" "$name"
}

conserved "one thread" "$truth" 600
conserved "four threads" "$shares" 60
workload gcc short
conserved "a compiler driver and its children" "${command[@]}"
conserved "a shell with children and an exec" \
	sh -c "'$truth' 200; '$truth' 100 & wait; exec '$shares' 20"
conserved "many short processes" sh -c 'for i in 1 2 3 4 5 6 7 8 9 10; do /bin/ls / ; done'

cat >forks.py <<'END'
import os, time

def burn(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        sum(range(1000))

for i in range(3):
    if os.fork() == 0:
        burn(0.1 * (i + 1))
        os._exit(0)
burn(0.2)
for i in range(3):
    os.wait()
END
conserved "forked children that never exec" "$python" forks.py

cat >threads.py <<'END'
import os, threading, hashlib

def work(n):
    for i in range(n):
        hashlib.sha256(b"x" * 100000).digest()

for i in range(4):
    threads = [threading.Thread(target=work, args=(40 * (k + 1),)) for k in range(4)]
    for t in threads: t.start()
    for t in threads: t.join()
os._exit(7)
END
conserved "threads that come and go, and _exit" "$python" threads.py

workload constructor short
conserved "a library's constructor" "${command[@]}"
done_testing
