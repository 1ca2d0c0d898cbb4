#!/bin/bash
# The cost of starting and ending processes and threads alone, under hpcrun at 1000 samples per CPU
# second, and under perf with call graphs: 1000 of each kind, so that an added ms is a us for each,
# and a make of 200 small files. PAIRS rounds (7), each in the order alone, hpcrun, perf, perf,
# hpcrun, alone; the first ones do not include what hpcrun and perf do before and after.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"

pairs=${PAIRS:-7}
churn=$(program churn)
. "$top/tests/lib/shell/variants.sh"

make_sources() {
	local i
	for i in $(seq 200); do
		printf '#include <stdio.h>\nint f%d(int n)\n{\n\treturn printf("%%d", n);\n}\n' "$i" >"f$i.c"
	done
	printf 'all: $(patsubst %%.c,$O/%%.o,$(wildcard *.c))\n$O/%%.o: %%.c\n\tgcc -O0 -c -o $@ $<\n' >Makefile
}

# build VARIANT: rebuild all of them in the folder of this run.
build() {
	mkdir "$run/objects"
	whole "$1" make -s -j2 O="$run/objects"
}

echo "$pairs rounds of alone, hpcrun, perf, perf, hpcrun, alone; medians"
measure "fork, exit and wait" inside "$churn" fork 1000
measure "fork, exec and wait" inside "$churn" exec 1000
measure "vfork, exec and wait" inside "$churn" vfork 1000
measure "a thread made and joined" inside "$churn" thread 1000
make_sources
measure "make -j2 of 200 files" build
