#!/bin/bash
# hpcrun attach: programs that run already are measured from then on, and go on as if alone.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"
. "$top/tests/lib/shell/ordinary-user.sh"

[ "$(uname -m)" = x86_64 ] || skip_all 'attach is for x86-64'
attached=$(program attached)

# start COMMAND...: in the background; $pid is its process, and its output is in out and err.
start() {
	"$@" <"${input:-/dev/null}" >out 2>err &
	pid=$!
}
is_loaded() {
	grep -q /libhpcrun "/proc/$pid/maps"
}
# attach NAME DATA [OPTIONS]: hpcrun waits in the background until the program ends.
attach() {
	timeout 60 "$hpcrun" attach -o "$2" "${@:3}" "$pid" 2>said 3>&- &
	tracer=$!
	check "$1: it is measured" until_true grep -q 'is measured from now on' said
}
# ended NAME WANT: the program's status and output; then hpcrun's status.
ended() {
	wait "$pid"
	is "$1: it goes on as alone" "$? $(cat out err)" "$2"
	wait "$tracer"
	is "$1: hpcrun ends with it" "$?" 0
	note "$(tail -1 said)"
}
# ms DATA: of CPU time in the program's function `measured`.
ms() {
	"$hpcprof" export -q --format folded -m CPUTIME "$1" |
		awk '/;measured/ { s += $NF } END { printf "%.0f\n", s / 1e6 }'
}
near() { # NAME GOT WANT
	check "$1" awk -v got="$2" -v want="$3" 'BEGIN { exit !(got > 0.95 * want - 5 && got < 1.05 * want + 5) }'
	note "$2 ms, truly $3"
}
agrees() { # NAME DATA
	is "$1: the accounts agree" "$("$hpcprof" "$2" 2>&1 | grep -c 'does not agree')" 0
}

# ---- where nothing can be loaded; that is looked for meanwhile
cat >allocates.c <<'END'
#include <stdio.h>
#include <unistd.h>
static char memory[1 << 20];
static int at, ready;
void *malloc(size_t n) { if (ready) pause(); return memory + (at += n + 15 & ~15) - (n + 15 & ~15); }
void free(void *p) { (void)p; }
void *calloc(size_t n, size_t m) { return malloc(n * m); }
void *realloc(void *p, size_t n) { (void)p; return malloc(n); }
int main(void) { setvbuf(stdout, memory, _IONBF, 0); printf("%d\n", (int)getpid()); ready = 1; return !malloc(1); }
END
${CC:-gcc} -O0 -w -o allocates allocates.c
for place in handler allocator; do
	case $place in
	handler) "$attached" as handler >$place.pid 2>/dev/null & ;;
	allocator) ./allocates >$place.pid 2>/dev/null & ;;
	esac
	until_true [ -s $place.pid ]
	"$hpcrun" attach "$(cat $place.pid)" >$place.said 2>&1 &
	echo $! >$place.tracer
done

# ---- its threads, those that begin later, a forked child, signals and masks
is 'alone' "$("$attached")" 460
for event in CPUTIME@f2000 REALTIME; do
	start "$attached" wait
	attach $event $event -e $event
	ended $event '0 460'
	near "$event: what its threads and its child did since" "$(ms $event)" 460
	is "$event: two processes" "$(ls $event | grep -c '^attached.*csp$')" 2
	agrees $event $event
	is "$event: all of its threads are there" "$("$hpcprof" tree -q --min 0 $event 2>/dev/null |
		grep -cE '[ +] (computes|waits|blocks|begins_later)$')" 4
done
is 'what hpcrun says first' "$(head -1 said | sed 's/process [0-9]*/process N/; s/, [0-9] threads/, T threads/')" \
	'hpcrun: process N (attached) is measured from now on, T threads; to REALTIME'

# A program of which the environment has options for hpcrun.
HPCRUN_OUT=$PWD/elsewhere HPCRUN_EVENTS=REALTIME start "$attached" wait
attach 'options in its environment' other -e CPUTIME@f2000
ended 'options in its environment' '0 460'
near 'it is measured as was asked' "$(ms other)" 460
is 'and nothing else is' "$(ls -d elsewhere 2>/dev/null)" ''
start "$attached" vfork
attach 'it waits for a child of vfork' vfork -e CPUTIME@f2000
ended 'it waits for a child of vfork' '0 460'
near 'it waits for a child of vfork: since' "$(ms vfork)" 460

