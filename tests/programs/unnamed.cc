/* Functions that differ only in an unnamed or local type: lambdas, members of local and anonymous
 * types, two sorts with lambdas of their own. gcc gives them no linkage name.
 *
 * unnamed SECONDS: runs all parts in turns, for that CPU time. Prints a line per part: nanoseconds
 * of CPU time, a tab, and a regular expression for the name of its function, the outermost one. */
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

#define NOINLINE __attribute__((noinline))

static volatile unsigned sink;

static long cpu_ns()
{
	timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1000000000L + t.tv_nsec;
}

/* A loop in the caller's own code. */
#define WORK(n)                                                                                    \
	for (unsigned i = 0, x = sink; i < (n); i++) {                                             \
		x = x * 1664525 + 1013904223;                                                      \
		if (i + 1 == (n))                                                                  \
			sink = x;                                                                  \
	}

/* A part that is a lambda, all on one line. */
#define LAMBDA(part, times)                                                                        \
	case part:                                                                                 \
		lines[part] = __LINE__;                                                            \
		apply([] { WORK((times)*TURN); });                                                 \
		break;

enum { TURN = 40000, PARTS = 9 };
static long spent[PARTS];
static unsigned lines[PARTS];

template <class F> static NOINLINE void apply(F f)
{
	f();
}

template <class T> struct Box {
	T t;
	NOINLINE void open()
	{
		t.run();
	}
};

namespace
{
struct Hidden {
	NOINLINE void run();
};
void Hidden::run()
{
	WORK(2 * TURN);
}
} // namespace

static NOINLINE void sort_both(std::vector<unsigned> &from, unsigned which)
{
	std::vector<unsigned> v(from);
	lines[7] = __LINE__ + 1;
	auto less = [](unsigned a, unsigned b) { return a < b; };
	lines[8] = __LINE__ + 1;
	auto remainder = [](unsigned a, unsigned b) { return a % 1021 > b % 1021; };
	if (which == 7)
		std::sort(v.begin(), v.end(), less);
	else
		std::sort(v.begin(), v.end(), remainder);
	sink = v[0];
}

/* gcc gives a lambda no name; clang numbers those of a file. */
static void print_lambda(unsigned part)
{
	const bool sort = part > 6;
	fputs(sort ? "std::sort<.*" : "^main::", stdout);
#ifdef __clang__
	printf("\\$_%u", sort ? part - 2 : part);
#else
	printf("\\{lambda at unnamed.cc:%u:[0-9]+\\}", lines[part]);
#endif
	fputs(sort ? ".*>" : "::operator\\(\\)", stdout);
}

int main(int argc, char **argv)
{
	const long total = (long)(1e9 * (argc > 1 ? atof(argv[1]) : 1));
	std::vector<unsigned> numbers;
	for (unsigned i = 0, x = 1; i < 2000; i++)
		numbers.push_back(x = x * 1664525 + 1013904223);
	struct Local {
		NOINLINE void run()
		{
			WORK(3 * TURN);
		}
	};
	long start = cpu_ns();
	for (long now = start; now - start < total;) {
		for (unsigned part = 0; part < PARTS; part++) {
			switch (part) {
				LAMBDA(0, 9)
				LAMBDA(1, 5)
				LAMBDA(2, 3)
				LAMBDA(3, 2)
				LAMBDA(4, 1)
			case 5:
				Box<Hidden>().open();
				break;
			case 6:
				Box<Local>().open();
				break;
			default:
				sort_both(numbers, part);
			}
			long then = cpu_ns();
			spent[part] += then - now;
			now = then;
		}
	}
	for (unsigned part = 0; part < PARTS; part++) {
		printf("%ld\t", spent[part]);
		if (part == 5 || part == 6)
			printf(part == 5 ? "^\\(anonymous namespace\\)::Hidden::run"
					 : "^main::Local::run");
		else
			print_lambda(part);
		putchar('\n');
	}
	return 0;
}
