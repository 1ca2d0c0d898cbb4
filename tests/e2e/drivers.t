#!/bin/bash
# Drivers that are loaded with a program (runtime/hpcrun_driver.h): what they record, when they are called,
# and what is said of those that cannot be used.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"

# build NAME: NAME.so of NAME.c
build() {
	gcc -shared -fPIC -D_GNU_SOURCE -Wall -Wextra -Werror -O2 -g "-I$top/runtime" -o "$1.so" "$1.c" >build.err 2>&1 ||
		not_ok "$1 is built" "$(head -20 build.err)"
}
# sum METRIC DATA: of all paths
sum() {
	"$hpcprof" export -q --format folded -m "$1" "$2" 2>sum.err | awk '{ n += $NF } END { print n + 0 }'
}
measure() { # DATA OPTIONS... -- COMMAND...: prints what it says
	rm -rf "$1"
	timeout 60 "$hpcrun" -q -o "$@" 2>&1
}

# ---- the example of the manual ----------------------------------------------------------
sed -n '/#include <hpcrun_driver.h>/,/^\.fi/p' "$top/share/man/hpcrun-driver.7" | sed '/^\./d; s/^    //; s/\\-/-/g' >random.c
build random
cat >dice.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile unsigned sink;
__attribute__((noinline, noclone)) static void roll(int n)
{
	for (int i = 0; i < n; i++)
		sink += (unsigned)rand();
}
static void *in_thread(void *n)
{
	roll(*(int *)n);
	return n;
}
int main(void)
{
	int n = 1000;
	pthread_t t;
	roll(100);
	pthread_create(&t, NULL, in_thread, &n);
	pthread_join(t, NULL);
	if (fork() == 0) {
		roll(10);
		_exit(0);
	}
	wait(NULL);
	return 0;
}
END
check "a program" gcc -O2 -g -pthread -o dice dice.c
is "the example: the program runs" "$(measure random --driver ./random.so ./dice)" ""
is "and what it counts is exact" "$(sum RANDOM random) $("$hpcprof" tree -q --json -m RANDOM random | grep -o '"total_samples":[0-9]*')" \
	'1110 "total_samples":1110'
is "at its callers" "$("$hpcprof" export -q --format folded -m RANDOM random | sed 's/.*;\(.*;roll\)/\1/')" "in_thread;roll 1000
main;roll 110"
is "without the driver's own frames" "$("$hpcprof" export -q --format folded -m RANDOM random | grep -c ';rand')" 0
is "two at once" "$(measure both --driver ./random.so --driver io ./dice)$(sum RANDOM both)" 1110
is "named by a variable" "$(HPCRUN_DRIVERS="$PWD/random.so io" measure variable ./dice)$(sum RANDOM variable)" 1110
is "which the option overrides" "$(HPCRUN_DRIVERS=./random.so measure variable --driver io ./dice)$(sum RANDOM variable)" 0
is "alone nothing happens" "$(LD_PRELOAD=./random.so ./dice 2>&1; echo $?)" 0
is "with an empty environment it is still there" "$(measure empty --driver ./random.so env -i ./dice)$(sum RANDOM empty)" 1110
printf '#!/bin/sh\necho "$LD_PRELOAD"\n' >preload
chmod +x preload
is "those that are not followed have none" "$(measure unfollowed -r no --driver ./random.so ./preload)" ""

