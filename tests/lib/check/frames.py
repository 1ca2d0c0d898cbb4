"""frames.py MKFRAMES COUNT MODULE...: check that llvm-symbolizer sees the same frames.

Of COUNT addresses all over the functions of each load module, in 99.9% all frames must be the same:
the names, files and lines of the function and of what was inlined into it. Where llvm-symbolizer
has a linkage name, ours must have it, too; where not, its name is the last part of ours.
LLVM_SYMBOLIZER is the command to use."""

import bisect
import functools
import itertools
import os
import random
import re
import sys

import elf
import names


def addresses(module, count):
    """Drawn evenly from the bytes of all functions, the same ones each time."""
    lines = map(str.split, elf.run("nm", "-S", "--defined-only", module).splitlines())
    extents = sorted({(int(part[0], 16), int(part[1], 16)) for part in lines
                      if len(part) == 4 and part[2] in "tTwWi" and int(part[1], 16)})
    ends = list(itertools.accumulate(size for _, size in extents))
    drawn = []
    for byte in random.Random(5).sample(range(ends[-1]), min(count, ends[-1])):
        at = bisect.bisect_right(ends, byte)
        drawn.append(extents[at][0] + extents[at][1] - (ends[at] - byte))
    return sorted(drawn)


def place(text):
    """file:line; without a line number the file says nothing."""
    file, line = text.split(" (discriminator")[0].rsplit(":", 1)
    return (os.path.normpath(file), line) if line not in "0?" else (None, "0")


def blocks(text, starts):
    """The frames after each line that is an address."""
    frames = []
    lines = iter(text.splitlines())
    for line in lines:
        if starts(line):
            frames.append([])
        elif line:
            frames[-1].append((line, place(next(lines))))
    return frames


def frames_of_ours(mkframes, module, given):
    return blocks(elf.run(mkframes, "-l", module, given=given), re.compile("0x[0-9a-f]+$").match)


def frames_of_llvm(module, given):
    out = elf.run(os.environ["LLVM_SYMBOLIZER"], "--obj=" + module, "--inlining", "--no-demangle",
                  "--output-style=GNU", "--addresses", given=given)
    return blocks(out, re.compile("0x[0-9a-f]+$").match)


def plain(symbol):
    """f of f.isra.0.cold, a part of a clone of f; one name for the complete and the base variant of
    a constructor or destructor, whose code is often the same."""
    symbol = re.sub(r"(\.(cold|part|constprop|isra|lto_priv)(\.\d+)?)+$", "", symbol)
    return re.sub(r"([CD])[124](?=[EIB])", r"\g<1>1", symbol) if symbol.startswith("_Z") else symbol


@functools.lru_cache(maxsize=None)
def outlines(name):
    return {names.outline(form) for form in elf.demangled({name})[name]}


def same_name(our, their, others):
    """others: all symbols at the address, of which llvm-symbolizer takes one."""
    our, their = plain(our.split(" [")[0]), plain(their)
    if our == their or their in others and our in others:
        return True
    if our.startswith("_Z") and their.startswith("_Z"):
        return False
    ours, theirs = outlines(our), outlines(their)
    if not their.startswith("_Z"):  # it has only the last part
        ours = {form.split("::")[-1] for form in ours}
    return bool(ours & theirs)


def difference(mine, llvm, others):
    """The first pair of frames that are not the same, or None."""
    for our, their in itertools.zip_longest(mine, llvm):
        if our is None or their is None or our[1] != their[1] \
                or not same_name(our[0], their[0], others):
            return our, their
    return None


def main(mkframes, count, *modules):
    bad = 0
    for module in modules:
        at = addresses(module, int(count))
        given = "".join("%#x\n" % address for address in at)
        mine, llvm = frames_of_ours(mkframes, module, given), frames_of_llvm(module, given)
        if not len(at) == len(mine) == len(llvm) or len(at) < 1000:
            raise SystemExit("%s: %d addresses, %d and %d results" % (module, len(at), len(mine), len(llvm)))
        differ = []
        for address, *frames in zip(at, mine, llvm):
            pair = difference(*frames, [plain(name) for name in elf.names(module, address)])
            if pair:
                differ.append("  %#x\n    ours %s\n    llvm %s" % (address, *pair))
        print("%s: %d of %d addresses differ" % (module, len(differ), len(at)))
        if len(differ) > len(at) / 1000:
            bad += 1
            print("\n".join(differ[:3]))
    return bad != 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
