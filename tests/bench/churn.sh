#!/bin/bash
# What processes and threads that begin and end cost alone, under hpcrun at 1000 samples per
# CPU second, and under perf with call graphs: 1000 of each kind, so that a ms that is added
# is a us each, and a make of 200 small files. PAIRS rounds (7), each in the order alone,
# hpcrun, perf, perf, hpcrun, alone; what hpcrun and perf do before and after is not in the
# first ones.
. "$(dirname "$0")/../lib/tap.sh"
. "$top/tests/lib/measure.sh"

pairs=${PAIRS:-7}
churn=$(program churn)
waitcpu=$(program waitcpu)
perf_works=$(perf record -q -e cpu-clock -F 1000 -g -o perf.data true 2>/dev/null && echo yes)

# under VARIANT COMMAND...
under() {
	local variant=$1
	shift
	case $variant in
	hpcrun) set -- "$hpcrun" -q -e CPUTIME@f1000 -o data "$@" ;;
	perf) set -- perf record -q -e cpu-clock -F 1000 -g -o perf.data "$@" ;;
	esac
	"$@" 2>said
}

# under_make VARIANT: the same for a whole make.
under_make() {
	rm -rf objects one
	mkdir objects
	under "$1" "$waitcpu" "$PWD/one" make -s -j2 && cat one
}

# measure NAME COMMAND...: all rounds of a command, which is given the variant.
measure() {
	local name=$1 variant round
	shift
	: >runs
	for round in $(seq "$pairs"); do
		for variant in alone hpcrun perf perf hpcrun alone; do
			[ "$variant" != perf ] || [ -n "$perf_works" ] || continue
			rm -rf data perf.data
			echo "$variant $("$@" "$variant")" >>runs
		done
	done
	lib overhead.py "$name" runs || { cat said; exit 1; }
}

kind() {
	under "$2" "$churn" "$1" 1000
}

make_sources() {
	local i
	for i in $(seq 200); do
		printf '#include <stdio.h>\nint f%d(int n)\n{\n\treturn printf("%%d", n);\n}\n' "$i" >"f$i.c"
	done
	printf 'all: $(patsubst %%.c,objects/%%.o,$(wildcard *.c))\nobjects/%%.o: %%.c\n\tgcc -O0 -c -o $@ $<\n' >Makefile
}

echo "$pairs rounds of alone, hpcrun, perf, perf, hpcrun, alone; medians"
measure "fork, exit and wait" kind fork
measure "fork, exec and wait" kind exec
measure "vfork, exec and wait" kind vfork
measure "a thread made and joined" kind thread
make_sources
measure "make -j2 of 200 files" under_make
