"""added_cpu.py NAME RUNS: what tools add to the CPU time of a program.

RUNS has lines `VARIANT MICROSECONDS KILOBYTES`, in rounds that begin with the variant `alone` and come
back to it. Prints for each variant the median time, the median of what it added in each half round to
the run alone in that half, its ratio to what `cpu` added, and the median of the kilobytes."""

import sys
from statistics import median

MEANINGS = {"alone": "alone", "cpu": "hpcrun -e CPUTIME@f1000", "real": "hpcrun -e REALTIME@f1000",
            "sched": "perf sched record", "switches": "perf record -g -e sched_switch"}


def halves(lines):
    """Rounds there and back, a dict of each half."""
    half, all_halves = {}, []
    for variant, used, size in lines:
        if variant in half:
            all_halves.append(half)
            half = {}
        half[variant] = int(used), int(size)
    return all_halves + [half]


def main(name, path):
    runs = halves([line.split() for line in open(path)])
    runs = [run for run in runs if "alone" in run]
    added = {variant: median(run[variant][0] - run["alone"][0] for run in runs)
             for variant in runs[0]}
    print("\n%-32s %10s %10s %14s %8s" % (name, "CPU s", "added", "of CPUTIME's", "KB"))
    for variant in runs[0]:
        ratio = added[variant] / added["cpu"] if added["cpu"] > 0 and variant != "alone" else 0
        print("%-32s %10.3f %10.3f %14s %8d"
              % (MEANINGS[variant], median(run[variant][0] for run in runs) / 1e6,
                 added[variant] / 1e6, "%.2f" % ratio if ratio else "",
                 median(run[variant][1] for run in runs)))
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