# ---- when it is called ------------------------------------------------------------------
cat >calls.c <<'END'
#include <hpcrun_driver.h>
#include <stdio.h>
#include <unistd.h>
static void say(const char *what)
{
	char line[100];
	int n = snprintf(line, sizeof line, "%s\n", what);
	if (write(2, line, (size_t)n) < 0)
		_exit(1);
}
static int start(const struct hpcrun_driver_host *host, const char *options)
{
	char line[100];
	snprintf(line, sizeof line, "start '%s' %d", options, host->now() > 0);
	say(line);
	return options[0] == 'x' ? -1 : 0;
}
static void begin(void)
{
	say("thread begins");
}
static void end(void)
{
	say("thread ends");
}
static void stop(void)
{
	const struct hpcrun_driver_host *host = hpcrun_driver_on();
	uint64_t amounts[] = {7};
	say("stop");
	hpcrun_driver_record(1, host->metrics, amounts, NULL);
}
static const struct hpcrun_driver_metric metrics[] = {{"ENDS", "count", "ends"}};
static const struct hpcrun_driver driver = {.size = sizeof driver, .name = "calls", .text = "says what is called",
	.metrics = metrics, .num_metrics = 1, .start = start, .thread_start = begin, .thread_stop = end, .stop = stop};
HPCRUN_DRIVER(driver)
END
build calls
is "what is called, and in which order" "$(measure calls --driver ./calls.so:a,b=1 ./dice)" "start 'a,b=1' 1
thread begins
thread begins
thread ends
thread begins
stop
stop"
is "at the end it can record" "$(sum ENDS calls)" 14
is "a driver that does not want to is off" "$(measure calls --driver ./calls.so:x ./dice; sum ENDS calls)" "start 'x' 1
0"

# ---- asynchronous -----------------------------------------------------------------------
cat >ticks.c <<'END'
#include <hpcrun_driver.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
static const struct hpcrun_driver_host *host;
static __thread timer_t timer;
static __thread uint64_t kept;
static char mark;
static volatile char *volatile nowhere;
static int fault;
static int start(const struct hpcrun_driver_host *h, const char *options)
{
	host = h;
	fault = strcmp(options, "fault") == 0;
	return 0;
}
/* Each 2 ms of the thread's CPU time. */
static void begin(void)
{
	struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = host->signal};
	struct itimerspec often = {{0, 2000000}, {0, 2000000}};
	event.sigev_value.sival_ptr = &mark;
	event._sigev_un._tid = (int)syscall(SYS_gettid);
	if (timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer) == 0)
		timer_settime(timer, 0, &often, NULL);
}
static void end(void)
{
	timer_delete(timer);
}
static int sampled(const siginfo_t *info, void *context, uint64_t *amounts)
{
	(void)context;
	if (info->si_code != SI_TIMER || info->si_value.sival_ptr != &mark)
		return -1;
	kept += 1 + (uint64_t)info->si_overrun;
	if (!amounts)
		return 0;
	if (fault)
		*nowhere = 1;
	amounts[0] = kept;
	kept = 0;
	return 1;
}
static const struct hpcrun_driver_metric metrics[] = {{"TICKS", "count", "ticks of 2 ms"}};
static const struct hpcrun_driver driver = {.size = sizeof driver, .name = "ticks", .text = "ticks",
	.metrics = metrics, .num_metrics = 1, .start = start, .thread_start = begin, .thread_stop = end, .sampled = sampled};
HPCRUN_DRIVER(driver)
END
build ticks
cat >burn.c <<'END'
#include <pthread.h>
#include <time.h>
static volatile unsigned sink;
static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}
__attribute__((noinline, noclone)) static void burn(double s)
{
	for (double until = now() + s; now() < until;)
		for (int i = 0; i < 10000; i++)
			sink = sink * 3 + 1;
	sink++;
}
__attribute__((noinline, noclone)) static void heavy(void)
{
	burn(0.6);
	sink++;
}
__attribute__((noinline, noclone)) static void light(void)
{
	burn(0.2);
	sink++;
}
static void *both(void *unused)
{
	heavy();
	light();
	return unused;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, both, 0);
	both(0);
	pthread_join(t, 0);
	return 0;
}
END
check "a program that computes" gcc -O1 -g -pthread -o burn burn.c
is "an asynchronous driver: the program runs" "$(measure ticks -e CPUTIME@f100 --driver ./ticks.so ./burn)" ""
ticks=$(sum TICKS ticks) heavy=$("$hpcprof" export -q --format folded -m TICKS ticks | awk '/;heavy;/ { n += $NF } END { print n + 0 }')
note "$ticks ticks, $heavy of them in heavy"
check "it has as many as there were" test "$ticks" -ge 760 -a "$ticks" -le 880
check "where they were" test "$heavy" -ge $((ticks * 70 / 100)) -a "$heavy" -le $((ticks * 80 / 100))
check "and the samples are as without it" lib account.py ticks
said=$(measure faulty -e CPUTIME@f100 --driver ./ticks.so:fault ./burn)
is "one that faults is off, and the program goes on" "$? $(sed 's/\[[0-9]*\]/[PID]/' <<<"$said")" \
	"0 hpcrun: [PID] a driver is off: ticks: it has faulted"
