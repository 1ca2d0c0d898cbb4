#!/bin/bash
# Where hpcprof and hpcrun expect a regular file, they read nothing else: each kind of special file in
# the place of each kind of file. None is waited for, each is named in a message, and nothing but the
# output changes.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"

data=$top/tests/data/outputs
mkcsp=$(program mkcsp)
id=0123456789abcdef0123456789abcdef01234567
kinds='fifo device directory socket loop proc'
declare -A kind_is=(
	[fifo]='is a FIFO' [device]='is a device' [directory]='is a directory' [socket]='is a socket'
	[loop]='Too many levels of symbolic links' [proc]='found 0 bytes')

# special KIND PATH: PATH becomes such a file.
special() {
	rm -rf "$2"
	case $1 in
	fifo) mkfifo "$2" ;;
	device) mknod "$2" c 1 5 2>/dev/null || ln -s /dev/zero "$2" ;; # as an ordinary user
	directory) mkdir "$2" ;;
	socket) (cd "$(dirname "$2")" && "$python" -c 'import socket, sys
socket.socket(socket.AF_UNIX).bind(sys.argv[1])' "$(basename "$2")") ;;
	loop) ln -s "$(basename "$2")" "$2" ;;
	proc) ln -s /proc/self/environ "$2" ;;
	esac
}

# unchanged COMMAND...: no file is made, removed or written meanwhile, but for out and err.
unchanged() {
	local before after
	: >out
	: >err
	before=$(find . ! -name out ! -name err -printf '%p %y %s %i %C@\n' | sort)
	"$@" || return 1
	after=$(find . ! -name out ! -name err -printf '%p %y %s %i %C@\n' | sort)
	[ "$before" = "$after" ] || diff <(echo "$before") <(echo "$after")
}

# refuses KIND STATUS PATH COMMAND...: it ends with the status, changes nothing, and says why PATH
# is not read.
refuses() {
	local kind=$1 status=$2 path=$3
	shift 3
	unchanged run "$status" "$@" && says err "$path.*${kind_is[$kind]}"
}

prepare() {
	local f
	for f in work list; do
		as -o $f.o "$data/$f.s" || return 1
	done
	mkdir -p root/usr/lib names/usr/lib debug/.build-id/01 m
	ld -shared --build-id=0x$id -o root/usr/lib/libwork.so work.o list.o &&
		objcopy --only-keep-debug root/usr/lib/libwork.so debug/.build-id/01/${id#01}.debug &&
		objcopy -g root/usr/lib/libwork.so names/usr/lib/libwork.so &&
		"$mkcsp" --paths "$data/rank0.paths" rank0.csp && cp rank0.csp m/good.csp &&
		cp -r "$data/src" . && rm -rf names/usr/bin
}
check "the profile and its files are made" prepare

# ---- datafiles --------------------------------------------------------------------------
for kind in $kinds; do
	special $kind m/x.csp
	check "datafile: $kind" refuses $kind 1 m/x.csp "$hpcprof" text m
	check "$kind: the others are read" says out CPUTIME
	check "merge: $kind" refuses $kind 1 m/x.csp "$hpcprof" merge -o /dev/null m
done
rm -rf m/x.csp

for kind in $kinds; do
	special $kind named
	case $kind in
	directory) check "named: $kind" unchanged run 3 "$hpcprof" text named ;;
	loop | proc) check "named: $kind" refuses $kind 3 named "$hpcprof" text named ;;
	*)
		check "named: $kind" unchanged run 3 "$hpcprof" text named
		check "$kind: it is said" says err 'named: neither a file nor a directory'
		;;
	esac
	check "dump: $kind" unchanged run 3 "$hpcprof" dump named
	check "diff: $kind" unchanged run 3 "$hpcprof" diff rank0.csp named
	check "query: $kind" unchanged run 2 "$hpcprof" query 'SELECT 1' named
done
rm -rf named

