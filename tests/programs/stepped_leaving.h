/* Functions that are left in other ways than by a return: exceptions, threads, processes, jumps,
 * handlers. Part of stepped.cc. */
#ifndef TESTS_PROGRAMS_STEPPED_LEAVING_H
#define TESTS_PROGRAMS_STEPPED_LEAVING_H

#include "stepped_calls.h"

#include <cerrno>
#include <csetjmp>
#include <exception>
#include <execinfo.h>
#include <link.h>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>
#include <unwind.h>

#include "stepped.h"

namespace
{
/* ---- unwinding ---- */

struct counted {
	int *n;
	explicit counted(int *c) : n(c)
	{
		++*n;
	}
	~counted()
	{
		--*n;
	}
};

APART int thrower(int depth, int *live)
{
	counted c(live);
	if (depth == 0)
		throw std::runtime_error("bottom");
	int r = thrower(depth - 1, live) + 1;
	after();
	return r;
}

APART int rethrower(int *live)
{
	try {
		return thrower(3, live);
	} catch (const std::exception &e) {
		sink += static_cast<unsigned>(strlen(e.what()));
		throw;
	}
}

bool exceptions()
{
	int live = 0, caught = 0;
	for (int depth = 0; depth < 6; depth += 2)
		try {
			thrower(depth, &live);
		} catch (const std::runtime_error &) {
			caught++;
		}
	return live == 0 && caught == 3;
}

bool rethrown()
{
	int live = 0, caught = 0;
	try {
		rethrower(&live);
	} catch (...) {
		caught++;
	}
	return live == 0 && caught == 1;
}

/* An exception of another language. */
struct _Unwind_Exception foreign_exception;
volatile int deleted;

void delete_foreign(_Unwind_Reason_Code, struct _Unwind_Exception *)
{
	deleted = deleted + 1;
}

APART int raises_foreign(int depth, int *live)
{
	counted c(live);
	if (depth < 0)
		return depth;
	if (depth == 0) {
		memset(&foreign_exception, 0, sizeof foreign_exception);
		foreign_exception.exception_cleanup = delete_foreign;
		_Unwind_RaiseException(&foreign_exception);
		abort();
	}
	int r = raises_foreign(depth - 1, live) + 1;
	after();
	return r;
}

bool foreign()
{
	int live = 0, caught = 0;
	deleted = 0;
	for (int depth = 0; depth < 9; depth += 4)
		try {
			raises_foreign(depth, &live);
		} catch (...) {
			caught++;
		}
	return live == 0 && caught == 3 && deleted == 3;
}

/* The exception leaves a function that lets none out: the program's own last words are a jump. */
jmp_buf terminated;

APART int lets_none_out(int *live) noexcept
{
	int r = thrower(2, live) + 1;
	after();
	return r;
}

void last_words()
{
	longjmp(terminated, 3);
}

bool none_out()
{
	static int live; /* of the frames that are left */
	std::terminate_handler before = std::set_terminate(last_words);
	volatile bool ok = false;
	if (setjmp(terminated) == 0)
		lets_none_out(&live);
	else
		ok = true;
	std::set_terminate(before);
	return ok;
}

/* Threads that leave from within: by pthread_exit, and cancelled. */
int alive;
volatile bool may_cancel;

APART int leaves(int depth, bool cancelled)
{
	counted c(&alive);
	if (depth < 0)
		return depth;
	if (depth == 0 && cancelled) {
		may_cancel = true;
		for (;;) {
			pthread_testcancel();
			sink += down(2);
		}
	}
	if (depth == 0)
		pthread_exit(nullptr);
	int r = leaves(depth - 1, cancelled) + 1;
	after();
	return r;
}

/* Outside of all that is unwound. */
struct stepped_until_it_leaves {
	stepped_until_it_leaves()
	{
		go_on();
	}
	~stepped_until_it_leaves()
	{
		pause_steps();
	}
};

void *leaves_by(void *cancelled)
{
	stepped_until_it_leaves s;
	leaves(12, cancelled != nullptr);
	return nullptr;
}

bool start(pthread_t *t, void *cancelled)
{
	pause_steps();
	bool ok = pthread_create(t, nullptr, leaves_by, cancelled) == 0;
	go_on();
	return ok;
}

bool threads()
{
	pthread_t t;
	void *result = nullptr;
	bool ok = start(&t, nullptr) && pthread_join(t, nullptr) == 0 && alive == 0;
	may_cancel = false;
	ok &= start(&t, &t);
	while (!may_cancel)
		sched_yield();
	pthread_cancel(t);
	return ok && pthread_join(t, &result) == 0 && result == PTHREAD_CANCELED && alive == 0;
}

/* ---- processes ---- */

APART int forks(unsigned depth, pid_t *child)
{
	int r = 0;
	if (depth == 0) {
		pause_steps();
		*child = fork();
		go_on();
	} else {
		r = forks(depth - 1, child) + 1;
	}
	after();
	return r;
}

bool processes()
{
	pid_t child = -1;
	int status = -1, depth = forks(10, &child);
	if (child == 0) {
		bool ok = depth == 10 && down(20) == 20;
		if (in_step) {
			stepping_pause();
			ok &= stepping_end().different == 0;
		}
		_exit(ok ? 7 : 1);
	}
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	return depth == 10 && WIFEXITED(status) && WEXITSTATUS(status) == 7;
}

/* The child uses the parent's stack. */
APART pid_t forks_here(int code)
{
	pid_t child = vfork();
	if (child == 0)
		_exit(static_cast<int>(down(3)) + code);
	after();
	return child;
}

bool processes_within()
{
	int status = -1;
	pid_t child = forks_here(4);
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) && WEXITSTATUS(status) == 7;
}

