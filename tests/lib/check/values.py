"""values.py DUMP-JSON PROGRAM FUNCTION: what was recorded of a function's instructions, one line each:
offset, kind, count, zeros in percent, the most frequent value and how much of the count it has at least, in
percent. Addresses of the function as values are FUNCTION+offset."""
import json
import subprocess
import sys

dump = json.load(open(sys.argv[1]))
program, function = sys.argv[2], sys.argv[3]
chunk = next(c for c in dump["trailer"]["chunks"] if c["tag"] == 6)
symbols = {}
for line in subprocess.check_output(["nm", "-S", program], text=True).splitlines():
    fields = line.split()
    if len(fields) == 4:
        symbols[fields[3]] = int(fields[0], 16), int(fields[1], 16)
begin, size = symbols[function]


def place(epoch, address):
    """The offset in the function, or None."""
    modules = [(int(m["mapped_address"], 16), int(m["virtual_address"], 16), m["module_name"])
               for m in dump["epochs"][epoch]["modules"]]
    below = [m for m in modules if m[0] <= address]
    mapped, virtual, name = max(below) if below else (0, 0, "")
    offset = address - mapped + virtual - begin
    return offset if name == program and 0 <= offset < size else None


for row in chunk["values"]:
    offset = place(row["epoch"], int(row["ip"], 16))
    if offset is None:
        continue
    best = max(row["frequent"], key=lambda f: f["count"] - f["error"])
    value = best["value"] - (best["value"] >> 63 << 64)
    if row["kind_meaning"] in ("target", "replayed store", "aliased store") and value:
        at = place(row["epoch"], value)
        value = f"{function}+{at:#x}" if at is not None else "elsewhere"
    print(f"+{offset:#x} {row['kind_meaning'].replace(' ', '-')} {row['count']} "
          f"{100 * row['zeros'] // row['count']} {value} {100 * (best['count'] - best['error']) // row['count']}")
