#!/bin/bash
# What killed processes leave becomes datafiles, by the launcher or by hpcprof recover, and
# can be read as it is; what lives is left alone.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"

mkstore=$BUILD/programs/mkstore
name=made.host.4242.0

# fresh: a directory with a link to a directory of stores, both empty.
fresh() {
	rm -rf dir stores
	mkdir dir
	mkdir -m 700 stores
	ln -s "$PWD/stores" dir/stores.stores
}

# ---- of the dead
fresh
"$mkstore" --seed 2 "stores/$name.hpcstore"
printf old >"dir/$name.csp.part"
chmod 644 "dir/$name.csp.part"
check "a dead process's store" run 0 "$hpcprof" recover dir
check "becomes a datafile" says out "^$name.hpcstore: datafile written"
check "of which there is a summary" says out '^1 datafile written, 0 removed, 0 still running, 0 failed$'
check "whose account is exact" lib account.py dir
is "that only its owner can read" "$(stat -c %a "dir/$name.csp")" 600
is "and nothing else is left" "$(ls -A dir)" "$name.csp"
check "not even the directory of stores" [ ! -e stores ]
check "again: there is nothing to do" run 0 "$hpcprof" recover dir
check "which is no error" says out '^0 datafiles written, 0 removed, 0 still running, 0 failed$'

# ---- several that remove the directory at once: the last one does
# last_one FILE BEGIN END: a process that has that file from one time to the other, in seconds.
last_one() {
	"$python" -c '
import fcntl, os, sys, time
file, begin, end = sys.argv[1], float(sys.argv[2]), float(sys.argv[3])
time.sleep(begin)
fd = os.open(file, os.O_RDWR | os.O_CREAT, 0o600)
fcntl.flock(fd, fcntl.LOCK_EX)
time.sleep(end - begin)
os.unlink(file)
try:
	fd = os.open("stores", os.O_RDONLY)
	fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
	fcntl.flock(fd, fcntl.LOCK_UN)
	os.rmdir("stores")
except OSError:
	pass
' "$@" &
}
if strace -o log true 2>/dev/null; then
	fresh
	last_one stores/late 0.3 0.8
	check "a process begins and ends while the directory is removed" run 0 strace -qq -o log -e trace=rmdir \
		-e inject=rmdir:delay_enter=600000:delay_exit=600000 "$hpcprof" recover dir
	wait
	check "it is" [ ! -e stores ]
	fresh
	"$mkstore" --elsewhere stores/alive.host.5.0.hpcstore
	"$mkstore" stores/dead.host.4242.0.hpcstore
	last_one stores/alive.host.5.0.hpcstore 0 1
	sleep 0.3
	check "a process ends while a dead one's datafile is made" run 0 strace -qq -o log -e trace=unlinkat \
		-e inject=unlinkat:delay_enter=1000000 "$hpcprof" recover dir
	wait
	check "the directory is removed" [ ! -e stores ]
else
	skip "the directory is removed by the last process" "strace is not there, or may not trace"
fi

mkdir -p stores elsewhere
"$mkstore" --seed 3 "stores/$name.hpcstore"
check "a directory of stores itself" run 0 "$hpcprof" recover -o elsewhere stores
check "with datafiles elsewhere" lib account.py elsewhere
check "is removed, too" [ ! -e stores ]

# ---- beside datafiles, remains, living ones
fresh
"$mkstore" "stores/$name.hpcstore"
cp "elsewhere/$name.csp" dir
check "where the datafile stands there" run 0 "$hpcprof" recover dir
check "it is not touched" cmp "elsewhere/$name.csp" "dir/$name.csp"
check "and the store goes" says out "^0 datafiles written, 1 removed"

fresh
"$mkstore" --pid $$ "stores/alive.host.$$.0.hpcstore"
"$mkstore" --pid $$ --reused "stores/reused.host.$$.0.hpcstore"
"$mkstore" --elsewhere stores/locked.host.5.0.hpcstore
"$mkstore" --elsewhere stores/unlocked.host.6.0.hpcstore
"$mkstore" --written stores/host.7.exec
"$mkstore" --written stores/host.8.exec
: >stores/blank.host.999999999.0.hpcstore
: >"stores/blank.host.$$.1.hpcstore"
: >dir/kept
exec 7<stores/locked.host.5.0.hpcstore 8<stores/host.8.exec
flock -n 7 && flock -n 8
check "with living ones among them" run 0 "$hpcprof" recover dir
is "those are left" "$(ls stores | LC_ALL=C sort | tr '\n' ' ')" \
	"alive.host.$$.0.hpcstore blank.host.$$.1.hpcstore host.8.exec locked.host.5.0.hpcstore "
is "and only the dead have datafiles, of which one's pid is another's now" \
	"$(echo dir/*.csp)" "dir/reused.host.$$.0.csp dir/unlocked.host.6.0.csp"
check "which are counted" says out '^2 datafiles written, 2 removed, 4 still running, 0 failed$'
check "the link stays" [ -L dir/stores.stores ]
exec 7<&- 8<&-

# ---- what is not ours
fresh
mkdir -m 700 victim
echo mine >victim/mine.exec
ln -s "$PWD/victim" dir/stores2.stores
ln -s "$PWD/victim" dir/victim.stores
check "files with a name like that of a store's" run 1 "$hpcprof" recover dir
check "are told" says err '^hpcprof: mine.exec: it is not a store of hpcrun .kept.$'
check "as is a link with another name" says err '^hpcprof: stores2.stores: it leads to a directory that hpcrun has not made'
is "and they are left" "$(cat victim/mine.exec)" mine
rm victim/mine.exec dir/victim.stores
"$mkstore" "victim/$name.hpcstore"
chmod 755 victim
ln -s "$PWD/victim" dir/victim.stores
check "a directory that others can read" run 1 "$hpcprof" recover dir
check "is left, too" [ -e "victim/$name.hpcstore" ]
check "and can be recovered by its name" run 0 "$hpcprof" recover -o dir victim
rm dir/victim.stores dir/stores2.stores

