"""bounded.py [--hogs] [--rounds N] [--factor F] RATE[,RATE]... HPCRUN COMMAND [ARGUMENT]...: what measuring
a command at these rates adds to the time that it takes.

Runs it alone and at each rate, in turns. The median of its times at a rate may be
F (1.5) times the median alone and 100 ms more, and no run five times that and 1 s. Where the
medians of three rounds are beyond, up to N (9) rounds are made. With --hogs a process that
does nothing but compute runs on each CPU beside it.

Exits with 1 where that does not hold; 2 where the command fails."""

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

FACTOR, MORE, EACH_FACTOR, EACH_MORE = 1.5, 0.1, 5, 1


def seconds(command, limit):
    """How long it took; at least the limit where it was killed then."""
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


def holds(alone, times, factor):
    return statistics.median(times) <= factor * statistics.median(alone) + MORE


def run(options):
    alone, at = [], {rate: [] for rate in options.rates.split(",")}
    good = False
    while len(alone) < options.rounds and not (good and len(alone) >= 3):
        alone.append(seconds(options.command, 60))
        limit = EACH_FACTOR * min(alone) + EACH_MORE
        for rate in at:
            at[rate].append(measured(options, rate, limit))
            if at[rate][-1] >= limit:
                print("%s a second: no end in %.1f s; alone %.3f s" % (rate, limit, alone[-1]))
                return False
        good = all(holds(alone, times, options.factor) for times in at.values())
    print("alone %.3f s (%.3f to %.3f)" % (statistics.median(alone), min(alone), max(alone)))
    for rate, times in at.items():
        print("%s a second: %.3f s (%.3f to %.3f)"
              % (rate, statistics.median(times), min(times), max(times)))
    return good


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--hogs", action="store_true")
    parser.add_argument("--rounds", type=int, default=9)
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
