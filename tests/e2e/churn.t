#!/bin/bash
# Processes that begin and end all the time: what measuring does in each of them, counted in
# system calls, which no machine's speed changes. tests/bench/churn.sh has the times.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"

strace -f -o log true 2>/dev/null || skip_all "strace is not there, or may not trace"
churn=$(program churn)

# of_children [LOG]: the system calls of all processes but the first two: churn alone and a
# child of its, or hpcrun and churn.
of_children() {
	awk '!n[$1]++ { k++ } { if (!($1 in at)) at[$1] = k }
		at[$1] > 2 && $2 ~ /^[a-z_0-9]+\(/' "${1:-log}"
}

# calls LOG: the greatest number of them that one process made.
calls() {
	of_children "$1" | awk '++n[$1] > most { most = n[$1] } END { print most }'
}

# more KIND: the system calls that measuring adds to a child of churn's.
more() {
	strace -f -qq -o alone "$churn" "$1" 3 >out 2>&1 &&
		strace -f -qq -o log "$hpcrun" -q -e CPUTIME@f1 -o "data.$1" "$churn" "$1" 3 >out 2>&1 &&
		echo $(($(calls log) - $(calls alone)))
}

# at_most DESCRIPTION KIND LIMIT, in one run of three: a sample, or a wait for a lock, takes more
at_most() {
	local n
	for _ in 1 2 3; do
		n=$(more "$2")
		[ "${n:-$(($3 + 1))}" -gt "$3" ] || break
	done
	check "$1 ($n)" test "${n:-none}" -le "$3"
}

# A child in hundreds has a sample, at one a second.
few_events() {
	check "$1" test "$(of_children | grep -c perf_event_open)" -le 1
}

at_most "a forked child makes at most 60 system calls more" fork 60
is "and asks /proc for nothing" "$(of_children | grep /proc)" ""
few_events "nor makes an event before it has a sample"
at_most "a thread at most 25" thread 25
few_events "nor makes an event"
at_most "an image at most 100" vfork 100
at_most "a child and its image at most 155" exec 155
is "and they ask /proc for their executable alone" \
	"$(of_children | grep /proc | grep -v '"/proc/self/exe"')" ""
is "each of them has a datafile" "$(ls data.exec | grep -c '\.csp$')" 17
check "which hpcprof reads" run 0 "$hpcprof" text --all -q data.exec
check "and that had time in the kernel included, though it has no sample" \
	says out 'Kernel: time in the kernel is included\.$'

# The pages that it writes to (runtime/sections.h).
address() {
	nm "$BUILD/lib/libhpcrun.so" | awk -v name="$1" '$3 == name { print "0x" $1 }'
}
span() {
	echo $((($(address "$2") - $(address "$1")) / 4096 + 1))
}
check "a forked child writes to 2 pages of the library's variables" test "$(span before after)" -le 2
check "and an image to 20" test "$(span __bss_start after)" -le 20
cat >resident.py <<'EOF'
# The memory that the library's variables take, in KB, after half a second of samples.
import time
end = time.process_time() + 0.5
while time.process_time() < end:
    sorted(str(i) for i in range(1000))
before = resident = ""
ours = False
for line in open("/proc/self/smaps"):
    if "-" in line.split(" ")[0]:
        ours = "libhpcrun.so" in before and len(line.split()) == 5
        before = line
    elif ours and line.startswith("Rss:"):
        resident = line.split()[1]
print(resident)
EOF
check "half a second of samples" run 0 "$hpcrun" -q -e CPUTIME@f1000 -o data.resident python3 resident.py
check "in which they take less than 256 KB ($(cat out))" test "$(cat out)" -lt 256

done_testing
