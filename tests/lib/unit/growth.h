/* How the CPU time and memory of a reader grow with its input, from 1 KiB to 1 MiB by doubling. */
#ifndef TESTS_LIB_UNIT_GROWTH_H
#define TESTS_LIB_UNIT_GROWTH_H

#include <stddef.h>

/* Make an input of about so many bytes; returns its real size. Called in a process of its own,
 * which an error is to end: an assertion would go on with the tests. */
typedef size_t growth_prepare(void *context, size_t bytes);
/* Read it. */
typedef void growth_run(void *context);

/* Fails the test unless the slope in the doubly logarithmic plot is at most 1.1, for both, and the
 * largest input takes at most 256 bytes of memory for each of its bytes; prints a line with the
 * name. Each input is read up to three times, of which the least counts. Sanitizers get one
 * input of 32 KiB, and only they can fail the test. */
void growth_is_linear(const char *name, growth_prepare *prepare, growth_run *run, void *context);
/* The same with another limit of the memory for each byte. */
void growth_is_linear_within(double memory, const char *name, growth_prepare *prepare,
			     growth_run *run, void *context);

#endif
