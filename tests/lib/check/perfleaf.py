"""Reads the leaves of the samples in the output of `perf script`: the innermost frame, but all of the
kernel is one."""

import re
from collections import Counter

FRAME = re.compile(r"^\s+([0-9a-f]+) .*\((.*)\)$")
KERNEL = ("[kernel", "[guest.kernel")
UNKNOWN = "[unknown]"


def leaves(text):
    """Counter of (module's path, address in its file); of ("[kernel]", 0)."""
    counts, waiting = Counter(), False
    for line in text.splitlines():
        found = FRAME.match(line)
        if not found:
            waiting = bool(line.strip())
        elif waiting and found.group(2).startswith(KERNEL):
            counts["[kernel]", 0] += 1
            waiting = False
        elif waiting and found.group(2) != UNKNOWN:
            counts[found.group(2), int(found.group(1), 16)] += 1
            waiting = False
    return counts
