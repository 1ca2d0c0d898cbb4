"""added.py PERCENT HPCRUN DIR COMMAND...: does HPCRUN add less than PERCENT to the CPU time of
COMMAND? It runs alone and measured, both at once, and most of such pairs have to say so.

At once, as the same CPU time is a few percent more or less from one run to the next where the
machine has other things to do; two runs side by side were seen to agree within 1%. There
are as many pairs as it takes until those on one side of the limit are AHEAD of those on the
other, but not more than MOST: what three pairs of four say is taken for its opposite less
than once in 200 times.

CPU time is that of all processes, user and system, their ends and the launcher's work
included. Leaves the last measured run's output in DIR.out, its data in DIR; prints each pair,
the median, and the difference of the least `most N kB` that the runs print."""

import os
import re
import shutil
import statistics
import sys

AHEAD, MOST = 5, 41


def start(command, out):
    pid = os.fork()
    if pid == 0:
        os.dup2(os.open(out, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), 1)
        os.execv(command[0], command)
    return pid


def most(out):
    with open(out) as f:
        return int(re.search(r"^most (\d+) kB", f.read(), re.M)[1])


def one_pair(hpcrun, directory, command, measured_first):
    """CPU seconds alone and measured, and the kB that the program says it had at most."""
    shutil.rmtree(directory, ignore_errors=True)
    runs = {"alone.out": command,
            directory + ".out": [hpcrun, "-q", "-o", directory] + command}
    pids = {start(runs[out], out): out for out in sorted(runs, reverse=measured_first)}
    seconds = {}
    for _ in runs:
        pid, status, usage = os.wait4(-1, 0)
        if status != 0:
            sys.exit("%s: wait status %d" % (" ".join(runs[pids[pid]]), status))
        seconds[pids[pid]] = usage.ru_utime + usage.ru_stime
    return [(seconds[out], most(out)) for out in runs]


def main(limit, hpcrun, directory, *command):
    added, alone_kb, measured_kb, lead = [], [], [], 0
    while abs(lead) < AHEAD and len(added) < MOST:
        (alone, kb), (measured, more_kb) = one_pair(hpcrun, directory, list(command),
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
