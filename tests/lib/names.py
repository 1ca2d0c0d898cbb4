"""names.py HPCPROF DIR: are the names and the numbers of hpcprof's functions right?

Each sampled instruction that a symbol covers, as nm sees it, must be counted to a function
of that name or of another symbol at the same place; and each such function must have the
samples that the datafiles hold for it, no more and no less. Exits with 1 where not."""

import os
import sys
from collections import Counter

import csp
import elf
import textview


def sampled(place):
    """{(module's path, names of symbols that cover an instruction): samples of it}, the
    names being nm's and addr2line's, which also knows the separate debug file's."""
    leaves = Counter()
    for data in csp.load([place]):
        for tree, path, samples, _ in data.samples(data.weights()[0]):
            leaves[data.locate(tree.epoch, path[-1])] += samples
    counts = Counter()
    for (module, address), names in elf.all_names(leaves).items():
        counts[os.path.basename(module or "?"), names] += leaves[module, address]
    return counts


def main(hpcprof, place):
    rows, counts = textview.functions(hpcprof, place), sampled(place)
    forms = elf.demangled({name for _, names in counts for name in names})
    due, covered, wrong = Counter(), 0, []
    uncovered = {module for module, names in counts if not names}
    for (module, names), samples in counts.items():
        if not names or not samples:
            continue
        covered += samples
        shown = {form for name in names for form in forms[name]}
        match = [row for row in rows if row[1] == module and row[0] in shown]
        if match:
            due[match[0]] += samples
        else:
            wrong.append("%d samples in %s of %s have another name" % (samples, names, module))
    for row, samples in due.items():
        if rows[row] != samples and not (row[1] in uncovered and rows[row] > samples):
            wrong.append("%s of %s: %d samples shown, %d are there" % (*row, rows[row], samples))
    print("%d of %d samples lie in %d functions that symbols cover"
          % (covered, sum(counts.values()), len(due)))
    print("\n".join(wrong[:20]))
    return 1 if wrong or not sum(counts.values()) else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
