"""unnamed.py HPCPROF DIR TRUTH: the shares of tests/programs/unnamed.cc, whose output TRUTH is.

For each part one row of hpcprof's functions, the one whose name the pattern matches and that has the
most, must have the part's share of the CPU time of all parts, within 2 percentage points or, if that
is more, five standard deviations of its number of samples. No two parts have the same row."""

import math
import re
import sys

import textview


def main(hpcprof, place, truth):
    rows = textview.totals(hpcprof, place)
    with open(truth) as file:
        parts = [(int(spent), re.compile(name)) for spent, name in
                 (line.rstrip("\n").split("\t") for line in file)]
    shown = []
    for _, pattern in parts:
        match = [key for key in rows if pattern.search(key[0])]
        shown.append(max(match, key=lambda key: rows[key], default=None))
    samples = sum(rows[key] for key in set(shown) if key)
    spent = sum(part for part, _ in parts)
    wrong = len(set(shown)) < len(parts)
    for (part, pattern), key in zip(parts, shown):
        share, due = rows.get(key, 0) / samples if samples else 0, part / spent
        chance = 5 * math.sqrt(due * (1 - due) / samples) if samples else 0
        bad = not key or abs(share - due) > max(0.02, chance)
        wrong |= bad
        print("%s %5.1f%% of a true %.1f%% for %s: %s" % ("WRONG" if bad else "right", 100 * share,
                                                        100 * due, pattern.pattern, key and key[0][:100]))
    return wrong


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
