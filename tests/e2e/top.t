#!/bin/bash
# hpcprof top: what a running program does just now.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"

mkstore=$BUILD/programs/mkstore

# ---- the command line
check "a directory that is not there" run 3 "$hpcprof" top --screens 1 nowhere
check "is said" says err '^hpcprof: nowhere: No such file'
mkdir empty begun begun.stores
check "one into which nothing is measured" run 3 timeout 5 "$hpcprof" top empty
check "is not waited for" says err "^hpcprof: empty: nothing is measured into this directory \\(start 'hpcrun -o empty"
check "and no screen is shown" [ ! -s out ]
check "a file" run 3 timeout 5 "$hpcprof" top /bin/true
check "is no directory" says err '^hpcprof: /bin/true: Not a directory'
ln -s "$PWD/begun.stores" begun/x.stores
check "one into which hpcrun has begun to measure" run 0 "$hpcprof" top --screens 1 begun
check "is waited for" says out 'waiting for data'
for bad in '-d 0 empty' '-d x empty' '-d -1 empty' 'empty empty' '-s self empty'; do
	# shellcheck disable=SC2086
	check "usage error: top $bad" run 2 "$hpcprof" top $bad
done

# ---- stores and datafiles together
mkdir both stores
"$mkstore" --seed 2 both/a.hpcstore
"$hpcprof" recover both >/dev/null
ln -s "$PWD/stores" both/x.stores
"$mkstore" --seed 4 --pid $$ stores/b.hpcstore
"$mkstore" --seed 6 stores/c.hpcstore
check "stores and datafiles" run 0 "$hpcprof" top --screens 1 both
check "are counted" says out '^  program images: 1 running, 2 ended \(1 killed\); threads: 3 running, 6 ended$'
check "and their samples" says out ', 72 samples$'
check "no terminal, no control characters" [ "$(grep -c $'\e' out)" = 0 ]
check "once is one screen" [ "$(grep -c '^hpcprof top' out)" = 1 ]
check "twice is two" run 0 "$hpcprof" top --screens 2 -d 0.1 both
is "screens" "$(grep -c '^hpcprof top' out)" 2
check "in which nothing went on" says out '0.00 CPUs busy in the last'

