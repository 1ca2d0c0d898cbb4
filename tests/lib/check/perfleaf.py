"""Reads the leaves (user functions) of the samples in the output of `perf script`.

A sample belongs to the innermost user frame of its chain, so that kernel time counts
for the function that called the kernel, as in the toolkit."""

import re
from collections import Counter

FRAME = re.compile(r"^\s+([0-9a-f]+) .*\((.*)\)$")
KERNEL = ("[kernel", "[guest.kernel", "[unknown]")


def leaves(text):
    """Counter of (module's path, address in its file)."""
    counts, waiting = Counter(), False
    for line in text.splitlines():
        found = FRAME.match(line)
        if not found:
            waiting = bool(line.strip())
        elif waiting and not found.group(2).startswith(KERNEL):
            counts[found.group(2), int(found.group(1), 16)] += 1
            waiting = False
    return counts
