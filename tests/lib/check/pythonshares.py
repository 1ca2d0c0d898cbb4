"""pythonshares.py [--points POINTS] TRUTH DATABASE [FILE]: compare the shares of functions, with what
they called, with the truth.

TRUTH has lines `function nanoseconds`, and `all` for the process. DATABASE is one of hpcprof. FILE: the
path that the functions' source file has there. Each share must be within POINTS percentage points (1) and
three standard errors."""
import math
import sqlite3
import sys


def main(arguments):
    points = 1.0
    if arguments[0] == "--points":
        points = float(arguments[1])
        arguments = arguments[2:]
    with open(arguments[0]) as f:
        truth = {name: int(ns) for name, ns in map(str.split, f)}
    database = sqlite3.connect(arguments[1])
    events, samples = database.execute("SELECT events, samples FROM metric WHERE name = 'CPUTIME'").fetchone()
    rows = database.execute("SELECT function, file, total FROM functions WHERE metric = 'CPUTIME'").fetchall()
    total, good = truth.pop("all"), bool(truth)
    for name, ns in sorted(truth.items()):
        found = [row for row in rows if row[0] == name and (len(arguments) < 3 or row[1] in (arguments[2], "<made>"))]
        share, got = ns / total, sum(row[2] for row in found) / events
        allowed = points / 100 + 3 * math.sqrt(share * (1 - share) / samples)
        fits = len(found) == 1 and abs(got - share) <= allowed
        good = good and fits
        print("%-32s true %6.2f%%  measured %6.2f%% in %d, within %.2f%s"
              % (name, 100 * share, 100 * got, len(found), 100 * allowed, "" if fits else "  NO"))
    print("%d samples" % samples)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
