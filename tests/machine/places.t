#!/bin/bash
# In the machine: scheduling classes, quotas, and places where much is missing. Programs end as they
# do alone, and where they are measured, their accounts hold.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"

work=$(program work)

# ends NAME SECONDS COMMAND...: under hpcrun, with datafiles whose accounts hold
ends() {
	local name=$1 seconds=$2
	shift 2
	timeout -k 5 "$seconds" "$@" >"$name.out" 2>"$name.err"
	is "$name: ends as it does alone" "$? $(grep -v '^hpcrun: .* samples in ' "$name.err")" "0 "
	check "$name: the account holds" lib account.py "$name"
}
at() {
	echo "$hpcrun" -e CPUTIME@f20000 -o "$1"
}

for kind in loop nine short pingpong; do
	ends "fifo-$kind" 120 chrt -f 1 $(at fifo-$kind) "$work" $kind 1000
	ends "idle-$kind" 120 chrt -i 0 $(at idle-$kind) "$work" $kind 1000
done

# A fifth of one CPU.
quota=/sys/fs/cgroup/quota
echo +cpu >/sys/fs/cgroup/cgroup.subtree_control
mkdir $quota
echo "20000 100000" >$quota/cpu.max
for kind in loop nine short; do
	ends "quota-$kind" 300 bash -c 'echo $$ >'$quota'/cgroup.procs; exec "$@"' quota \
		$(at quota-$kind) "$work" $kind 500
done

# with NAME SETUP COMMAND...: in a mount namespace of its own
with() {
	local name=$1 setup=$2
	shift 2
	ends "$name" 120 unshare --mount bash -c "$setup"' || exit 9; exec "$@"' with "$@"
}
with shm-64m 'mount -o remount,size=64m /dev/shm' $(at shm-64m) "$work" nine 1000
with shm-full 'mount -t tmpfs -o size=1m full /dev/shm; head -c 2m /dev/zero >/dev/shm/it 2>/dev/null; true' \
	$(at shm-full) "$work" nine 1000
with no-shm 'umount /dev/shm' $(at no-shm) "$work" nine 1000
with no-proc 'mount -t tmpfs none /proc' $(at no-proc) "$work" nine 1000
ends pid-namespace 120 unshare --pid --fork --mount-proc $(at pid-namespace) "$work" short 500
ends few-files 120 bash -c 'ulimit -n 64; exec "$@"' few $(at few-files) "$work" nine 1000
cat >small.c <<'END'
#include <limits.h>
#include <pthread.h>
#include <time.h>
static volatile unsigned sink;
static void *work(void *arg)
{
	struct timespec t;
	do {
		for (int i = 0; i < 10000; i++)
			sink++;
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	} while (t.tv_nsec < 20000000);
	return arg;
}
int main(void)
{
	pthread_attr_t small;
	pthread_t t[20];
	pthread_attr_init(&small);
	if (pthread_attr_setstacksize(&small, 16 * 1024))
		return 1;
	for (int i = 0; i < 20; i++)
		if (pthread_create(&t[i], &small, work, 0))
			return 2;
	for (int i = 0; i < 20; i++)
		pthread_join(t[i], 0);
	return 0;
}
END
gcc -O1 -o small small.c -pthread
ends small-stacks 120 $(at small-stacks) ./small
# Less, and the loader has too little to load any library that is named in LD_PRELOAD.
ends small-process 120 $(at small-process) bash -c 'ulimit -s 64; exec "$@"' small \
	"$(program manythreads)" run 200 1000 4

# An ordinary user, with the settings of Debian.
is "Debian's perf_event_paranoid" "$(cat /proc/sys/kernel/perf_event_paranoid)" 3
mkdir -m 777 user
cd user || exit 1
for kind in loop nine short; do
	ends "user-$kind" 120 setpriv --reuid=65534 --regid=65534 --clear-groups env HOME=/nowhere XDG_CACHE_HOME= \
		"$hpcrun" -e CPUTIME@f20000 -o user-$kind "$work" $kind 1000
done
done_testing
