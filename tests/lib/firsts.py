"""firsts.py RATE DIR: whether what lived for less than a period has as many samples as are due.

Counts the samples, and the CPU time but for what measuring took, of all threads but the first
of the first process. There are to be RATE a second of that time: less or more than 5% and what
chance leaves, five standard deviations of a number whose variance is itself, is an error, and
so are fewer than 100."""

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