/* ---- jumps ---- */

jmp_buf back;
sigjmp_buf signal_back;

APART int jumper(int depth)
{
	if (depth == 0 && in_step)
		longjmp(back, 7);
	if (depth == 0)
		return 0;
	int r = jumper(depth - 1) + 1;
	after();
	return r;
}

bool jumps()
{
	volatile int times = 0;
	int r = setjmp(back);
	if (r && r != 7)
		return false;
	if (++times < 5)
		jumper(times * 2);
	if (sigsetjmp(signal_back, 1) == 0)
		siglongjmp(signal_back, 1);
	return times == (in_step ? 5 : 1);
}

/* Returned to many times, from more and more frames. */
APART int returned_to(int times)
{
	jmp_buf here;
	volatile int n = 0;
	setjmp(here);
	n = n + 1;
	memcpy(back, here, sizeof here);
	if (n < times && in_step)
		jumper(n % 5);
	after();
	return in_step ? n : times;
}

bool many_jumps()
{
	return returned_to(9) == 9 && returned_to(3) == 3;
}

/* What a program sees of its own stack: functions of the program and its libraries. */
uintptr_t library_low, library_high; /* of libhpcrun.so */

int find_library(struct dl_phdr_info *info, size_t, void *)
{
	if (!strstr(info->dlpi_name, "libhpcrun"))
		return 0;
	library_low = info->dlpi_addr;
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_LOAD)
			library_high = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr +
				       info->dlpi_phdr[i].p_memsz;
	return 0;
}

bool is_plain(const void *ip)
{
	uintptr_t at = reinterpret_cast<uintptr_t>(ip);
	return at < library_low || at >= library_high;
}

struct traced {
	int n, most;
	bool plain;
};

_Unwind_Reason_Code trace(struct _Unwind_Context *context, void *arg)
{
	traced *t = static_cast<traced *>(arg);
	const void *ip = reinterpret_cast<const void *>(_Unwind_GetIP(context));
	t->n += ip != nullptr; /* the last one is 0 */
	t->plain &= !ip || is_plain(ip);
	return t->n < t->most ? _URC_NO_REASON : _URC_NORMAL_STOP;
}

template <int MOST> APART bool traces()
{
	void *frames[MOST];
	int n = backtrace(frames, MOST), same = 0;
	void *again[MOST];
	int m = backtrace(again, MOST);
	bool plain = true;
	for (int i = 1; i < n && i < m; i++) {
		same += frames[i] == again[i];
		plain &= is_plain(frames[i]);
	}
	traced t = {0, MOST, true};
	_Unwind_Backtrace(trace, &t);
	return n == m && n > 3 && same == n - 1 && plain && t.plain && t.n == n;
}

/* ---- signals ---- */

volatile sig_atomic_t handled;

void on_signal(int)
{
	go_on();
	sink += down(5);
	handled = handled + 1;
}

void on_nested(int sig)
{
	on_signal(sig);
	raise(SIGUSR1);
}

void on_jump(int sig)
{
	on_signal(sig);
	siglongjmp(signal_back, 2);
}

bool handlers()
{
	static char memory[64 * 1024];
	stack_t stack, before;
	memset(&stack, 0, sizeof stack);
	stack.ss_sp = memory;
	stack.ss_size = sizeof memory;
	handled = 0;
	handle(SIGUSR1, on_signal, 0);
	raise(SIGUSR1);
	handle(SIGUSR2, on_nested, 0);
	raise(SIGUSR2);
	handle(SIGUSR1, on_signal, SA_ONSTACK);
	sigaltstack(&stack, &before);
	raise(SIGUSR1);
	raise(SIGUSR2);
	handle(SIGUSR1, on_jump, SA_ONSTACK);
	if (sigsetjmp(signal_back, 1) == 0)
		raise(SIGUSR1);
	sigaltstack(&before, nullptr);
	return handled == 7;
}
} // namespace

#endif
