#!/bin/bash
# The launcher: what it accepts, says and returns; how images begin and end; the
# program's own use of what we use.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"

starts=$(program starts)

# status EXPECTED COMMAND...: its exit status; stderr is left in ./said.
status() {
	local expected=$1
	shift
	"$@" >said.out 2>said
	[ "$?" = "$expected" ] || { cat said; return 1; }
}

# said DESCRIPTION PATTERN: a line of stderr matches.
said() {
	check "$1" says said "$2"
}

# burned PROFILE MILLISECONDS FUNCTION: so much time was measured in or below it. How many
# samples there are is the machine's affair, how much time they stand for is not.
burned() {
	lib burned.py "$@"
}

check "no command: 125" status 125 "$hpcrun"
said "and it says what is missing" "^hpcrun: which COMMAND"
check "an unknown option: 125" status 125 "$hpcrun" --frobnicate true
check "an unknown event: 125" status 125 "$hpcrun" -e FLUX_CAPACITY true
said "and it names the event" "^hpcrun: -e 'FLUX_CAPACITY': unknown event"
said "which is near none, so nothing is suggested" "lists them\)$"
check "a mistyped event: 125" status 125 "$hpcrun" -e cputmie@1ms true
said "is suggested" "unknown event .*; did you mean CPUTIME\?$"
check "a mistyped option: 125" status 125 "$hpcrun" --folow=yes true
said "too" "^hpcrun: unknown option --folow; did you mean --follow\? "
check "one with a value too many: 125" status 125 "$hpcrun" --quiet=3 true
said "is told so" "^hpcrun: --quiet takes no value "
check "a letter that is none, before others: 125" status 125 "$hpcrun" --quiet -Zq true
said "is named" "^hpcrun: unknown option -Z "
check "too short an option: 125" status 125 "$hpcrun" --l true
said "is told with what it can be" "^hpcrun: --l can be any of --list, --list-long, --label "
check "an option without its value: 125" status 125 "$hpcrun" -q -e
said "is named, too" "^hpcrun: -e needs a value "
check "a rate out of range: 125" status 125 "$hpcrun" -e CPUTIME@f1000000 true
said "is told with the range" "rates go from @f1 to @f100000 "
check "a period that is meant as a rate: 125" status 125 "$hpcrun" -e CPUTIME@200 true
said "is told what it is" "^hpcrun: -e 'CPUTIME@200': periods go from @10us to @1s, .* of nanoseconds \(a rate: @f200\)$"
for signal in KILL TRAP SYS 32; do
	check "a bad signal: 125 ($signal)" status 125 "$hpcrun" --signal $signal true
