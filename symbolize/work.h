/* What the work on one load module may cost, in steps. A step is about the time that it takes to
 * read a byte. All that an input can make long beyond its own size is paid for before it is done:
 * the DIEs that are visited, ranges, rows of line tables, names, decompressed bytes, frames. So a
 * module takes time and memory that are linear in the bytes of its files and in the addresses to
 * resolve. When no steps are left, the module keeps what was found until then.
 *
 * Modules that compilers made, with all their addresses, take 1 to 8 steps for each byte. */
#ifndef SYMBOLIZE_WORK_H
#define SYMBOLIZE_WORK_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum {
	WORK_PER_BYTE = 64,
	WORK_PER_ADDRESS = 512,
	WORK_AT_LEAST = 1 << 16,
	WORK_PER_TEXT_BYTE = 8
};

struct work {
	uint64_t left, per_byte;
	bool over; /* something was left out as there were not enough steps */
};

static inline void work_add(struct work *w, uint64_t n, uint64_t steps)
{
	uint64_t more;
	if (__builtin_mul_overflow(n, steps, &more) ||
	    __builtin_add_overflow(w->left, more, &w->left))
		w->left = UINT64_MAX;
}

/* For so many addresses. per_byte: steps for each byte of the files; 0: the default; UINT64_MAX: no
 * limit. */
static inline void work_init(struct work *w, uint64_t per_byte, uint64_t addresses)
{
	w->left = per_byte == UINT64_MAX ? UINT64_MAX : WORK_AT_LEAST;
	w->per_byte = per_byte ? per_byte : WORK_PER_BYTE;
	w->over = false;
	work_add(w, addresses, WORK_PER_ADDRESS);
}

/* A file of so many bytes is read. */
static inline void work_add_file(struct work *w, uint64_t bytes)
{
	work_add(w, bytes, w->per_byte);
}

/* Pay for some steps. False if there are not so many: then none are left. */
static inline bool work_pay(struct work *w, uint64_t steps)
{
	if (w->per_byte == UINT64_MAX)
		return true;
	if (steps <= w->left) {
		w->left -= steps;
		return true;
	}
	w->left = 0;
	w->over = true;
	return false;
}

/* Pay for a name or a part of a path, which may be NULL: to demangle, to normalise and to keep it.
 * No more of it is read than can be paid for. */
static inline bool work_pay_text(struct work *w, const char *s)
{
	uint64_t most = w->left / WORK_PER_TEXT_BYTE + 1;
	size_t most_here = most < PTRDIFF_MAX ? (size_t)most : PTRDIFF_MAX;
	return !s || work_pay(w, (uint64_t)strnlen(s, most_here) * WORK_PER_TEXT_BYTE);
}

#endif
