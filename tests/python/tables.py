"""tables.py LIBRARY [MODULES]: the lines that runtime/interpreters/cpython_lines.c, as a library, finds in the
tables of all functions of MODULES (200) of the standard library are those that the interpreter finds."""
import ctypes
import dis
import os
import sys
import types


class Lines(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_int), ("table", ctypes.c_char_p), ("table_bytes", ctypes.c_size_t),
                ("first", ctypes.c_uint32), ("units", ctypes.c_uint32)]


library = ctypes.CDLL(sys.argv[1])
library.csprof_cpython_lines.restype = ctypes.c_size_t
version = sys.version_info[:2]
kind = 0 if version < (3, 10) else 1 if version < (3, 11) else 2


def theirs(code):
    if version < (3, 10):
        starts = list(dis.findlinestarts(code)) + [(len(code.co_code), None)]
        lines = [code.co_firstlineno] * (starts[0][0] // 2)
        for (start, line), (end, _) in zip(starts, starts[1:]):
            lines += [line] * ((end - start) // 2)
        return lines
    lines = []
    for start, end, line in code.co_lines():
        if line is None:  # that of the one before
            line = lines[-1] if lines else code.co_firstlineno
        lines += [line] * ((end - start) // 2)
    return lines


def leb128(data, signed):
    value = shift = 0
    while True:
        byte = next(data)
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value - (1 << shift) if signed and byte & 64 else value


def ours(code):
    table = code.co_lnotab if kind == 0 else code.co_linetable
    at = Lines(kind, table, len(table), code.co_firstlineno, len(code.co_code) // 2)
    n = library.csprof_cpython_lines(ctypes.byref(at), out, ctypes.c_size_t(len(out)))
    data = iter(out.raw[:n])
    lines, line = [], code.co_firstlineno
    while True:
        try:
            head = leb128(data, False)
        except StopIteration:
            return lines
        line += leb128(data, True)
        lines += [line] * (head >> 1)


def functions(code):
    yield code
    for each in code.co_consts:
        if isinstance(each, types.CodeType):
            yield from functions(each)


out = ctypes.create_string_buffer(1 << 16)
folder, count, bad = os.path.dirname(os.__file__), 0, 0
for name in sorted(os.listdir(folder))[:int(sys.argv[2]) if len(sys.argv) > 2 else 200]:
    if name.endswith(".py"):
        with open(os.path.join(folder, name), "rb") as f:
            module = compile(f.read(), name, "exec")
        for code in functions(module):
            count += 1
            if ours(code) != theirs(code):
                bad += 1
                print("%s:%d: %s differs" % (name, code.co_firstlineno, code.co_name))
print("%d functions" % count)
sys.exit(bad > 0 or count < 100)
