"""bounded.py [--hogs] [--rounds N] [--factor F] RATE[,RATE]... HPCRUN COMMAND [ARGUMENT]...: check the time
that measuring adds to a command at these rates.

Runs it alone and at each rate, in turn. The median of its times at a rate may be at most
F (1.5) times the median alone plus 100 ms, and no run may take five times the shortest run alone
plus 1 s. If the medians of three rounds exceed this, up to N (50) rounds are run. With --hogs a
process that only computes also runs on each CPU.

Exits with 1 if this is not so; 2 if the command fails."""

import argparse
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time

FACTOR, MORE, EACH_FACTOR, EACH_MORE, HANGS = 1.5, 0.1, 5, 1, 60


def seconds(command, limit):
    """Its time, at least the limit if it was killed at the limit."""
    began = time.monotonic()
    process = subprocess.Popen(command, start_new_session=True, stdout=subprocess.DEVNULL)
    end = threading.Timer(limit, os.killpg, [process.pid, signal.SIGKILL])
    end.start()
    status = process.wait()
    took = time.monotonic() - began
    end.cancel()
    if status and took < limit:
        print("status %d: %s" % (status, " ".join(command)))
        sys.exit(2)
    return took


def measured(options, rate, limit):
    folder = tempfile.mkdtemp()
    try:
        return seconds([options.hpcrun, "-q", "-e", "CPUTIME@f%s" % rate, "-o",
                        os.path.join(folder, "data")] + options.command, limit)
    finally:
        shutil.rmtree(folder)


def hogs():
    loop = [sys.executable, "-c", "while True: pass"]
    return [subprocess.Popen(["taskset", "-c", str(cpu)] + loop) for cpu in os.sched_getaffinity(0)]


def holds(alone, times, options):
    return statistics.median(times) <= options.factor * statistics.median(alone) + MORE


def said(times):
    return "%.3f s (%.3f to %.3f)" % (statistics.median(times), min(times), max(times))


def run(options):
    alone, at = [], {rate: [] for rate in options.rates.split(",")}
    good = False
    while len(alone) < options.rounds and not (good and len(alone) >= 3):
        alone.append(seconds(options.command, HANGS))
        limit = EACH_FACTOR * min(alone) + EACH_MORE
        for rate in at:
            took = measured(options, rate, limit)
            at[rate].append(took)
            if took >= limit:
                print("%s a second: %.1f s; alone %.3f s" % (rate, took, alone[-1]))
                return False
        good = all(holds(alone, times, options) for times in at.values())
    print("alone %s" % said(alone))
    for rate, times in at.items():
        print("%s a second: %s" % (rate, said(times)))
    return good


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--hogs", action="store_true")
    parser.add_argument("--rounds", type=int, default=50)
    parser.add_argument("--factor", type=float, default=FACTOR)
    parser.add_argument("rates")
    parser.add_argument("hpcrun")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    beside = hogs() if options.hogs else []
    try:
        return 0 if run(options) else 1
    finally:
        for hog in beside:
            hog.kill()
            hog.wait()


if __name__ == "__main__":
    sys.exit(main())
