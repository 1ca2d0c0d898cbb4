#include "runtime/interpreters/cpython_layout.h"

#include <stddef.h>
#include <string.h>

/* clang-format off */
static const struct cpython_layout layouts[] = {
	{.version = 0x0308, .frames = CPYTHON_OBJECTS, .lines = CPYTHON_LNOTAB, .tss = 1392, .holder = 1368,
	 .thread_id = 176, .interpreter = 16, .current = 24, .cframe = CPYTHON_NONE,
	 .code = 32, .previous = 24, .instr = 104, .owner = CPYTHON_NONE, .entry = CPYTHON_NONE,
	 .name = 112, .qualname = 112, .file = 104, .first_line = 40, .table = 120, .instructions = 48,
	 .gil = 1152, .gil_bytes = 208, .ascii_bytes = 48, .compact_bytes = 72},
	{.version = 0x0309, .frames = CPYTHON_OBJECTS, .lines = CPYTHON_LNOTAB, .tss = 584, .holder = 568,
	 .thread_id = 176, .interpreter = 16, .current = 24, .cframe = CPYTHON_NONE,
	 .code = 32, .previous = 24, .instr = 104, .owner = CPYTHON_NONE, .entry = CPYTHON_NONE,
	 .name = 112, .qualname = 112, .file = 104, .first_line = 40, .table = 120, .instructions = 48,
	 .gil = 352, .gil_bytes = 208, .ascii_bytes = 48, .compact_bytes = 72},
	{.version = 0x030a, .frames = CPYTHON_CFRAME_OBJECTS, .lines = CPYTHON_LINETABLE, .tss = 584, .holder = 568,
	 .thread_id = 176, .interpreter = 16, .current = 24, .cframe = 48, .cframe_frame = CPYTHON_NONE,
	 .cframe_next = 8, .root_cframe = 264,
	 .code = 32, .previous = 24, .instr = 96, .owner = CPYTHON_NONE, .entry = CPYTHON_NONE,
	 .name = 112, .qualname = 112, .file = 104, .first_line = 40, .table = 120, .instructions = 48,
	 .gil = 352, .gil_bytes = 208, .ascii_bytes = 48, .compact_bytes = 72},
	{.version = 0x030b, .frames = CPYTHON_CFRAMES, .lines = CPYTHON_LOCATIONS, .tss = 592, .holder = 576,
	 .thread_id = 152, .interpreter = 16, .current = 56, .cframe = 56, .cframe_frame = 8,
	 .cframe_next = 16,
	 .code = 32, .previous = 48, .instr = 56, .owner = 69, .entry = 68,
	 .name = 120, .qualname = 128, .file = 112, .first_line = 72, .table = 136, .instructions = 184,
	 .gil = 360, .gil_bytes = 208, .ascii_bytes = 48, .compact_bytes = 72},
	{.version = 0x030c, .frames = CPYTHON_CFRAMES, .lines = CPYTHON_LOCATIONS, .tss = 1544, .holder = CPYTHON_NONE,
	 .thread_id = 136, .interpreter = 16, .current = 56, .cframe = 56, .cframe_frame = 0,
	 .cframe_next = 8,
	 .code = 0, .previous = 8, .instr = 56, .owner = 70, .entry = CPYTHON_NONE,
	 .name = 120, .qualname = 128, .file = 112, .first_line = 68, .table = 136, .instructions = 192,
	 .gil = 384, .gil_bytes = 208, .ascii_bytes = 40, .compact_bytes = 56},
	/* the rest is read from the interpreter */
	{.version = 0x030d, .frames = CPYTHON_ENTRY_FRAMES, .lines = CPYTHON_LOCATIONS, .tss = 2160, .holder = CPYTHON_NONE,
	 .thread_id = 152, .interpreter = 16, .current = 72, .cframe = CPYTHON_NONE,
	 .code = 0, .previous = 8, .instr = 56, .owner = 70, .entry = CPYTHON_NONE,
	 .name = 120, .qualname = 128, .file = 112, .first_line = 68, .table = 136, .instructions = 200,
	 .gil = 16, .gil_bytes = 208, .ascii_bytes = 40, .compact_bytes = 56},
};
/* clang-format on */

const struct cpython_layout *csprof_cpython_layout(uint32_t version)
{
	for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++)
		if (layouts[i].version == version)
			return &layouts[i];
	return NULL;
}

/* Of _Py_DebugOffsets, the offset of a field, and where the value goes. */
struct said {
	uint16_t at, field;
};
#define SAID(from, to)                                                                             \
	{                                                                                          \
		from, offsetof(struct cpython_layout, to)                                          \
	}
static const struct said said_by_3_13[] = {
    SAID(112, gil),        SAID(176, interpreter),  SAID(184, current),     SAID(192, thread_id),
    SAID(232, previous),   SAID(240, code),         SAID(248, instr),       SAID(264, owner),
    SAID(280, file),       SAID(288, name),         SAID(296, qualname),    SAID(304, table),
    SAID(312, first_line), SAID(344, instructions), SAID(560, ascii_bytes),
};
enum { COOKIE_BYTES = 8, SAID_VERSION = 8, SAID_FREE_THREADED = 16, VERSION_SHIFT = 16 };

bool csprof_cpython_layout_read(struct cpython_layout *l, const uint8_t *runtime, const char **why)
{
	uint64_t version, free_threaded, value;
	if (l->frames != CPYTHON_ENTRY_FRAMES)
		return true;
	memcpy(&version, runtime + SAID_VERSION, sizeof version);
	memcpy(&free_threaded, runtime + SAID_FREE_THREADED, sizeof free_threaded);
	*why = "this CPython does not say where it has what, as it should";
	if (memcmp(runtime, "xdebugpy", COOKIE_BYTES) != 0 ||
	    version >> VERSION_SHIFT != l->version)
		return false;
	*why = "this CPython runs threads without a lock, of which the frames are not known";
	if (free_threaded)
		return false;
	*why = NULL;
	for (size_t i = 0; i < sizeof said_by_3_13 / sizeof *said_by_3_13; i++) {
		memcpy(&value, runtime + said_by_3_13[i].at, sizeof value);
		if (value < CPYTHON_NONE) {
			uint16_t to = (uint16_t)value;
			memcpy((uint8_t *)l + said_by_3_13[i].field, &to, sizeof to);
		}
	}
	return true;
}
