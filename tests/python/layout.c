/* Compares the offsets of runtime/interpreters/cpython_layout.c with the headers of a CPython.
 * Compiled with the folder of its headers, and that folder's "internal". */
#define Py_BUILD_CORE 1
#include <Python.h>

#include <frameobject.h>
#include <internal/pycore_pystate.h>
#if PY_VERSION_HEX >= 0x03090000
#include <internal/pycore_gil.h>
#include <internal/pycore_interp.h>
#include <internal/pycore_runtime.h>
#endif
#if PY_VERSION_HEX >= 0x030b0000
#include <internal/pycore_frame.h>
#endif

#include "runtime/interpreters/cpython_layout.h"

#include <stddef.h>
#include <stdio.h>

static int bad;

static void compare(const char *field, unsigned have, size_t want)
{
	if (have != want) {
		printf("%s: the table has %u, the headers have %zu\n", field, have, want);
		bad = 1;
	}
}

#define SAME(field, type, member) compare(#field, l->field, offsetof(type, member))
#define NONE(field) compare(#field, l->field, CPYTHON_NONE)

static void compare_code(const struct cpython_layout *l)
{
	SAME(name, PyCodeObject, co_name);
	SAME(file, PyCodeObject, co_filename);
	SAME(first_line, PyCodeObject, co_firstlineno);
#if PY_VERSION_HEX >= 0x030b0000
	SAME(qualname, PyCodeObject, co_qualname);
	SAME(table, PyCodeObject, co_linetable);
	SAME(instructions, PyCodeObject, co_code_adaptive);
#else
	SAME(qualname, PyCodeObject, co_name);
	SAME(instructions, PyCodeObject, co_code);
#if PY_VERSION_HEX >= 0x030a0000
	SAME(table, PyCodeObject, co_linetable);
#else
	SAME(table, PyCodeObject, co_lnotab);
#endif
#endif
}

#if PY_VERSION_HEX < 0x030b0000
static void compare_frame(const struct cpython_layout *l)
{
	SAME(current, PyThreadState, frame);
	SAME(code, PyFrameObject, f_code);
	SAME(previous, PyFrameObject, f_back);
	SAME(instr, PyFrameObject, f_lasti);
	NONE(owner);
	NONE(entry);
#if PY_VERSION_HEX >= 0x030a0000
	SAME(cframe, PyThreadState, cframe);
	SAME(cframe_next, CFrame, previous);
	SAME(root_cframe, PyThreadState, root_cframe);
#endif
}
#else
static void compare_frame(const struct cpython_layout *l)
{
	SAME(previous, struct _PyInterpreterFrame, previous);
	SAME(owner, struct _PyInterpreterFrame, owner);
#if PY_VERSION_HEX >= 0x030d0000
	SAME(instr, struct _PyInterpreterFrame, instr_ptr);
	SAME(code, struct _PyInterpreterFrame, f_executable);
	SAME(current, PyThreadState, current_frame);
#else
	SAME(instr, struct _PyInterpreterFrame, prev_instr);
	SAME(code, struct _PyInterpreterFrame, f_code);
	SAME(current, PyThreadState, cframe);
	SAME(cframe_frame, _PyCFrame, current_frame);
	SAME(cframe_next, _PyCFrame, previous);
#endif
#if PY_VERSION_HEX < 0x030c0000
	SAME(entry, struct _PyInterpreterFrame, is_entry);
#else
	NONE(entry);
	compare("the frame of a native frame", 3, FRAME_OWNED_BY_CSTACK);
#endif
}
#endif

static void compare_runtime(const struct cpython_layout *l)
{
	SAME(thread_id, PyThreadState, thread_id);
	SAME(interpreter, PyThreadState, interp);
#if PY_VERSION_HEX >= 0x030c0000
	SAME(tss, _PyRuntimeState, autoTSSkey);
	SAME(gil, PyInterpreterState, ceval.gil);
	NONE(holder);
#else
	SAME(tss, _PyRuntimeState, gilstate.autoTSSkey);
	SAME(gil, _PyRuntimeState, ceval.gil);
	SAME(holder, _PyRuntimeState, gilstate.tstate_current);
#endif
	compare("gil_bytes", l->gil_bytes, sizeof(struct _gil_runtime_state));
	compare("ascii_bytes", l->ascii_bytes, sizeof(PyASCIIObject));
	compare("compact_bytes", l->compact_bytes, sizeof(PyCompactUnicodeObject));
}

/* What is the same in all versions, and not in the table. */
static void compare_objects(void)
{
	compare("type", 8, offsetof(PyObject, ob_type));
	compare("size", 16, offsetof(PyVarObject, ob_size));
	compare("length of a text", 16, offsetof(PyASCIIObject, length));
	compare("state of a text", 32, offsetof(PyASCIIObject, state));
	compare("bytes", 32, offsetof(PyBytesObject, ob_sval));
	compare("key is known", 0, offsetof(Py_tss_t, _is_initialized));
	compare("key", 4, offsetof(Py_tss_t, _key));
}

int main(void)
{
	const struct cpython_layout *l = csprof_cpython_layout(PY_VERSION_HEX >> 16);
	if (!l) {
		printf("version %x is not in the table\n", PY_VERSION_HEX >> 16);
		return 1;
	}
	compare_code(l);
	compare_frame(l);
	compare_runtime(l);
	compare_objects();
	printf("Python %s\n", PY_VERSION);
	return bad;
}
