#!/bin/bash
# What the driver io costs a call: dd copies blocks of 64 bytes, so that two calls are nearly all it does. Wall time
# a call by medians of RUNS runs (5), beside the samples alone, and beside strace -c, which counts the same calls.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"

runs=${RUNS:-5}
blocks=200000
run_as() { # WAY: ns a call
	local before=() n=$blocks began
	rm -rf data
	case $1 in
	samples) before=("$hpcrun" -q -o data) ;;
	io) before=("$hpcrun" -q --driver io -o data) ;;
	nokinds) before=("$hpcrun" -q --driver io:nokinds -o data) ;;
	marks) before=("$hpcrun" -q --driver io --mark marks -o data) ;;
	strace) before=(strace -f -c -o traced) n=$((blocks / 10)) ;;
	esac
	began=$(date +%s%N)
	"${before[@]}" dd if=/dev/zero of=/dev/null bs=64 count=$n 2>/dev/null
	echo $((($(date +%s%N) - began) / n / 2))
}
"$hpcrun" -q -o data true # the cost of samples is measured once
printf '%-10s%12s\n' 'dd bs=64' 'ns a call'
for way in alone samples io nokinds marks strace; do
	if [ $way = strace ] && ! command -v strace >/dev/null; then
		echo "strace is not installed"
		continue
	fi
	printf '%-10s%12s\n' $way "$(for _ in $(seq "$runs"); do run_as $way; done | sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }')"
done
