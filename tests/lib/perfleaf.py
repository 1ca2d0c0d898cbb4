"""What perf saw: exclusive shares of user functions in a `perf script` text.

A sample belongs to the innermost user frame of its chain, so that kernel time counts
to the function that asked for it, as the toolkit has it."""

import re
from collections import Counter

FRAME = re.compile(r"^\s+([0-9a-f]+) (.*) \((.*)\)$")
KERNEL = ("[kernel", "[guest.kernel", "[unknown]")


def leaves(text):
    """Counter of (module's path, symbol as perf names it, offset dropped)."""
    counts, waiting = Counter(), False
    for line in text.splitlines():
        found = FRAME.match(line)
        if not found:
            waiting = bool(line.strip())
            continue
        if waiting and not found.group(3).startswith(KERNEL):
            counts[found.group(3), re.sub(r"\+0x[0-9a-f]+$", "", found.group(2))] += 1
            waiting = False
    return counts
