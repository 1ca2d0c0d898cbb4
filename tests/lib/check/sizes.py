"""sizes.py NAME DIR PERF_FRAMES PERF_STACKS: print a row of bench/spine-size.sh."""

import os
import sys

import csp


def main(name, place, frames, stacks):
    size = contexts = samples = 0
    for data in csp.load([place]):
        size += os.path.getsize(data.path)
        contexts += sum(len(tree.nodes) for tree in data.trees)
        samples += sum(r[3] for r in data.account)
    print("%-10s %12d %10d %10.1f %12d %12s %12s"
          % (name, size, contexts, size / max(contexts, 1), samples, frames, stacks))


if __name__ == "__main__":
    main(*sys.argv[1:])
