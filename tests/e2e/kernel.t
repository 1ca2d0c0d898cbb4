#!/bin/bash
# What the kernel does for a program is beneath the frame that made it do so, under the name of the
# system call or as a page fault, and as much as the kernel itself has counted.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"
. "$top/tests/lib/shell/ordinary-user.sh"
. "$top/tests/lib/shell/kernel-share.sh"

prepare_kernel_shares
kernel_shares 1 or-chance we
kernel_shares 1 or-chance user as_user ./noperf

# below NAME DIR FRAME: FRAME is beneath NAME in the tree, with nothing between.
below() {
	"$hpcprof" callers "$3" "$2" | awk -v name="$1" '$NF == "modes" || $NF == "libc.so.6" {
		if ($(NF - 1) == name) found = 1 } END { exit !found }'
}
check "page faults are below the function that touches pages" below touch we/faults '[kernel] page fault'
check "system calls have their name" below __GI___libc_read we/reads '[kernel] read'
check "calls by syscall() are below its caller" below sleeper we/futexes '[kernel] futex'
# Our syscall() makes the call: its time is not ours.
share=$("$hpcprof" --modules we/futexes | awk '$NF == "[kernel]" { print int($1) }')
check "and are not counted as the profiler's own" test "${share:-0}" -ge 10

"$hpcprof" we/reads >report.txt
check "the first line tells user from kernel time" \
	grep -Eq '^  CPU time +[0-9.]+ m?s \([0-9.]+ m?s user, [0-9.]+ m?s kernel\) in ' report.txt
check "functions have a column for it" grep -Eq '^ +self +total +kernel +function' report.txt
"$hpcprof" we/computes >report.txt
check "which is not there if there is none" sh -c '! grep -Eq "self +total +kernel" report.txt'

"$hpcprof" db -q -o r.db we/reads && "$hpcprof" merge -q -o merged.csp we/reads
for of in r.db merged.csp; do
	check "$of shows the same" sh -c \
		"'$hpcprof' --functions we/reads | tail -n +5 >a; '$hpcprof' --functions $of | tail -n +5 | cmp a -"
done
check "the other unwinder shows it, too" sh -c "'$hpcrun' -q --unwinder libunwind -o other ./modes reads 0.5 >numbers"
check "with its name" below __GI___libc_read other '[kernel] read'
done_testing