# ---- what has ended
mkdir ended
cp both/*.csp ended
check "a measurement that has ended" run 0 timeout 5 "$hpcprof" top ended
check "is shown once" [ "$(grep -c '^hpcprof top' out)" = 1 ]
check "and then that it has ended" says err "^hpcprof: ended: no measured process runs \\('hpcprof ended' shows the report\\)$"
mkdir killed
ln -s "$PWD/killed.stores" killed/x.stores
mkdir killed.stores
"$mkstore" --seed 6 killed.stores/c.hpcstore
check "one whose processes and launcher were killed" run 0 timeout 5 "$hpcprof" top killed
check "has ended, too" says err 'no measured process runs'

# ---- a running program: one function now, another when there is a file "later", until there
# is one "enough"
cat >phases.c <<'C'
#include <time.h>
#include <unistd.h>
static volatile unsigned long n;
__attribute__((noinline)) void early(void) { for (int i = 0; i < 1000000; i++) n++; }
__attribute__((noinline)) void late(void) { for (int i = 0; i < 1000000; i++) n--; }
int main(void)
{
	while (access("later", F_OK) != 0 && clock() < 60 * CLOCKS_PER_SEC)
		early();
	while (access("enough", F_OK) != 0 && clock() < 60 * CLOCKS_PER_SEC)
		late();
}
C
gcc -g -O1 -o phases phases.c
"$hpcrun" -q -o running ./phases &
launcher=$!
top_of() { # top_of SCREENS: all of them in out, the last one in last
	timeout 100 "$hpcprof" top --screens "$1" -d 0.3 running >out 2>err </dev/null &&
		tail -n +"$(grep -n '^hpcprof top' out | tail -1 | cut -d: -f1)" out >last
}
for _ in $(seq 60); do
	sleep 0.2
	[ -d running ] && top_of 1 && says out ' early ' >/dev/null && break
done
check "the running function is shown" says out '^ +[0-9.]+% .* early +phases$'
check "of a running process" says out '1 running, 0 ended; threads: 1 running'
touch later
for _ in $(seq 60); do
	sleep 0.2
	top_of 1 && says out ' late ' >/dev/null && break
done
# On a busy machine it may not have run between two screens.
for _ in $(seq 20); do
	top_of 3 && says last '^ +[0-9.]+% +[1-9].* late +phases$' >/dev/null && break
done
check "later another one has all since the last screen" \
	says last '^ +(9[0-9]|100)\.[0-9]% .* late +phases$'
check "while the first is still in the sum" says last '^ +0\.0% +0 ns .* early +phases$'
check "the hottest path leads there" says last '^ +(9[0-9]|100)\..* late$'

# One thread: a screen that is late makes the next one less so, hence the middle of nine is
# no more than one CPU; and the mean is what the kernel says that it ran.
ran() {
	cut -d' ' -f1 "/proc/$(pgrep -P $launcher)/schedstat"
}
before=$(ran) began=$(date +%s%N)
top_of 10
kernel=$(awk -v a="$before" -v b="$(ran)" -v t="$began" -v now="$(date +%s%N)" 'BEGIN { print (b - a) / (now - t) }')
grep -oE '[0-9.]+ CPUs busy' out | cut -d' ' -f1 | sort -n >rates
check "the rate is that of one thread, $kernel as the kernel has it" awk -v kernel="$kernel" '
	{ print; rate[NR] = $1; sum += $1 }
	END { exit !(NR == 9 && rate[5] <= 1.1 && sum / NR + 0.01 >= kernel / 2) }' rates

# ---- a terminal: keys, and that it is left as it was
cat >terminal.py <<'P'
import os, pty, select, sys, termios, time
pid, fd = pty.fork()
if pid == 0:
    os.environ.update(TERM="xterm", LINES="30")
    os.execv(sys.argv[1], [sys.argv[1], "top", "-d", "0.3", sys.argv[2]])
before = termios.tcgetattr(fd)
seen, start, sent = b"", time.time(), False
while time.time() - start < 60:
    if select.select([fd], [], [], 0.1)[0]:
        try:
            got = os.read(fd, 65536)
        except OSError:
            break
        if not got:
            break
        seen += got
    if seen.count(b"hpcprof top") >= 3 and not sent:
        during = termios.tcgetattr(fd)
        assert not during[3] & termios.ICANON, "keys wait for a line's end"
        if sys.argv[3] == "q":
            os.write(fd, b"q")
        else:
            os.kill(pid, 2)
        sent = True
if not sent:
    os.kill(pid, 9)
_, status = os.waitpid(pid, 0)
assert sent, seen
assert status == 0, status
assert b"\x1b[?1049h" in seen and seen.rstrip().endswith(b"\x1b[?1049l"), seen[-80:]
P
check "q ends it and leaves the terminal as it was" timeout 100 "$python" terminal.py "$hpcprof" running q
check "so does Ctrl-C" timeout 100 "$python" terminal.py "$hpcprof" running int

# ---- what a look costs, while the program runs
cost=$("$python" - "$hpcprof" <<'P'
import resource, subprocess, sys
def cpu(n):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.argv[1], "top", "--screens", str(n), "-d", "0.1", "running"],
                   stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
one = cpu(1)
print("%.1f" % ((cpu(11) - one) * 100))
P
)
note "a screen after the first: $cost ms of CPU time"
check "a screen after the first costs at most 50 ms of CPU time" awk -v c="$cost" 'BEGIN { exit !(c <= 50) }'
timeout 60 "$hpcprof" top -d 0.3 running >watched 2>watched.err </dev/null &
watcher=$!
for _ in $(seq 100); do
	grep -q '1 running' watched && break
	sleep 0.1
done
touch enough
wait "$launcher"
wait "$watcher"
is "one that ends while it is watched" "$?" 0
check "is shown to its end, which is said" says watched.err "^hpcprof: running: no measured process runs any more "
check "after its end, the datafile is shown" top_of 1
check "as that of one that ended" says out '0 running, 1 ended'
done_testing
