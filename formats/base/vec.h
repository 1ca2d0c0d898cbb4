/* A growing array: struct { T *at; size_t len, cap; }, with one function for growth. A failed
 * allocation leaves the array unchanged. Not async-signal-safe. */
#ifndef FORMATS_BASE_VEC_H
#define FORMATS_BASE_VEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#define VEC(T)                                                                                     \
	struct {                                                                                   \
		T *at;                                                                             \
		size_t len, cap;                                                                   \
	}

/* Make room for at least want elements of size bytes. */
bool vec_grow(void **at, size_t *cap, size_t want, size_t size);

/* Of an element. A type, as clang-tidy takes the size of an expression that is a pointer for a
 * mistake. */
#define VEC_SIZE(v) sizeof(__typeof__(*(v)->at))

/* Append one element; false if memory ran out. */
#define vec_push(v, ...)                                                                           \
	(((v)->len < (v)->cap ||                                                                   \
	  vec_grow((void **)&(v)->at, &(v)->cap, (v)->len + 1, VEC_SIZE(v))) &&                    \
	 ((v)->at[(v)->len++] = (__VA_ARGS__), true))

/* Make room for n elements in total; false if memory ran out. */
#define vec_reserve(v, n)                                                                          \
	((size_t)(n) <= (v)->cap || vec_grow((void **)&(v)->at, &(v)->cap, (n), VEC_SIZE(v)))

#define vec_free(v) (free((v)->at), (v)->at = NULL, (v)->len = (v)->cap = 0)

#endif
