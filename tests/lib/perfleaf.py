"""What perf saw: the user functions that a `perf script` text has as leaves.

A sample belongs to the innermost user frame of its chain, so that kernel time counts
to the function that asked for it, as the toolkit has it."""

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
