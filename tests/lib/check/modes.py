"""modes.py POINTS TRUTH DIR [TRUTH DIR]...: compare the kernel's part of the CPU time with what the
kernel counted. The median of several runs is taken.

TRUTH has lines `user NS` and `kernel NS` of the process that started the others (in DIR it is the
one with the most time), or is `none`: nothing is in the kernel. The kernel counts at its ticks, so
its own figure has a random error: with `or-chance` for POINTS, a difference of three standard
deviations at 100 ticks a second is permitted if that is more than 3 points. Exits with 1 if the
difference is greater."""

import math
import statistics
import sys

import csp

TICKS = 100


def parts(data):
    """(user, kernel) of a datafile."""
    sums = [0, 0]
    for tree, path, _, weight in data.samples(data.weights()[0]):
        sums[data.locate(tree.epoch, path[-1])[0] == "[kernel]"] += weight
    return sums


def difference(truth, directory):
    """(difference in points, permitted by chance)"""
    user, kernel = max(map(parts, csp.load([directory])), key=sum)
    ours = 100 * kernel / max(user + kernel, 1)
    counted, permitted = 0, 3
    if truth != "none":
        with open(truth) as f:
            ns = {name: int(value) for name, value in map(str.split, f)}
        whole = ns["user"] + ns["kernel"]
        counted = 100 * ns["kernel"] / whole
        p = min(max(counted / 100, 0.05), 0.95)
        permitted = max(3, 300 * math.sqrt(p * (1 - p) / (whole / 1e9 * TICKS)))
    print("in the kernel: %.1f%% of the samples' time, %.1f%% as the kernel counted"
          % (ours, counted))
    return ours - counted, permitted


def main(points, *runs):
    found = [difference(*runs[i:i + 2]) for i in range(0, len(runs), 2)]
    permitted = max(p for _, p in found) if points == "or-chance" else float(points)
    return 0 if abs(statistics.median(d for d, _ in found)) <= permitted else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
