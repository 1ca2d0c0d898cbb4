/* Functions whose calls, and the ways in which they end, are known. With a sample after each
 * instruction the counts of activations must be these. Part of stepped.cc. */
#ifndef TESTS_PROGRAMS_STEPPED_COUNTS_H
#define TESTS_PROGRAMS_STEPPED_COUNTS_H

#include "stepped_calls.h"

#include "../../runtime/hpcrun.h"

#include <csetjmp>
#include <execinfo.h>

#include "stepped.h"

namespace
{
jmp_buf counts_back;

struct counts_cleanup {
	APART ~counts_cleanup()
	{
		sink = sink + 1;
	}
};

APART void counts_leaf()
{
	sink = sink + 1;
}

APART void counts_calls()
{
	counts_leaf();
	after();
}

APART void counts_long()
{
	for (int i = 0; i < 20; i++)
		counts_calls();
	after();
}

APART int counts_recursive(int depth)
{
	counts_leaf();
	int r = depth ? counts_recursive(depth - 1) + 1 : 0;
	after();
	return r;
}

APART void counts_thrower()
{
	counts_leaf();
	throw 1;
}

/* Left by the exception after a cleanup of its own. */
APART void counts_through()
{
	counts_cleanup c;
	counts_leaf();
	counts_thrower();
	after();
}

APART bool counts_catcher(void (*thrower)())
{
	try {
		thrower();
	} catch (int n) {
		counts_leaf();
		return n == 1;
	}
	return false;
}

APART void counts_jumper()
{
	counts_leaf();
	longjmp(counts_back, 1);
}

APART bool counts_setter()
{
	volatile bool back = false;
	if (setjmp(counts_back) == 0)
		counts_jumper();
	else
		back = true;
	counts_leaf();
	return back;
}

/* The call that goes on in the second function is the same activation. */
APART void counts_tail_end()
{
	counts_leaf();
	after();
}

APART void counts_tail()
{
	counts_leaf();
	counts_tail_end();
}

/* Its mark, and those of its callers, are taken away meanwhile. */
APART bool counts_traced()
{
	void *frames[8];
	counts_leaf();
	bool ok = backtrace(frames, 8) > 2;
	counts_leaf();
	after();
	return ok;
}

/* Synchronous recordings find marks, and make them. All signals are blocked meanwhile. */
APART int counts_recorded(int metric)
{
	pause_steps();
	int r = hpcrun_record(metric, 3);
	go_on();
	return r;
}

APART int counts_record(int metric, int depth)
{
	int r = depth ? counts_record(metric, depth - 1) : counts_recorded(metric);
	after();
	return r;
}

bool records()
{
	int metric = hpcrun_metric_new("STEPPED", "count");
	bool ok = true;
	for (int i = 0; i < 40; i++)
		ok &= counts_record(metric, i % 9) == (metric < 0 ? -1 : 0);
	after();
	return ok;
}

bool activations()
{
	bool ok = true;
	for (int i = 0; i < 5; i++)
		counts_calls();
	counts_long();
	ok &= counts_recursive(4) == 4;
	ok &= counts_catcher(counts_thrower);
	ok &= counts_catcher(counts_through);
	for (int i = 0; i < 4; i++)
		ok &= counts_setter();
	for (int i = 0; i < 6; i++)
		counts_tail();
	ok &= counts_traced();
	after();
	return ok;
}
} // namespace

#endif