done
check "a size in gigabytes" status 0 "$hpcrun" -q -m 1G -o large true
long=$(printf 'libutil.so.1:%.0s' {1..800})
# shellcheck disable=SC2016
is "what is preloaded already stays, however much it is" \
	"$(LD_PRELOAD=$long "$hpcrun" -q -o long sh -c 'echo "${LD_PRELOAD#*:}"')" "$long"
other=/elsewhere$(readlink -f "$BUILD/lib/libhpcrun.so")
LD_PRELOAD=$other "$hpcrun" -q -o longer true 2>longer.err
is "a library whose path ends as ours is not ours" "$(find longer -name '*.csp' | wc -l)" 1
check "a directory that cannot be: 125" status 125 "$hpcrun" -o /dev/null/x true
said "and it says why" "^hpcrun: cannot create /dev/null/x: Not a directory"
check "a command that is not found: 127" status 127 env PATH=/usr/bin:/bin "$hpcrun" there-is-no-such-command
echo text >file
check "one that cannot be executed: 126" status 126 "$hpcrun" ./file
check "nothing was made for those" test -z "$(ls -d hpcrun-* 2>/dev/null)"
check "events are listed" grep -q CPUTIME <("$hpcrun" -L)
is "-h is --help" "$("$hpcrun" -h)" "$("$hpcrun" --help)"
check "--help and --version" sh -c "'$hpcrun' --help | grep -q Usage && '$hpcrun' --version | grep -q hpcrun"

check "exit status of the command" status 6 "$hpcrun" "$starts" 30 exit
# A sample in our own code is dropped, one in a start or end may be partial.
counts='(; [0-9]+ partial)?; (0 dropped|[1-9][0-9]* dropped \([a-z ]+ [0-9]+(, [a-z ]+ [0-9]+)*\))'
said "one line at the end: where, how many, what rate, what was dropped" \
	"^hpcrun: hpcrun-starts-1: [0-9]+ samples in [0-9]+\.[0-9]{2} s of CPU time, [0-9]+ per second by .*; 1 process(, which took [0-9.]+ s by the kernel's count)?$counts; to see them: hpcprof hpcrun-starts-1$"
check "stdout is the command's own" test ! -s said.out
for dir in 'two words' $'it\'s' $'a\e[1m\\b\nc'; do
	"$hpcrun" -o "$dir" "$starts" 5 exit 2>said
	check "the command that shows it can be pasted: ${dir@Q}" \
		bash -c "PATH=$BUILD/bin:\$PATH; $(sed 's/.*to see them: //' said)"
	check "and the line has no control characters" bash -c '[ "$(wc -l <said)" = 1 ] && ! grep -q "[[:cntrl:]]" said'
done
check "the next directory counts up" status 6 "$hpcrun" "$starts" 5 exit
check "and the first is as it was" test -d hpcrun-starts-2 -a "$(ls hpcrun-starts-1/*.csp | wc -l)" = 1
check "128 + signal" status $((128 + 10)) "$hpcrun" -q -o raised "$starts" 5 raise
check "-q: not a word" test ! -s said
check "datafiles are ours alone" test "$(stat -c %a hpcrun-starts-1 hpcrun-starts-1/*.csp | sort -u | tr '\n' ' ')" = "600 700 "

check "a path after --" status 0 "$hpcrun" -q -o dashes -- /bin/echo -e x
is "the command's arguments are its own" "$(cat said.out)" "$(/bin/echo -e x)"
is "standard input reaches the command" "$(echo through | "$hpcrun" -q -o piped cat)" through
check "options come from the environment" env HPCRUN_OUT=byenv HPCRUN_EVENTS=CPUTIME@f100 HPCRUN_QUIET=1 "$hpcrun" true
check "but what is said goes before" env HPCRUN_FOLLOW=no "$hpcrun" -q -r yes -o said-yes sh -c "true; /bin/true; true"
is "and a child is measured" "$(ls said-yes/*.csp | wc -l)" 2
check "there, too" sh -c "'$hpcprof' dump byenv/*.csp | grep -q '\"requested\"  value \"100\"'"

check "a new directory" status 0 "$hpcrun" -o added true
check "has nothing earlier, and nothing is said of it" sh -c '[ "$(wc -l <said)" = 1 ]'
check "one that has a measurement" status 0 "$hpcrun" -o added true
said "is added to, which is said" "^hpcrun: added has 1 datafile of earlier measurements; this one is added to them "
is "and done" "$(ls added/*.csp | wc -l)" 2
check "not with -q" status 0 "$hpcrun" -q -o added true
check "which says nothing" test ! -s said
check "nor of a directory with other files" status 0 sh -c 'mkdir others && touch others/notes.txt && "$1" -o others true' - "$hpcrun"
check "which has no measurement" sh -c '[ "$(wc -l <said)" = 1 ]'

check "exec, with an empty environment" status 6 "$hpcrun" -q -o execed "$starts" 100 exec
is "has a datafile for each image, numbered" "$(ls execed | grep -o '\.[0-9]*\.csp' | sort | tr '\n' ' ')" ".0.csp .1.csp "
check "whose ends are told apart" sh -c "'$hpcprof' dump execed/*.0.csp | grep -q '\"end\"  value \"exec\"' &&
	'$hpcprof' dump execed/*.1.csp | grep -q '\"end\"  value \"exit 6\"'"
for image in 0 1; do
	check "with the time of its own: image $image" burned execed/*.$image.csp 100 burn
done
options=(-q -o kept --budget 3 --mark memo -t all)
[ "$(uname -m)" != x86_64 ] || options+=(--values 4 --value-kind replay)
ours() {
	sed -n '/^HPCRUN_IMAGE=/d; s/^HPCRUN_STORE=.*/HPCRUN_STORE=/; /^HPCRUN_/p' | sort
}
is "and all our options, also where the environment is empty" \
	"$("$hpcrun" "${options[@]}" env -i env | ours)" "$("$hpcrun" "${options[@]}" env | ours)"
check "an exec that fails" status 3 "$hpcrun" -q -o failed "$starts" 100 bad-exec
is "leaves one datafile" "$(ls failed/*.csp | wc -l)" 1
check "with what came after" burned failed 100 burn_after_bad_exec
check "fork" status 5 "$hpcrun" -q -o forked "$starts" 100 fork
is "a datafile for each process" "$(ls forked/*.csp | wc -l)" 2
check "the child's time once" burned forked 100 burn_in_child
check "_exit from a handler on a small stack" status 8 "$hpcrun" -q -o small "$starts" 10 small-stack
is "leaves a datafile" "$(ls small/*.csp | wc -l)" 1
for i in $(seq 20); do
	"$hpcrun" -q -o ends "$starts" 5 two-ends || echo $?
done | sort | uniq -c >ends.statuses
is "exit and _exit at once" "$(cat ends.statuses)" "     20 5"
is "leave a datafile each time" "$(ls ends/*.csp | wc -l)" 20
check "all descriptors in use at the end" status 6 \
	sh -c "ulimit -S -n 64; '$hpcrun' -q -o full '$starts' 10 no-descriptors"
is "do not keep the datafile from being written" "$(ls full/*.csp | wc -l)" 1
check "a limit on the size of files does not end the program" status 6 "$hpcrun" -o noroom "$starts" 10 no-room
said "and the datafile that it could not write is recovered" "^hpcrun: noroom: .*; 1 recovered"
is "whole" "$(lib account.py noroom | sed -n 's/ images.*//p')" 1
check "a handler that forks while threads begin and end" status 6 \
	timeout 120 "$hpcrun" -q -r no -o handler "$starts" 150 fork-in-handler
