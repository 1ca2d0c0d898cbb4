"""counts.py LEAST DIR FUNCTION...: samples with the function (a part of its symbol's
name) on their path, over all datafiles of DIR. Exits with 1 where one has fewer than
LEAST."""

import sys
from collections import Counter

import csp
import elf


def main(arguments):
    least, wanted = int(arguments[0]), arguments[2:]
    counts, files = Counter(), 0
    for data in csp.load(arguments[1:2]):
        files += 1
        known = {}
        for tree, path, samples, _ in data.samples(data.weights()[0]):
            seen = set()
            for ip in path:
                key = tree.epoch, ip
                if key not in known:
                    module, address = data.locate(tree.epoch, ip)
                    names = elf.names(module, address) if module and module[0] == "/" else []
                    known[key] = [w for w in wanted if any(w in name for name in names)]
                seen.update(known[key])
            for word in seen:
                counts[word] += samples
    print("%d datafiles" % files)
    for word in wanted:
        print("%8d samples in %s" % (counts[word], word))
    return 0 if all(counts[word] >= least for word in wanted) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
