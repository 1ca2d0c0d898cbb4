"""viewcheck.py HPCPROF MODULES FOCUS DIR FUNCTION...: check the numbers of the views.

Reads the datafiles itself, finds with addr2line the functions, including inlined ones, of each
address of MODULES (base names, separated by commas), and computes from the sampled paths what the
views tree, tree --bottom-up, callers and callees should show for the functions of these
modules, in samples. The trees are compared with the option --focus FOCUS, unless it is empty:
if the leaves of paths are in other modules, addresses do not distinguish functions. For each
FUNCTION the tables of callers and callees are compared. Exits with 1 if a number differs."""

import os
import re
import subprocess
import sys
from collections import Counter, defaultdict

import csp

MARKS = re.compile(r"( \[(partly )?inlined\]| \[recursion\])+$")


def chains(module, addresses):
    """{address: [(function, inlined into the next)], innermost first}, by addr2line."""
    addresses = sorted(addresses)
    out = subprocess.run(["addr2line", "-f", "-i", "-a", "-e", module],
                         input="".join("0x%x\n" % a for a in addresses),
                         capture_output=True, text=True, check=True).stdout.splitlines()
    found, at = {}, None
    for i, line in enumerate(out):
        if line.startswith("0x"):
            at = int(line, 16)
            found[at], name = [], True
        elif name:
            found[at].append(line)
            name = False
        else:
            name = True
    return {a: [(f, i + 1 < len(c)) for i, f in enumerate(c)] for a, c in found.items()}


def load(place, modules):
    """[(frames from the outermost in, each (function, inlined), samples, partial)]. A function
    is "MODULE:NAME"; one outside these modules is a pair of module and address."""
    raw, addresses = [], defaultdict(set)
    for data in csp.load([place]):
        for tree, path, samples, _ in data.samples(data.weights()[0]):
            located = [data.locate(tree.epoch, ip) for ip in path]
            raw.append((located, samples, tree.kind))
            for module, address in located:
                if module and os.path.basename(module) in modules:
                    addresses[module].add(address)
    known = {module: chains(module, some) for module, some in addresses.items()}
    paths = []
    for located, samples, partial in raw:
        frames = []
        for module, address in located:
            if module in known:
                frames += [("%s:%s" % (module, f), inlined)
                           for f, inlined in reversed(known[module][address])]
            else:
                frames.append(((module, address), False))
        paths.append((tuple(frames), samples, bool(partial)))
    return paths


def plain(function):
    """The name that views print; None for other modules."""
    return function.rpartition(":")[2] if isinstance(function, str) else None


def names(paths):
    return {plain(f) for frames, *_ in paths for f, _ in frames} - {None}


class Expected:
    def __init__(self, paths):
        self.total = sum(samples for _, samples, _ in paths)
        self.below = Counter()  # by plain name
        self.down = defaultdict(lambda: [0, 0])  # path of frames: [total, self]
        for frames, samples, partial in paths:
            functions = [f for f, _ in frames]
            for f in {plain(f) for f in functions}:
                self.below[f] += samples
            for i in range(len(frames)):
                self.down[partial, frames[:i + 1]][0] += samples
            self.down[partial, frames][1] += samples
        self.paths = paths

    def up(self):
        """{(function, its caller, the caller's caller, ...): [self, total]} of the nodes with
        values. An inclusive value counts if no frame further out on the path begins the same
        way."""
        nodes = defaultdict(lambda: [0, 0])
        for frames, samples, partial in self.paths:
            functions = [f for f, _ in frames]
            for k in range(1, len(functions) + 1):
                nodes[tuple(reversed(functions[-k:]))][0] += samples
            for key in {tuple(reversed(functions[i - k:i]))
                        for i in range(1, len(functions) + 1) for k in range(1, i + 1)}:
                nodes[key][1] += samples
        return {key: values for key, values in nodes.items() if values[0]}

    def calls(self, function, callers):
        """{function on the other side: [total, self]}."""
        rows = defaultdict(lambda: [0, 0])
        for frames, samples, partial in self.paths:
            functions = [f for f, _ in frames]
            pairs = list(zip([None] + functions, functions))
            here = [p for p in pairs if plain(p[1 if callers else 0]) == function]
            for other in {p[0 if callers else 1] for p in here}:
                rows[plain(other)][0] += samples
            if pairs[-1] in here:
                rows[plain(pairs[-1][0 if callers else 1])][1] += samples
        return rows


def show(hpcprof, *arguments):
    return subprocess.run([hpcprof, *arguments, "--samples", "-q"],
                          env=dict(os.environ, COLUMNS="2000"), capture_output=True, text=True,
                          check=True).stdout.splitlines()


