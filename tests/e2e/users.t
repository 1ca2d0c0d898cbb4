#!/bin/bash
# Programs that change who they are, or what they see of the file system: their time arrives, nothing
# is printed on their standard error, and no store stays behind.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"
. "$top/tests/lib/shell/living.sh"

[ "$(id -u)" = 0 ] || {
	skip "all of it" "only root can become another user"
	done_testing
}
users=$(program users)
store=${HPCRUN_STORE:-/dev/shm}
nothing_left() {
	is "$1: no store stays" "$(ls "$store")" ""
	is "$1: and no link to one" "$(find data -name '*.stores')" ""
}
closing() {
	grep -v '^hpcrun: data: ' said
}

for way in setuid seteuid setreuid setresuid syscall root; do
	lives 0 $way "$users" $way 65534 60
	all_of_it $way
	is "$way: all processes have datafiles" "$(ls data | grep -c '^users.*csp$')" 3
	is "$way: nothing else is said" "$(closing)" ""
	nothing_left $way
done
lives 0 "exec afterwards" "$users" setuid 65534 20 "$users" root 0 60
all_of_it "exec afterwards"
is "exec afterwards: all processes have datafiles" "$(ls data | grep -c '^users.*csp$')" 6
nothing_left "exec afterwards"
lives 0 "a child of vfork" "$users" vfork 65534 20 "$users" root 0 60
all_of_it "a child of vfork"
is "a child of vfork: all processes have datafiles" "$(ls data | grep -c '^users.*csp$')" 4
nothing_left "a child of vfork"

# ---- a command as another user ----------------------------------------------------------
mkdir -m 755 seen
cp "$users" seen/
for tool in "setpriv --reuid 65534 --regid 65534 --clear-groups" "su -s /bin/sh -c" "sudo -u nobody"; do
	set -- $tool
	name=$1
	type "$name" >&/dev/null || {
		skip "$name: all of it" "it is not installed"
		continue
	}
	[ "$name" = su ] && set -- su nobody -s /bin/sh -c "exec $PWD/seen/users root 0 60"
	[ "$name" = su ] || set -- "$@" "$PWD/seen/users" root 0 60
	rm -rf data
	"$hpcrun" -o data "$@" >measured 2>said
	is "$name: runs" $? 0
	check "$name: the command's processes have datafiles" test "$(ls data | grep -c '^users.*csp$')" -eq 3
	check "$name: and all of their time" test "$("$hpcprof" text --json -q data | "$python" -c \
		'import json, sys; print(json.load(sys.stdin)["run"]["cpu_ns"])')" -ge 180000000
	is "$name: nothing else is said" "$(closing)" ""
	nothing_left "$name"
done

# ---- during the measurement, and after it ---------------------------------------------------
# What others left does not fill the memory: the launcher makes datafiles of it once a second.
"$hpcrun" -q -o data2 sh -c "'$users' setuid 65534 20 >/dev/null
	i=0; while [ \$i -lt 80 ] && ! ls data2 | grep -q '^users.*csp$'; do sleep 0.1; i=\$((i + 1)); done
	ls data2 | grep -c '^users.*csp$'" >during
check "datafiles come while the command runs" test "$(cat during)" -ge 3
"$hpcrun" -q -o data3 sh -c "'$users' setuid 65534 300 >/dev/null 2>&1 &"
for i in $(seq 100); do
	pgrep -x users >pids || break
	sleep 0.1
done
"$hpcprof" recover data3 >recovered
is "after the launcher has ended they are recovered" "$(ls data3 | grep -c '^users.*csp$')" 3
is "and no store stays" "$(ls "$store")" ""
is "and no link to one" "$(find data3 -name '*.stores')" ""

"$hpcrun" -q -o data6 sh -c "rm -r \$HPCRUN_STORE; '$users' setuid 65534 20 >/dev/null"
is "who begins without the directory of stores makes it again" "$(ls data6 | grep -c '^users.*csp$')" 3
is "and it does not stay" "$(ls "$store")" ""

