"""gmon.py FILE: the calls that a program compiled with -pg has counted, sorted lines "CALLS
FROM-ADDRESS TO-ADDRESS"; gprof itself leaves functions out by the time that it saw in them."""

import struct
import sys

HEADER = 20
ARC = "<QQI"         # from, to, count
HISTOGRAM = "<QQII"  # low, high, 2-byte bins, rate; then a name of 16 bytes in all


def arcs(data):
    at = HEADER
    while at < len(data):
        kind, at = data[at], at + 1
        if kind == 1:
            caller, callee, calls = struct.unpack_from(ARC, data, at)
            at += struct.calcsize(ARC)
            yield calls, caller, callee
        elif kind == 0:
            bins = struct.unpack_from(HISTOGRAM, data, at)[2]
            at += struct.calcsize(HISTOGRAM) + 16 + 2 * bins
        else:
            raise SystemExit("unknown record %d" % kind)


with open(sys.argv[1], "rb") as f:
    for arc in sorted(arcs(f.read())):
        print("%d %#x %#x" % arc)
