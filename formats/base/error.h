/* The error value of the offline half.
 *
 * A function that can fail returns 0 or -1 and, on -1, has filled the struct
 * error that its caller passed. Nothing here exits or longjmps; only main files
 * decide what a failure means. Not async-signal-safe: the runtime has its own
 * small integer codes. */
#ifndef FORMATS_BASE_ERROR_H
#define FORMATS_BASE_ERROR_H

#include <stdint.h>

enum error_kind {
	ERROR_NONE,
	ERROR_SYSTEM, /* a system call failed; sys_errno says how */
	ERROR_FORMAT, /* the bytes are not what the format allows; offset is where */
	ERROR_MEMORY, /* an allocation failed */
	ERROR_USAGE,  /* the caller or the user asked for something impossible */
	ERROR_LIMIT,  /* a limit that we set was reached */
};

struct error {
	enum error_kind kind;
	int sys_errno;   /* for ERROR_SYSTEM, else 0 */
	uint64_t offset; /* for ERROR_FORMAT: byte offset in the file */
	char text[512];  /* one line, without a newline; always NUL-terminated */
};

/* Fill *e (which may be NULL) from a printf format; returns -1, so that a
 * failing function can `return error_set(...)`. Long texts are cut. */
int error_set(struct error *e, enum error_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same for a failed system call: ": strerror(errno)" is appended. */
int error_system(struct error *e, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The same for a file that cannot be written, with what can be done about it. */
int error_writing(struct error *e);

/* The same for bad bytes: "offset N: expected EXPECTED, found FOUND". */
int error_format(struct error *e, uint64_t offset, const char *expected, const char *found, ...)
    __attribute__((format(printf, 4, 5)));

/* The same for a failed allocation of size bytes. Here, so that who checks the code sees
 * that it is never 0. */
static inline int error_memory(struct error *e, uint64_t size)
{
	error_set(e, ERROR_MEMORY, "out of memory (%llu bytes wanted)", (unsigned long long)size);
	return -1;
}

#endif
