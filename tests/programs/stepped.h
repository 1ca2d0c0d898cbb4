/* What the operations of stepped.cc share. */
#ifndef TESTS_PROGRAMS_STEPPED_H
#define TESTS_PROGRAMS_STEPPED_H

#include "cases.h"

struct stepping_counts {
	unsigned long steps, compared, known, different;
};
/* tests/stepping/step.c */
extern "C" {
__attribute__((weak)) void stepping_begin(void);
__attribute__((weak)) struct stepping_counts stepping_end(void);
__attribute__((weak)) void stepping_pause(void);
__attribute__((weak)) void stepping_go_on(void);
}

#define APART __attribute__((noinline, noclone))

namespace
{
volatile bool in_step;

inline void pause_steps()
{
	if (in_step)
		stepping_pause();
}

inline void go_on()
{
	if (in_step)
		stepping_go_on();
}

/* So that a call is not the last thing a function does. */
inline void after()
{
	asm volatile("" ::: "memory");
}
} // namespace

#endif
