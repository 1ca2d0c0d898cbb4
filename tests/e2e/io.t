#!/bin/bash
# The driver io (hpcrun --driver io): bytes and calls are exact, at the paths where they happened and by
# kind of file, and programs run as if alone.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"

io=$(program io)
measure() { # DATA OPTIONS COMMAND...
	rm -rf "$1"
	# shellcheck disable=SC2086
	timeout 60 "$hpcrun" -q --driver io $2 -o "$1" "${@:3}"
}

# ---- every call -----------------------------------------------------------------------
for mode in all threads fork handler cancel errors exit; do
	measure "of-$mode" '' "$io" $mode >"$mode.truth" 2>"$mode.err"
	is "$mode: it ends as alone" "$? $(head -3 "$mode.err")" "0 "
	check "$mode: bytes and calls are exact" lib io.py "$hpcprof" "of-$mode" "$mode.truth"
done
"$io" all >alone
is "alone it does the same" "$(cut -d' ' -f1,2 alone | sort)" "$(cut -d' ' -f1,2 all.truth | sort)"
for options in '--mark whole' '--mark marks' '-t all' '--values 8' '--unwinder libunwind' '--store private'; do
	measure other "$options" "$io" all >truth 2>err
	check "$options: the same" lib io.py "$hpcprof" other truth
done

# ---- other programs ---------------------------------------------------------------------
calls=read,pread64,readv,preadv,preadv2,recvfrom,recvmsg,write,pwrite64,writev,pwritev,pwritev2,sendto,sendmsg
calls=$calls,vmsplice,sendfile,copy_file_range,splice,tee
seq 60000 | awk '{ print $1 * 7919 % 60013 }' >words
mkdir out
against_strace() { # NAME COMMAND...
	local name=$1 counts=
	shift
	rm -rf out/* traced
	if ! timeout 60 strace -f -y -s 0 -e trace="$calls" -o trace "$@" >alone 2>&1 </dev/null; then
		skip "$name: as strace sees it" "it or strace is not here, or may not trace"
		return
	fi
	rm -rf out/*
	measure traced '' "$@" >told 2>&1 </dev/null
	check "$name: it prints the same" cmp alone told
	for option in -q --samples; do
		counts+="$("$hpcprof" tree -q --json $option -m IO_READ -m IO_WRITE traced |
			sed -n 's/^{"name":"IO.*"total":\([0-9]*\).*/\1/p' | tr '\n' ' ')"
	done
	is "$name: as strace sees it" "$(cut -d' ' -f"$compared" <<<"$counts")" \
		"$(lib traced.py trace | cut -d' ' -f"$compared")"
}
compared=1-4 # bytes read and written, calls that read and that wrote
against_strace dd dd status=none if=words of=out/words bs=4k conv=fsync
against_strace cp cp words out/words
against_strace cat cat words
against_strace sort sort -S 200k -T out -o out/sorted words
against_strace ls ls -l /usr/bin
against_strace perl perl -e 'open F, "words"; $n++ while <F>; print "$n\n"; open G, ">out/perl"; print G $_ for 1..10000'
against_strace python /usr/bin/python3 -I -S -c 'open("out/p", "w").write("x" * 100000); print(len(open("out/p").read()))'
against_strace sqlite sqlite3 out/db 'create table t(a); insert into t values (1), (2); select sum(a) from t'
# how many calls it takes to read from a pipe is not the same each time
compared=1,2
against_strace 'tar and gzip' tar -czf out/words.tgz words
against_strace sh sh -c 'wc -l <words; for i in 1 2 3; do echo $i; done | md5sum'

done_testing
