/* Where CPython has what, by version: offsets in bytes. Those of 3.8 to 3.12 are from the headers
 * of each version, which tests/python/layout.c compares with this table; of 3.13 and later the
 * interpreter says most itself, in the _Py_DebugOffsets with which its _PyRuntime begins
 * (Include/internal/pycore_runtime.h). */
#ifndef RUNTIME_INTERPRETERS_CPYTHON_LAYOUT_H
#define RUNTIME_INTERPRETERS_CPYTHON_LAYOUT_H

#include "runtime/interpreters/cpython_lines.h"

#include <stdbool.h>
#include <stdint.h>

enum { CPYTHON_NONE = 0xffff }; /* there is no such field */

/* How frames are linked. */
enum cpython_frames {
	CPYTHON_OBJECTS,        /* frame objects, each run by a native frame */
	CPYTHON_CFRAME_OBJECTS, /* the same, and a _PyCFrame in each of these */
	CPYTHON_CFRAMES,        /* a native frame runs several, and has a _PyCFrame */
	CPYTHON_ENTRY_FRAMES    /* the same, and has a frame of its own at their end */
};

struct cpython_layout {
	uint32_t version; /* 0x030b for 3.11 */
	enum cpython_frames frames;
	enum cpython_table lines;
	uint16_t tss;                       /* _PyRuntime: gilstate.autoTSSkey */
	uint16_t holder;                    /* the same, to 3.11: gilstate.tstate_current */
	uint16_t thread_id, interpreter;    /* PyThreadState */
	uint16_t current;                   /* the same: frame, cframe or current_frame */
	uint16_t cframe;                    /* the same, if current is something else */
	uint16_t root_cframe;               /* the same, in 3.10: the outermost one */
	uint16_t cframe_frame, cframe_next; /* _PyCFrame */
	uint16_t code, previous, instr;     /* frame */
	uint16_t owner, entry;              /* the same; entry: is_entry */
	uint16_t name, qualname, file, first_line, table, instructions; /* PyCodeObject */
	uint16_t gil; /* _PyRuntime: the lock (to 3.11); else PyInterpreterState: its pointer */
	uint16_t gil_bytes;     /* of the lock */
	uint16_t ascii_bytes;   /* PyASCIIObject */
	uint16_t compact_bytes; /* PyCompactUnicodeObject */
};

/* That of a version, or NULL. */
const struct cpython_layout *csprof_cpython_layout(uint32_t version);

/* Take what _PyRuntime says at its beginning. Returns false, and *why, if it says that it is of
 * another version, or built in a way that is not known. */
bool csprof_cpython_layout_read(struct cpython_layout *l, const uint8_t *runtime, const char **why);

#endif
