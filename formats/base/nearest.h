/* Which of several names a user may have meant, for messages: "did you mean ...?". No allocation;
 * any thread. */
#ifndef FORMATS_BASE_NEAREST_H
#define FORMATS_BASE_NEAREST_H

#include <stdbool.h>
#include <stddef.h>

/* Longer names are neither compared nor found. */
enum { NEAREST_MOST = 128 };

/* The number of single bytes to insert, remove or replace, and of neighbours to exchange, that turn
 * one name into the other (the Damerau-Levenshtein distance, without changes within an exchanged
 * pair). Case does not count. If it is more than most, or a name is longer than NEAREST_MOST,
 * most + 1. */
unsigned nearest_distance(const char *a, size_t a_length, const char *b, size_t b_length,
			  unsigned most);

/* A search. Set typed; the rest is 0 at first. */
struct nearest {
	const char *typed;
	const char *best;   /* the nearest name offered so far, if it is near enough; else NULL */
	size_t best_length; /* its bytes: it need not end with a NUL */
	unsigned distance;  /* of best */
};

/* Consider a name of that many bytes, which must stay valid. A name is near enough if a third of
 * its letters are wrong, or one of a shorter name. Of names that are equally near, the first in the
 * order of strcmp is found, in whatever order they are offered. */
void nearest_offer(struct nearest *n, const char *name, size_t length);

/* "; did you mean PREFIXNAME?" for the name that was found, "" if there is none. Returns out. */
enum { NEAREST_TEXT = NEAREST_MOST + 64 };
const char *nearest_text(char out[NEAREST_TEXT], const struct nearest *n, const char *prefix);

#endif
