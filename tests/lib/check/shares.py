"""shares.py POINTS TRUTH DIR: compare the shares of functions, in all datafiles of DIR, with the
truth.

TRUTH has lines `function nanoseconds`. A function's measured share is its inclusive share of
the CPU time of all samples in any of these functions. Exits with 1 if one is off by more than
POINTS percentage points, or, if POINTS is `chance`, by more than the random error of sampling:
five standard deviations of a share p, sqrt(p (1 - p) / n), where n is the effective number of
samples, (the sum of all weights)^2 / (the sum of their squares). This is exceeded once in 1.7
million. With --samples before POINTS, the share of the samples is used instead of that of their
time; with --or-chance, the random error may exceed POINTS.

shares.py --threads PERCENT TRUTH DIR: the same per thread name, in the first datafile. TRUTH has
lines `thread nanoseconds nanoseconds_without_samples`. Each thread's CPU time, relative to the sum
of all named threads, must be within PERCENT percent of its true share. So must its number of
samples, of the time that could have samples, if PERCENT of it is not less than the random error,
again five standard deviations: the number n of periods in a given time, each uniform from half to
one and a half of the nominal one, has a variance of n / 12."""

import math
import sys
from collections import Counter

import csp
import elf


def read_truth(path, value=lambda nanoseconds, *_: nanoseconds):
    with open(path) as f:
        truth = {name: value(*map(int, values)) for name, *values in map(str.split, f)}
    total = sum(truth.values())
    return {name: value / total for name, value in truth.items()}


class Functions:
    """Which of the wanted functions contain the addresses of a datafile."""

    def __init__(self, data, wanted):
        self.data, self.wanted, self.known = data, wanted, {}

    def at(self, epoch, ip):
        if (epoch, ip) not in self.known:
            module, address = self.data.locate(epoch, ip)
            names = elf.names(module, address) if module and module[0] == "/" else []
            self.known[epoch, ip] = [name for name in names if name in self.wanted]
        return self.known[epoch, ip]


def of_functions(files, wanted, by_samples):
    """CPU time (or samples) per function of wanted, counted once per path; and the effective
    number of samples."""
    found, all_weight, squares = Counter(), 0, 0
    for data in files:
        functions = Functions(data, wanted)
        for tree, path, samples, weight in data.samples(data.weights()[0]):
            seen = set()
            for ip in path:
                seen.update(functions.at(tree.epoch, ip))
            for name in seen:
                found[name] += samples if by_samples else weight
            if seen and samples:
                found["samples"] += samples
                all_weight += weight
                squares += weight * weight / samples
    return found, found["samples"] if by_samples or not squares else all_weight ** 2 / squares


def of_threads(data, wanted):
    times, samples = Counter(), Counter()
    v = data.weights()[0]
    for thread, metric, disposition, n, weight in data.account:
        name = data.threads[thread][1]
        if metric == v and name in wanted:
            times[name] += weight
            samples[name] += n
    return times, samples


def chance(share, n):
    """Percentage points."""
    return 500 * math.sqrt(share * (1 - share) / n) if n else 0


def allowed(share, n, points, or_chance):
    if points == "chance":
        return chance(share, n)
    return max(float(points), chance(share, n) if or_chance else 0)


def chance_of_periods(share, n):
    """Percent of the share."""
    return 500 * math.sqrt(1 / (12 * share * n)) if n else 0


def compare(what, found, truth, allowed, relative):
    """allowed: percent (points) by share."""
    total = sum(found[name] for name in truth)
    good = total > 0
    for name, share in truth.items():
        measured = found[name] / total if total else 0
        off = 100 * (measured / share - 1 if relative else measured - share)
        good = good and abs(off) <= allowed(share)
        print("%-8s %-14s true %6.2f%%  measured %6.2f%%  off by %+.2f of %.2f %s"
              % (what, name, 100 * share, 100 * measured, off, allowed(share),
                 "%" if relative else "points"))
    return good


def main(arguments):
    threads = arguments[0] == "--threads"
    by_samples = arguments[0] == "--samples"
    if threads or by_samples:
        arguments = arguments[1:]
    or_chance = arguments[0] == "--or-chance"
    if or_chance:
        arguments = arguments[1:]
    points, truth = arguments[0], read_truth(arguments[1])
    files = list(csp.load(arguments[2:]))
    if threads:
        times, samples = of_threads(files[0], truth)
        n = sum(samples[name] for name in truth)
        of_samples = read_truth(arguments[1], lambda nanoseconds, without: nanoseconds - without)
        return 0 if compare("time", times, truth, lambda share: float(points), True) & \
            compare("samples", samples, of_samples,
                    lambda share: max(float(points), chance_of_periods(share, n)), True) else 1
    found, n = of_functions(files, truth, by_samples)
    print("%d samples" % found["samples"])
    print("worth %.0f of equal weight" % n)
    return 0 if compare("samples" if by_samples else "time", found, truth,
                        lambda share: allowed(share, n, points, or_chance), False) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
