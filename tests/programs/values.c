/*
 * For value profiles: instructions of which it is known what they produce, and uses of SIGTRAP and
 * of the flag of single steps that must be as they are alone. `values WHAT`; prints what it has
 * seen.
 */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define APART __attribute__((noinline, noclone))

enum { TRAP_FLAG = 0x100 };

static volatile uint64_t sink;
static uint32_t table[4096];

/* ---- what is known --------------------------------------------------------------------------- */

static volatile uint64_t ten = 10;

/* Its second argument is always 10. */
APART static uint64_t divide(uint64_t n, uint64_t by)
{
	return n / by;
}

/* Each address is 16 bytes after the one before. */
APART static uint64_t strides(void)
{
	uint64_t sum = 0;
	for (const uint32_t *p = table; p < table + 4096; p += 4) {
		sum += *p;
		__asm__("" : "+r"(sum));
	}
	return sum;
}

/* What setb produces is zero in 90%. */
APART static uint64_t flags(uint64_t *random)
{
	uint64_t n = 0;
	for (int i = 0; i < 1000; i++) {
		*random ^= *random << 13;
		*random ^= *random >> 7;
		*random ^= *random << 17;
		n += (uint32_t)*random < 429496730u;
		__asm__("" : "+r"(n));
	}
	return n;
}

/* The load reads what the store before it has written. */
APART static uint64_t replays(void)
{
	static volatile uint64_t cell;
	uint64_t n = 0;
	for (int i = 0; i < 1000; i++) {
		cell = n;
		n = cell * 3 + 1;
	}
	return n;
}

static double spent_ms(void)
{
	return (double)clock() * 1e3 / CLOCKS_PER_SEC;
}

static void work(unsigned ms)
{
	uint64_t random = 88172645463325252ull, n = 1;
	for (double end = spent_ms() + ms; spent_ms() < end;) {
		for (uint64_t i = 0; i < 1000; i++)
			n += divide(i << 32 | n, ten);
		n += strides() + flags(&random) + replays();
	}
	sink = n;
}

/* ---- SIGTRAP --------------------------------------------------------------------------------- */

static volatile sig_atomic_t traps, others;
static void count_traps(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)context;
	if (info->si_code == TRAP_TRACE)
		traps++;
	else
		others++;
}

static void handle(int sig, void (*handler)(int, siginfo_t *, void *))
{
	struct sigaction a = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};
	sigemptyset(&a.sa_mask);
	sigaction(sig, &a, NULL);
}

/* Its handler gets those that it raises, and those of its int3, and no others. */
static void handles(void)
{
	handle(SIGTRAP, count_traps);
	for (int i = 0; i < 200; i++) {
		work(1);
		raise(SIGTRAP);
		__asm__ volatile("int3");
	}
	printf("%d traps, %d others\n", (int)traps, (int)others);
}

/* Only later: until then windows are open. */
static void later(void)
{
	work(150);
	handles();
}

/* Steps through its own code. */
static void steps(void)
{
	handle(SIGTRAP, count_traps);
	for (int i = 0; i < 300; i++) {
		work(1);
		__asm__ volatile("pushf\n orl $0x100, (%%rsp)\n popf\n"
				 ".rept 64\n nop\n .endr\n"
				 "pushf\n andl $~0x100, (%%rsp)\n popf\n" ::
				     : "memory", "cc");
	}
	printf("%d traps, %d others\n", (int)traps, (int)others);
}

static void blocks(void)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGTRAP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	work(200);
	sigpending(&set);
	printf("pending: %d\n", sigismember(&set, SIGTRAP));
}

static void ignores(void)
{
	signal(SIGTRAP, SIG_IGN);
	work(200);
	raise(SIGTRAP);
	puts("ignored");
}

static void dies(void)
{
	work(150);
	puts("to its death");
	fflush(stdout);
	__asm__ volatile("int3");
}

static void killed(void)
{
	work(200);
	kill(getpid(), SIGKILL);
}

/* The flag is never seen. */
static void pushes(void)
{
	uint64_t n = 0;
	for (double end = spent_ms() + 200; spent_ms() < end;) {
		for (int i = 0; i < 1000; i++) {
			uint64_t pushed;
			__asm__ volatile("pushf\n pop %0" : "=r"(pushed));
			n += (pushed & TRAP_FLAG) != 0;
		}
	}
	printf("seen %d times\n", (int)n);
}

/* ---- ways out of a window -------------------------------------------------------------------- */

static sigjmp_buf back;
static volatile sig_atomic_t alarms, ready; /* ready: back is set */
static void jump(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)info;
	(void)context;
	alarms++;
	if (!ready)
		return;
	ready = 0;
	siglongjmp(back, 1);
}

static void jumps(void)
{
	struct itimerval every = {{0, 500}, {0, 500}}, never = {{0, 0}, {0, 0}};
	handle(SIGALRM, jump);
	setitimer(ITIMER_REAL, &every, NULL);
	for (double end = spent_ms() + 300; spent_ms() < end;) {
		if (!sigsetjmp(back, 1)) {
			ready = 1;
			work(10);
			ready = 0;
		}
	}
	setitimer(ITIMER_REAL, &never, NULL);
	puts(alarms > 20 ? "jumped" : "did not jump");
}

static void forks(void)
{
	int ended = 0;
	for (int i = 0; i < 60; i++) {
		work(2);
		pid_t child = fork();
		if (child == 0) {
			work(2);
			_exit(7);
		}
		int status;
		waitpid(child, &status, 0);
		ended += WIFEXITED(status) && WEXITSTATUS(status) == 7;
	}
	for (int i = 0; i < 20; i++) {
		work(2);
		ended += system("exit 7") == 7 << 8;
	}
	printf("%d ended\n", ended);
}

static void *thread(void *arg)
{
	work(200); /* of all of them: 64 steps may take 2 ms */
	return arg;
}

static void threads(void)
{
	pthread_t threads[4];
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, thread, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	puts("joined");
}

static void *endless(void *arg)
{
	work(100000);
	return arg;
}

/* The process ends while they run. */
static void detached(void)
{
	pthread_t thread_id;
	for (int i = 0; i < 4; i++) {
		pthread_create(&thread_id, NULL, endless, NULL);
		pthread_detach(thread_id);
	}
	work(200);
	puts("they go on");
}

static void known(void)
{
	work(600);
	puts("done");
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} all[] = {{"known", known},     {"handles", handles},   {"later", later},
		   {"steps", steps},     {"blocks", blocks},     {"ignores", ignores},
		   {"pushes", pushes},   {"jumps", jumps},       {"forks", forks},
		   {"threads", threads}, {"detached", detached}, {"dies", dies},
		   {"killed", killed}};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (argc > 1 && strcmp(argv[1], all[i].name) == 0)
			all[i].run();
	return 0;
}
