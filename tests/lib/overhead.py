"""overhead.py NAME RUNS: medians and ratios of runs, lines `variant cpu-us wall-us` in
rounds of alone, hpcrun, perf, perf, hpcrun, alone (perf may be missing).

A ratio is the median, over the rounds, of the variant's two runs by the two alone; the
range behind it is that of the middle half of the rounds."""

import statistics
import sys


def quartiles(values):
    values = sorted(values)
    return values[len(values) // 4], statistics.median(values), values[-1 - len(values) // 4]


def main(name, path):
    runs = {}
    with open(path) as f:
        for line in f:
            variant, cpu, wall = line.split()
            runs.setdefault(variant, []).append((int(cpu), int(wall)))
    pairs = {variant: [(a[0] + b[0], a[1] + b[1]) for a, b in zip(list_[::2], list_[1::2])]
             for variant, list_ in runs.items()}
    print("%s" % name)
    print("  %-8s %10s %10s   %s" % ("", "CPU s", "wall s", "CPU against alone"))
    over = {}
    for variant, rounds in pairs.items():
        low, ratio, high = quartiles([r[0] / max(a[0], 1)
                                      for r, a in zip(rounds, pairs["alone"])])
        added = [statistics.median((r[i] - a[i]) / 2000
                                   for r, a in zip(rounds, pairs["alone"])) for i in (0, 1)]
        over[variant] = ratio - 1
        print("  %-8s %10.3f %10.3f   %+.2f%% (%+.2f to %+.2f), CPU %+.1f ms, wall %+.1f ms"
              % (variant, statistics.median(r[0] for r in rounds) / 2e6,
                 statistics.median(r[1] for r in rounds) / 2e6, 100 * (ratio - 1),
                 100 * (low - 1), 100 * (high - 1), added[0], added[1]))
    if over.get("perf", 0) > 0:
        print("  hpcrun's overhead is %.2f of perf's" % (over["hpcrun"] / over["perf"]))


if __name__ == "__main__":
    main(*sys.argv[1:])
