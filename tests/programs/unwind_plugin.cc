/*
 * Loaded by the unwinder's tests: C++ exceptions, and calls of other libraries
 * that are bound when they are made first, since the plugin is loaded anew.
 */
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>

namespace
{
struct Guard {
	int *count;
	explicit Guard(int *c) : count(c)
	{
		++*count;
	}
	~Guard()
	{
		--*count;
	}
};

__attribute__((noinline)) int descend(int depth, int *live)
{
	Guard guard(live);

	if (depth == 0)
		throw std::runtime_error("bottom");
	if (depth % 5 == 0) {
		try {
			return descend(depth - 1, live) + 1;
		} catch (const std::exception &) {
			throw;
		}
	}
	return descend(depth - 1, live) + 1;
}

int compare(const void *a, const void *b)
{
	return *static_cast<const int *>(a) - *static_cast<const int *>(b);
}
} // namespace

/* Throw through `depth` frames. 1 if every destructor ran. */
extern "C" int plugin_throw(int depth)
{
	int live = 0;

	try {
		descend(depth, &live);
	} catch (const std::exception &e) {
		return live == 0 && std::string(e.what()) == "bottom";
	}
	return 0;
}

/* Call functions of libc and libm through the procedure linkage table, some of
 * them with arguments in vector registers. */
extern "C" double plugin_calls(int seed)
{
	int numbers[32];
	char text[64];

	for (int i = 0; i < 32; i++)
		numbers[i] = (seed * 7919 + i * 104729) % 1009;
	qsort(numbers, 32, sizeof(numbers[0]), compare);
	snprintf(text, sizeof(text), "%d %s %g", numbers[3], "text", seed * 0.5);
	return std::sin(seed) + std::pow(2.0, seed % 7) + std::strtod(text, nullptr) +
	       static_cast<double>(std::strlen(text));
}
