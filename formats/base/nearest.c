#include "formats/base/nearest.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static unsigned smaller(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

static bool same(char a, char b)
{
	return tolower((unsigned char)a) == tolower((unsigned char)b);
}

unsigned nearest_distance(const char *a, size_t a_length, const char *b, size_t b_length,
			  unsigned most)
{
	/* Three rows of the table: of this byte of a, the one before, and the one before that. */
	unsigned rows[3][NEAREST_MOST + 1];
	size_t longer = a_length > b_length ? a_length : b_length;
	size_t shorter = a_length > b_length ? b_length : a_length;
	unsigned least = 0, least_before;

	if (longer > NEAREST_MOST || longer - shorter > most)
		return most + 1;
	for (size_t k = 0; k <= b_length; k++)
		rows[0][k] = (unsigned)k;
	for (size_t i = 1; i <= a_length; i++) {
		unsigned *row = rows[i % 3], *before = rows[(i + 2) % 3], *two = rows[(i + 1) % 3];
		least_before = least;
		least = row[0] = (unsigned)i;
		for (size_t k = 1; k <= b_length; k++) {
			row[k] = smaller(before[k - 1] + !same(a[i - 1], b[k - 1]),
					 smaller(before[k], row[k - 1]) + 1);
			if (i > 1 && k > 1 && same(a[i - 1], b[k - 2]) && same(a[i - 2], b[k - 1]))
				row[k] = smaller(row[k], two[k - 2] + 1);
			least = smaller(least, row[k]);
		}
		/* Every value below comes from this row, or from the one before and an exchange. */
		if (least > most && least_before + 1 > most)
			return most + 1;
	}
	return smaller(rows[a_length % 3][b_length], most + 1);
}

static bool comes_before(const char *a, size_t a_length, const char *b, size_t b_length)
{
	int order = memcmp(a, b, a_length < b_length ? a_length : b_length);

	return order ? order < 0 : a_length < b_length;
}

void nearest_offer(struct nearest *n, const char *name, size_t length)
{
	size_t typed = strlen(n->typed);
	size_t longer = typed > length ? typed : length;
	unsigned most = longer < 3 ? 1 : (unsigned)(longer / 3), distance;

	/* Of one letter, everything would be near. */
	if (typed < 2 || !length)
		return;
	if (n->best && n->distance < most)
		most = n->distance;
	distance = nearest_distance(n->typed, typed, name, length, most);
	if (distance > most)
		return;
	if (n->best && distance == n->distance &&
	    !comes_before(name, length, n->best, n->best_length))
		return;
	n->best = name;
	n->best_length = length;
	n->distance = distance;
}

const char *nearest_text(char out[NEAREST_TEXT], const struct nearest *n, const char *prefix)
{
	out[0] = '\0';
	if (n->best)
		snprintf(out, NEAREST_TEXT, "; did you mean %s%.*s?", prefix, (int)n->best_length,
			 n->best);
	return out;
}
