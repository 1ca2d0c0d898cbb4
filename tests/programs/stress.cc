// All that makes stacks hard, at once and for long, checking its own results.
//
//     stress SECONDS PLUGIN...
//
// Threads that throw, longjmp, sort with callbacks, take signals on an alternate
// stack, recurse deeply and fork; and four that load and unload the plugins (built
// from stress_plugin.c). It ends after SECONDS, but not before each operation has used a
// thirtieth of them as CPU time, and the deep recursion, of which samples are dear, two of them.
// Prints per operation its name and how often it was done.
// Exits with 0, or with 1 and a line on stderr as soon as a check fails.

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csetjmp>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <pthread.h>
#include <stdexcept>
#include <string>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#define KEEP __attribute__((noinline))

namespace
{

std::atomic<bool> stop;

KEEP void check(bool holds, const char *what)
{
	if (holds)
		return;
	std::fprintf(stderr, "stress: %s\n", what);
	_exit(1);
}

// ---- exceptions ----------------------------------------------------------------

struct Counted {
	int &alive;
	explicit Counted(int &n) : alive(n)
	{
		alive++;
	}
	~Counted()
	{
		alive--;
	}
};

KEEP int throw_from(int depth, int &alive)
{
	Counted guard(alive);
	if (depth == 0)
		throw std::out_of_range("depth");
	int below = throw_from(depth - 1, alive);
	return below + alive;
}

KEEP int rethrow_halfway(int depth, int &alive)
{
	try {
		return throw_from(depth, alive);
	} catch (const std::exception &) {
		Counted guard(alive);
		throw;
	}
}

void exceptions(unsigned)
{
	int alive = 0;
	bool caught = false;
	try {
		rethrow_halfway(50, alive);
	} catch (const std::out_of_range &e) {
		caught = std::strcmp(e.what(), "depth") == 0;
	}
	check(caught && alive == 0, "an exception lost its way");
}

// ---- longjmp -------------------------------------------------------------------

KEEP void jump_from(int depth, std::jmp_buf &back)
{
	volatile char room[100];
	room[0] = char(depth);
	if (depth > 0)
		jump_from(depth - 1, back);
	else if (room[0] == 0)
		std::longjmp(back, 7);
	room[1] = room[0];
}

void jumps(unsigned)
{
	std::jmp_buf back;
	volatile int stays = 42;
	int value = setjmp(back);
	if (value == 0)
		jump_from(60, back);
	check(value == 7 && stays == 42, "longjmp came back wrong");
}

// ---- callbacks -----------------------------------------------------------------

int ascending(const void *a, const void *b)
{
	uint32_t x = *static_cast<const uint32_t *>(a), y = *static_cast<const uint32_t *>(b);
	return (x > y) - (x < y);
}

void callbacks(unsigned round)
{
	std::vector<uint32_t> list(500);
	uint32_t seed = round, before = 0, after = 0;
	for (uint32_t &item : list)
		before += item = seed = seed * 1664525 + 1013904223;
	std::qsort(list.data(), list.size(), sizeof list[0], ascending);
	for (size_t i = 0; i < list.size(); i++) {
		after += list[i];
		check(i == 0 || list[i - 1] <= list[i], "qsort did not sort");
	}
	check(before == after, "qsort lost an item");
}

// ---- handlers on an alternate stack ----------------------------------------------

thread_local volatile sig_atomic_t handled;

KEEP unsigned handler_work(unsigned depth)
{
	volatile unsigned sum = depth;
	for (unsigned i = 0; i < 500; i++)
		sum += i;
	return depth ? handler_work(depth - 1) + sum : sum;
}

void on_signal(int)
{
	handler_work(10);
	handled = handled + 1;
}

void alternate_stack(unsigned)
{
	static thread_local std::vector<char> room;
	if (room.empty()) {
		room.resize(256 * 1024);
		stack_t stack = {};
		stack.ss_sp = room.data();
		stack.ss_size = room.size();
		check(sigaltstack(&stack, nullptr) == 0, "sigaltstack failed");
	}
	int before = handled;
	check(pthread_kill(pthread_self(), SIGUSR1) == 0, "pthread_kill failed");
	check(handled == before + 1, "a handler did not run");
}

// ---- deep recursion --------------------------------------------------------------

KEEP uint64_t descend(unsigned depth)
{
	volatile uint64_t here = depth;
	return depth ? descend(depth - 1) + here : 0;
}

void recursion(unsigned)
{
	const uint64_t depth = 20000;
	check(descend(depth) == depth * (depth + 1) / 2, "recursion counted wrong");
}

// ---- fork --------------------------------------------------------------------------

void forks(unsigned round)
{
	pid_t pid = fork();
	check(pid >= 0, "fork failed");
	if (pid == 0) {
		int alive = 0;
		try {
			throw_from(20, alive);
		} catch (const std::out_of_range &) {
			for (int i = 0; i < 20; i++)
				handler_work(100);
			_exit(alive == 0 ? int(round % 100) : 255);
		}
		_exit(254);
	}
	int status = 0;
	pid_t waited;
	do
		waited = waitpid(pid, &status, 0);
	while (waited < 0 && errno == EINTR);
	std::this_thread::sleep_for(std::chrono::milliseconds(40)); // not too many datafiles
	check(waited == pid && WIFEXITED(status) && WEXITSTATUS(status) == int(round % 100),
	      "a child ended wrong");
}

// ---- modules that come and go --------------------------------------------------------

std::vector<const char *> plugins;

void loading(unsigned round)
{
	const char *path = plugins[round % plugins.size()];
	void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	check(module != nullptr, "dlopen failed");
	auto work = reinterpret_cast<unsigned (*)(unsigned)>(dlsym(module, "plugin_work"));
	check(work != nullptr, "dlsym failed");
	check(work(4000) == 6001, "a plugin counted wrong");
	check(dlclose(module) == 0, "dlclose failed");
}

// ---- all together ----------------------------------------------------------------------

struct Operation {
	const char *name;
	void (*perform)(unsigned round);
	unsigned threads;
	unsigned least; // thirtieths of SECONDS
	std::atomic<unsigned long> done{0};
	std::atomic<long> used{0}; // microseconds of CPU time, children's too
};

Operation operations[] = {
    {"exceptions", exceptions, 1, 1, {}, {}},
    {"longjmp", jumps, 1, 1, {}, {}},
    {"qsort", callbacks, 1, 1, {}, {}},
    {"alternate stack", alternate_stack, 1, 1, {}, {}},
    {"recursion", recursion, 1, 2, {}, {}},
    {"fork", forks, 1, 1, {}, {}},
    {"dlopen and dlclose", loading, 4, 1, {}, {}},
};

long microseconds(timeval t)
{
	return t.tv_sec * 1000000L + t.tv_usec;
}

// CPU time of this thread; with children, of which there are those of one thread alone.
long used_here(bool children)
{
	long sum = 0;
	rusage usage = {};
	for (int who : {RUSAGE_THREAD, RUSAGE_CHILDREN})
		if ((who == RUSAGE_THREAD || children) && getrusage(who, &usage) == 0)
			sum += microseconds(usage.ru_utime) + microseconds(usage.ru_stime);
	return sum;
}

void repeat(Operation *operation)
{
	long before = 0;
	for (unsigned round = 0; !stop; round++) {
		operation->perform(round);
		operation->done++;
		const bool children = operation->perform == forks;
		if (!children && round % 16 != 0)
			continue;
		long now = used_here(children);
		operation->used += now - before;
		before = now;
	}
}

bool each_used(long thirtieth)
{
	for (const Operation &operation : operations)
		if (operation.used < operation.least * thirtieth)
			return false;
	return true;
}

} // namespace

int main(int argc, char **argv)
{
	if (argc < 3) {
		std::fprintf(stderr, "usage: stress SECONDS PLUGIN...\n");
		return 2;
	}
	plugins.assign(argv + 2, argv + argc);

	struct sigaction action = {};
	action.sa_handler = on_signal;
	action.sa_flags = SA_ONSTACK | SA_RESTART;
	sigaction(SIGUSR1, &action, nullptr);

	std::vector<std::thread> team;
	for (Operation &operation : operations)
		for (unsigned t = 0; t < operation.threads; t++)
			team.emplace_back(repeat, &operation);
	const int seconds = std::atoi(argv[1]);
	std::this_thread::sleep_for(std::chrono::seconds(seconds));
	while (!each_used(seconds * 1000000L / 30))
		std::this_thread::sleep_for(std::chrono::milliseconds(50));
	stop = true;
	for (std::thread &member : team)
		member.join();
	for (Operation &operation : operations)
		std::printf("%s %lu\n", operation.name, operation.done.load());
	return 0;
}
