"""agreement.py POINTS HPCPROF DIR PERF_SCRIPT: does perf see the same functions?

PERF_SCRIPT is the output of `perf script --no-inline -F comm,ip,sym,dso`. Every function
that either gives at least 1% must have the same share in both within POINTS percent
points. Code without a name counts to its module."""

import os
import re
import sys
from collections import Counter

import perfleaf
import textview


def plain(name):
    """Without parameters, return type and clone suffix, which tools show differently."""
    name = re.sub(r"\s*\[clone [^]]*\]", "", name).replace("(anonymous namespace)", "<anon>")
    name = re.sub(r"(\.(cold|part|constprop|isra)(\.\d+)?)+$", "", name)
    depth, out = 0, ""
    for c in name:
        depth += (c == "(") - (c == ")")
        if depth == 0 and c != ")":
            out += c
    return re.sub(r"\s+const$", "", out).strip()


def fold(counts):
    shares, total = Counter(), sum(counts.values())
    for (module, name), samples in counts.items():
        unnamed = name == "[unknown]" or re.match(r".*\+0x[0-9a-f]+$", name)
        shares[module if unnamed else plain(name)] += 100 * samples / total
    return shares, total


def sum_by_base(leaves):
    counts = Counter()
    for (module, name), samples in leaves.items():
        counts[os.path.basename(module), name] += samples
    return counts


def main(points, hpcprof, place, script):
    ours, samples = fold({(module, name): n for (name, module), n
                          in textview.functions(hpcprof, place).items() if n})
    with open(script) as f:
        theirs, perf_samples = fold(sum_by_base(perfleaf.leaves(f.read())))
    print("%d samples here, %d of perf's" % (samples, perf_samples))
    bad = False
    for name in sorted(set(ours) | set(theirs), key=lambda n: -max(ours[n], theirs[n])):
        if max(ours[name], theirs[name]) < 1:
            break
        off = ours[name] - theirs[name]
        bad = bad or abs(off) > float(points)
        print("%6.2f%% perf %6.2f%%  off by %+.2f  %s" % (ours[name], theirs[name], off, name))
    return 1 if bad or not samples else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
