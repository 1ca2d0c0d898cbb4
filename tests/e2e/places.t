#!/bin/bash
# Bad places: wherever data finds no room, the program runs on unharmed, what could be
# kept is kept, and one line says what was not.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"

starts=$(program starts)
manypaths=$scratch/manypaths-$$ # of a name of its own, by which its stores are known
cp "$(program manypaths)" "$manypaths"

# A file system of its own: as root, or in a namespace where we are root.
if unshare -m true 2>/dev/null; then
	apart="unshare -m"
elif unshare -rm true 2>/dev/null; then
	apart="unshare -rm"
else
	apart=
fi

# in_tmpfs SIZE SCRIPT: run SCRIPT with ./small a tmpfs of SIZE; its output goes to said.
in_tmpfs() {
	rm -rf small
	mkdir small
	timeout 120 $apart bash -c "mount -t tmpfs -o size=$1 none small || exit 99; $2" >said.out 2>said
}

# kept DIR...: datafiles are there and their equations hold.
kept() {
	lib account.py "$@"
}

export hpcrun hpcprof starts manypaths top python

if [ -z "$apart" ]; then
	skip "full file systems" "no mount namespace can be made here"
else
	in_tmpfs 64k 'export TMPDIR=/tmp; "$hpcrun" -o small/out bash -c "
		head -c 1000000 /dev/zero >small/fill 2>/dev/null; exec \"$starts\" 50 exit"; echo "status $?"
		stores=$(readlink small/out/*.stores); echo "stores $stores"; ls "$stores" | grep -c hpcstore
		rm small/fill; "$hpcprof" recover small/out; echo "recover $?"
		mkdir kept.full; cp small/out/*.csp kept.full; ls -d "$stores" 2>&1'
	is "a full disk: the program'\''s status is its own" "$(grep status said.out)" "status 6"
	check "one line says what was not written, why, and where it is kept" \
		grep -E '^hpcrun: .*No space left on device.*hpcprof recover' said
	is "not more than that and the summary" "$(grep -c ^hpcrun: said)" 2
	check "with room again, recover makes the datafiles" grep -x 'recover 0' said.out
	check "which are exact" kept kept.full
	check "the shell'\''s image and the program'\''s" ls kept.full/*starts*.1.csp kept.full/*bash*.0.csp
	check "and nothing is left of the stores" grep -q 'No such file' said.out

	in_tmpfs 100k '"$hpcrun" -o full.store --store small -e CPUTIME@f5000 "$manypaths" 300; echo "status $?"'
	is "a full place for stores: the program's status" "$(tail -1 said.out)" "status 6"
	check "its datafile is whole, written by itself" kept full.store
	check "with all samples" sh -c "'$hpcprof' dump full.store/*.csp | grep 'out of memory' | grep -q 'samples 0 '"

	in_tmpfs 100k '"$hpcrun" -o full.killed --store small -e CPUTIME@f9000 "$manypaths" 300 kill; echo "status $?"'
	is "the same, killed" "$(tail -1 said.out)" "status 137"
	check "what found room is kept, the rest accounted for" kept full.killed
	check "as out of memory" sh -c "'$hpcprof' dump full.killed/*.csp | awk '/out of memory/ && !/samples 0/ { f = 1 } END { exit !f }'"

	in_tmpfs 2m '"$hpcrun" -q -o quarter --store small -e CPUTIME@f9000 "$manypaths" 1000 &
		least=512
		while kill -0 $! 2>/dev/null; do
			free=$(stat -f -c %a small)
			[ $free -ge $least ] || least=$free
		done
		wait $!
		echo "status $? least $least"'
	check "the last quarter of a place in memory is left to others: $(cat said.out)" \
		test "$(sed -n 's/status 6 least //p' said.out)" -ge 128
	check "but the others are used" test "$(sed -n 's/status 6 least //p' said.out)" -le 256
	check "and the datafile is whole" kept quarter

	in_tmpfs 1m 'mkdir small/out; "$hpcrun" -o small/out bash -c "mount -o remount,bind,ro small; exec \"$starts\" 50 exit"; echo "status $?"
		stores=$(readlink small/out/*.stores); "$hpcprof" recover -o kept.ro "$stores"; echo "recover $?"'
	is "a disk that becomes read-only" "$(grep status said.out)" "status 6"
	check "is named" grep -E '^hpcrun: .*Read-only file system' said
	check "recover writes elsewhere" grep -x 'recover 0' said.out
	check "exactly" kept kept.ro
fi

"$hpcrun" -o gone bash -c "rm -rf gone; exec '$starts' 50 exit" >said.out 2>said
is "a directory that vanishes: the program's status" "$?" 6
check "one line says where the data is" grep -E '^hpcrun: .*No such file or directory.*hpcprof recover' said
stores=$(sed -n "s/.*hpcprof recover -o gone \([^']*\)'.*/\1/p" said)
check "and recover finds it there" "$hpcprof" recover -o found "$stores"
check "exact" kept found
check "nothing is left" test ! -e "$stores"

# As where a process that ran on ends just when the launcher looks.
"$hpcrun" --only nothing -o idle sh -c 'rmdir "$HPCRUN_STORE"; exit 6' 2>said
is "an idle store that was removed: the program's status" "$?" 6
is "nothing is missed" "$(grep -c 'No such file' said)" 0

check "a limit on file sizes in the program alone" sh -c "'$hpcrun' -o limited '$starts' 50 no-room 2>said; test \$? = 6"
check "the datafile is there all the same" kept limited
(
	ulimit -f 1
	"$hpcrun" -o limits "$starts" 50 exit >said.out 2>said
	echo $? >status
)
is "a limit on file sizes for all of us: the program's status" "$(cat status)" 6
check "a line says that it cannot be kept" grep -q '^hpcrun: .*; 1 lost (no space for its data' said

# Memory: as little address space as the program itself can do with, and a little more.
"$starts" 20 exit
for kilobytes in 6000 8000 12000 16000 24000 32000 64000; do
	alone=$(ulimit -v $kilobytes; "$starts" 20 exit >/dev/null 2>&1; echo $?)
	measured=$("$hpcrun" -q -o memory$kilobytes bash -c "ulimit -v $kilobytes; exec '$starts' 20 exit" >/dev/null 2>&1; echo $?)
	is "$kilobytes kB of address space: status as alone" "$measured" "$alone"
done
cat >eats.py <<'END'
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, (200 << 20, 200 << 20))
kept, own = [], bytearray(200 << 10)
try:
    while True:
        kept.append(bytearray(1 << 20))
