#!/bin/bash
# What the measurement of elapsed time adds to the CPU time of programs that mostly wait, beside that of
# CPU time, at 1000 samples per second each: a server with 200 threads, PostgreSQL under pgbench, and,
# for root, perf's ways to see off-CPU time (perf sched record; context switches with call paths).
#
# ROUNDS=...  of each (7)      THREADS=...  of the server (200)
# CLIENTS=... of pgbench (8)   TRANSACTIONS=...  of each client (1500)    NO_PERF=1  without perf
#
# A row has the median CPU time, including that of the tool, what the tool adds in each round to the run
# alone, as a median, and its ratio to what hpcrun adds for CPU time alone.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"

rounds=${ROUNDS:-7} threads=${THREADS:-200} clients=${CLIENTS:-8} transactions=${TRANSACTIONS:-1500}
waitcpu=$(program waitcpu)
folder=$(mktemp -d /dev/shm/hpctest.XXXXXX 2>/dev/null) || folder=$scratch/runs
trap 'rm -rf "$scratch" "$folder"' EXIT
mkdir -p "$folder"
chmod 777 "$folder" .
gcc -O2 -pthread -o mostly_blocked "$top/tests/bench/mostly_blocked.c" || exit 1
cp -r "$BUILD/bin" "$BUILD/lib" .
as=() # words before what is run as another user

variants="alone cpu real"
if [ -z "${NO_PERF:-}" ] && [ "$(id -u)" = 0 ] && command -v perf >/dev/null &&
	unshare -m sh -c 'mount -t tracefs nodev /sys/kernel/tracing 2>/dev/null
		perf record -q -e sched:sched_switch -o /dev/null true' 2>/dev/null; then
	variants="$variants sched switches"
fi

# tool VARIANT: sets the array `tool` to the words before the command.
made=0
tool() {
	run=$folder/$((made++))
	mkdir -m 777 "$run"
	local mounted=(unshare -m sh -c 'mount -t tracefs nodev /sys/kernel/tracing; exec "$@"' sh)
	case $1 in
	alone) tool=("${as[@]}") ;;
	cpu) tool=("${as[@]}" ./bin/hpcrun -q -e CPUTIME@f1000 -o "$run/data") ;;
	real) tool=("${as[@]}" ./bin/hpcrun -q -e REALTIME@f1000 -o "$run/data") ;;
	sched) tool=("${mounted[@]}" perf sched record -q -o "$run/perf.data" "${as[@]}") ;;
	switches)
		tool=("${mounted[@]}" perf record -q -g -e sched:sched_switch,cpu-clock -F 1000
			-o "$run/perf.data" "${as[@]}")
		;;
	esac
}

# Microseconds of CPU time, including the tool's own, and kilobytes written.
blocked() {
	tool "$1"
	"$waitcpu" "$run/one" "${tool[@]}" ./mostly_blocked "$threads" 20000 100 >/dev/null 2>said || return
	echo "$(cut -d' ' -f1 "$run/one") $(du -sk "$run" | cut -f1)"
	rm -rf "$run"
}

pg=$(echo /usr/lib/postgresql/*/bin)
prepare_postgres() {
	[ -x "$pg/postgres" ] || pg=$(dirname "$(readlink -f "$(command -v postgres || echo none)")")
	[ -x "$pg/postgres" ] && [ -x "$pg/initdb" ] && command -v pgbench >/dev/null || return
	if [ "$(id -u)" = 0 ]; then
		getent passwd postgres >/dev/null || return
		as=(setpriv --reuid postgres --regid postgres --clear-groups)
	fi
	mkdir -m 777 pg && chmod -R a+rX . &&
		"${as[@]}" "$pg/initdb" -D "$PWD/pg/d" -A trust --no-locale >pg.log 2>&1 &&
		serve "${as[@]}" && "${as[@]}" pgbench -q -i -s 5 -h "$PWD/pg" postgres >>pg.log 2>&1 && stop_postgres
}

# serve [WORD...]: start the server after these words, and wait until it answers.
serve() {
	"$waitcpu" "$PWD/pg/used" "$@" "$pg/postgres" -D "$PWD/pg/d" -k "$PWD/pg" -h '' -F \
		>>pg.log 2>&1 &
	server=$!
	until "${as[@]}" psql -q -h "$PWD/pg" -d postgres -c '' 2>/dev/null; do
		sleep 0.1
		kill -0 $server 2>/dev/null || return
	done
}
stop_postgres() {
	kill -INT "$(head -1 pg/d/postmaster.pid)"
	wait $server
}
postgres() {
	tool "$1"
	serve "${tool[@]}" || return
	"${as[@]}" pgbench -n -c "$clients" -j 2 -t "$transactions" -h "$PWD/pg" postgres >>pg.log 2>&1 || return
	stop_postgres
	echo "$(cut -d' ' -f1 pg/used) $(du -sk "$run" | cut -f1)"
	rm -rf "$run"
}

# compare NAME FUNCTION: rounds of all variants there and back.
compare() {
	local round how took
	: >runs
	for round in $(seq "$rounds"); do
		for how in $variants $(tr ' ' '\n' <<<"$variants" | tac); do
			took=$("$2" "$how") || { cat said pg.log 2>/dev/null | tail -5; return; }
			echo "$how $took" >>runs
		done
	done
	lib added_cpu.py "$1" runs
}

./bin/hpcrun -q -o first true # measures what sampling costs
echo "$rounds rounds of $variants and back; medians"
compare "$threads threads that wait" blocked
if prepare_postgres; then
	compare "PostgreSQL, $clients clients" postgres
else
	echo "PostgreSQL is not there, or cannot be started by this user"
	tail -3 pg.log 2>/dev/null
fi
