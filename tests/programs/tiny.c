/* Stacks with no room for much more than what the program needs.
 *
 *     tiny CASE
 *
 * Each case uses 0.2 s of CPU time there, and prints the same with and without measurement. Below
 * each stack is a page that is not accessible. */
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cases.h"

enum { PAGE = 4096, USED = 8000 };

static char *guarded(size_t bytes)
{
	char *p =
	    mmap(NULL, PAGE + bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED || mprotect(p, PAGE, PROT_NONE) != 0)
		exit(96);
	return p + PAGE;
}

static void say_stack(const char *what, const stack_t *want)
{
	stack_t now;

	sigaltstack(NULL, &now);
	say(what, now.ss_sp == want->ss_sp && now.ss_size == want->ss_size &&
		      (now.ss_flags & SS_DISABLE) == (want->ss_flags & SS_DISABLE));
}

static const stack_t none = {.ss_flags = SS_DISABLE};

/* The least that the kernel takes: not even its own frame may fit. */
static int alternate(void)
{
	enum { LEAST = 2048 };
	stack_t stack = {.ss_sp = guarded(PAGE), .ss_size = LEAST}, old;

	say("set", sigaltstack(&stack, NULL));
	burn(0.2);
	say_stack("asked for", &stack);
	say("replaced", sigaltstack(&none, &old));
	say("which it was", old.ss_sp == stack.ss_sp && old.ss_size == LEAST);
	burn(0.1);
	say_stack("none", &none);
	return 0;
}

/* A handler on a small one sees that it runs there. */
static void on_stack(int sig)
{
	stack_t now;

	sigaltstack(NULL, &now);
	seen += sig > 0 && now.ss_flags & SS_ONSTACK;
}

static int handled(void)
{
	stack_t stack = {.ss_sp = guarded(2 * PAGE), .ss_size = 2 * PAGE};

	say("set", sigaltstack(&stack, NULL));
	handle(SIGUSR1, on_stack, SA_ONSTACK);
	for (int i = 0; i < 1000; i++) {
		raise(SIGUSR1);
		burn(0.0002);
	}
	say("handled there", seen);
	return 0;
}

/* Uses some of the stack. */
static void *deep(void *result)
{
	volatile char local[USED];

	for (int i = 0; i < USED; i++)
		local[i] = (char)i;
	burn(0.2);
	say_stack("no alternate stack", &none);
	for (int i = 0; i < USED; i++)
		*(int *)result += local[i] != (char)i;
	return NULL;
}

static int in_thread_with(const pthread_attr_t *attr)
{
	pthread_t thread;
	int spoilt = 0;

	if (pthread_create(&thread, attr, deep, &spoilt) != 0)
		return 97;
	pthread_join(thread, NULL);
	say("spoilt", spoilt);
	return 0;
}

/* Data from 1 KB below the stack pointer. */
static int below(void)
{
	volatile char *low = (char *)__builtin_frame_address(0) - 1024 - USED;
	int spoilt = 0;

	burn(0.0001); /* the linker's frames */
	for (int i = 0; i < USED; i++)
		low[i] = (char)i;
	burn(0.2);
	for (int i = 0; i < USED; i++)
		spoilt += low[i] != (char)i;
	say("spoilt", spoilt);
	say_stack("no alternate stack", &none);
	return 0;
}

/* The smallest stack that libc makes. */
static int least(void)
{
	pthread_attr_t attr;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, (size_t)PTHREAD_STACK_MIN);
	int r = in_thread_with(&attr);
	pthread_attr_destroy(&attr);
	return r;
}

/* A stack of the program's own. */
static int given(void)
{
	pthread_attr_t attr;
	size_t bytes = (size_t)PTHREAD_STACK_MIN;
	char *stack = guarded(bytes);

	pthread_attr_init(&attr);
	pthread_attr_setstack(&attr, stack, bytes);
	int r = in_thread_with(&attr);
	pthread_attr_destroy(&attr);
	return r;
}

int main(int argc, char **argv)
{
	static const struct a_case cases[] = {{"alternate", alternate},
					      {"handled", handled},
					      {"least", least},
					      {"given", given},
					      {"below", below}};

	return run_case(cases, sizeof cases / sizeof *cases, argc > 1 ? argv[1] : NULL);
}
