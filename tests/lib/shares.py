"""shares.py POINTS TRUTH DIR: compare the shares of functions with the truth.

TRUTH holds lines `function nanoseconds`. A function's measured share is its inclusive
share of the CPU time of all samples that lie in any of these functions. Exits with 1
where one is off by more than POINTS percent points. With --samples before POINTS, the
share of the samples counts, not that of their time.

shares.py --threads PERCENT TRUTH DIR: the same per thread name; each thread's CPU time,
and its number of samples, relative to the sum of all named threads, must be within
PERCENT percent of its true share."""

import sys
from collections import Counter

import csp
import elf


def read_truth(path):
    with open(path) as f:
        truth = {line.split()[0]: int(line.split()[1]) for line in f}
    total = sum(truth.values())
    return {name: value / total for name, value in truth.items()}


def of_functions(data, wanted, by_samples):
    """CPU time (or samples) per function of wanted, counted once a path."""
    found, known = Counter(), {}
    for tree, path, samples, weight in data.samples(data.weights()[0]):
        seen = set()
        for ip in path:
            key = tree.epoch, ip
            if key not in known:
                module, address = data.locate(tree.epoch, ip)
                names = elf.names(module, address) if module and module[0] == "/" else []
                known[key] = [name for name in names if name in wanted]
            seen.update(known[key])
        for name in seen:
            found[name] += samples if by_samples else weight
        found["samples"] += samples if seen else 0
    return found


def of_threads(data, wanted):
    times, samples = Counter(), Counter()
    v = data.weights()[0]
    for thread, metric, disposition, n, weight in data.account:
        name = data.threads[thread][1]
        if metric == v and name in wanted:
            times[name] += weight
            samples[name] += n
    return times, samples


def compare(what, found, truth, allowed, relative):
    total = sum(found[name] for name in truth)
    good = total > 0
    for name, share in truth.items():
        measured = found[name] / total if total else 0
        off = 100 * (measured / share - 1 if relative else measured - share)
        good = good and abs(off) <= allowed
        print("%-8s %-14s true %6.2f%%  measured %6.2f%%  off by %+.2f %s"
              % (what, name, 100 * share, 100 * measured, off, "%" if relative else "points"))
    return good


def main(arguments):
    threads = arguments[0] == "--threads"
    by_samples = arguments[0] == "--samples"
    if threads or by_samples:
        arguments = arguments[1:]
    allowed, truth = float(arguments[0]), read_truth(arguments[1])
    data = list(csp.load(arguments[2:]))[0]
    if threads:
        times, samples = of_threads(data, truth)
        return 0 if compare("time", times, truth, allowed, True) & \
            compare("samples", samples, truth, allowed, True) else 1
    found = of_functions(data, truth, by_samples)
    print("%d samples" % found["samples"])
    return 0 if compare("samples" if by_samples else "time", found, truth, allowed, False) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
