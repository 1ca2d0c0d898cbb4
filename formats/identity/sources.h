/* Source files of an interpreted program as load modules. A node whose ip is in one is a frame of
 * the interpreter, as Python has them: its ip is CSP_SOURCE_BASE + source << CSP_SOURCE_SHIFT + an
 * address that was given to an instruction of the interpreted function when this was seen first.
 * The chunk CODE says which functions have which addresses, and on which lines. The module has the
 * absolute path of the source file as its name, or another one that the interpreter gives it.
 *
 * No CPU can have memory at such an address. This header contains no code. */
#ifndef FORMATS_IDENTITY_SOURCES_H
#define FORMATS_IDENTITY_SOURCES_H

#define CSP_SOURCE_BASE 0x3fc0000000000000ull

enum {
	CSP_SOURCE_SHIFT = 32,
	CSP_SOURCES = 1 << 16,          /* numbers are smaller, from 0 */
	CSP_SOURCE_NAME_BYTES = 4095,   /* at most */
	CSP_CODE_NAME_BYTES = 1023,     /* at most, of a function */
	CSP_CODE_LINES_BYTES = 8 * 1024 /* at most, of its lines */
};
#define CSP_SOURCES_EXTENT ((unsigned long long)CSP_SOURCES << CSP_SOURCE_SHIFT)

/* The source of what the interpreter itself does in place of a function, and its functions. */
#define CSP_SOURCE_INTERPRETER "[interpreter]"
#define CSP_WAITS_FOR_GIL "[waiting for the GIL]"

#endif
