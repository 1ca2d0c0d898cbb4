"""burned.py PROFILE MILLISECONDS FUNCTION: check the CPU time of all samples in or below it.

Exits with 1 if it is not MILLISECONDS within 20%. A sample has the time since the one before, so
the result differs from the truth by at most the weight of a sample at each end."""

import sys

import csp
import elf


def main(place, milliseconds, function):
    wanted, found, samples = int(milliseconds) * 1_000_000, 0, 0
    for data in csp.load([place]):
        known = {}
        for tree, path, n, weight in data.samples(data.weights()[0]):
            for ip in path:
                if (tree.epoch, ip) not in known:
                    module, address = data.locate(tree.epoch, ip)
                    names = elf.names(module, address) if module and module[0] == "/" else []
                    known[tree.epoch, ip] = function in names
            if any(known[tree.epoch, ip] for ip in path):
                found += weight
                samples += n
    print("%.3f ms of %.3f, %d samples" % (found / 1e6, wanted / 1e6, samples))
    return 0 if samples and abs(found - wanted) <= wanted // 5 else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