check "-r no" status 5 "$hpcrun" -q -r no -o alone "$starts" 100 fork
is "fork is still followed: there is no new program to leave alone" "$(ls alone/*.csp | wc -l)" 2
check "-r no, and a program" status 0 "$hpcrun" -q -r no -o noprogram sh -c "env; true"
check "is not told of us" sh -c "! grep -E 'HPCRUN|libhpcrun' said.out"
is "and not measured" "$(ls noprogram/*.csp | wc -l)" 1

# Not a program that reads its thread's CPU clock: beside busy processes, Linux 6.18 then takes the
# CPU away before the tick in which it looks at this timer.
check "neither perf nor timers" status 6 prlimit --sigpending=0 "$(program noperf)" \
	"$hpcrun" -o itimer sh -c 'i=0; while [ $i -lt 500000 ]; do i=$((i + 1)); done; exit 6'
said "leaves the process's profiling timer" "per second by itimer"
check "which has samples" sh -c "'$hpcprof' dump itimer/*.csp | awk '/\"recorded\"/ { good = good || \$0 ~ /samples [0-9][0-9]/ } END { exit !good }'"
check "and all CPU time in its account" lib account.py itimer
check "hpcrun under hpcrun" status 3 "$hpcrun" -q -o outer "$hpcrun" -q -o inner sh -c "exit 3"
check "each has its own" sh -c "ls inner/*sh.*.csp && ls outer/hpcrun.*.csp && ! ls outer/*sh.*.csp"
check "SIGCHLD ignored by the caller" status 7 perl -e '$SIG{CHLD} = "IGNORE"; exec @ARGV' \
	"$hpcrun" -q -o ignored sh -c "exit 7"

mkfifo -m 700 pipe
check "a pipe is no program: nobody waits for what it says" status 126 \
	timeout 10 "$hpcrun" -q -o pipe.d sh -c "exec ./pipe"

printf 'exit 7\n' >script
chmod +x script
check "a script without a first line" status 7 "$hpcrun" -q -o scripted ./script
if gcc -static -o static -x c - <<<'int main(void) { return 9; }' 2>/dev/null; then
	check "a static program runs" status 9 "$hpcrun" -q -o static.d ./static
	said "and it is said that it cannot be measured" "^hpcrun: ./static is statically linked"
fi
"$hpcrun" -q -o termed sleep 100 &
launcher=$!
sleep 1
kill -TERM $launcher
wait $launcher
is "a signal to the launcher is handed on" "$?" 143

check "--unwinder libunwind" env MARK=kept "$hpcrun" -q -e CPUTIME@f9000 --unwinder libunwind -o libunwind \
	sh -c 'echo $MARK; i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done'
check "walks to the base, too" sh -c "'$hpcprof' --all libunwind | grep -qE '(99|100)\.[0-9]% of the [0-9,]* recorded samples are complete'"
is "and leaves the environment as it is" \
	"$(MARK=kept "$hpcrun" -q --unwinder libunwind -o libunwind2 sh -c 'echo $MARK')" kept

# A library whose run path, and nothing else, leads to another one.
mkdir -p hidden
gcc -shared -fPIC -o hidden/libhidden.so -x c - <<<'int hidden(void) { return 1; }'
gcc -shared -fPIC -Wl,-rpath,'$ORIGIN/hidden' -o caller.so -x c - <<'END'
#include <dlfcn.h>
int load_by_run_path(void) { return dlopen("libhidden.so", RTLD_NOW) != 0; }
END
gcc -Wl,-rpath,'$ORIGIN/hidden' -o searcher -x c - <<'END'
#include <dlfcn.h>
int main(void)
{
	void *library = dlopen("libhidden.so", RTLD_NOW);
	return library ? ((int (*)(void))dlsym(library, "hidden"))() : 9;
}
END
mkdir -p first
gcc -shared -fPIC -o first/libhidden.so -x c - <<<'int hidden(void) { return 2; }'
check "the executable's run path" status 1 "$hpcrun" -q -o searched ./searcher
check "LD_LIBRARY_PATH comes before it" env LD_LIBRARY_PATH=first sh -c "
	./searcher; test \$? = 2 && '$hpcrun' -q -o searched ./searcher; test \$? = 2"
check "the program's use of our signal, and a run path: alone" status 0 "$(program own_signal)" ./caller.so
cp said.out own.alone
check "and measured" status 0 "$hpcrun" -q -o own "$(program own_signal)" ./caller.so
is "see the same" "$(cat said.out)" "$(cat own.alone)"
check "sampling went on meanwhile" sh -c "'$hpcprof' dump own/*.csp | awk '/\"recorded\"/ { good = good || \$0 ~ /samples [0-9][0-9]/ } END { exit !good }'"
check "the accounts of all add up" lib account.py execed failed forked own
done_testing
