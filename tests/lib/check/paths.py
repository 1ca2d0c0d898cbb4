"""paths.py [--but-own] DIR...: check how many of the sampled call paths are complete.

A path is complete if its outermost frame is where the kernel or the C library starts
code: _start, the loader's entry, a thread's entry or clone's. Distributions strip these
names, so an outermost frame also counts if it is at the module's entry point, or in a
function that nothing called according to its unwind information. Exits with 1 if fewer than
99% of the samples are complete. With --but-own those are not counted that met our own code, as while
libraries are loaded: in a short program with many libraries that may be more than 1%."""

import sys
from collections import Counter

import csp
import elf

BASES = {"_start", "_dl_start", "_dl_start_user", "start_thread", "clone3", "__clone3",
         "clone", "__clone", "_dl_relocate_static_pie"}
ENTRY_BYTES = 0x60  # of _start, and of _dl_start_user after it


def base_of(data, tree, path):
    """A word for the path's outermost frame, and whether it is the base of a stack."""
    module, address = data.locate(tree.epoch, path[0])
    if module is None or module.startswith("["):
        return "%s+0x%x" % (module, address), False
    for name in elf.names(module, address):
        if name in BASES:
            return name, True
    entry = elf.entry(module)
    if entry and entry <= address < entry + ENTRY_BYTES:
        return "entry of " + module, True
    if elf.ends_stack(module, address):
        return "stack's end in " + module, True
    return "%s+0x%x %s" % (module, address, elf.names(module, address)), False


def main(places):
    left_out = {"own code"} if places[0] == "--but-own" else set()
    places = places[len(left_out):]
    bases, complete, total = Counter(), 0, 0
    for data in csp.load(places):
        known = {}
        for tree, path, samples, _ in data.samples(data.weights()[0]):
            key = (tree.epoch, path[0], tree.kind)
            if key not in known:
                known[key] = ("partial path", False) if tree.kind else \
                    base_of(data, tree, path)
            word, good = known[key]
            bases[word, good] += samples
            complete += samples if good else 0
            total += samples
        total += sum(r[3] for r in data.account if r[2] in csp.DROPPED and r[2] not in left_out)
    print("%d of %d samples have a complete path" % (complete, total))
    for (word, good), samples in bases.most_common(12):
        print("    %8d %s %s" % (samples, "   " if good else "NOT", word))
    return 0 if total and complete >= 0.99 * total else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
