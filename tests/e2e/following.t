#!/bin/bash
# Every way to start, fork, exec and end: how many datafiles there should be and are, and
# for each process what was measured beside what its parent was told by wait4.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"
. "$top/tests/lib/shell/following.sh"

follow=$(program follow)
followed 1 0 plain
for way in exec execve-empty execve-null execl fexecve execveat-call exec-preload; do
	followed 2 0 $way
done
followed 1 0 bad-exec
followed 1 0 bad-exec-threads
followed 1 0 threads-in-bad-exec
followed 5 0 fork-in-bad-exec

for way in fork _Fork clone clone-call clone3-call clone-inline; do
	followed 2 0 $way
done
followed 3 0 fork-exec
followed 2 0 vfork-exec
followed 2 0 spawn
followed 2 0 spawnp-empty
for way in system system-empty popen; do
	followed 3 0 $way
done
followed 25 0 system-threads
followed 2 0 daemon

for trees in each all; do
	followed 1 0 threads -t $trees
	followed 1 0 cancel -t $trees
	followed 1 0 main-thread-exit -t $trees
	followed 1 0 detached -t $trees
	followed 2 0 fork -t $trees
	followed 1 137 kill -t $trees
done
for way in thread-exit c11 timer-threads queue-threads; do
	followed 1 0 $way
done

for way in exit _exit _Exit quick_exit exit_group-call exit_group-inline exit-call; do
	followed 1 0 $way
done
followed 1 134 abort
followed 1 139 segv
followed 1 143 term
followed 1 137 kill

followed 2 0 fork-exec -r no
followed 1 0 spawnp-empty -r no
followed 1 0 system-empty -r no
followed 2 0 system --only follow
followed 1 0 system-empty --only "$(basename "$(readlink -f /bin/sh)")"

# The notification functions are measured in threads of their own.
for way in timer-threads queue-threads; do
	check "$way: three and the main one, at least" sh -c "'$hpcprof' dump $way/follow.*.csp |
		grep -c '\"follow\"' | awk '{ exit !(\$1 >= 4) }'"
done
done_testing
