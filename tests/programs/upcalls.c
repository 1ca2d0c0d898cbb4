/* Functions that are called for samples (runtime/hpcrun.h). upcalls WHAT. Prints what they saw. */
#include "runtime/hpcrun.h"
#include "tests/programs/spin.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

static volatile unsigned sink;
static atomic_ulong calls, weight, placed, deep, same, wrong;
static uint32_t main_thread;
static const char *event = "CPUTIME";
static volatile uintptr_t into_nested; /* the return address of its calls of itself */

APART static void nested(int depth, double ms)
{
	if (depth == 0)
		into_nested = (uintptr_t)__builtin_return_address(0);
	if (depth > 0)
		nested(depth - 1, ms);
	else
		spin(ms);
	sink = sink + 1;
}

static uintptr_t pc_of(const struct hpcrun_sample *s)
{
	const ucontext_t *u = s->context;
#ifdef __x86_64__
	return (uintptr_t)u->uc_mcontext.gregs[REG_RIP];
#else
	return (uintptr_t)u->uc_mcontext.pc;
#endif
}

static uint32_t times_in(const uintptr_t *ips, uint32_t n, uintptr_t ip)
{
	uint32_t times = 0;
	for (uint32_t i = 0; i < n; i++)
		times += ips[i] == ip;
	return times;
}

static void count(const struct hpcrun_sample *s, void *arg)
{
	uintptr_t ips[128];
	uint32_t n = s->path(s, ips, 128), few = s->path(s, ips, 1);
	if (arg)
		atomic_fetch_add((atomic_ulong *)arg, 1);
	atomic_fetch_add(&weight, s->weight);
	atomic_fetch_add(&same, s->thread == main_thread);
	atomic_fetch_add(&deep, times_in(ips, n, into_nested) == 50);
	atomic_fetch_add(&placed, pc_of(s) == ips[0]);
	atomic_fetch_add(&wrong, (s->depth <= 128 && n != s->depth) || few != 1 || !s->complete ||
				     strcmp(s->event, event) != 0 || !hpcrun_upcall_running());
}

static volatile int *nowhere;
static void faults(const struct hpcrun_sample *s, void *arg)
{
	count(s, arg);
	*nowhere = 1;
}

static volatile int zero;
static void divides(const struct hpcrun_sample *s, void *arg)
{
	count(s, arg);
	sink = 1000 / (unsigned)zero;
}

static void is_slow(const struct hpcrun_sample *s, void *arg)
{
	count(s, arg);
	uint64_t end = cpu() + 5000000;
	while (cpu() < end)
		;
}

static void *volatile memory;
static void works(const struct hpcrun_sample *s, void *arg)
{
	count(s, arg);
	uint64_t end = cpu() + 20000;
	while (cpu() < end)
		;
}

/* What one allocator gives, it takes. */
static void use_memory(void)
{
	void *p;
	for (int i = 0; i < 1000; i++) {
		if (posix_memalign(&p, 64, 100) == 0)
			free(p);
		free(realloc(aligned_alloc(64, 128), 5000));
		free(strdup("text"));
		free(calloc(3, 7));
	}
}

static void allocates(const struct hpcrun_sample *s, void *arg)
{
	count(s, arg);
	memory = malloc(10);
	free(memory);
}

static void prints(const struct hpcrun_sample *s, void *arg)
{
	count(s, arg);
	printf("a sample\n");
}

static int own, by_itself;
static void uses(const struct hpcrun_sample *s, void *arg)
{
	count(s, arg);
	atomic_fetch_add(&wrong, hpcrun_metric_new("more", "count") >= 0 ||
				     hpcrun_record(own, 1) == 0 ||
				     hpcrun_upcall_start(NULL, count, NULL, NULL) >= 0);
	hpcrun_region_begin("in an upcall");
	hpcrun_region_end("the region");
	hpcrun_label_set("label", "in an upcall");
	hpcrun_stop();
	hpcrun_stop_thread();
	if (calls == 100)
		hpcrun_upcall_stop(by_itself);
}

