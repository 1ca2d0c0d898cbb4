"""following.py --image MICROSECONDS [--not-all] NAME EXPECTED DIR REPORT: print a line of the
table of following.t.

For a run of follow.c under `hpcrun -o DIR reaper REPORT`: the number of datafiles expected
and found, and for each process the sum of all weights over its images, and the CPU time that
the process that waited for it got. They must agree within 1% or what account.py allows per
image, unless --not-all says that some images are not measured. Exits with 1 if this is not so,
and with 2 if an equation of account.py is false, whatever the times are."""

import sys
from collections import Counter

import account
import csp


def outside(report):
    """Per pid its own microseconds: without those of the processes that it waited for."""
    used = Counter()
    for line in open(report):
        waiter, pid, us = (int(word) for word in line.split())
        used[pid] += us
        used[waiter] -= us
    return used


def main(arguments):
    allowed = account.allowed_per_image(int(arguments[1]))
    whole = arguments[2] != "--not-all"
    name, expected, place, report = arguments[2 + (not whole):]
    inside, images, threads = Counter(), Counter(), Counter()
    for data in csp.load([place]):
        pid = int(data.process["pid"])
        if data.target.endswith("/reaper"):
            continue
        images[pid] += 1
        threads[pid] += len(data.threads)
        for _, metric, _, _, weight in data.account:
            inside[pid] += weight if metric in data.weights() else 0
    found = sum(images.values())
    good = found == int(expected)
    print("%-18s %2s expected %2d found%s" % (name, expected, found, "" if good else "  WRONG"))
    used = outside(report)
    # processes whose pids the parent does not know are combined as pid 0
    for pid in [pid for pid in images if pid not in used]:
        for count in inside, images, threads:
            count[0] += count.pop(pid)
    for pid in sorted(images):
        seen, weight = used[pid] * 1000, inside[pid]
        line = "    %d image%s %2d threads %9.3f ms measured" % (
            images[pid], "s" if images[pid] > 1 else " ", threads[pid], weight / 1e6)
        near = not whole or abs(seen - weight) <= max(seen // 100, allowed * images[pid])
        good &= near
        if whole:
            line += " %9.3f ms seen outside" % (seen / 1e6)
        print(line + ("" if near else "  WRONG"))
    if account.main([place]):
        return 2
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
