/* What bends the stack, for the single-stepping build of the library (tests/stepping):
 *
 *     stepped NAME...
 *
 * prints a line "NAME STEPS COMPARED KNOWN DIFFERENT" for each operation, whose own result is
 * checked; then the status is 1 if one was wrong. Alone, all operations run without being stepped.
 */
#include <alloca.h>
#include <csetjmp>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <execinfo.h>
#include <stdexcept>
#include <string>
#include <ucontext.h>
#include <vector>

#include "cases.h"

struct stepping_counts {
	unsigned long steps, compared, known, different;
};
extern "C" {
__attribute__((weak)) void stepping_begin(void);
__attribute__((weak)) struct stepping_counts stepping_end(void);
}

#define APART __attribute__((noinline, noclone))

namespace
{
volatile bool in_step;

/* So that a call is not the last thing a function does. */
inline void after()
{
	asm volatile("" ::: "memory");
}

/* ---- plain calls ---- */

APART unsigned down(unsigned n)
{
	unsigned r = n ? down(n - 1) + 1 : 0;
	after();
	return r;
}

APART unsigned fib(unsigned n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

bool recursion()
{
	bool ok = true;
	for (unsigned i = 0; i < 6; i++)
		ok &= down(i * 13) == i * 13;
	return ok && fib(11) == 89;
}

APART unsigned even(unsigned n);
APART unsigned odd(unsigned n)
{
	return n ? even(n - 1) : 0;
}
APART unsigned even(unsigned n)
{
	return n ? odd(n - 1) : 1;
}

bool tail_calls()
{
	return even(20) && odd(21) && !even(7);
}

/* Two callers with frames of one size: the frames inside of them stand at one address. */
APART unsigned inner(unsigned n)
{
	unsigned r = down(n) + 1;
	after();
	return r;
}
APART unsigned one(unsigned n)
{
	unsigned r = inner(n) + 1;
	after();
	return r;
}
APART unsigned other(unsigned n)
{
	unsigned r = inner(n) + 2;
	after();
	return r;
}

bool same_size()
{
	bool ok = true;
	for (unsigned i = 0; i < 20; i++)
		ok &= one(i % 4) == i % 4 + 2 && other(i % 4) == i % 4 + 3;
	return ok;
}

/* Frames whose size is known only at run time, so that the frame pointer leads out of them. The
 * second kind saves that of its caller. */
uintptr_t innermost; /* where the last of them stood */

APART unsigned touched(char *memory, unsigned bytes)
{
	memory[0] = memory[bytes - 1] = 1;
	innermost = reinterpret_cast<uintptr_t>(memory);
	unsigned r = inner(1) + 1;
	after();
	return r;
}
APART unsigned touched_by_variable(char *memory, unsigned bytes)
{
	unsigned r = touched(static_cast<char *>(alloca(memory ? bytes % 64 + 32 : 16)), 16) + 1;
	after();
	return r;
}

typedef unsigned variable_frame(unsigned bytes, unsigned (*next)(char *, unsigned));

APART unsigned variable(unsigned bytes, unsigned (*next)(char *, unsigned))
{
	unsigned r = next(static_cast<char *>(alloca(bytes)), 64);
	after();
	return r;
}
APART unsigned further(unsigned bytes, unsigned (*next)(char *, unsigned))
{
	char room[64];
	asm volatile("" : : "r"(room) : "memory");
	unsigned r = variable(bytes, next) + 1;
	after();
	return r;
}
APART unsigned through(variable_frame *f, unsigned bytes, unsigned (*next)(char *, unsigned))
{
	unsigned r = f(bytes, next);
	after();
	return r;
}

/* The innermost frames of both ways stand at one address, below one return address. */
bool one_place(unsigned (*next)(char *, unsigned))
{
	enum { MOST = 640, TIMES = 200 };
	unsigned bytes = MOST, first = through(variable, MOST, next);
	uintptr_t place = innermost;
	bool ok = true;
	do
		through(further, bytes -= 16, next);
	while (innermost != place && bytes > 16);
	/* by one call, so that the return addresses are the same, too */
	for (unsigned i = 0; i < TIMES; i++) {
		bool far = i % 2;
		ok &= through(far ? further : variable, far ? bytes : unsigned{MOST}, next) ==
		      first + far;
	}
	return ok && innermost == place;
}

bool sizes()
{
	return one_place(touched);
}

bool saved_sizes()
{
	return one_place(touched_by_variable);
}

int compare(const void *a, const void *b)
{
	return *static_cast<const int *>(a) - *static_cast<const int *>(b);
}

bool library()
{
	int numbers[40];
	char text[200];
	std::vector<std::string> all;

	for (int i = 0; i < 40; i++)
		numbers[i] = i * 7919 % 41;
	qsort(numbers, 40, sizeof numbers[0], compare);
	snprintf(text, sizeof text, "%d %s %f", 42, "text", 0.1);
	for (int i = 0; i < 40; i++)
		all.push_back(std::string(static_cast<size_t>(i * 3), 'x'));
	return numbers[0] == 0 && numbers[39] == 40 && strncmp(text, "42 text 0.1", 11) == 0 &&
	       all[39].size() == 117;
}

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
	try {
		rethrower(&live);
	} catch (...) {
		caught++;
	}
	return live == 0 && caught == 4;
}

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

bool traces()
{
	void *frames[64];
	int n = backtrace(frames, 64), same = 0;
	void *again[64];
	int m = backtrace(again, 64);
	for (int i = 1; i < n && i < m; i++)
		same += frames[i] == again[i];
	return n == m && n > 3 && same == n - 1;
}

/* ---- signals ---- */

volatile sig_atomic_t handled;

/* A handler begins without the flag. */
void on_signal(int)
{
	if (in_step)
		raise(SIGTRAP);
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

/* ---- other stacks ---- */

ucontext_t main_context, coroutine_context;
volatile int turns;

void coroutine()
{
	for (int i = 0; i < 4; i++) {
		sink += down(static_cast<unsigned>(i));
		turns = turns + 1;
		swapcontext(&coroutine_context, &main_context);
	}
}

enum { COROUTINE_STACK = 64 * 1024 };

APART bool coroutine_on(char *memory)
{
	turns = 0;
	getcontext(&coroutine_context);
	coroutine_context.uc_stack.ss_sp = memory;
	coroutine_context.uc_stack.ss_size = COROUTINE_STACK;
	coroutine_context.uc_link = &main_context;
	makecontext(&coroutine_context, coroutine, 0);
	for (int i = 0; i < 5; i++) {
		sink += down(static_cast<unsigned>(i));
		swapcontext(&main_context, &coroutine_context);
	}
	return turns == 4;
}

bool coroutines()
{
	static char memory[COROUTINE_STACK];
	return coroutine_on(memory);
}

bool coroutines_within()
{
	char memory[COROUTINE_STACK];
	return coroutine_on(memory);
}

/* ---- modules ---- */

/* Bound when it is called first. */
bool plugins()
{
	bool ok = true;
	std::string path = std::string(getenv("STEPPED_PLUGIN") ? getenv("STEPPED_PLUGIN") : "");
	for (int i = 0; i < 2 && !path.empty(); i++) {
		void *handle = dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL);
		double (*calls)(int) =
		    handle ? reinterpret_cast<double (*)(int)>(dlsym(handle, "plugin_calls"))
			   : nullptr;
		ok &= calls && calls(3) != 0;
		if (handle)
			dlclose(handle);
	}
	return ok;
}

const struct {
	const char *name;
	bool (*run)();
} operations[] = {
    {"recursion", recursion},     {"tail-calls", tail_calls},
    {"same-size", same_size},     {"sizes", sizes},
    {"saved-sizes", saved_sizes}, {"library", library},
    {"exceptions", exceptions},   {"jumps", jumps},
    {"traces", traces},           {"handlers", handlers},
    {"coroutines", coroutines},   {"coroutines-within", coroutines_within},
    {"plugins", plugins},
};

/* On a stack that is deep already, and not. */
APART bool at_depth(unsigned depth, bool (*run)())
{
	char room[32];
	asm volatile("" : : "r"(room) : "memory");
	bool ok = depth ? at_depth(depth - 1, run) : run();
	after();
	return ok;
}
} // namespace

int main(int argc, char **argv)
{
	bool all = true;
	for (const auto &o : operations) {
		bool chosen = argc < 2;
		for (int i = 1; i < argc; i++)
			chosen |= strcmp(argv[i], o.name) == 0;
		if (!chosen)
			continue;
		struct stepping_counts counts = {0, 0, 0, 0};
		bool ok = at_depth(20, o.run); /* what is bound and allocated once */
		if (stepping_begin) {
			in_step = true;
			stepping_begin();
			ok &= o.run();
			ok &= at_depth(40, o.run);
			ok &= at_depth(3, o.run);
			counts = stepping_end();
			in_step = false;
		}
		printf("%s %lu %lu %lu %lu%s\n", o.name, counts.steps, counts.compared,
		       counts.known, counts.different, ok ? "" : " wrong");
		all &= ok;
	}
	return !all;
}