# changed NAME BYTES COMMAND...: the file NAME becomes so long when it is read, or is "gone": what was
# there is read. The command is what changes it, so it may not be in the sandbox.
changed() {
	run 0 env CUT_FILE="$1" CUT_TO="$2" LD_PRELOAD="$(program cut_plugin)" "${@:3}" --no-sandbox
}

# ---- modules, debug files and sources ------------------------------------------------------
# Below a root, a link to a device leads nowhere.
below=$kinds
mknod zero c 1 5 2>/dev/null || below=${kinds/device /}
# told KIND PATH COMMAND...: as refuses; for what is as if it were not there, the report says it.
told() {
	local kind=$1 path=$2
	shift 2
	case $kind in
	loop | proc) unchanged run 0 "$@" ;;
	*) refuses "$kind" 1 "$path" "$@" ;;
	esac
}
lib=root/usr/lib/libwork.so
cp $lib kept.so
for kind in $below; do
	special $kind $lib
	check "module: $kind" told $kind $lib "$hpcprof" text --all --sysroot root rank0.csp
	check "$kind: the report has it" says out "$lib"
done
rm -rf $lib
cp kept.so $lib
debug=debug/.build-id/01/${id#01}.debug
cp $debug kept.debug
for kind in $below; do
	special $kind $debug
	check "debug file: $kind" told $kind $debug "$hpcprof" text --all --sysroot names --debug-dir debug rank0.csp
	check "$kind: the names of the module are there" says out 'libwork.so'
done
rm -rf $debug
cp kept.debug $debug
for kind in $below; do
	special $kind src/work.c
	check "source: $kind" unchanged run 0 "$hpcprof" annotate --sysroot root --map /src=src work.c rank0.csp
	check "$kind: it is said" says out "No source: $([ $kind = loop ] && echo 'not found' || echo src/work.c)"
done
rm -rf src/work.c

# What the module's debug information names beside it. Its functions have names without it.
split() {
	printf '%s\n' 'static volatile long sum;' '__attribute__((noinline)) void spin_here(void)' \
		'{ for (long i = 0; i < 400000000; i++) sum += i; }' 'int main(void) { spin_here(); }' >s.c &&
		mkdir s d && cc -O1 -g -gsplit-dwarf -o s/split s.c && cc -O1 -g -o d/one s.c &&
		cp d/one d/two && dwz -m d/common -M "$PWD/d/common" d/one d/two && rm d/two &&
		timeout 60 "$hpcrun" -q -o s.m s/split && timeout 60 "$hpcrun" -q -o d.m d/one
}
beside() { # PLACE FILE MEASUREMENT WORDS: which the report has, if the file can be read
	cp "$2" kept.beside
	check "$1: it is read" run 0 "$hpcprof" text --all "$3"
	check "$1: the report has it" says out "$4"
	for kind in $kinds; do
		special $kind "$2"
		check "$1: $kind" told $kind "$2" "$hpcprof" text --all "$3"
		check "$1, $kind: the function has its name" says out spin_here
	done
	rm -rf "$2"
	check "$1: vanished" unchanged run 0 "$hpcprof" text --all "$3"
	cp kept.beside "$2"
	for to in gone 100000000; do
		check "$1: it changes to $to" changed "${2##*/}" $to "$hpcprof" text --all "$3"
		check "$1, $to: the report has it" says out "$4"
		cp kept.beside "$2"
	done
}
check "a split unit and an alternate file are made" split
beside "split unit" s/split-s.dwo s.m 's\.c:3'
beside "alternate file" d/common d.m 's\.c:3'

# ---- stores, images and names that were kept ----------------------------------------------
for kind in $kinds; do
	special $kind m/x.hpcstore
	check "store: $kind" unchanged run 0 "$hpcprof" text m
	check "recover: $kind" unchanged run 1 "$hpcprof" recover m
	if [ -L m/x.hpcstore ]; then
		check "$kind: it is said" says err 'x.hpcstore: is a symbolic link, not a regular file .kept'
	else
		check "$kind: it is said" says err "x.hpcstore: ${kind_is[$kind]}, not a regular file .kept"
	fi
	rm -rf m/x.hpcstore
	special $kind m/x.stores
	check "link to stores: $kind" unchanged run 0 "$hpcprof" text m
	if [ -L m/x.stores ]; then
		check "recover, link to stores: $kind" unchanged run 1 "$hpcprof" recover m
		check "$kind: it is said" says err 'x.stores: it leads to a directory that hpcrun has not made'
	else
		check "recover, link to stores: $kind" unchanged run 0 "$hpcprof" recover m
	fi
	rm -rf m/x.stores
done

# ---- lists and output ------------------------------------------------------------------
mkfifo pipe
check "a list that nobody writes to is not waited for" unchanged run 2 "$hpcprof" text --files-from pipe
check "it is said" says err 'pipe is a FIFO that nobody writes to'
(sleep 0.2 && echo rank0.csp >pipe) &
check "a late writer is waited for" run 0 "$hpcprof" text --files-from pipe
wait
check "a list of the shell's is read" run 0 "$hpcprof" text --files-from <(echo rank0.csp)
check "the profile is there" says out CPUTIME
for list in /dev/zero m; do
	check "list: $list" unchanged run "$([ $list = m ] && echo 3 || echo 2)" "$hpcprof" text --files-from "$list"
done
for command in 'export --format folded' merge xml html; do
	# shellcheck disable=SC2086 # words
	check "$command: output that nobody reads is not waited for" unchanged run 3 "$hpcprof" $command -o pipe rank0.csp
	check "$command: it is said" says err 'pipe: it is a FIFO that nobody reads'
done
special socket sock
check "nothing is written to a socket" unchanged run 3 "$hpcprof" xml -o sock rank0.csp
check "it is said" says err 'sock: it is a socket, which is not written to'
(timeout 20 cat pipe >late.txt) &
check "a late reader is waited for" run 0 "$hpcprof" xml -o pipe rank0.csp
wait
check "it gets the report" grep -q CPUTIME late.txt
check "a device takes output" run 0 "$hpcprof" xml -o /dev/null rank0.csp
# twice FILE COMMAND...: the second run replaces what the first one wrote.
twice() {
	local file=$1
	shift
	run 0 "$@" && cp "$file" first && echo other >"$file" && run 0 "$@" && cmp "$file" first
}
mkdir written
rows='SELECT name FROM function ORDER BY name'
check "query: an existing output" twice written/rows "$hpcprof" query -o written/rows "$rows" rank0.csp
check "db --csv: existing files" twice written/metric.csv "$hpcprof" db --csv written rank0.csp
check "xml: an existing output" twice written/a.xml "$hpcprof" xml -o written/a.xml rank0.csp
check "merge: an existing output" twice written/all.csp "$hpcprof" merge -o written/all.csp rank0.csp
check "query: standard output, by name" run 0 "$hpcprof" query -o /dev/stdout "$rows" rank0.csp
check "the rows are there" grep -q work out
for kind in fifo device directory socket; do
	special $kind out.db
	check "database: $kind" unchanged run 2 "$hpcprof" db -o out.db rank0.csp
	check "$kind: it is said" says err 'out.db: not a regular file'
	rm -rf out.db
done

# ---- where hpcrun writes -----------------------------------------------------------------
measured() {
	run 0 timeout 60 "$hpcrun" -q -o measured "$(program nothing)" && ls measured/nothing*.csp >/dev/null
}
mkdir measured
for kind in fifo device socket loop; do
	special $kind measured/x.csp
	special $kind measured/x.hpcstore
	special $kind measured/y.snapshots
	check "hpcrun beside: $kind" measured
	check "hpcprof: $kind" run 1 "$hpcprof" text measured
	rm -rf measured
	mkdir measured
done

# ---- files that others make shorter -------------------------------------------------------
# run_cut NAME BYTES COMMAND...: the file NAME becomes so short when it is read; the status is 1. The
# command is what cuts it, so it may not be in the sandbox.
run_cut() {
	run 1 env CUT_FILE="$1" CUT_TO="$2" LD_PRELOAD="$(program cut_plugin)" "${@:3}"
}
size=$(stat -c %s $lib)
for to in 0 64 $((size / 2)) 4096; do
	cp kept.so $lib
	check "a module that is cut to $to bytes ends nothing" run_cut libwork.so "$to" "$hpcprof" text --no-sandbox --all --sysroot root rank0.csp
	check "$to: it is said" says err "$lib.*cut while it was read"
	check "$to: the report is there" says out CPUTIME
done
cp kept.so $lib
truncate -s 1T $lib
check "a module of holes is not read" run 0 "$hpcprof" text --all --sysroot root rank0.csp
check "it is said" says out "$lib has more than 64 MiB of holes"
cp kept.so $lib
for to in 0 64 4096; do
	cp kept.so names/usr/lib/libwork.so
	strip -g names/usr/lib/libwork.so
	check "$to: its debug file is enough" run 0 env CUT_FILE=libwork.so CUT_TO=$to LD_PRELOAD="$(program cut_plugin)" "$hpcprof" xml --no-sandbox --sysroot names --debug-dir debug rank0.csp
	check "$to: the lines are there" says out "/src/work.c"
	cp kept.debug $debug
	check "$to: a debug file is cut" run_cut "${debug##*/}" $to "$hpcprof" text --no-sandbox --all --sysroot names --debug-dir debug rank0.csp
	check "$to: it is said" says err "$debug.*cut while it was read"
	cp kept.debug $debug
done
cp rank0.csp m/cut.csp
check "a datafile that is cut is left out" run_cut cut.csp $(($(stat -c %s rank0.csp) - 1)) "$hpcprof" text --no-sandbox m
check "it is said" says err 'm/cut.csp.*was cut while it was read'
check "the others are read" says out CPUTIME
truncate -s 1T m/cut.csp
check "a datafile of holes takes no memory" run 1 "$hpcprof" text m
cp rank0.csp m/cut.csp
truncate -s 1T m/cut.csp
check "nor one with a beginning" run 1 "$hpcprof" text m
check "it is said" says err 'm/cut.csp: has more than 64 MiB of holes'
rm m/cut.csp

# ---- files that others make longer, or remove ------------------------------------------------
# same NAME COMMAND...: its report is the one that it is without that.
same() {
	local to
	apart && (cd apart && run 0 "${@:2}" && cp out ../report) || return 1
	for to in gone 100000000; do
		apart && (cd apart && changed "$1" $to "${@:2}" && diff out ../report && has_changed "$1" $to) || return 1
	done
}
apart() {
	rm -rf apart && mkdir apart && cp -r m root debug src names made.db apart
}
has_changed() { # NAME TO
	if [ "$2" = gone ]; then
		[ "$(find . -name "$1" | wc -l)" -lt "$(find .. -path ../apart -prune -o -name "$1" -print | wc -l)" ]
	else
		find . -name "$1" -size "$2c" | grep -q .
	fi || {
		echo "$1 has not changed"
		return 1
	}
}
recovered() { # DIRECTORY
	"$mkstore" --seed 3 "$1/x.hpcstore" && "${@:2}" "$hpcprof" recover "$1" && cp "$1"/*.csp "$1.csp"
}
cp $data/src/work.c src
check "a database is made" run 0 "$hpcprof" db -o made.db --sysroot root rank0.csp
check "module" same libwork.so "$hpcprof" text --all --sysroot root m
check "debug file" same "${debug##*/}" "$hpcprof" text --all --sysroot names --debug-dir debug m
check "source" same work.c "$hpcprof" annotate --sysroot root --map /src=src work.c m
check "datafile" same good.csp "$hpcprof" text m
check "database" same made.db "$hpcprof" text made.db
mkstore=$(program mkstore)
mkdir alone gone longer
check "store" recovered alone run 0
check "a store is gone" recovered gone changed x.hpcstore gone
check "a store becomes longer" recovered longer changed x.hpcstore 100000000
check "the same is recovered" cmp alone.csp gone.csp
check "and the same" cmp alone.csp longer.csp
done_testing
