"""added.py PERCENT HPCRUN DIR COMMAND...: check that HPCRUN adds less than PERCENT to the CPU time of
COMMAND. It is run alone and measured in turn, and most pairs of runs must be below the limit.

The CPU time of a run varies by a few percent with the load of the machine. (Running both at once
varies less, but then they preempt each other while locks are held, which costs more for the one
with more work.) So pairs are run until those on one side of the limit are AHEAD of those on the
other, but not more than MOST: if two of three pairs are on one side, the result is the opposite
less than once in 100 times.

CPU time is that of all processes, user and system, including their exit and the launcher. The
output of the last measured run is in DIR.out, its data in DIR. Prints each pair, the median, and
the difference of the smallest `most N kB` that the runs print."""

import os
import re
import shutil
import statistics
import sys

AHEAD, MOST = 7, 61


def run(command, out):
    """CPU seconds, and the maximum kB that the program prints."""
    pid = os.fork()
    if pid == 0:
        os.dup2(os.open(out, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), 1)
        os.execv(command[0], command)
    _, status, usage = os.wait4(pid, 0)
    if status != 0:
        sys.exit("%s: wait status %d" % (" ".join(command), status))
    with open(out) as f:
        most = re.search(r"^most (\d+) kB", f.read(), re.M)
    return usage.ru_utime + usage.ru_stime, int(most[1])


def one_pair(hpcrun, directory, command, measured_first):
    shutil.rmtree(directory, ignore_errors=True)
    variants = [(command, "alone.out"),
                ([hpcrun, "-q", "-o", directory] + command, directory + ".out")]
    order = (1, 0) if measured_first else (0, 1)
    got = {i: run(*variants[i]) for i in order}
    return got[0] + got[1]


def main(limit, hpcrun, directory, *command):
    added, alone_kb, measured_kb, lead = [], [], [], 0
    while abs(lead) < AHEAD and len(added) < MOST:
        alone, kb, measured, more_kb = one_pair(hpcrun, directory, list(command),
                                                len(added) % 2 == 1)
        added.append(100 * (measured / alone - 1))
        alone_kb.append(kb)
        measured_kb.append(more_kb)
        lead += 1 if added[-1] < limit else -1
        print("alone %.3f s, measured %.3f s: %+.2f%%" % (alone, measured, added[-1]))
    print("median %+.2f%% of %d pairs, limit %g%%" % (statistics.median(added), len(added), limit))
    print("memory %+d kB" % (min(measured_kb) - min(alone_kb)))
    return 0 if lead > 0 else 1


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]), *sys.argv[2:]))
