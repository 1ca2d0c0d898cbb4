#!/bin/bash
# Programs that confine themselves, close descriptors, lower limits, move, become somebody
# else or use our signal: over and over, in several ways of measuring, the result is the
# program's own, and what was recorded is there. LIVING_ROUNDS (40) is how often each.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"

living=$(program living)
waiting=$(program waiting)
confined=$(program confined)
rounds=${LIVING_ROUNDS:-40}
mkdir stores
ulimit -c 0

# Each round another of these.
options=("-e CPUTIME@f1000" "-e CPUTIME@f20000" "-e CPUTIME@f5000 --store=$scratch/stores"
	"-e CPUTIME@f20000 --signal=RTMIN" "-e CPUTIME@f5000 -t all")

# once NAME ROUND COMMAND...: measured, it ends and writes as alone.
once() {
	local run=$1-$2 option=${options[$2 % ${#options[@]}]} status
	shift 2
	# shellcheck disable=SC2086
	timeout 100 "$hpcrun" -q $option -o "data/$run" "$@" >"$run.out" 2>"$run.err" </dev/null
	status=$?
	[ "$status" = "$(cat alone.status)" ] || echo "round $run ($option): status $status"
	cmp "$run.out" alone.out
	grep -v '^hpcrun: ' "$run.err" | cmp - alone.err
	rm -f "$run.out" "$run.err"
}

# lives WHAT COMMAND...: all its rounds, two at a time.
lives() {
	local what=$1 i
	shift
	timeout 100 "$@" >alone.out 2>alone.err </dev/null
	echo $? >alone.status
	rm -rf data
	mkdir data
	for ((i = 0; i < rounds; i += 2)); do
		once "$what" "$i" "$@" &
		once "$what" "$((i + 1))" "$@"
		wait $!
	done >differences 2>&1
	is "$what: its result is its own in all rounds" "$(head -20 differences)" ""
	is "$what: a datafile each" "$(find data -name "${1##*/}.*.csp" | wc -l)" "$rounds"
	# shellcheck disable=SC2046
	check "$what: the accounts hold" lib account.py data/*
}

for case in strict confined no_files refused no_samples no_filter; do
	lives $case "$confined" $case
done
for case in closing limits moved raises; do
	lives $case "$living" $case
done
for case in waits cut_short; do
	lives $case "$waiting" $case
done
if [ "$(id -u)" = 0 ]; then
	lives jailed "$living" jailed
	lives demoted "$living" demoted
else
	skip "chroot and setuid" "not root"
fi
# The same in an interpreter: it closes all that it can, loads modules afterwards, and goes on.
cat >closes.py <<'END'
import os
import sys

os.closerange(3, 1 << 16)
if os.getuid() == 0:
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
import decimal
import json

print(os.dup(0), os.getuid(), len(json.dumps(list(range(200000)))))
for _ in range(3):
    if os.fork() == 0:
        print(decimal.Decimal(2).sqrt(), sorted(os.listdir("/proc/self/fd"))[:2])
        sys.exit(0)
    os.wait()
END
chmod 644 closes.py
interpreter=$(readlink -f "$(command -v "$python")")
lives python "$interpreter" -B closes.py
# Its store grows, though it could not open it again.
# shellcheck disable=SC2046
is "python: nothing was lost" "$(lib account.py data/* | grep -c 'out of memory')" 0
# It confines itself with a filter before it reads what it is given.
if command -v file >/dev/null; then
	lives file file -b "$living" "$interpreter" "$top/README.md" "$scratch/closes.py"
else
	skip "file" "it is not installed"
fi
is "no store is left" "$(ls -A stores)" ""
done_testing
