"""added.py PERCENT HPCRUN DIR COMMAND...: does HPCRUN add less than PERCENT to the CPU time of
COMMAND? It is run alone and measured by turns, and most pairs of runs have to say so.

A run takes a few percent more or less of it, as the machine has other things to do. (Both
at once agree better, but then they take the CPUs from each other in the middle of locks,
which costs the one with more to do more.) So there are as many pairs as it takes until those on
one side of the limit are AHEAD of those on the other, but not more than MOST: what two pairs
of three say is taken for its opposite less than once in 100 times.

CPU time is that of all processes, user and system, their ends and the launcher's work
included. Leaves the last measured run's output in DIR.out, its data in DIR; prints each pair,
the median, and the difference of the least `most N kB` that the runs print."""

import os
import re
import shutil
import statistics
import sys

AHEAD, MOST = 7, 61


def run(command, out):
    """CPU seconds, and the kB that the program says it had at most."""
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
