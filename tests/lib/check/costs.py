"""costs.py PAIRS BUDGET RATE HPCRUN COMMAND...: does what hpcrun says that measuring took agree with
what the command takes more of the CPU?

It is run alone and measured by turns. A pair gives what measuring added, user and system, of all
its processes, and what the datafiles say, in the account and outside of it; the medians of the two may differ by a third, and by a
hundredth of what the command takes.

Where other work or a host slows some of the runs, the median itself is uncertain: by its standard
error, taken from the pairs' median absolute deviation. Pairs are added, up to ten times PAIRS,
until three of these errors are within half of the bound, and they are added to it.

Exits with 1 where they do not agree, and where the median of what was said is beyond the
budget by more than a tenth. A budget of 100 percent limits nothing."""

import os
import shutil
import statistics
import sys

import csp

THIRD, TENTH, HUNDREDTH = 1 / 3, 0.1, 0.01
MOST = 10           # times PAIRS
CERTAIN = 3         # standard errors
CERTAIN_WITHIN = 0.5  # of the bound
# Of a normal distribution: its standard deviation by its median absolute deviation, and the
# standard error of a median by that of a mean.
DEVIATION, OF_MEDIAN = 1.4826, 1.2533


def run(command):
    pid = os.fork()
    if pid == 0:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os.execv(command[0], command)
    _, status, usage = os.wait4(pid, 0)
    if status != 0:
        sys.exit("%s: wait status %d" % (" ".join(command), status))
    return usage.ru_utime + usage.ru_stime


def said(folder):
    """Seconds that measuring took, inside and outside of the account, and that all took, of all
    datafiles."""
    cost = outside = clock = 0
    for data in csp.load([folder]):
        cost += sum(int(about.get("cost_ns", 0)) for about in data.about)
        outside += int(data.process.get("outside_ns", 0))
        clock += sum(row[4] for row in data.account)
    return cost / 1e9, outside / 1e9, clock / 1e9


def uncertainty(values):
    """CERTAIN standard errors of their median."""
    middle = statistics.median(values)
    deviation = DEVIATION * statistics.median(abs(value - middle) for value in values)
    return CERTAIN * OF_MEDIAN * deviation / len(values) ** 0.5


def main(pairs, budget, rate, hpcrun, *command):
    folder = "costs"
    measured = [hpcrun, "-q", "--budget", budget, "-e", "CPUTIME@f" + rate, "-o", folder] + list(command)
    alone, more, costs, shares = [], [], [], []
    while True:
        shutil.rmtree(folder, ignore_errors=True)
        took = {way: run(list(command) if way == "alone" else measured)
                for way in (("alone", "measured") if len(alone) % 2 else ("measured", "alone"))}
        cost, outside, clock = said(folder)
        alone.append(took["alone"])
        more.append(took["measured"] - took["alone"])
        costs.append(cost + outside)
        shares.append(100 * cost / clock)
        if len(alone) < int(pairs):
            continue
        base, difference, cost = map(statistics.median, (alone, more, costs))
        bound = THIRD * difference + HUNDREDTH * base
        unsure = uncertainty(more)
        if unsure <= CERTAIN_WITHIN * bound or len(alone) >= MOST * int(pairs):
            break
    share = statistics.median(shares)
    print("alone %.3f s; measured %.1f ms more, +-%.1f, of %d pairs; said %.1f ms, %.1f%% of the budget of %s%%"
          % (base, 1e3 * difference, 1e3 * unsure, len(alone), 1e3 * cost, share, budget))
    if abs(cost - difference) > bound + unsure:
        return 1
    return 1 if share > float(budget) * (1 + TENTH) else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
