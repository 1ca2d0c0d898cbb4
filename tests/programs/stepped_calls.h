/* Plain calls. Part of stepped.cc. */
#ifndef TESTS_PROGRAMS_STEPPED_CALLS_H
#define TESTS_PROGRAMS_STEPPED_CALLS_H

#include <alloca.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "stepped.h"

namespace
{
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
} // namespace

#endif
