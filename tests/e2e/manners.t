#!/bin/bash
# What a program and those that it starts find unchanged: their files, the signals that they ignore,
# and whether something is preloaded into them that they cannot load.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"

# ---- another file as descriptor 2 ---------------------------------------------------
# The second bash has none at its start.
"$hpcrun" -q -v process -o out bash -c 'exec 2>rows; echo a >&2; (bash -c "exec 2>more; echo b >&2" 2>&-); true'
is "what a program opens as descriptor 2 gets none of our messages" "$(cat rows)" a
is "nor if it had none before" "$(cat more)" b

# ---- signals that are ignored -------------------------------------------------------
# A static program is not measured, so it sees what it has inherited.
cat >ignored.c <<'END'
#include <signal.h>
#include <stdio.h>
int main(void)
{
	for (int sig = 1; sig < 32; sig++) {
		struct sigaction act;
		if (sigaction(sig, NULL, &act) == 0 && act.sa_handler == SIG_IGN)
			printf("%d ", sig);
	}
	puts("");
	return 4;
}
END
if gcc -static -o ignored ignored.c 2>/dev/null; then
	for how in spawn popen; do
		alone=$("$(program starting)" $how ./ignored)
		is "$how: the program ignores SIGBUS and SIGSEGV, alone" "$alone" "7 11 "
		is "$how: and measured" "$("$hpcrun" -q -o out "$(program starting)" $how ./ignored)" "$alone"
		"$hpcrun" -q -o out "$(program starting)" $how ./ignored >/dev/null
		is "$how: its status" "$?" 4
	done
else
	skip "signals that are ignored" "gcc -static makes no program here"
fi

# ---- what cannot be preloaded -------------------------------------------------------
echo 'int main(void) { return 5; }' >five.c
gcc -m32 -o five32 five.c 2>/dev/null && env ./five32 2>/dev/null
[ $? = 5 ] || gcc -static -o five32 five.c # no compiler for 32-bit code, or a kernel that runs none
for how in fexecve execveat; do
	"$hpcrun" -q -o "$how" "$(program starting)" $how ./five32 2>err
	is "$how: a program that cannot load our library ends as it would" "$?" 5
	is "$how: and prints nothing of ours" "$(cat err)" ""
	check "$how: it is named" grep -q "$PWD/five32$" "$how/not-measured"
	gcc -o five five.c
	"$hpcrun" -q -o "$how-own" "$(program starting)" $how ./five
	is "$how: one that can is measured" "$? $(find "$how-own" -name 'five*.csp' -o -name '[0-9]*.csp' | wc -l)" "5 1"
done

# ---- an emulator --------------------------------------------------------------------
if emulator=$(command -v qemu-x86_64); then
	"$hpcrun" -q -o direct "$emulator" ./five
	is "an emulator is not measured, and runs its program" "$?" 5
	"$hpcrun" -q -o child sh -c "$emulator ./five; exit \$?"
	is "nor as a child" "$?" 5
	check "it is named" grep -q "^foreign.$emulator" child/not-measured
else
	skip "an emulator of another program" "qemu-x86_64 is not installed (qemu-user)"
fi

# ---- what it calls through us -----------------------------------------------------------
# The calls that our wrappers make are the program's: only what we do besides is our own.
own_share() { # own_share DIR: in percent
	"$hpcprof" -q --json "$1" | "$python" -c 'import json, sys
rows = {r["outcome"]: r["events"] for r in json.load(sys.stdin)["metrics"][0]["account"]}
print(round(100 * rows.get("own code", 0) / sum(rows.values())))'
}
for function in raise sigprocmask sigaction syscall; do
	"$hpcrun" -q -o "calls-$function" "$(program wrapped)" $function >mask
	is "$function: the program's mask is its own" "$(cat mask)" "$("$(program wrapped)" $function)"
	share=$(own_share "calls-$function")
	note "$share% is our own"
	check "$function: most of its time is the program's" test "$share" -lt 40
done
done_testing