# Processes with a pid that another one had cannot see that its datafile has their name.
"$hpcrun" -q -o data5 sh -c "for i in 1 2 3; do unshare --pid --fork setpriv --reuid 65534 --regid 65534 \\
	--clear-groups $PWD/seen/users root 0 20 >/dev/null; sleep 1.2; done"
is "none of the same name is lost" "$(ls data5 | grep -c '^users.*csp$')" 9

# ---- what the other user may put there ---------------------------------------------------
# A measured program plants files in its directory of stores: nothing is read or removed elsewhere.
cat >plant.sh <<'END'
cd "$HPCRUN_STORE/65534" || exit 1
ln -s /etc/passwd link.host.1.0.hpcstore
mkfifo fifo.host.1.0.hpcstore
mkdir folder.host.1.0.hpcstore
head -c 100000 /dev/urandom >junk.host.1.0.hpcstore
ln -s "$1" other.stores
exit 0
END
mkdir -m 755 victim
cp /bin/true victim/kept.host.1.0.hpcstore
check "files are planted" "$hpcrun" -q -o data4 setpriv --reuid 65534 --regid 65534 --clear-groups \
	sh plant.sh "$PWD/victim"
check "the launcher ends, and datafiles of the rest are there" test -n "$(find data4 -name 'dash*.csp')"
is "no datafile is made of what was planted" "$(ls data4 | grep -cE '^(link|fifo|folder|junk|kept)')" 0
check "nothing is removed elsewhere" test -s /etc/passwd -a -s victim/kept.host.1.0.hpcstore
planted=$(find "$store" -mindepth 1 -maxdepth 1)
check "what cannot be read stays for the user to see" test -d "$planted/65534"
rm -rf "$planted"

# ---- no place at all -----------------------------------------------------------------------
rm -rf data
"$hpcrun" -o data sh -c 'ulimit -f 0; /bin/true; /bin/ls >/dev/null' 2>said
is "a limit on file sizes: nothing is said in between" "$(closing)" ""
check "which datafiles are lost is said at the end" grep -q '; 2 lost (no space for their data: ' said
nothing_left "a limit on file sizes"

# ---- a library that the other user may not read ---------------------------------------------
mkdir -m 700 hidden
mkdir -m 777 seen-out
cp -r "$BUILD/bin" "$BUILD/lib" hidden/
hidden/bin/hpcrun -o seen-out setpriv --reuid 65534 --regid 65534 --clear-groups sh -c '/bin/ls / >/dev/null; nothing; true' >out 2>said
is "no program's loader complains" "$(grep -c 'ld.so' said)" 0
check "that they are not measured is said, with the reason" grep -Fq \
	"; 1 program start not measured: sh (hpcrun's library cannot be read there)" said
is "nor is one that does not exist" "$(cat seen-out/not-measured)" "hidden	$(command -v sh)"

# ---- another root directory ------------------------------------------------------------------
# Without our library there, programs run, and the loader does not complain.
mkdir -p root/bin
cp "$(command -v dash)" root/bin/sh
for file in $(ldd "$(command -v dash)" | grep -o '/[^ ]*'); do
	mkdir -p "root$(dirname "$file")"
	cp "$file" "root$file"
done
rm -rf data
"$hpcrun" -o data chroot root /bin/sh -c 'sh -c "echo in it"; echo out' >out 2>said
is "chroot: what it prints" "$(cat out)" "in it
out"
is "chroot: nothing else is said" "$(closing)" ""
nothing_left chroot
if type bwrap >&/dev/null && bwrap --ro-bind / / --dev /dev --proc /proc --unshare-pid true 2>/dev/null; then
	for i in 1 2 3; do
		rm -rf data
		"$hpcrun" -o data bwrap --ro-bind / / --dev /dev --proc /proc --unshare-pid \
			sh -c 'ls >/dev/null; echo in it' >out 2>said
		is "bwrap: what it prints" "$(cat out)" "in it"
		is "bwrap: nothing else is said" "$(closing)" ""
		nothing_left bwrap
	done
else
	skip "bwrap: all of it" "it is not installed, or not allowed here"
fi
done_testing
