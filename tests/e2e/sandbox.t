#!/bin/bash
# hpcprof gives away the rights that it does not need. A preloaded library tries them when it ends.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"

plugin=$(program escape_plugin)
mkdir elsewhere written
refused_processes='clone EPERM
exec EPERM
fork EPERM
inet EPERM
input EPERM
input32 EPERM
kill EPERM
memory EPERM
mount EPERM
perf EPERM
ptrace EPERM
raise done
setuid EPERM
socket EPERM
tgkill EPERM
thread done
unshare EPERM'
refused_files='chmod EPERM
create EACCES
fifo EPERM
link EACCES
mkdir EACCES
read done
rename EACCES
symlink EPERM
truncate EACCES
unlink EACCES
write EACCES'
refused_all=$(sort <<<"$refused_processes
$refused_files")

# tries WORDS...: what comes of the attempts of hpcprof WORDS, in `came`; its output is in out.1.
tries() {
	rm -rf elsewhere/*
	echo there >elsewhere/there
	LD_PRELOAD=$plugin ESCAPE_DIR=$PWD/elsewhere "$hpcprof" "$@" >out.1 2>err && status=0 || status=$?
	came=$(sed -n 's/^ESCAPE //p' err | sort)
	sed -i '/^ESCAPE /d' err
}
# as_alone WORDS...: the output is as without a sandbox.
as_alone() {
	"$hpcprof" --no-sandbox "$@" >out.2 2>err.2
	is "$1: status, output and messages" "$status $(cat out.1 err)" "0 $(cat out.2 err.2)"
}
# view WORDS...: a command that writes nothing, or into written/.
view() {
	tries "$@"
	is "$*: its rights" "$came" "$refused_all"
	as_alone "$@"
}

cat >work.c <<'END'
#include <stdlib.h>
static volatile double sink;
__attribute__((noinline)) static void work(int n)
{
	for (int i = 0; i < n; i++)
		sink += i;
}
int main(void)
{
	for (int i = 0; i < 100; i++)
		work(1000000);
	return 0;
}
END
${CC:-gcc} -g -O1 -o work work.c
run 0 "$hpcrun" --values 8 -o m ./work
run 0 "$hpcrun" -o m2 ./work
# landlock_create_ruleset(NULL, 0, LANDLOCK_CREATE_RULESET_VERSION); -1 without Landlock
version=$(perl -e 'print syscall(444, 0, 0, 1)')
if [ "$version" -lt 1 ]; then
	note 'this kernel has no Landlock: files are not looked at'
	refused_all=$(sort <<<"$refused_processes
$(sed '/^\(fifo\|symlink\|chmod\) /!s/ E.*/ done/' <<<"$refused_files")")
elif [ "$version" -lt 3 ]; then
	note "Landlock's version $version does not see truncate(2)"
	refused_all=${refused_all/truncate EACCES/truncate done}
fi

# ---- without it, everything can be done
tries --no-sandbox m
is 'without a sandbox: files' "$(grep -E '^(create|mkdir|link|write) ' <<<"$came")" 'create done
link done
mkdir done
write done'
is 'processes' "$(grep -E '^(fork|socket|raise|thread) |^exec' <<<"$came")" 'fork done
raise done
socket done
thread done'

# ---- every view
view m
view --json m
view tree m
view callers work m
view callees main m
view annotate work m
view values m
view dump m/*.csp
view diff m m2
view top --screens 1 m
view query 'SELECT count(*) FROM context' m
view query --list
view export --format folded m
view html -o written/page.html m
view diff --html written/diff.html m m2
view xml -o written/a.xml m
view db -o written/a.db m
view db --append -o written/a.db m
view db --csv written/csv m
view query -o written/rows 'SELECT count(*) FROM context' written/a.db
view written/a.db
view merge -o written/merged.csp m
view export --format pprof -o written/a.pprof m
# and the image of the vdso, if there was a sample in it
is 'the outputs are there' "$(cd written && ls -d [!v]* | tr '\n' ' ')" 'a.db a.pprof a.xml csv diff.html merged.csp page.html rows '

# ---- what is written
rm -rf m/symbols*
tries pack m
is 'pack: its rights' "$came" "$refused_all"
is 'it has written' "$status $(ls -d m/symbols* | wc -l)" '0 1'
mkdir stores
tries recover stores
is 'recover may write where the stores say' "$(grep -E '^(create|exec|socket) ' <<<"$came")" 'create done
exec EPERM
socket EPERM'
mkdir aside
: >aside/page.html
ln -s ../aside/page.html written/link.html
view html -o written/link.html m
check 'a link to a file: it is written' grep -q '</html>' aside/page.html
view html -o /dev/null m
"$hpcprof" xml -o >(cat >piped) m 2>err
is 'a pipe is written' "$? $(until_true grep -q '</HPCVIEWER>\|</PROFILE>' piped; tail -1 piped)" '0 </PROFILE>'

# ---- kernels without Landlock, and without filters
export ESCAPE_WITHOUT=landlock
tries m
is 'without Landlock: processes' "$(grep -E '^(fork|socket|exec|create|raise) ' <<<"$came")" 'create done
exec EPERM
fork EPERM
raise done
socket EPERM'
as_alone m
export ESCAPE_WITHOUT=filters
tries m
is 'without filters: processes' "$(grep -E '^(fork|socket) ' <<<"$came")" 'fork done
socket done'
as_alone m
export ESCAPE_WITHOUT=all
tries m
is 'without either' "$(grep -E '^(fork|create) ' <<<"$came")" 'create done
fork done'
as_alone m

done_testing
