"""overhead.py NAME RUNS: medians and ratios of runs, lines `variant cpu-us wall-us
[samples]`. A round has each variant once and then once again in reverse order; one variant is
"alone".

A ratio is the median over the rounds of (the variant's two runs / the two runs alone). It is
followed by the range of the middle half of the rounds. With samples: also the cost of a sample,
the added CPU time of the variant / the number of samples, in the same way."""

import statistics
import sys


def quartiles(values):
    values = sorted(values)
    return values[len(values) // 4], statistics.median(values), values[-1 - len(values) // 4]


def main(name, path):
    runs = {}
    with open(path) as f:
        for line in f:
            variant, cpu, wall, *samples = line.split()
            runs.setdefault(variant, []).append((int(cpu), int(wall), int((samples or [0])[0])))
    pairs = {variant: [tuple(map(sum, zip(a, b))) for a, b in zip(list_[::2], list_[1::2])]
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
        if all(r[2] for r in rounds):
            low, cost, high = quartiles([(r[0] - a[0]) / r[2] for r, a in zip(rounds, pairs["alone"])])
            print("  %-8s %d samples, %.2f us each (%.2f to %.2f)"
                  % ("", statistics.median(r[2] for r in rounds) / 2, cost, low, high))
    if over.get("perf", 0) > 0 and "hpcrun" in over:
        print("  hpcrun's overhead is %.2f of perf's" % (over["hpcrun"] / over["perf"]))


if __name__ == "__main__":
    main(*sys.argv[1:])
