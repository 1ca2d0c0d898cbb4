#!/bin/bash
# Very many execs, forks, loaded and unloaded modules; and a compiler at work on a project.
# STORM (10000) is how many execs and forks, LOAD_SECONDS (300) how long modules come and go.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"

storm=${STORM:-10000}
load_seconds=${LOAD_SECONDS:-300}

# images DIR NAME: how many datafiles of that executable.
images() {
	find "$1" -name "$2.*.csp" | wc -l
}

timeout 1800 "$hpcrun" -e CPUTIME@f20000 -o execs "$(program storm)" exec "$storm" 2>said
is "$storm execs at 20 kHz, and the last image's status" "$?" 5
note "$(tail -3 said)"
is "a datafile of each image" "$(images execs storm)" $((storm + 1))
check "the accounts add up" lib account.py execs
rm -rf execs

timeout 1800 "$hpcrun" -e CPUTIME@f20000 -o forks "$(program storm)" fork "$storm" 2>said
is "$storm forks from four threads at 20 kHz, and each child's own status" "$?" 6
note "$(tail -3 said)"
is "a datafile of each process" "$(images forks storm)" $((storm + 1))
check "the accounts add up" lib account.py forks
rm -rf forks

for copy in 1 2 3; do
	cp "$(program stress_plugin)" "plugin-$copy.so"
done
timeout $((load_seconds + 300)) "$hpcrun" -o loads "$(program storm)" load "$load_seconds" \
	./plugin-1.so ./plugin-2.so ./plugin-3.so 2>said
is "modules come and go on eight threads for $load_seconds s" "$?" 7
note "$(tail -3 said)"
size=$(stat -c %s loads/storm.*.csp)
note "the datafile has $size bytes"
is "the datafile is smaller than 10 MB" "$((size < 10000000))" 1
check "the accounts add up" lib account.py loads
rm -rf loads

# ---- a project of fifty files ----------------------------------------------------------
files=50
mkdir project
for i in $(seq $files); do
	awk -v unit="$i" 'BEGIN {
		print "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>"
		for (i = 0; i < 60; i++) {
			print "static int f" i "(int n, int *a)\n{"
			print "\tfor (int i = 0; i < n; i++) a[i] = a[i] * " i + unit " + (a[i] >> 3);"
			print "\treturn n > " i " ? a[n / 2] " (i ? "+ f" i - 1 "(n - 1, a)" : "") " : n;"
			print "}"
		}
		print "int unit" unit "(int n, int *a) { return f59(n, a); }"
	}' >"project/unit$i.c"
done
{
	for i in $(seq $files); do echo "int unit$i(int, int *);"; done
	echo 'int main(void) { int a[100] = {1}, sum = 0;'
	for i in $(seq $files); do echo "sum += unit$i(100, a);"; done
	echo 'return sum & 7; }'
} >project/main.c
cat >project/Makefile <<'END'
objects := $(patsubst %.c,%.o,$(wildcard *.c))
program: $(objects)
	gcc -o $@ $(objects)
%.o: %.c
	gcc -O2 -c -o $@ $<
END
cp -r project alone
cp -r project measured
timeout 900 make -s -j2 -C alone >alone.out 2>&1
timeout 900 "$hpcrun" -o data make -s -j2 -C measured >measured.out 2>said
is "gcc builds a project of $files files with make -j2" "$?" 0
note "$(cat measured.out said)"
check "every object is bit for bit the same" diff -r alone measured
is "a datafile for each cc1, as, gcc, collect2, ld, make" "$(for name in cc1 as gcc collect2 ld make; do
	lib executables.py data "$name"
done | tr '\n' ' ')" "$((files + 1)) $((files + 1)) $((files + 2)) 1 1 1 "
check "the accounts add up" lib account.py data
done_testing
