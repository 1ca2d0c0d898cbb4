#!/bin/bash
# Programs that cannot be measured: the launcher says which and what to do, before it
# runs them; and they run as they do alone.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"

cc=${CC:-gcc}
mkdir -p open
chmod 777 . open
cat >nine.c <<'END'
#include <stdio.h>
int main(int argc, char **argv)
{
	char line[64];
	(void)argv;
	while (fgets(line, sizeof line, stdin))
		fputs(line, stdout);
	fputs("over\n", stderr);
	return 8 + argc;
}
END
$cc -O2 -o nine nine.c || exit 1

# as_somebody COMMAND...: with uid 65534, if we are root.
as_somebody() {
	if [ "$(id -u)" = 0 ]; then
		setpriv --reuid 65534 --regid 65534 --clear-groups "$@"
	else
		"$@"
	fi
}

# told DESCRIPTION STATUS PATTERN AS COMMAND...: one line of ours that matches comes
# before the command's own, and what it does is what it does alone. AS: "" or as_somebody.
told() {
	local description=$1 status=$2 pattern=$3 as=$4
	shift 4
	echo in | $as "$@" >alone.out 2>alone.err
	local alone=$?
	echo in | $as "$hpcrun" -q -o open/d "$@" >ours.out 2>ours.err
	is "$description: exit status" "$? $alone" "$status $alone"
	is "$description: one line, first" "$(grep -nc '^hpcrun: ' ours.err) $(grep -n '^hpcrun: ' ours.err | cut -d: -f1)" "1 1"
	check "$description: which, and what to do" grep -E "^hpcrun: $pattern" ours.err
	if [ "$alone" = "$status" ]; then
		check "$description: nothing else is different" \
			sh -c "cmp alone.out ours.out && sed 1d ours.err | cmp alone.err -"
	fi
	rm -rf open/d
}

# refused DESCRIPTION STATUS PATTERN COMMAND...: it is told, and then cannot be run.
refused() {
	"$hpcrun" -q -o open/d "${@:4}" >ours.out 2>ours.err
	is "$1: exit status" "$?" "$2"
	check "$1: which, and what to do, first" sh -c 'head -1 ours.err | grep -E "$1"' sh "^hpcrun: $3"
	is "$1: then, that it cannot be run" "$(sed 1d ours.err | grep -c '^hpcrun: ')" 1
	rm -rf open/d
}

# child NAME: what a measured program runs is as it is alone, by path and by name.
child() {
	for way in "sh -c ./$1" "sh -c ./$1.script" "env $1"; do
		printf '#!%s\n' "$scratch/$1" >"$1.script"
		chmod +x "$1.script"
		# shellcheck disable=SC2086 # words
		echo in | PATH=$scratch:$PATH $way >alone.out 2>alone.err
		local alone=$?
		# shellcheck disable=SC2086
		echo in | PATH=$scratch:$PATH "$hpcrun" -q -o open/d $way >ours.out 2>ours.err
		is "$way, measured: exit status" "$?" "$alone"
		check "$way, measured: nothing is different" \
			sh -c "cmp alone.out ours.out && cmp alone.err ours.err"
		rm -rf open/d
	done
}

# measured DESCRIPTION IMAGES COMMAND...: not a word, and so many datafiles.
measured() {
	local description=$1 images=$2
	shift 2
	echo in | "$hpcrun" -q -o open/d "$@" >ours.out 2>ours.err
	check "$description: not a word" sh -c '! grep "^hpcrun: " ours.err'
	is "$description: measured" "$(ls open/d/*.csp 2>/dev/null | wc -l)" "$images"
	rm -rf open/d
}

measured "a dynamically linked program" 1 ./nine
child nine
measured "the loader called by name" 1 "$(readelf -lW nine | sed -n 's/.*interpreter: \(.*\)]/\1/p')" ./nine

# ---- static --------------------------------------------------------------------------
if $cc -static -o static nine.c 2>/dev/null; then
	told "static" 9 '\./static is statically linked .*libhpcrun\.a' "" ./static
	"$hpcrun" -o open/d --pack yes ./static </dev/null >ours.out 2>ours.err
	is "static: the last line" "$(tail -n 1 ours.err)" \
		"hpcrun: no datafile was written to open/d; 1 program start not measured: static (statically linked)"
	"$hpcrun" -q -o open/d ./nine </dev/null >ours.out 2>ours.err
	check "static: named in a report on what else was measured there" says <("$hpcprof" open/d) \
		"^  unmeasured  static \\(statically linked\\)$"
	rm -rf open/d
	$cc -static-pie -o static-pie nine.c 2>/dev/null &&
		told "static-pie" 9 '\./static-pie is statically linked' "" ./static-pie
