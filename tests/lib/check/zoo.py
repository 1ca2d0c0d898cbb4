"""zoo.py NAME RATE HPCPROF IMAGE LEAST ENDS: one row of the zoo's table, from data-RATE, RATE.total and
alone.total in the working directory (microseconds of CPU time, as waitcpu writes them).

Fails if the CPU time of all processes, with what no thread of theirs saw, differs from the kernel's by
more than 2% or 10 ms, and by twice IMAGE microseconds per program image, which is what an image that
does nothing takes: its end is in no account. Fails if fewer than LEAST percent (99 if it is empty) of
the samples have a complete path (paths.py), and more than two have none; a path may also end in one
of the functions ENDS, or in code that was made at run time if that has [anonymous]. Samples of our own code are none of the program's."""

import json
import subprocess
import sys
from collections import Counter

import csp
import paths


FEW = 2  # of some dozens of samples: no more than chance


def partial(data, tree, path):
    """A word for a partial path, which names pseudo-modules in which it ends."""
    module, _ = data.locate(tree.epoch, path[0])
    return "partial path in '%s'" % module if module and module.startswith("[") else "partial path"


def complete_paths(place, ends):
    """(samples with a complete path, all samples, the most frequent ends of others)."""
    complete, total, others = 0, 0, Counter()
    for data in csp.load([place]):
        known = {}
        for tree, path, samples, _ in data.samples(data.weights()[0]):
            key = (tree.epoch, path[0], tree.kind)
            if key not in known:
                known[key] = (partial(data, tree, path), False) if tree.kind else paths.base_of(data, tree, path)
            word, good = known[key]
            good = good or any("'%s'" % name in word for name in ends)
            complete += samples if good else 0
            total += samples
            if not good:
                others[word] += samples
        dropped = sum(r[3] for r in data.account if r[2] in csp.DROPPED and r[2] != "own code")
        total += dropped
        others["dropped"] += dropped
    return complete, total, others


def seconds(name):
    return int(open(name).read().split()[0]) / 1e6


def main(name, rate, hpcprof, image, least, ends):
    place = "data-" + rate
    run = json.loads(subprocess.run([hpcprof, "text", "--json", "-q", place], check=True,
                                    stdout=subprocess.PIPE).stdout)["run"]
    measured, alone = seconds(rate + ".total"), seconds("alone.total")
    seen = (run["cpu_ns"] + run["unseen_ns"]) / 1e9
    complete, total, others = complete_paths(place, ends.split())
    share = 100 * complete / max(1, total)
    failures = []
    if abs(seen - measured) > max(0.02 * measured, 0.01) + 2e-6 * int(image) * run["images"]:
        failures.append("CPU time")
    if total - complete > max(FEW, (1 - float(least or 99) / 100) * total):
        failures.append("paths")
    for word, samples in others.most_common(6):
        print("    %8d %s" % (samples, word))
    print("%-20s %8.2f %8.2f %6s %8d %8.1f%% %6.1f%%  %s" % (
        name, alone, measured, rate, total, 100 * seen / max(measured, 1e-9), share,
        ", ".join(failures)))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