# ---- what cannot be
fresh
"$mkstore" "stores/$name.hpcstore"
printf HPCSTORE >stores/cut.host.1.0.hpcstore
ln -s "$PWD/victim" "dir/$name.csp"
check "what is damaged or in the way" run 1 "$hpcprof" recover dir
check "is said with its name" says err "^hpcprof: cut.host.1.0.hpcstore: offset 8: .*of another version"
check "a link is not followed" says err "^hpcprof: $name.hpcstore: the name of its datafile"
check "and nothing was written behind it" [ ! -e victim ]
is "the stores are left" "$(ls stores | wc -l)" 2
rm "dir/$name.csp" stores/cut*
check "a limit on the size of files" run 1 bash -c 'ulimit -f 4; exec "$@"' - "$hpcprof" recover dir
check "is said" says err 'its datafile cannot be written: File too large'
is "and leaves no part of one" "$(ls dir)" stores.stores
check "without it" run 0 "$hpcprof" recover dir
check "the datafile is made" lib account.py dir
check "no directory at all" run 3 "$hpcprof" recover nowhere
check "is said, too" says err '^hpcprof: nowhere: cannot be opened: No such file'

# ---- reading stores as they are
fresh
"$mkstore" --seed 2 "stores/$name.hpcstore"
"$mkstore" --seed 4 --pid $$ "stores/alive.host.$$.0.hpcstore"
check "stores are read as datafiles" run 0 "$hpcprof" text --all dir
check "both of them" says out '^  processes +2'
check "with a notice" says err '^hpcprof: read from stores: 1 running and 1 killed program images'
check "but not with -q" run 0 "$hpcprof" text --all -q dir
check "which says nothing" [ ! -s err ]
check "one by its name" run 0 "$hpcprof" dump "stores/$name.hpcstore"
"$hpcprof" recover dir >/dev/null
"$hpcprof" dump "dir/$name.csp" >after
check "dumps as its datafile will" cmp out after
check "a store with its datafile counts once" run 0 "$hpcprof" text --all dir
check "and as that" says err '1 running and 0 killed'
check "one that runs says so" run 0 "$hpcprof" text --all "stores/alive.host.$$.0.hpcstore"
check "in place of an end" says out '^  end +running$'
# It has recorded more when the database reads it again, so only sums are written.
running="stores/alive.host.$$.0.hpcstore"
check "a database is made of one that runs" run 0 "$hpcprof" db -q --per-profile yes -o running.db "$running"
check "with sums, but no values per profile" run 0 "$hpcprof" query --format csv \
	"SELECT (SELECT count(*) FROM profile_value) AS each, sum(events) > 0 AS sums FROM exclusive" running.db
is "none and all" "$(cat out)" $'each,sums\n0,1'

# ---- real ones
timeout 60 "$hpcrun" -q -o killed bash -c 'while :; do :; done & p=$!; sleep 0.5; kill -9 $p; wait $p' 2>err
check "a killed child's datafile is made by the launcher" lib account.py killed
check "which knows only that it ended" bash -c '"$0" --processes killed | grep -qE "unknown.* bash "' "$hpcprof"
check "no link is left" [ -z "$(find killed -name '*.stores')" ]
timeout 60 "$hpcrun" -q -o dies "$python" -c 'import os
t = os.times
while t().user < 0.3: pass
os.kill(os.getpid(), 11)' 2>err
check "a command that dies of a signal" lib account.py dies
check "has its signal in the report" bash -c '"$0" dies | grep -q "signal 11"' "$hpcprof"

# The launcher killed together with the program: nobody makes datafiles.
"$hpcrun" -q -o both "$python" -c 'while True: pass' &
launcher=$!
disown "$launcher" # or this shell tells that it was killed
for _ in $(seq 100); do
	sleep 0.1
	child=$(pgrep -P "$launcher") && timeout 10 "$hpcprof" text --all -q both >out 2>err && says out '^Functions' >/dev/null && break
done
kill -9 "$launcher" "$child"
for _ in $(seq 50); do
	[ -d "/proc/$child" ] || [ -d "/proc/$launcher" ] || break
	sleep 0.1
done
check "killed with its launcher, a program can still be read" run 0 "$hpcprof" text --all both
check "as one that was killed" says err '0 running and 1 killed'
stores=$(readlink both/*.stores)
check "and recovered" run 0 "$hpcprof" recover both
check "exactly" lib account.py both
check "of the stores nothing is left" [ ! -e "$stores" ]
is "nor of the link" "$(find both -name '*.stores')" ""

# In another pid namespace only its lock tells that a process runs, and one that closes all
# descriptors loses it.
if unshare -pf true 2>/dev/null; then
	"$hpcrun" -q -o closes unshare -pf "$python" -c 'import os, time
for fd in range(3, 200000):
    try: os.close(fd)
    except OSError: pass
open("closed", "w").close()
while time.thread_time() < 1: pass' &
	launcher=$!
	for _ in $(seq 100); do
		[ ! -e closed ] || break
		sleep 0.1
	done
	check "a process of another pid namespace that has closed its store is left alone" run 0 "$hpcprof" recover closes
	is "it still runs" "$(find closes -name 'python*.csp' | wc -l)" 0
	wait $launcher
	is "and is counted once" "$(find closes -name 'python*.csp' | wc -l)" 1
	check "exactly" lib account.py closes
else
	skip "a process of another pid namespace" "unshare -p is not allowed"
fi
done_testing
