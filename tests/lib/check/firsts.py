"""firsts.py RATE DIR: check that threads that live for less than a period have enough samples.

Counts the samples, and the CPU time without that of measuring, of all threads except the first
of the first process. There must be RATE samples per second of that time. A deviation of more than
5% plus five standard deviations (the variance of the number is the number) is an error, and so
are fewer than 100 samples."""

import math
import sys

import csp


def main(rate, place):
    samples = time = 0
    for i, data in enumerate(csp.load([place])):
        metric = data.weights()[0]
        for thread, of, disposition, n, weight in data.account:
            if of != metric or (i == 0 and thread == 0):
                continue
            samples += n
            if disposition != "own code":
                time += weight
    due = time / 1e9 * float(rate)
    allowed = 0.05 * due + 5 * math.sqrt(due)
    print("%d samples, due %.0f, which may be off by %.0f" % (samples, due, allowed))
    return 0 if samples >= 100 and abs(samples - due) <= allowed else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