def number(text):
    return int(text.replace(",", "").strip() or 0)


def margin(line):
    """(first value, second value, text without guides) of a line of a tree."""
    return number(line[10:18]), number(line[28:36]), re.sub(r"^[|+ ]*", "", line[38:])


def tree_lines(hpcprof, place, *more):
    for line in show(hpcprof, "tree", "--min", "0", "--all", *more, place):
        if re.match(r"[* ] +[0-9.]+% ", line):
            yield margin(line)


def table_rows(lines):
    """(values, name) of the rows of callers or callees."""
    for line in lines:
        m = re.match(r" +([0-9.]+)% +([0-9.]+)% +([0-9,]+) +([0-9.]+)% +(\S.*?)(  +\S+)?$", line)
        if m:
            yield number(m[3]), float(m[4]), MARKS.sub("", m[5])


def compare(what, shown, expected, wrong):
    for key in sorted(set(shown) | set(expected), key=str):
        if shown.get(key) != expected.get(key):
            wrong.append("%s: %s: shown %s, expected %s"
                         % (what, key, shown.get(key), expected.get(key)))


def check_trees(hpcprof, place, focus, expected, all_samples, ours, wrong):
    more = ["--focus", focus] if focus else []
    shown, due, own = Counter(), Counter(), 0
    for total, self, name in tree_lines(hpcprof, place, *more):
        inlined = name.endswith(" [inlined]")
        own += self
        if MARKS.sub("", name) in ours:
            shown[MARKS.sub("", name), inlined, total, self] += 1
    for (_, frames), (total, self) in expected.down.items():
        if plain(frames[-1][0]) in ours:
            due[plain(frames[-1][0]), frames[-1][1], total, self] += 1
    compare("tree", shown, due, wrong)
    if own != all_samples:
        wrong.append("tree: self adds up to %d of %d" % (own, all_samples))
    shown, due, own = Counter(), Counter(), 0
    for self, total, name in tree_lines(hpcprof, place, "--bottom-up", "--depth", "0", *more):
        caller = name.startswith("< ")
        own += 0 if caller or name.startswith("(") else self
        if MARKS.sub("", name.removeprefix("< ")) in ours:
            shown[MARKS.sub("", name.removeprefix("< ")), caller, self, total] += 1
    for key, (self, total) in expected.up().items():
        if plain(key[-1]) in ours:
            due[plain(key[-1]), len(key) > 1, self, total] += 1
    compare("tree --bottom-up", shown, due, wrong)
    if own != all_samples:
        wrong.append("tree --bottom-up: self adds up to %d of %d" % (own, all_samples))


def check_pruned(hpcprof, place, expected, wrong):
    """The nodes that are shown and the sums of those that are cut add up to the total."""
    for more in ([], ["--min", "20"], ["--depth", "3"], ["--min", "5", "--depth", "7"],
                 ["--focus", "a"], ["--focus", "^main$", "--min", "3"]):
        lines = show(hpcprof, "tree", *more, place)
        own = sum(margin(line)[1] for line in lines
                  if re.match(r"[* ] +[0-9.]+% |[* ] {18} +[0-9.]+% ", line))
        if own != expected.total:
            wrong.append("tree %s: self adds up to %d of %d" % (more, own, expected.total))


def check_calls(hpcprof, place, expected, ours, functions, wrong):
    for function in functions:
        for callers in (True, False):
            view = "callers" if callers else "callees"
            rows = {name: (total, "%.1f" % self) for total, self, name in
                    table_rows(show(hpcprof, view, function, "-n", "0", place))
                    if name in ours}
            due = {name: (total, "%.1f" % (100 * self / expected.total))
                   for name, (total, self) in expected.calls(function, callers).items()
                   if name in ours}
            compare("%s %s" % (view, function), rows, due, wrong)
            if not due and not expected.below[function]:
                wrong.append("%s has no samples" % function)


def main(hpcprof, modules, focus, place, *functions):
    paths = load(place, modules.split(","))
    expected, ours, wrong = Expected(paths), names(paths), []
    focused = [p for p in paths
               if any(plain(f) and re.search(focus, plain(f)) for f, _ in p[0])]
    print("%d samples on %d paths, %d of them in the focus, through %d functions"
          % (expected.total, len(paths), len(focused), len(ours)))
    check_trees(hpcprof, place, focus, Expected(focused) if focus else expected,
                expected.total, ours, wrong)
    check_pruned(hpcprof, place, expected, wrong)
    check_calls(hpcprof, place, expected, ours, functions, wrong)
    print("\n".join(wrong[:20]))
    return 1 if wrong or not expected.total or not ours else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