except MemoryError:
    del own  # what the interpreter needs for calls
    def deep(n):
        return sum(range(100)) + (deep(n - 1) if n else 0)
    for i in range(3000):
        deep(i % 200)
    del kept
    print("survived")
END
is "no memory left: the program goes on" "$(timeout 100 "$hpcrun" -q -o eaten -e CPUTIME@f5000 "$python" eats.py 2>&1)" survived
check "and what was recorded is accounted for" kept eaten

# Root's directory of stores can be entered by processes that become other users, and not read.
mode=700
[ "$(id -u)" != 0 ] || mode=711
check "files are ours alone, directories too" sh -c "'$hpcrun' -q -o rights --store stores bash -c 'stat -c %a \$HPCRUN_STORE \$HPCRUN_STORE/*; true' >modes; sort -u modes | tr '\n' ' ' | grep -x '600 $mode '"
ln -s /etc/passwd links.target
mkdir linked
check "nothing is written through a link" sh -c "'$hpcrun' -q -o linked bash -c 'ln -s \$PWD/victim linked/bash.\$(hostname).\$\$.0.csp.part; true'; test ! -e victim"
is "no store is left behind" "$(ls -d /dev/shm/hpcrun-"$(id -u)"-* 2>/dev/null | xargs -r ls 2>/dev/null | grep -c "manypaths-$$")" 0
# Without /proc a process is named by the path that it was executed by.
if unshare --mount mount -t tmpfs none /proc 2>/dev/null; then
	unshare --mount sh -c 'mount -t tmpfs none /proc && cd "${1%/*}" && shift && exec "$@"' sh \
		"$(program work)" "$hpcrun" -q -o "$PWD/no-proc" ./work nine 1000 >no-proc.out 2>&1
	is "no /proc: the program goes on" "$? $(cat no-proc.out)" "0 "
	is "its datafile has its name" "$(ls no-proc | sed -n 's/\.[^.]*\.[0-9]*\.0\.csp$//p')" work
	check "and its functions" grep -q ' spin ' <("$hpcprof" text --all -q no-proc)
	check "the account holds" lib account.py no-proc
else
	skip "no /proc" "no mount namespaces to be had"
fi
done_testing
