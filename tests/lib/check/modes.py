"""modes.py POINTS TRUTH DIR [TRUTH DIR]...: compare the kernel's part of the CPU time with what the
kernel counted. The median of several runs is taken.

TRUTH has lines `user NS` and `kernel NS` of the process that started the others (in DIR it is the
one with the most time), or is `none`: nothing is in the kernel. Both figures are samples: the
kernel counts at its ticks, here 100 a second, and ours have weights, so their effective number is
the square of the sum of all weights / the sum of their squares. With `or-chance` for POINTS, a
difference of three standard deviations is permitted if that is more than 3 points. Exits with 1
if the difference is greater."""

import math
import statistics
import sys

import csp

TICKS = 100


class Parts:
    """What a datafile has in the kernel and elsewhere."""

    def __init__(self, data):
        self.user = self.kernel = squares = 0
        for tree, path, samples, weight in data.samples(data.weights()[0]):
            if data.locate(tree.epoch, path[-1])[0] == "[kernel]":
                self.kernel += weight
            else:
                self.user += weight
            squares += weight * weight / max(samples, 1)
        self.all = self.user + self.kernel
        self.samples = self.all ** 2 / squares if squares else 1


def difference(truth, directory):
    """(difference in points, permitted by chance)"""
    ours = max(map(Parts, csp.load([directory])), key=lambda p: p.all)
    shown = 100 * ours.kernel / max(ours.all, 1)
    counted, permitted = 0, 3
    if truth != "none":
        with open(truth) as f:
            ns = {name: int(value) for name, value in map(str.split, f)}
        whole = ns["user"] + ns["kernel"]
        counted = 100 * ns["kernel"] / whole
        p = min(max(counted / 100, 0.05), 0.95)
        ticks = whole / 1e9 * TICKS
        permitted = max(3, 300 * math.sqrt(p * (1 - p) * (1 / ticks + 1 / ours.samples)))
    print("in the kernel: %.1f%% of the samples' time, %.1f%% as the kernel counted; %.1f permitted"
          % (shown, counted, permitted))
    return shown - counted, permitted


def main(points, *runs):
    found = [difference(*runs[i:i + 2]) for i in range(0, len(runs), 2)]
    permitted = max(p for _, p in found) if points == "or-chance" else float(points)
    return 0 if abs(statistics.median(d for d, _ in found)) <= permitted else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
