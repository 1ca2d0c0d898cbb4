/* A server: 8 threads serve 1000 requests, each with labels of its own (runtime/hpcrun.h). Prints
 * "NUMBER NS", the CPU time of each request. labels WHAT does other things with labels. */
#include "runtime/hpcrun.h"
#include "tests/programs/spin.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 8, REQUESTS = 1000 };

static volatile unsigned sink;
static int bytes;
static atomic_int next;
static uint64_t took[REQUESTS];

APART static void serve(int i)
{
	uint64_t begin = cpu();
	hpcrun_label_set_number("request", i);
	hpcrun_label_set("size", i % 4 ? "small" : "large");
	hpcrun_record(bytes, (uint64_t)i);
	spin(i % 4 ? 1.5 : 6);
	hpcrun_label_clear("size");
	hpcrun_label_clear("request");
	took[i] = cpu() - begin;
}

static void *serve_all(void *arg)
{
	for (int i; (i = atomic_fetch_add(&next, 1)) < REQUESTS;)
		serve(i);
	return arg;
}

static void server(void)
{
	pthread_t t[THREADS];
	for (int i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, serve_all, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	for (int i = 0; i < REQUESTS; i++)
		printf("%d %llu\n", i, (unsigned long long)took[i]);
}

static void *inherits(void *arg)
{
	spin(100);
	hpcrun_label_set("who", "child");
	spin(100);
	return arg;
}

/* who: main 100 ms, and 100 more of a thread that it makes, child 100 of that thread, forked 100.
 */
static void inherited(void)
{
	pthread_t t;
	hpcrun_label_set("who", "main");
	spin(100);
	pthread_create(&t, NULL, inherits, NULL);
	pthread_join(t, NULL);
	if (fork() == 0) {
		spin(100); /* main's, too */
		hpcrun_label_set("who", "forked");
		spin(100);
		exit(0);
	}
	wait(NULL);
	hpcrun_label_clear("who");
	spin(100);
}

/* 100 ms each with: a=1; a=1 b=-7; a=2 b=-7; a=1 b=-7; b=-7; nothing. */
static void stacked(void)
{
	hpcrun_label_set("a", "1");
	spin(100);
	hpcrun_label_set_number("b", -7);
	spin(100);
	hpcrun_label_push("a", "2");
	spin(100);
	hpcrun_label_clear("a");
	spin(100);
	hpcrun_label_clear("a");
	hpcrun_label_clear("a"); /* there is none */
	spin(100);
	hpcrun_label_set("b", NULL);
	spin(100);
}

/* More labels than are kept, long ones, and a key with the sign that stands before values. */
static void strange(void)
{
	char text[300], key[16];
	memset(text, 'x', sizeof text - 1);
	text[sizeof text - 1] = '\0';
	hpcrun_label_set(text, text);
	hpcrun_label_set("k=e=y", "v=a\nl");
	hpcrun_label_set("", "");
	hpcrun_label_set(NULL, "x");
	for (int i = 0; i < 50; i++) {
		snprintf(key, sizeof key, "key%d", i);
		hpcrun_label_set_number(key, INT64_MIN + i);
	}
	spin(200);
}

/* Labels of values without number, and in a region. */
static void flood(void)
{
	HPCRUN_REGION("flood");
	uint64_t end = cpu() + 500000000;
	for (int64_t i = 0; cpu() < end; i++) {
		hpcrun_label_set_number("i", i);
		sink = sink + 1;
	}
}

/* A recording for a caller, and one of the path itself, from one activation of `twice`. */
static int mine;
static volatile int two = 2;

APART static void for_caller(void)
{
	hpcrun_record_for_caller(bytes, 1, 3);
	sink = sink + 1;
}

APART static void for_itself(void)
{
	hpcrun_record(mine, 1);
	sink = sink + 1;
}

APART static void either(int i)
{
	if (i)
		for_itself();
	else
		for_caller();
	sink = sink + 1;
}

APART static void twice(void)
{
	for (int i = 0; i < two; i++)
		either(i);
}

APART static void below(int depth)
{
	if (depth > 0)
		below(depth - 1);
	else
		twice();
	sink = sink + 1;
}

static void callers(void)
{
	mine = hpcrun_metric_new("MINE", "count");
	hpcrun_label_set("a", "1");
	hpcrun_label_set("b", "2");
	for (int i = 0; i < 3; i++)
		below(60);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "server";
	bytes = hpcrun_metric_new("BYTES", "bytes");
	if (strcmp(what, "server") == 0)
		server();
	else if (strcmp(what, "inherited") == 0)
		inherited();
	else if (strcmp(what, "stacked") == 0)
		stacked();
	else if (strcmp(what, "strange") == 0)
		strange();
	else if (strcmp(what, "flood") == 0)
		flood();
	else if (strcmp(what, "callers") == 0)
		callers();
	return 0;
}