# ---- programs of others, wherever they are just then
cat >begins.c <<'END'
#include <stdlib.h>
#include <unistd.h>
__attribute__((constructor)) static void begin(void) {
	static char *const env[] = { NULL };
	static char *const argv[] = { "sh", "-c", "n=0; while [ $n -lt 300000 ]; do n=$((n + 1)); done; echo $n", NULL };
	while (access("go", F_OK) != 0) usleep(10000);
	if (!getenv("ENDS")) execve("/bin/sh", argv, env);
	_exit(3);
}
END
${CC:-gcc} -shared -fPIC -w -o begins.so begins.c
begun() {
	grep -q /begins.so "/proc/$pid/maps"
}
# begins [VARIABLE]: a program whose loading ends in another one, or with it, a moment after hpcrun
# has begun to look at it.
begins() {
	rm -f go
	start env "$@" LD_PRELOAD="$scratch/begins.so" sleep 60
	until_true begun
	(until_true pgrep -f "hpcrun-attach $pid [^ ]*\$" >/dev/null; sleep 0.2; : >go) &
}
begins
attach 'one that has not begun' begins
ended 'one that has not begun, and begins another program' '0 300000'
begins ENDS=yes
timeout 60 "$hpcrun" attach -o ends "$pid" >said 2>&1
is 'one that ends before it has begun' "$? $(cat said)" "125 hpcrun: process $pid has ended"
"$python" -c 'print(sum(i * i for i in range(3000000)))' >want
start "$python" -c 'import time
t = time.time()
while time.time() - t < 1.5: s = sum(i * i for i in range(300000))
print(sum(i * i for i in range(3000000)))'
attach python python
ended python "0 $(cat want)"
check 'python: its functions' bash -c '"$1" tree -q python | grep -q "<genexpr>"' - "$hpcprof"
mkfifo fifo
input=fifo start sort
exec 3>fifo
attach sort sort
printf '%s\n' b a c >&3
exec 3>&-
ended 'sort, which waits for its input' '0 a
b
c'
start bash -c 'n=0; for i in {1..60}; do n=$((n + $(echo 1))); sleep 0.02; done; echo $n'
attach bash bash
ended 'bash, which starts programs' '0 60'
check 'bash: and its children, by fork and exec' [ "$(ls bash | grep -c '^sleep.*csp$')" -ge 5 ]

# ---- it can be stopped and started, and what is recorded written, while it runs
start sleep 600
attach control control --stop-at-start
"$hpcrun" control control start >/dev/null
pkill -KILL -P "$tracer"
wait "$tracer"
is 'killed: hpcrun ends' "$?" 137
"$hpcrun" control control snapshot now >/dev/null
is 'it can still be controlled' "$(ls control/now | grep -c 'sleep.*csp$')" 1
"$hpcrun" attach "$pid" >said 2>&1
is 'it cannot be measured twice' "$? $(cat said)" "125 hpcrun: process $pid is measured already"
kill "$pid"
wait "$pid" 2>/dev/null
is 'its datafile is made when it was killed' "$("$hpcprof" recover control 2>&1 | grep -c '1 datafile')" 1

# ---- the tracer is killed at any moment
mkdir kills
tries=25 bad='' begun=0
for i in $(seq $tries); do
	start "$attached"
	sleep 0.0$((i % 5 + 1))
	printf 'HPCRUN_OUT=%s\0HPCRUN_LIBRARY=%s\0' "$PWD/kills" "$BUILD/lib/libhpcrun.so" |
		timeout -s KILL "$(awk -v i="$i" 'BEGIN { printf "%.4f", 0.006 + i * 0.001 }')" \
			"$BUILD/lib/hpcrun-attach" "$pid" "$BUILD/lib/libhpcrun.so" 2>>killed
	! is_loaded 2>/dev/null || begun=$((begun + 1))
	wait "$pid"
	got="$? $(cat out err)"
	[ "$got" = '0 460' ] || bad="$bad$i: $got; "