check "and is measured" lib account.py faulty

# ---- under a filter of system calls -----------------------------------------------------
cat >filter.c <<'END'
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fstat, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
	struct sock_fprog filter = {sizeof code / sizeof *code, code};
	if (write(1, "before\n", 7) != 7 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0)
		return 77;
	return write(1, "under it\n", 9) != 9;
}
END
check "a program with a filter" gcc -O1 -g -o filter filter.c
if ./filter >/dev/null; [ $? != 77 ]; then
	is "what a driver may not call, it does not" "$(measure filtered --driver io ./filter | cat; "$hpcprof" export -q --format folded \
		-m IO_WRITE --group-by file filtered | sed 's/;.* / /' | sort)" "before
under it
[label] file=pipe 7
[label] file=unknown 9"
else
	skip "what a driver may not call, it does not" "no filter can be installed"
fi

# ---- those that cannot be used ----------------------------------------------------------
for each in "no such name:nothing:there is no such driver; hpcrun -L lists them" "no such file:./nothing.so:there is no such file" \
	"no library:./random.c:" "no driver:$(dirname "$hpcrun")/../lib/libhpcrun-unsafe-calls.so:it is no driver of hpcrun" \
	"no such option:io:nokinds,fast:its options are nokinds and nostreams"; do
	name=${each%%:*} why=${each##*:} driver=${each#*:}
	driver=${driver%:*}
	timeout 20 "$hpcrun" --driver "$driver" -o refused true >said 2>said.err
	is "$name: hpcrun fails before the command" "$? $(wc -l <said.err)" "125 1"
	check "$name: and says why" says said.err "hpcrun: --driver .*: $why"
done
timeout 20 "$hpcrun" --driver io --driver io:nokinds -o refused true 2>said.err
is "none is given twice" "$? $(cat said.err)" "125 hpcrun: --driver 'io:nokinds': it is given twice"
check "nothing was made" test ! -e refused
cp random.so "a b.so"
timeout 20 "$hpcrun" --driver "./a b.so" -o refused true 2>said.err
is "a path that the loader cannot be told: status" $? 125
for i in 1 2 3 4 5 6; do
	sed "s/{\"RANDOM\"/{\"A$i\",\"count\",\"\"},{\"B$i\",\"count\",\"\"},{\"C$i\",\"count\",\"\"},{\"D$i\",\"count\",\"\"},{\"E$i\",\"count\",\"\"},{\"F$i\",\"count\",\"\"},{\"G$i\"/
		s/num_metrics = 1/num_metrics = 7/" random.c >many$i.c
	build many$i
done
measure many $(printf -- '--driver ./many%d.so ' 1 2 3 4 5 6) ./dice >said
check "there is no room for too many metrics, which is said" says said 'a driver is off: random: there is no room for its metrics'
is "and the others work" "$(sum A1 many)" 1110

# ---- the list ---------------------------------------------------------------------------
"$hpcrun" -l >short
"$hpcrun" -L >long
check "-l lists them" says short '^io  *calls that read and write'
check "-L says what they record" says long '^ +IO_READ \(bytes\): '
done_testing
