"""Read datafiles, independently of the toolkit's own reader.

Tests that check the toolkit's figures must not rely on its reader. This implements
formats/README.md in Python, for files of the machine's own word size with our trailer."""

import bisect
import glob
import os
import struct

DROPPED = ("unsafe code", "exception handling", "load map changing", "unwind failed",
           "out of memory", "own code", "reentered", "signal taken", "fault")


class Cursor:
    def __init__(self, data):
        self.data, self.at, self.order = data, 0, "<"

    def take(self, n):
        if self.at + n > len(self.data):
            raise ValueError("the file ends at %d, %d bytes early"
                             % (len(self.data), self.at + n - len(self.data)))
        self.at += n
        return self.data[self.at - n:self.at]

    def numbers(self, letters):
        return struct.unpack(self.order + letters, self.take(struct.calcsize("=" + letters)))

    def u32(self):
        return self.numbers("I")[0]

    def u64(self):
        return self.numbers("Q")[0]

    def text(self):
        return self.take(self.u32()).decode("utf-8", "replace")

    def pairs(self):
        return {key: value for key, value in
                ((self.text(), self.text()) for _ in range(self.u32()))}

    def start(self, magic):
        found = self.take(10)
        if found != magic:
            raise ValueError("%r where %r should stand" % (found, magic))
        self.take(5)
        self.order = {b"l": "<", b"b": ">"}[self.take(1)]


def leb128(c, signed=False):
    value = shift = 0
    while True:
        byte, = c.take(1)
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value - (1 << shift) if signed and byte & 64 else value


class Tree:
    """nodes: {id: (parent, ip, (metrics))}"""


class Datafile:
    def __init__(self, path):
        self.path = path
        with open(path, "rb") as f:
            c = Cursor(f.read())
        c.start(b"HPC_CSPROF")
        c.u64()
        self.target = self._tagged(c)
        self.metrics = [(self._tagged(c), c.numbers("IQ")[1], c.numbers("IQ")[1])
                        for _ in range(c.u32())]
        self.epochs = [[(c.text(),) + c.numbers("QQ") for _ in range(c.u32())]
                       for _ in range(c.u32())]
        trees = c.u32()
        c.u64()
        self.trees = [self._tree(c) for _ in range(trees)]
        self._trailer(c)

    @staticmethod
    def _tagged(c):
        c.u32()
        return c.text()

    def _tree(self, c):
        c.start(b"HPC_CSTREE")
        width, _, count, epoch = c.numbers("IIQI")
        if width != 8:
            raise ValueError("a tree of width %d" % width)
        one = struct.Struct(c.order + "%dQ" % (4 + len(self.metrics)))
        tree = Tree()
        tree.epoch, tree.thread, tree.kind = epoch, None, 0
        tree.nodes = {n[0]: (n[1], n[2], n[4:])
                      for n in one.iter_unpack(c.take(count * one.size))}
        return tree

    def _trailer(self, c):
        chunk = {}
        self.end_of_trees = c.at
        c.start(b"HPC_CSMETA")
        for _ in range(c.u32()):
            tag, length = c.numbers("IQ")
            chunk[tag] = Cursor(c.take(length))
            chunk[tag].order = c.order
        self.process = chunk[1].pairs()
        self.modules = [[(chunk[2].u64(), chunk[2].text()) for _ in range(chunk[2].u32())]
                        for _ in range(chunk[2].u32())]
        for i in range(chunk[3].u32()):
            tree = self.trees[i]
            tree.thread, tree.kind, tree.creator_tree, tree.creator_node = \
                chunk[3].numbers("IIIQ")
        self.account = [chunk[4].numbers("II") + (chunk[4].text(),) + chunk[4].numbers("QQ")
                        for _ in range(chunk[4].u32())]
        self.about = [chunk[7].pairs() for _ in range(chunk[7].u32())]
        self.codes = self._codes(chunk[12]) if 12 in chunk else []
        self.threads = [(chunk[8].u64(), chunk[8].text()) + chunk[8].numbers("QQQ")
                        for _ in range(chunk[8].u32())]

    @staticmethod
    def _codes(c):
        """Functions of an interpreter: (ip, name, {address: line}), by ip."""
        codes = []
        for _ in range(c.u32()):
            ip, extent, line = c.numbers("QII")
            name, table, lines, at = c.text(), Cursor(c.take(c.u32())), {}, ip
            while table.at < len(table.data):
                run = leb128(table)
                if run & 1:
                    line += leb128(table, signed=True)
                for address in range(at, min(at + (run >> 1), ip + extent)):
                    lines[address] = line if run & 1 else 0
                at += run >> 1
            codes.append((ip, extent, name, lines))
        return sorted(codes)

    def function(self, ip):
        """(name, line) of an interpreter's function, or None."""
        i = bisect.bisect_right(self.codes, (ip, float("inf"))) - 1
        if i < 0 or ip >= self.codes[i][0] + self.codes[i][1]:
            return None
        return self.codes[i][2], self.codes[i][3].get(ip, 0)

    def weights(self):
        """Indices of the V columns that are followed by an N column."""
        return [i for i, (_, flags, _) in enumerate(self.metrics)
                if flags & 2 and not flags & 4]

    def locate(self, epoch, ip):
        """(module, file address) of an address, or (None, ip)."""
        best = None
        for i, (name, virtual, mapped) in enumerate(self.epochs[epoch]):
            extent = self.modules[epoch][i][0]
            if mapped <= ip < mapped + extent and (best is None or mapped > best[2]):
                best = (name, virtual, mapped)
        if best is None:
            return None, ip
        return best[0], ip - best[2] + best[1]

    def samples(self, metric):
        """Per node with samples: (tree, path of ips from outermost to leaf, N, V). The
        ips of callers are the calls' own (less one)."""
        for tree in self.trees:
            for node, (parent, ip, values) in tree.nodes.items():
                if not values[metric + 1] and not values[metric]:
                    continue
                path = [ip]
                while parent:
                    up, ip, _ = tree.nodes[parent]
                    path.append(ip - 1)
                    parent = up
                path.reverse()
                yield tree, path, values[metric + 1], values[metric]


def load(places):
    """All datafiles of directories or of single paths."""
    for place in places:
        paths = [place] if os.path.isfile(place) else \
            sorted(glob.glob(os.path.join(place, "*.csp")))
        if not paths:
            raise SystemExit("%s: no datafile" % place)
        for path in paths:
            yield Datafile(path)
