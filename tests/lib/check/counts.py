"""counts.py LEAST DIR FUNCTION[=LEAST]...: samples with the function (a part of its symbol's
name) on their path, over all datafiles of DIR. Exits with 1 if one has fewer than
its LEAST, or the one of all."""

import sys
from collections import Counter

import csp
import elf


def words_of(data, wanted):
    """A function of (epoch, ip): the wanted words in the names there, as a set of bits."""
    known = {}

    def look_up(epoch, ip):
        key = epoch, ip
        if key not in known:
            module, address = data.locate(epoch, ip)
            names = elf.names(module, address) if module and module[0] == "/" else []
            known[key] = sum(1 << i for i, word in enumerate(wanted)
                             if any(word in name for name in names))
        return known[key]

    return look_up


def count(data, wanted, counts):
    """Parents are before their children: the words above a node are copied from its parent,
    so that the cost does not depend on the depth of paths."""
    look_up, samples = words_of(data, wanted), data.weights()[0] + 1
    for tree in data.trees:
        above = {0: 0}
        for node, (parent, ip, values) in tree.nodes.items():
            if not node:
                continue
            above[node] = above[parent] | look_up(tree.epoch, ip - 1)
            if values[samples]:
                counts[above[parent] | look_up(tree.epoch, ip)] += values[samples]


def main(arguments):
    pairs = [word.partition("=") for word in arguments[2:]]
    wanted = [word for word, _, _ in pairs]
    least = [int(own or arguments[0]) for _, _, own in pairs]
    counts, files = Counter(), 0
    for data in csp.load(arguments[1:2]):
        files += 1
        count(data, wanted, counts)
    print("%d datafiles" % files)
    enough = True
    for i, word in enumerate(wanted):
        n = sum(c for bits, c in counts.items() if bits >> i & 1)
        print("%8d samples in %s" % (n, word))
        enough &= n >= least[i]
    return 0 if enough else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
