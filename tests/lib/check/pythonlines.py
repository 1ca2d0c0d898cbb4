"""pythonlines.py SOURCE TRUTH DATABASE: compare the shares of lines, with what they called, with the truth.

The source says at the ends of lines which take time: `#= N`: N units, `#+`: some, `#?`: maybe some; all
others take none. TRUTH has lines `line nanoseconds`: what the program has seen by its clock for those of N
units, which must be N units or somewhat more. Each share must be within a percentage point and three
standard errors."""
import math
import re
import sqlite3
import sys


def said_by(source):
    with open(source, encoding="utf-8") as f:
        found = (re.search(r"#([=+?]) ?([0-9.]*)$", line) for line in f)
        return {n: (m.group(1), float(m.group(2) or 0)) for n, m in enumerate(found, 1) if m}


def main(source, truth, path):
    said, database = said_by(source), sqlite3.connect(path)
    with open(truth) as f:
        clock = {int(line): int(ns) for line, ns in map(str.split, f)}
    rows = dict(database.execute("SELECT line, sum(total) FROM lines WHERE metric = 'CPUTIME' AND file = ? GROUP BY line",
                                 (source,)))
    samples = database.execute("SELECT samples FROM metric WHERE name = 'CPUTIME'").fetchone()[0]
    all_units, all_ns = max(n for _, n in said.values()), max(clock.values())
    all_of_it, good = max(rows.values(), default=1), True
    for line in sorted(set(rows) | set(said), key=lambda n: n or 0):
        kind, n = said.get(line, ("-", 0))
        share, got = clock.get(line, 0) / all_ns, rows.get(line, 0) / all_of_it
        allowed = 0.01 + 3 * math.sqrt(max(share * (1 - share), 0.001) / samples)
        fits = {"=": abs(got - share) <= allowed, "+": got > 0.003, "?": True, "-": got <= 0.01}[kind]
        if kind == "=" and not n / all_units <= share * 1.3 + 0.002:
            print("the interpreter itself has another line")
            fits = False
        good = good and fits
        if not fits or kind in "=+":
            print("line %-4s true %6.2f%% %s measured %6.2f%%, within %.2f%s"
                  % (line, 100 * share, kind, 100 * got, 100 * allowed, "" if fits else "  NO"))
    return 0 if good and rows else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
