#!/bin/bash
# Performance events, and programs that do not know of them: they close the descriptors, one
# by one or all at once, open files of their own under the same numbers, and map memory in a
# child where the parent has an event's page.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"

cat >events.c <<'END'
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
enum { THREADS = 4, MANY = 1024, PAGES = 200, PAGE = 4096 };
static volatile unsigned sink;
static pthread_barrier_t together;
static double cpu(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}
/* With a wait now and then: threads that never wait have no events. */
static void burn(double seconds)
{
	double now = cpu(), end = now + seconds, rest = now;
	for (; now < end; now = cpu()) {
		for (int i = 0; i < 10000; i++)
			sink += (unsigned)i;
		if (now >= rest) {
			usleep(100);
			rest = now + 0.003;
		}
	}
}
/* The descriptors from 3 on, but for the one that shows them; *events of these are such. */
static int list(int *fds, int *events)
{
	DIR *dir = opendir("/proc/self/fd");
	struct dirent *e;
	int n = 0;
	*events = 0;
	while (dir && n < MANY && (e = readdir(dir))) {
		char path[300], to[300];
		int fd = atoi(e->d_name);
		if (fd < 3 || fd == dirfd(dir))
			continue;
		snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
		ssize_t length = readlink(path, to, sizeof to - 1);
		to[length > 0 ? length : 0] = '\0';
		*events += strstr(to, "perf_event") != NULL;
		fds[n++] = fd;
	}
	if (dir)
		closedir(dir);
	return n;
}
static void close_each(void)
{
	int fds[MANY], events, n = list(fds, &events);
	for (int i = 0; i < n; i++)
		close(fds[i]);
}
/* The process is not to see that its own files are kept, either. */
static void close_reused(void)
{
	int fds[MANY], events, n = list(fds, &events);
	for (int i = 0; i < n; i++)
		dup2(0, fds[i]);
	burn(0.05);
	closefrom(3);
	n = list(fds, &events);
	for (int i = 0; i < n; i++)
		if (fcntl(fds[i], F_GETFD) == 0)
			printf("%d is still open\n", fds[i]);
}
static void close_from(void)
{
	closefrom(3);
}
static void close_range_of_all(void)
{
	close_range(3, ~0U, 0);
}
static void close_nothing(void)
{
}
static void *work(void *arg)
{
	burn(0.05);
	pthread_barrier_wait(&together);
	pthread_barrier_wait(&together);
	burn(0.1);
	return arg;
}
/* The kernel leaves an event's page out of the child, whose mappings go where it was. */
static int map_in_child(void)
{
	static unsigned char *p[PAGES];
	long pid;
	int status = 1, spoilt = 0;
#if defined(__x86_64__)
	__asm__ volatile("syscall" : "=a"(pid) : "0"(SYS_fork) : "rcx", "r11", "memory");
#else
	pid = fork();
#endif
	if (pid != 0)
		return waitpid((pid_t)pid, &status, 0) != pid || status != 0;
	for (int i = 0; i < PAGES; i++) {
		p[i] = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (p[i] != MAP_FAILED)
			memset(p[i], i + 1, PAGE);
	}
	syscall(SYS_gettid); /* here it is noticed that this is a child */
	for (int i = 0; i < PAGES; i++)
		spoilt += p[i][0] != (unsigned char)(i + 1);
	_exit(spoilt != 0);
}
int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*close)(void);
	} ways[] = {{"each", close_each},
		    {"reused", close_reused},
		    {"from", close_from},
		    {"range", close_range_of_all},
		    {"nothing", close_nothing}};
	pthread_t t[THREADS];
	int fds[MANY], events;
	if (argc == 2 && strcmp(argv[1], "mapped") == 0)
		return map_in_child();
	pthread_barrier_init(&together, NULL, THREADS + 1);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, work, NULL);
	burn(0.05);
	pthread_barrier_wait(&together);
	for (size_t i = 0; argc == 2 && i < sizeof ways / sizeof *ways; i++)
		if (strcmp(ways[i].name, argv[1]) == 0)
			ways[i].close();
	list(fds, &events);
	printf("%d events\n", events);
	pthread_barrier_wait(&together);
	burn(0.1);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	return 0;
}
END
"${CC:-gcc}" -O1 -D_GNU_SOURCE -o events events.c -pthread || exit 1

# run NAME [COMMAND...] -- WAY
run() {
	local name=$1 by=()
	shift
	while [ "$1" != -- ]; do
		by+=("$1")
		shift
	done
	timeout 60 "${by[@]}" "$hpcrun" -q -v source -o "$name" ./events "$2" >"$name.out" 2>"$name.err"
	is "$name: ends as it does alone" "$?" 0
	check "$name: the account holds" lib account.py "$name"
}

# sources NAME: how many threads had which at first, and then
sources() {
	sed -n 's/^hpcrun: \[[0-9]*\] \(.*sampling by .*\) [0-9]*$/\1/p' "$1.err" | sort | uniq -c | xargs
}

five="5 sampling by perf task-clock"
run nothing -- nothing
[ "$(sources nothing)" = "$five" ] || skip_all "no performance events to be had"

for way in from range; do
	run $way -- $way
	is "$way: the events stay" "$(cat $way.out)" "5 events"
	is "$way: and go on" "$(sources $way)" "$five"
done

# Those whose descriptors are closed live on with their pages, but nobody can tell them any
# more when to fire.
for way in each reused; do
	run $way -- $way
	is "$way: they are closed" "$(cat $way.out)" "0 events"
	is "$way: others take their place" "$(sources $way)" "5 now sampling by thread timers $five"
	is "$way: the datafile names both" "$(sources_named $way)" "perf task-clock + thread timers"
done

# off NAME: percent of the CPU time in which measuring was off
off() {
	lib account.py "$1" | awk '/ images, / { all = $3 } /measuring off/ { off = $(NF - 1) }
		END { print int(100 * off / all) }'
}
run none prlimit --sigpending=0 -- each
is "no timers to be had: it is said" \
	"$(grep -c 'hpcrun: .* sampling source closed by the program: no longer sampling thread' none.err)" 5
check "and what came then is measuring off" test "$(off none)" -gt 50

run mapped -- mapped
done_testing
