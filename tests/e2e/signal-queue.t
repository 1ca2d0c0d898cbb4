#!/bin/bash
# Where the queue of signals has no room (RLIMIT_SIGPENDING): the profiling timer, which all
# threads share, goes on for the others when one of them is not sampled; and a real-time
# signal never becomes another one, which kills.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"

cat >held.c <<'END'
#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>
static void *blocks(void *arg)
{
	pause();
	return arg;
}
static double cpu_time(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}
/* A thread has our signal pending from the program and is not sampled: the first one is. */
int main(void)
{
	pthread_t thread;
	sigset_t set, before;
	sigemptyset(&set);
	sigaddset(&set, SIGURG);
	pthread_sigmask(SIG_BLOCK, &set, &before);
	if (pthread_create(&thread, NULL, blocks, NULL) != 0)
		return 1;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	usleep(20000);
	pthread_kill(thread, SIGURG);
	usleep(20000);
	for (double until = cpu_time() + 0.5; cpu_time() < until;)
		;
	return 0;
}
END
"${CC:-gcc}" -O1 -D_GNU_SOURCE -o held held.c -pthread || exit 1

# queue DIR COMMAND...: its status, with no room in the queue
queue() {
	prlimit --sigpending=0 "${@:2}" >"$1.out" 2>&1
	echo $?
}

is 'with the profiling timer' \
	"$(queue timer "$(program noperf)" "$hpcrun" -o timer ./held)" 0
check 'a thread that is not sampled leaves the others their samples' sh -c \
	"grep -q 'by itimer' timer.out &&
	'$hpcprof' dump timer/*.csp | awk '/\"recorded\"/ { good = good || \$0 ~ /samples [0-9][0-9]/ } END { exit !good }'"
is 'with a real-time signal the program ends as without us' \
	"$(queue rt "$hpcrun" --signal RTMIN -o rt ./held)" 0
done_testing
