#!/bin/bash
# Twenty real programs, and some with threads and exceptions: with --values 8 each prints what it prints alone.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"

seq 1 150000 >numbers
awk '{ print $1 % 977, "word" $1 % 101, $1 * 7919 % 104729 }' numbers >words
cp -r "$top/hpcprof" sources
find sources -name '*.[ch]' | sort | xargs cat >all.c
export SOURCE_DATE_EPOCH=0

windows=0 programs=0
# same NAME COMMAND...: standard output, standard error and status.
same() {
	local name=$1 alone n
	shift
	command -v "$1" >/dev/null || {
		skip "$name" 'it is not installed'
		return
	}
	timeout 60 "$@" >alone.out 2>alone.err </dev/null
	alone=$?
	rm -rf data
	timeout 60 "$hpcrun" -q -e CPUTIME@f3000 --values 8 -o data "$@" >measured.out 2>measured.err </dev/null
	is "$name: status" $? "$alone"
	check "$name: output" cmp alone.out measured.out
	check "$name: messages" cmp alone.err measured.err
	n=$("$hpcprof" dump data/*.csp 2>/dev/null | grep -oE 'windows [0-9]+' | awk '{ n += $2 } END { print n + 0 }')
	windows=$((windows + n))
	programs=$((programs + (n > 0)))
}
same awk awk 'BEGIN { for (i = 0; i < 1000000; i++) s += i % 7; print s }'
same bash bash -c 's=0; for ((i = 0; i < 60000; i++)); do ((s += i % 7)); done; echo $s'
same dash dash -c 's=0 i=0; while [ $i -lt 100000 ]; do s=$((s + i % 7)) i=$((i + 1)); done; echo $s'
same sed sed -nE 's/^([0-9]+) word([0-9]*)7 ([0-9]*)$/\3 \1 \2/p' words
same grep grep -cE '^(1|2)[0-9]* .*(w|x)ord[0-9]*[13579] [0-9]*7$' words
same sort sort -k2,2 -k3,3n words
same uniq sh -c 'cut -d" " -f1 words | sort -n | uniq -c'
same gzip gzip -9 -n -c all.c
same bzip2 bzip2 -9 -c all.c
same xz xz -4 -c all.c
same tar tar --sort=name --mtime=@0 -cf - sources
same md5sum md5sum all.c words numbers all.c words numbers
same sha512sum sha512sum all.c words numbers
same base64 sh -c 'base64 all.c | base64 -d'
same od od -An -tx1 -v all.c
same diff sh -c 'sed "s/int/long/" all.c | diff -u all.c - | tail -n +3'
same perl perl -e 'my %h; $h{$_ % 1000} .= "x" for 1 .. 150000; print scalar(keys %h), "\n"'
same python3 "$python" -c 'print(sum(i * i % 7 for i in range(600000)))'
same sqlite3 sqlite3 :memory: 'WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 300000) SELECT sum(x % 7) FROM c'
same git git -C "$top" --no-pager log --no-color --stat -15
same gcc gcc -O2 -D_GNU_SOURCE -I"$top" -S -o - "$top/formats/encode.c"
same objdump objdump -d "$BUILD/bin/hpcrun"
same nm nm -S --size-sort "$BUILD/bin/hpcprof"
same openssl openssl dgst -sha3-256 all.c words numbers
same bc sh -c 'echo "scale=600; a(1)*4" | BC_LINE_LENGTH=70 bc -l'
same 'threads of OpenMP' "$(program threads8)" 12
same 'exceptions of C++' "$(program cxx)" 3
note "$windows windows in $programs programs"
check 'twenty of them had windows' test "$programs" -ge 20
done_testing
