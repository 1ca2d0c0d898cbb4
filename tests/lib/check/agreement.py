"""agreement.py POINTS HPCPROF DIR PERF_SCRIPT [MKFRAMES]: check that perf sees the same functions.

PERF_SCRIPT is the output of `perf script --no-inline -F comm,ip,sym,dso`. Every function
with at least 1% in either must have the same share in both within POINTS percentage points.
perf's samples count for the row of hpcprof that has one of the names of their address; code
without a name counts for its module, and the kernel is one row. hpcprof puts the names of functions
of local types together from DWARF: MKFRAMES says for which addresses it does."""

import os
import re
import sys
from collections import Counter

import csp
import elf
import perfleaf
import textview


KERNEL = "[kernel]"


def real_names(place):
    """{base name as loaded: base name of the file that the link refers to}: libfoo.so.1 is a link."""
    return {os.path.basename(name): os.path.basename(os.path.realpath(name))
            for data in csp.load([place]) for epoch in data.epochs for name, _, _ in epoch}


def shares(counts):
    total = sum(counts.values())
    return {key: 100 * samples / total for key, samples in counts.items()}, total


def of_hpcprof(hpcprof, place):
    real, counts = real_names(place), Counter()
    for (name, module), samples in textview.functions(hpcprof, place).items():
        module = real.get(module, module)
        unnamed = re.match(r".*\+0x[0-9a-f]+$", name)
        counts[module, None if unnamed or module == KERNEL else name] += samples
    return counts


def without_inlined(mkframes, module, addresses):
    """{address: the name of its function}."""
    names, address = {}, None
    lines = iter(elf.run(mkframes, module, given="".join("%#x\n" % at for at in addresses)).splitlines())
    for line in lines:
        if re.match("0x[0-9a-f]+$", line):
            address = int(line, 16)
        else:
            names[address] = line
            next(lines)
    return names


def of_perf(script, rows, mkframes):
    with open(script) as f:
        leaves = perfleaf.leaves(f.read())
    counts = Counter({(KERNEL, None): leaves.pop((KERNEL, 0), 0)})
    named = elf.all_names(leaves)
    forms = elf.demangled({name for names in named.values() for name in names})
    built = {module: without_inlined(mkframes, module, [at for where, at in leaves if where == module])
             for module in {module for module, _ in leaves} if mkframes and module.startswith("/")}
    for (module, address), samples in leaves.items():
        module_name = os.path.basename(os.path.realpath(module))
        shown = sorted(form for name in named[module, address] for form in forms[name])
        match = [name for name in shown + [built.get(module, {}).get(address)] if (module_name, name) in rows]
        counts[module_name, (match or shown or [None])[0]] += samples
    return counts


def main(points, hpcprof, place, script, mkframes=None):
    rows = of_hpcprof(hpcprof, place)
    ours, samples = shares(rows)
    theirs, perf_samples = shares(of_perf(script, rows, mkframes))
    print("%d samples here, %d of perf's" % (samples, perf_samples))
    worst = 0
    for key in sorted(set(ours) | set(theirs), key=lambda k: -ours.get(k, 0)):
        here, there = ours.get(key, 0), theirs.get(key, 0)
        if max(here, there) < 1:
            continue
        worst = max(worst, abs(here - there))
        print("%6.2f%% perf %6.2f%%  off by %+.2f  %s %s"
              % (here, there, here - there, key[0], (key[1] or "(no name)")[:70]))
    return 1 if worst > float(points) or not samples else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