done 2>/dev/null
is 'a program whose tracer is killed goes on as alone' "$bad" ''
note "$begun of $tries had the library by then"

# ---- what cannot be measured is not changed
refused() { # NAME WANT [COMMAND...]
	local want=$2
	"${@:3}" "$hpcrun" attach "$pid" >said 2>&1
	is "$1" "$? $(sed "s/process $pid/process N/" said)" "125 hpcrun: process N $want"
	is "$1: nothing is left" "$(ls -d hpcrun-* 2>/dev/null | grep -vE 'hpcrun-(attached|allocates)-[12]$')" ''
}
pid=4194304
refused 'no process' 'does not exist'
start sleep 60
kill -STOP "$pid"
until_true grep -q '^State:.T' "/proc/$pid/status"
refused 'a stopped one' 'is stopped: continue it first'
kill -CONT "$pid"
if [ "$(id -u)" = 0 ]; then
	mkdir -m 777 another
	cp -r "$BUILD/bin" "$BUILD/lib" another/ 2>/dev/null
	(cd another && as_user bin/hpcrun attach "$pid") >said 2>&1
	is 'one of another user' "$? $(sed "s/process $pid/process N/g" said)" \
		'125 hpcrun: process N belongs to user root: only root and that user can measure it'
	is 'one of another user: nothing is left' "$(ls -d another/hpcrun-* 2>/dev/null)" ''
fi
kill "$pid"
wait "$pid" 2>/dev/null
# as WHAT: $pid is that, and $holder the process that is it or has it.
as() {
	start "$attached" as "$1"
	holder=$pid
	until_true [ -s out ]
	pid=$(cat out)
}
over() {
	kill "$holder" "$pid" 2>/dev/null
	wait "$holder" 2>/dev/null
}
as thread
refused 'a thread' "is a thread of process $holder: name that"
over
as ended
refused 'one that has ended' 'has ended'
over
as traced
refused 'one that is traced' "is traced by process $holder"
over
as filtered
refused 'one that restricts its system calls' 'restricts its system calls (seccomp), and might be killed for those of hpcrun'
over
echo 'int main(void) { for (;;) __builtin_ia32_pause(); }' >spins.c
if ${CC:-gcc} -static -o spins spins.c 2>/dev/null; then
	start ./spins
	refused 'a static one' "does not use glibc's shared library, so that nothing can be loaded into it"
	kill "$pid"
	wait "$pid" 2>/dev/null
else
	skip 'a static one' 'there is no static C library'
fi
start env LD_PRELOAD="$BUILD/lib/libhpcrun.so" sleep 60
until_true is_loaded
refused 'one that has the library' 'is measured already, or was when it began'
kill "$pid"
wait "$pid" 2>/dev/null
for place in 'handler a signal handler' 'allocator malloc'; do
	read -r what where <<<"$place"
	wait "$(cat $what.tracer)"
	is "where: $where" "$? $(sed 's/process [0-9]*/process N/' $what.said)" \
		"125 hpcrun: process N has had no thread that can load a library in 10 s: one is in $where"
	check "$where: it is still there" kill "$(cat $what.pid)"
done
is 'nothing is left of these' "$(ls -d hpcrun-* 2>/dev/null)" ''
for wrong in 0 -1 abc 12x ''; do
	"$hpcrun" attach -- "$wrong" >said 2>&1
	is "no number: '$wrong'" "$? $(cat said)" "125 hpcrun attach: expected the number of a process, not $wrong (see hpcrun attach --help)"
done
for option in '--mark marks' '--unwinder libunwind' --driver=io --only=sh --delay=1s; do
	# shellcheck disable=SC2086
	"$hpcrun" attach $option 1 >said 2>&1
	is "$option" "$? $(cat said)" "125 hpcrun attach: a process that runs already cannot be measured with ${option%=*} (see hpcrun attach --help)"
done
check '--help' bash -c '"$1" attach --help | grep -q "Usage: hpcrun attach"' - "$hpcrun"
done_testing
