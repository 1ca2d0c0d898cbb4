"""faulted.py DATAFILE: check the data of a process whose sampling handler had a fault.

One thread has one sample with this outcome, and unmeasured time after it. No other thread has
either, and another thread was recorded. Exits with 1 if this is not so."""

import sys
from collections import Counter

import csp


def main(path):
    data = csp.Datafile(path)
    faults, off, recorded = Counter(), Counter(), Counter()
    for thread, metric, disposition, samples, weight in data.account:
        if metric not in data.weights():
            continue
        faults[thread] += samples if disposition == "fault" else 0
        off[thread] += weight if disposition == "measuring off" else 0
        recorded[thread] += samples if disposition == "recorded" else 0
    for thread in sorted(recorded):
        print("thread %d: %d faults, %.3f ms not measured after it, %d samples recorded"
              % (thread, faults[thread], off[thread] / 1e6, recorded[thread]))
    where = list(faults.elements())
    return 0 if (len(where) == 1 and [t for t in off if off[t]] == where
                 and any(recorded[t] for t in recorded if t != where[0])) else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
