#!/bin/bash
# The cost of measuring for each place of the store: the process's own memory (private), shared
# memory that outlives it, and a directory on a disk. CPU seconds are compared with the program
# alone, at 1000 samples per CPU second and, for the cost of a sample, at 10,000. PAIRS rounds (20),
# each alone, private, memory, disk, and then in reverse order, so that a drift of the machine's
# speed affects all equally. Then a process that does nothing. STORE_DISK is the directory on a disk
# (/var/tmp).
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"
. "$top/tests/lib/shell/workloads.sh"

pairs=${PAIRS:-20}
waitcpu=$(program waitcpu)
disk=$(mktemp -d "${STORE_DISK:-/var/tmp}/hpcstores.XXXXXX")
trap 'rm -rf "$scratch" "$disk"' EXIT

# run_variant VARIANT RATE COMMAND...: writes the line for overhead.py to ./one.
run_variant() {
	local variant=$1 rate=$2 place=$1 samples=
	shift 2
	[ "$variant" != disk ] || place=$disk
	[ "$variant" = alone ] ||
		set -- "$hpcrun" -e "CPUTIME@f$rate" -o data --store "$place" "$@"
	rm -rf one data
	"$waitcpu" one "$@" >/dev/null 2>said
	[ -s one ] || { cat said; exit 1; }
	[ "$variant" = alone ] || samples=$(sed -n 's/^hpcrun: .*: \([0-9]*\) samples\{0,1\} in .*/\1/p' said)
	echo "$variant $(cat one) $samples"
}

# measure RATE NAME COMMAND...: all rounds of one program.
measure() {
	local rate=$1 name=$2 round variant
	shift 2
	: >runs
	for round in $(seq "$pairs"); do
		for variant in alone private memory disk disk memory private alone; do
			run_variant "$variant" "$rate" "$@" >>runs || { cat runs; exit 1; }
		done
	done
	lib overhead.py "$name, $rate samples a second" runs
}

echo "$pairs rounds of alone, private, memory, disk and back; medians (and middle halves)"
echo "the disk is $(stat -f -c %T "$disk")"
workload xz short
for rate in 1000 10000; do
	measure "$rate" "xz -9" "${command[@]}"
	measure "$rate" "C++ program" "$(program cxx)" 15
done
measure 1000 "does nothing" "$(program nothing)"
