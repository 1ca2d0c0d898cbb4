#!/bin/bash
# Programs that would wait for ever, or lose their samples, if we held a lock or were at work
# on a thread's trees where their own code runs or another thread needs us.
. "$(dirname "$0")/../lib/shell/tap.sh"

cc=${CC:-gcc}

build() { # build NAME OPTION...
	local name=$1
	shift
	"$cc" -O1 -D_GNU_SOURCE -o "$name" "$name.c" -pthread "$@" || exit 1
}

# run NAME OPTION... -- COMMAND...: its status, 137 where it hung; its output is in NAME.out.
run() {
	local name=$1 options=()
	shift
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	timeout -s KILL 120 "$hpcrun" -q "${options[@]}" -o "$name.d" "$@" >"$name.out" 2>&1
	echo $?
}

# ---- a library whose constructor waits for a thread ------------------------------------
# The loader's lock is held meanwhile: the thread must find libc's functions without it.
cat >waiting.c <<'END'
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
static void *use(void *arg)
{
	sigset_t set;
	struct timespec soon = {0, 1000000};
	timer_t timer;
	struct sigevent event = {.sigev_notify = SIGEV_NONE};
	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	sigtimedwait(&set, NULL, &soon);
	if (timer_create(CLOCK_MONOTONIC, &event, &timer) == 0)
		timer_delete(timer);
	if (system("true") != 0)
		exit(1);
	return arg;
}
__attribute__((constructor)) static void begin(void)
{
	pthread_t thread;
	if (pthread_create(&thread, NULL, use, NULL) == 0)
		pthread_join(thread, NULL);
}
END
cat >loads.c <<'END'
#include <dlfcn.h>
int main(int argc, char **argv)
{
	return argc < 2 || !dlopen(argv[1], RTLD_NOW);
}
END
"$cc" -shared -fPIC -o waiting.so waiting.c -pthread || exit 1
build loads -ldl
is 'a constructor that waits for a thread ends' "$(run loads -- ./loads "$PWD/waiting.so")" 0

# ---- handlers of the program's for our own signal ---------------------------------------
# The thread that it interrupts may be beginning, ending or making another one.
cat >urgent.c <<'END'
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile sig_atomic_t came;
static void on(int sig)
{
	(void)sig;
	came++;
	pid_t child = fork();
	if (child == 0)
		_exit(0);
	waitpid(child, NULL, 0);
}
static void *nothing(void *arg)
{
	return arg;
}
int main(void)
{
	struct sigaction act = {.sa_handler = on, .sa_flags = SA_RESTART};
	pid_t parent = getpid();
	pthread_t thread;
	/* the first one takes memory, whose lock fork wants, too; the others use its stack again */
	if (pthread_create(&thread, NULL, nothing, NULL) != 0 || pthread_join(thread, NULL) != 0)
		return 2;
	pid_t sender = fork();
	if (sender < 0)
		return 3;
	if (sender == 0) {
		while (getppid() == parent && kill(parent, SIGURG) == 0)
			usleep(100);
		_exit(0);
	}
	/* not before that fork, whose lock of libc's a fork in the handler would wait for */
	sigaction(SIGURG, &act, NULL);
	while (came < 4000)
		if (pthread_create(&thread, NULL, nothing, NULL) == 0)
			pthread_join(thread, NULL);
	kill(sender, SIGKILL);
	waitpid(sender, NULL, 0);
	return 0;
}
END
build urgent
is 'a handler that forks, of our own signal, finds no lock of ours' \
	"$(run urgent -- ./urgent)" 0

# ---- sampling that ends while handlers are at work ---------------------------------------
cat >together.c <<'END'
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
static volatile int stop;
static void *spin(void *arg)
{
	while (!stop)
		;
	return arg;
}
int main(void)
{
	enum { THREADS = 6, CALLS = 2 };
	static const int calls[CALLS] = {SYS_ioctl, SYS_timer_settime};
	struct sock_filter code[2 * CALLS + 2];
	struct sock_fprog filter = {0, code};
	pthread_t threads[THREADS];
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, spin, NULL) != 0)
			return 2;
	code[filter.len++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
							  offsetof(struct seccomp_data, nr));
	for (int i = 0; i < CALLS; i++) {
		code[filter.len++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
								  (unsigned)calls[i], 0, 1);
		code[filter.len++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K,
								  SECCOMP_RET_KILL_PROCESS);
	}
	code[filter.len++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	usleep(50000);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
	    syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &filter) != 0)
		return 3;
	stop = 1;
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
END
build together
ends=
for _ in 1 2 3 4 5; do
	ends+="$(run together -e CPUTIME@f9000 -- ./together) "
done
is 'threads that are sampled while all are confined go on' "$ends" '0 0 0 0 0 '
done_testing
