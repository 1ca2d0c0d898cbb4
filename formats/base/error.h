/* The error value of the offline code.
 *
 * A function that can fail returns 0 or -1; on -1 it has filled the struct error that its caller
 * passed. Nothing here exits or longjmps; only main files decide what a failure means. Not
 * async-signal-safe: the runtime has small integer codes of its own. */
#ifndef FORMATS_BASE_ERROR_H
#define FORMATS_BASE_ERROR_H

#include <stdint.h>

enum error_kind {
	ERROR_NONE,
	ERROR_SYSTEM,  /* a system call failed; sys_errno says how */
	ERROR_FORMAT,  /* the format does not allow these bytes; offset is where */
	ERROR_MEMORY,  /* an allocation failed */
	ERROR_USAGE,   /* the caller or the user requested something impossible */
	ERROR_LIMIT,   /* a limit of ours was reached */
	ERROR_VERSION, /* a kind or version of file that this code does not read */
};

struct error {
	enum error_kind kind;
	int sys_errno;   /* for ERROR_SYSTEM, else 0 */
	uint64_t offset; /* for ERROR_FORMAT: byte offset in the file */
	char text[512];  /* one line, without a newline; always NUL-terminated */
};

/* Fill *e (which may be NULL) from a printf format. Returns -1, so that a failing function can
 * `return error_set(...)`. Long texts are truncated. */
int error_set(struct error *e, enum error_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same for a failed system call: ": strerror(errno)" is appended. */
int error_system(struct error *e, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The same for a file that cannot be written, with advice. */
int error_writing(struct error *e);

/* The same for bad bytes: "offset N: expected EXPECTED, found FOUND". */
int error_format(struct error *e, uint64_t offset, const char *expected, const char *found, ...)
    __attribute__((format(printf, 4, 5)));

/* The same for a failed allocation of size bytes; 0: the size is not known. Defined here so that
 * a code checker sees that it never returns 0. */
static inline int error_memory(struct error *e, uint64_t size)
{
	if (size)
		error_set(e, ERROR_MEMORY, "out of memory (%llu bytes wanted)",
			  (unsigned long long)size);
	else
		error_set(e, ERROR_MEMORY, "out of memory");
	return -1;
}

#endif
