/* The cost of sampling on this machine, as measured by the launcher, and its limit. */
#ifndef RUNTIME_BASE_COST_H
#define RUNTIME_BASE_COST_H

#include <stdint.h>

/* In ns; 0: unknown. */
struct csprof_cost {
	uint32_t timer;  /* a sample by a timer, without the walk and the insertion */
	uint32_t event;  /* a sample by a performance event */
	uint32_t change; /* a thread with such an event gives up its CPU and gets it back */
	/* What a program image takes outside of its account, because it is measured: loading the
	 * library, writing the datafile, removing the store. */
	uint32_t image;
	uint32_t child; /* the same of a forked child that does not execute a program */
};

/* The share of each thread's CPU time that measuring may take, in hundredths of a percent. */
enum { CSPROF_DEFAULT_BUDGET = 500, CSPROF_LEAST_BUDGET = 10, CSPROF_WHOLE = 10000 };

#endif
