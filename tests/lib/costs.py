"""costs.py PAIRS BUDGET RATE HPCRUN COMMAND...: does what hpcrun says that measuring took agree with
what the command takes more of the CPU?

It is run alone and measured by turns. The median of the differences of the pairs, user and
system, of all its processes, and the median of what the datafiles say may differ by a third,
and by a hundredth of what the command takes: two runs of it alone differ by that.

Exits with 1 where they do not agree, and where the median of what was said is beyond the
budget by more than a tenth."""

import os
import shutil
import statistics
import sys

import csp

THIRD, TENTH, HUNDREDTH = 1 / 3, 0.1, 0.01


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
    """Seconds that measuring took, and that all took, of all datafiles."""
    cost = clock = 0
    for data in csp.load([folder]):
        cost += sum(int(about.get("cost_ns", 0)) for about in data.about)
        clock += sum(row[4] for row in data.account)
    return cost / 1e9, clock / 1e9


def main(pairs, budget, rate, hpcrun, *command):
    folder = "costs"
    measured = [hpcrun, "-q", "--budget", budget, "-e", "CPUTIME@f" + rate, "-o", folder] + list(command)
    alone, more, costs, shares = [], [], [], []
    for i in range(int(pairs)):
        shutil.rmtree(folder, ignore_errors=True)
        took = {way: run(list(command) if way == "alone" else measured)
                for way in (("alone", "measured") if i % 2 else ("measured", "alone"))}
        cost, clock = said(folder)
        alone.append(took["alone"])
        more.append(took["measured"] - took["alone"])
        costs.append(cost)
        shares.append(100 * cost / clock)
    base, difference, cost = map(statistics.median, (alone, more, costs))
    share = statistics.median(shares)
    print("alone %.3f s; measured %.1f ms more; said %.1f ms, %.1f%% of the budget of %s%%"
          % (base, 1e3 * difference, 1e3 * cost, share, budget))
    if abs(cost - difference) > THIRD * difference + HUNDREDTH * base:
        return 1
    return 1 if share > float(budget) * (1 + TENTH) else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