else
	skip "static programs" "there is no static C library"
fi

# ---- more rights -----------------------------------------------------------------------
if [ "$(id -u)" = 0 ]; then
	for bits in 4755 2755; do
		cp nine rights
		chown 0:0 rights
		chmod $bits rights
		told "mode $bits" 9 '\./rights runs as another user .*measure it as that user' as_somebody ./rights
		rm -f rights
	done
	cp nine rights
	chmod 4755 rights
	measured "our own setuid program" 1 ./rights
	if setcap cap_net_raw+ep rights 2>/dev/null && chmod 755 rights && setcap cap_net_raw+ep rights; then
		told "capabilities" 9 '\./rights has file capabilities .*run hpcrun as root' as_somebody ./rights
		measured "capabilities, as root" 1 ./rights
	else
		skip "capabilities" "setcap is missing, or does nothing here"
	fi
	cp nine unreadable
	chmod 711 unreadable
	told "not readable" 9 '\./unreadable cannot be read: .*make it readable' as_somebody ./unreadable
	rm -f rights unreadable
else
	skip "setuid, setgid, capabilities, not readable" "needs root"
fi

# ---- other architectures -----------------------------------------------------------------
# patch FILE OFFSET BYTES (octal)
patch() {
	printf "$3" | dd of="$1" bs=1 seek="$2" conv=notrunc 2>/dev/null
}
cp nine arm
patch arm 18 '\0267\0000' # e_machine: EM_AARCH64
refused "another machine" 126 '\./arm is built for another architecture .*hpcrun built for it' ./arm
cp nine small
patch small 4 '\0001' # ELFCLASS32
patch small 18 '\0050\0000' # EM_ARM
refused "another class" 126 '\./small is built for another architecture' ./small
head -c 40 nine >stump
chmod +x stump
status=0
echo in | "$hpcrun" -q -o open/stump ./stump >ours.out 2>ours.err || status=$?
is "a file that ends within its header" "$status" "$(echo in | sh ./stump >/dev/null 2>&1; echo $?)"
if $cc -m32 -o elf32 nine.c 2>/dev/null && [ "$(echo in | ./elf32 2>/dev/null)" = in ]; then
	told "32 bits" 9 '\./elf32 is built for another architecture' "" ./elf32
	child elf32
else
	skip "a program of 32 bits" "none can be built or run here"
fi

# ---- another C library -------------------------------------------------------------------
cp nine other
sed -i 's|/lib64/ld-linux-x86-64.so.2|/lib64/ld-other-x86-64.so.2|' other
refused "another loader, which is not there" 127 '\./other is built with another C library' ./other
if musl-gcc -o musl nine.c 2>/dev/null && [ "$(echo in | ./musl 2>/dev/null)" = in ]; then
	told "musl" 9 '\./musl is built with another C library' "" ./musl
	child musl
else
	skip "musl" "musl-gcc is not installed"
fi

# ---- scripts -----------------------------------------------------------------------------
script() { # script NAME FIRST-LINE [REST]
	printf '%s\n' "${@:2}" >"$1"
	chmod +x "$1"
}
script plain.sh 'exit 9'
measured "a script without a first line" 1 ./plain.sh
script sh.sh '#!/bin/sh' 'exit 9'
measured "a script" 1 ./sh.sh
script env.sh '#!/usr/bin/env -S A=b sh' 'exit 9'
measured "a script by env" 2 ./env.sh
script nested.sh "#!$scratch/sh.sh" 'exit 9'
measured "a script that a script runs" 1 ./nested.sh
if [ -x static ]; then
	script static.sh "#!$scratch/static" 'exit 9'
	told "a script of a static interpreter" 10 "\./static.sh is run by $scratch/static, which is statically linked" "" ./static.sh
	"$hpcrun" -o open/d ./static.sh </dev/null >ours.out 2>ours.err
	check "its interpreter is not measured" says ours.err "; 1 program start not measured: static \\(statically linked\\)$"
	rm -rf open/d
	script nested-static.sh "#!$scratch/static.sh" 'exit 9'
	told "the same, nested" 11 "\./nested-static.sh is run by $scratch/static, which" "" ./nested-static.sh
	script env-static.sh '#!/usr/bin/env static' 'exit 9'
	PATH=$scratch:$PATH told "the same, by env" 10 "\./env-static.sh is run by $scratch/static, which" "" ./env-static.sh