static void *in_thread(void *arg)
{
	nested(50, 200);
	return arg;
}

static void say(const char *what, int upcall)
{
	static const char *const states[] = {"none", "on", "stopped", "faulted", "too slow"};
	struct hpcrun_upcall_stats s = {.size = sizeof s};
	if (hpcrun_upcall_stats(upcall, &s) != 0)
		printf("%s: nothing\n", what);
	else
		printf("%s: %s calls %llu seen %lu ms %.0f cost %.0f placed %lu deep %lu same %lu "
		       "wrong "
		       "%lu dropped %llu\n",
		       what, states[s.state], (unsigned long long)s.calls, calls,
		       (double)weight / 1e6, (double)s.ns / 1e6, placed, deep, same, wrong,
		       (unsigned long long)s.dropped);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "counts";
	static int disabled;
	struct hpcrun_upcall_options o = {.size = sizeof o, .disabled = &disabled};
	hpcrun_upcall *f = strcmp(what, "faults") == 0      ? faults
			   : strcmp(what, "divides") == 0   ? divides
			   : strcmp(what, "slow") == 0      ? is_slow
			   : strcmp(what, "allocates") == 0 ? allocates
			   : strcmp(what, "prints") == 0    ? prints
			   : strcmp(what, "uses") == 0      ? uses
			   : strcmp(what, "works") == 0     ? works
							    : count;
	main_thread = (uint32_t)gettid();
	if (strcmp(what, "works") == 0)
		o.budget = 50;
	if (strcmp(what, "memory") == 0)
		use_memory();
	if (strcmp(what, "some") == 0)
		o.one_in = 10;
	if (strcmp(what, "waits") == 0)
		event = "BLOCKED";
	int upcall = hpcrun_upcall_start(strcmp(what, "counts") == 0 ? NULL : event, f, &calls, &o);
	if (strcmp(what, "wrong") == 0)
		printf("%d %d %d\n", hpcrun_upcall_start("NOTHING", count, NULL, NULL),
		       hpcrun_upcall_start("CPUTIME", NULL, NULL, NULL),
		       hpcrun_upcall_stats(7, &(struct hpcrun_upcall_stats){.size = 100}));
	if (strcmp(what, "many") == 0) {
		int n = 1, number, last = 0, again = 0;
		for (; (number = hpcrun_upcall_start("CPUTIME", count, NULL, NULL)) >= 0; n++)
			last = number;
		for (int i = 0; i < 1000; i++) {
			int before = last;
			hpcrun_upcall_stop(last);
			last = hpcrun_upcall_start("CPUTIME", count, NULL, NULL);
			again += last >= 0 && last != before;
			hpcrun_upcall_stop(before);
		}
		printf("%d %d\n", n, again);
	}
	by_itself = upcall;
	if (strcmp(what, "uses") == 0) {
		own = hpcrun_metric_new("own", "count");
		hpcrun_label_set("label", "outside");
		hpcrun_region_begin("the region");
	}
	nested(50, 300);
	for (int i = 0; i < 50 && strcmp(what, "waits") == 0; i++) {
		spin(1);
		usleep(10000);
	}
	if (strcmp(what, "threads") == 0) {
		pthread_t t[4];
		for (int i = 0; i < 4; i++)
			pthread_create(&t[i], NULL, in_thread, NULL);
		for (int i = 0; i < 4; i++)
			pthread_join(t[i], NULL);
	}
	if (strcmp(what, "forks") == 0 || strcmp(what, "works") == 0) {
		fflush(stdout);
		if (fork() == 0) {
			calls = weight = placed = deep = same = 0;
			main_thread = (uint32_t)gettid();
			nested(50, 200);
			say("child", upcall);
			exit(0);
		}
		wait(NULL);
	}
	if (strcmp(what, "stops") == 0) {
		disabled = 1;
		nested(50, 100);
		disabled = 0;
		hpcrun_upcall_stop(upcall);
		nested(50, 300);
	}
	say(what, upcall);
	return 0;
}
