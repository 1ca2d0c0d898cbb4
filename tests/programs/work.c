/* A fixed amount of work, however long it takes, of a kind that is hard to sample at a
 * limited cost.
 *
 *     work KIND AMOUNT
 *
 * loop: in one function. nine: in nine threads at once. coroutine: on another stack than the
 * thread's own, below 300 frames of 6 KB. deep: below 50,000 frames. short: in AMOUNT threads
 * of 0.1 ms, one after the other. pingpong: a byte goes to a child and back, 20 times per
 * unit. settled: pingpong, then loop. AMOUNT is in units of about 0.1 ms on a machine of
 * 2020. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

enum { PASSES = 20, NINE = 9, FRAMES = 300, FRAME = 6 * 1024, DEEP = 50000, STEPS = 80000 };

static long amount;
static volatile uint64_t sink;

__attribute__((noinline)) static void spin(long n)
{
	uint64_t x = (uint64_t)n;

	for (long i = 0; i < n * STEPS; i++)
		x = x * 6364136223846793005u + 1442695040888963407u;
	sink += x;
}

static void loop(void)
{
	for (long i = 0; i < amount; i++)
		spin(1);
}

static void *thread(void *steps)
{
	spin((intptr_t)steps);
	return NULL;
}

static void in_threads(int at_once, long each)
{
	pthread_t threads[NINE];

	for (int i = 0; i < at_once; i++)
		if (pthread_create(&threads[i], NULL, thread, (void *)(intptr_t)each) != 0)
			exit(1);
	for (int i = 0; i < at_once; i++)
		pthread_join(threads[i], NULL);
}

static void nine(void)
{
	in_threads(NINE, amount / NINE);
}

static void short_ones(void)
{
	for (long i = 0; i < amount; i++)
		in_threads(1, 1);
}

/* Frames of at least bytes each. */
__attribute__((noinline)) static void descend(int depth, size_t bytes)
{
	volatile char frame[bytes];

	frame[0] = (char)depth;
	if (depth)
		descend(depth - 1, bytes);
	else
		loop();
	sink += (uint64_t)frame[0]; /* prevents a tail call */
}

static void deep(void)
{
	descend(DEEP, 1);
}

static ucontext_t outside, inside;

static void begin_coroutine(void)
{
	descend(FRAMES, FRAME);
}

static void coroutine(void)
{
	size_t bytes = (size_t)(FRAMES + 16) * (FRAME + 256);
	char *stack = malloc(bytes);

	if (!stack || getcontext(&inside) != 0)
		exit(1);
	inside.uc_stack.ss_sp = stack;
	inside.uc_stack.ss_size = bytes;
	inside.uc_link = &outside;
	makecontext(&inside, begin_coroutine, 0);
	if (swapcontext(&outside, &inside) != 0)
		exit(1);
	free(stack);
}

/* Read a byte and write it. */
static void pass_on(int in, int out)
{
	char byte;

	if (read(in, &byte, 1) != 1 || write(out, &byte, 1) != 1)
		_exit(1);
}

static void pingpong(void)
{
	int there[2], back[2];
	long passes = amount * PASSES;
	pid_t child;

	if (pipe(there) != 0 || pipe(back) != 0 || (child = fork()) < 0)
		exit(1);
	if (child == 0) {
		for (long i = 0; i < passes; i++)
			pass_on(there[0], back[1]);
		_exit(0);
	}
	if (write(there[1], "", 1) != 1)
		exit(1);
	for (long i = 1; i < passes; i++)
		pass_on(back[0], there[1]);
	waitpid(child, NULL, 0);
}

static void settled(void)
{
	pingpong();
	loop();
}

static const struct kind {
	const char *name;
	void (*work)(void);
} kinds[] = {
    {"loop", loop},        {"nine", nine},         {"coroutine", coroutine}, {"deep", deep},
    {"short", short_ones}, {"pingpong", pingpong}, {"settled", settled},
};

int main(int argc, char **argv)
{
	amount = argc == 3 ? atol(argv[2]) : 0;
	for (size_t i = 0; amount > 0 && i < sizeof kinds / sizeof *kinds; i++)
		if (strcmp(argv[1], kinds[i].name) == 0) {
			kinds[i].work();
			return 0;
		}
	fprintf(stderr, "usage: work KIND AMOUNT\n");
	return 2;
}