fi
# ---- what measured programs start, in the line at the end and in the report
# names DESCRIPTION PATTERN SCRIPT [OPTION...]: the line has that.
names() {
	"${run_as[@]}" "$hpcrun" -o open/d "${@:4}" sh -c "$3" </dev/null >ours.out 2>ours.err
	check "$1" says ours.err "$2"
}
run_as=()
last='; to see them: hpcprof open/d$'
names "children that were measured" "0 dropped$last|dropped \\([^)]*\\)$last" './nine; ./nine'
check "no list of others is made" [ ! -e open/d/not-measured ]
rm -rf open/d
if [ -x static ]; then
	names "a static child" "; 1 program start not measured: static \\(statically linked\\)$last" './nine; ./static; ./nine'
	check "and in the report" says <("$hpcprof" open/d) "^  unmeasured  static \\(statically linked\\)$"
	names "only those of this run" "; 2 program starts not measured: static \\(statically linked, 2 times\\)$last" \
		'./static; exec ./static'
	check "but all of the directory in the report" says <("$hpcprof" open/d) \
		"^  unmeasured  static \\(statically linked, 3 times\\)$"
	rm -rf open/d
	for n in 1 2 3 4 5; do cp static "static$n"; done
	names "a few are named" "; 6 program starts not measured: static1 .*, static2 .*, static3 \\([a-z ]*, 2 times\\) and 2 more$last" \
		'for n in 1 2 3 3 4 5; do ./static$n; done'
	rm -rf open/d
	names "by posix_spawn and exec, by name" "; 2 program starts not measured: static \\(statically linked, 2 times\\)" \
		"PATH=$scratch:\$PATH; env static; '$python' -c 'import os; os.posix_spawnp(\"static\", [\"static\"], os.environ); os.wait()'"
	rm -rf open/d
	names "not those that nobody wanted" "no datafile was written to open/d$" 'exec ./static' --only nothing
	check "and they are not listed" [ ! -e open/d/not-measured ]
	rm -rf open/d
	"$hpcrun" -o open/d -r no sh -c './static; true' </dev/null 2>ours.err
	check "nor with -r no" bash -c '! grep "not measured" ours.err'
	rm -rf open/d
fi
if [ "$(id -u)" = 0 ]; then
	cp nine rights
	chmod 4755 rights
	names "a setuid child of its own user is measured" "dropped.*$last" './rights'
	check "and not listed" bash -c '! grep "not measured" ours.err'
	rm -rf open/d
	run_as=(as_somebody)
	names "one of another user is not" "; 1 program start not measured: rights \\(setuid, setgid or with capabilities\\)$last" './rights; true'
	rm -rf open/d rights
	run_as=()
fi
if [ -x musl ]; then
	names "a child with another C library" "; 1 program start not measured: musl \\(another architecture or C library, or an emulator\\)" './musl; true'
	rm -rf open/d
fi
# Its notes are farther from its beginning than those of gcc.
go=$(command -v go || ls /usr/lib/go-*/bin/go 2>/dev/null | head -1)
printf 'package main\nfunc main() {}\n' >empty.go
if [ -n "$go" ] && CGO_ENABLED=0 GO111MODULE=off GOCACHE=$scratch/gocache "$go" build -o written-in-go empty.go 2>/dev/null; then
	names "a child written in Go" "; 1 program start not measured: written-in-go \\(statically linked\\)$last" './written-in-go; true'
	rm -rf open/d
else
	skip "a child written in Go" "go is not installed"
fi
if gcc -static -o linked nine.c "@$BUILD/lib/libhpcrun.link" 2>/dev/null; then
	names "a static child with our library is measured" "dropped.*$last" './linked; true'
	check "and not listed" bash -c '! grep "not measured" ours.err'
	is "but has a datafile" "$(ls open/d/linked.*.csp | wc -l)" 1
	rm -rf open/d
fi

script loop.sh "#!$scratch/loop.sh"
check "a script that runs itself ends" run 126 "$hpcrun" -q -o open/loop ./loop.sh
done_testing
