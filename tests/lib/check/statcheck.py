"""Checks hpcprof's statistics over profiles, threads, processes, ranks and hosts.

    statcheck.py HPCPROF

Writes datafiles in the current folder (an implementation of formats/README.md in Python),
computes the values of each row of the views in each unit only from the samples' call paths, and
compares sum, min, max, mean, sd, cv, count, smallest and largest with the output, to the last
digit shown. Prints the differences, and exits with 1, if there are any."""

import collections
import decimal
import os
import random
import re
import struct
import subprocess
import sys

decimal.getcontext().prec = 80
HPCPROF = sys.argv[1]
MODULES = (b"/nowhere/alpha.so", b"/nowhere/beta.so")
problems = []


# ---- datafiles ---------------------------------------------------------------------------

def text(b):
    return struct.pack("<I", len(b)) + b


def pairs(d):
    return struct.pack("<I", len(d)) + b"".join(text(k) + text(v) for k, v in d)


def string(tag, b):
    return struct.pack("<II", tag << 4, len(b)) + b


def number(tag, v):
    return struct.pack("<IQ", tag << 4 | 1, v)


def write_file(path, about, threads, trees, period=1000000):
    """trees: (thread, partial, base address, samples), samples: {path of (module, address):
    (weight, count)}."""
    out = b"HPC_CSPROF01.00l" + struct.pack("<Q", 0) + string(0, b"/nowhere/main")
    out += struct.pack("<I", 2)
    out += string(3, b"CPUTIME") + number(5, 2) + number(4, 1)
    out += string(3, b"CPUTIME # samples") + number(5, 6) + number(4, period)
    out += struct.pack("<I", len(trees))
    for _, _, base, _ in trees:
        out += struct.pack("<I", len(MODULES))
        for i, name in enumerate(MODULES):
            out += struct.pack("<I", len(name)) + name + struct.pack("<QQ", 0, base + (i << 32))
    out += struct.pack("<IQ", len(trees), 0)
    for epoch, (_, _, base, samples) in enumerate(trees):
        nodes = [(0, 0, 0, 0)]
        ids = {}
        for frames, (weight, count) in sorted(samples.items()):
            at = 0
            for module, address in frames[:-1]:
                # a frame is looked up at the call, before the return address
                key = (at, module, address, "call")
                if key not in ids:
                    ids[key] = len(nodes)
                    nodes.append((at, base + (module << 32) + address + 1, 0, 0))
                at = ids[key]
            module, address = frames[-1]
            nodes.append((at, base + (module << 32) + address, weight, count))
        out += b"HPC_CSTREE01.00l" + struct.pack("<IIQI", 8, 8, len(nodes), epoch)
        for i, (parent, ip, weight, count) in enumerate(nodes):
            out += struct.pack("<QQQQQQ", i, parent, ip, 0, weight, count)
    chunks = [(1, pairs(about)),
              (2, struct.pack("<I", len(trees)) + len(trees) *
               (struct.pack("<I", len(MODULES)) +
                b"".join(struct.pack("<Q", 1 << 20) + text(b"%02x" % i)
                         for i in range(len(MODULES))))),
              (3, struct.pack("<I", len(trees)) +
               b"".join(struct.pack("<IIIQ", thread, partial, 0xffffffff, 0)
                        for thread, partial, _, _ in trees)),
              (7, struct.pack("<I", 2) + pairs([(b"unit", b"ns")]) + pairs([])),
              (8, struct.pack("<I", len(threads)) +
               b"".join(struct.pack("<Q", tid) + text(name) + struct.pack("<QQQ", 0, 1, 1)
                        for tid, name in threads))]
    out += b"HPC_CSMETA01.00l" + struct.pack("<I", len(chunks))
    for tag, payload in chunks:
        out += struct.pack("<IQ", tag, len(payload)) + payload
    with open(path, "wb") as f:
        f.write(out)


class File:
    """The contents of one datafile: trees are (thread, partial, samples)."""

    def __init__(self, folder, name, host, pid, rank, threads, trees):
        self.folder, self.name, self.host, self.pid, self.rank = folder, name, host, pid, rank
        self.threads, self.trees = threads, trees

    def write(self, rng):
        os.makedirs(self.folder, exist_ok=True)
        about = [(b"command", b"main"), (b"pid", b"%d" % self.pid)]
        if self.host:
            about.append((b"host", self.host.encode()))
        if self.rank is not None:
            about += [(b"rank", b"%d" % self.rank), (b"ranks", b"9")]
        write_file(os.path.join(self.folder, self.name), about, self.threads,
                   [(thread, partial, rng.randrange(1, 1 << 10) << 34, samples)
                    for thread, partial, samples in self.trees])


def random_samples(rng, n, deep):
    samples = {}
    for _ in range(n):
        depth = rng.randrange(1, 8)
        if deep:    # functions occur again, so that recursion must be counted once
            path = tuple((rng.randrange(2), 0x100 * rng.randrange(1, 6)) for _ in range(depth))
        else:       # no function is on a path twice
            path = tuple((rng.randrange(2), 0x1000 * (d + 1) + 0x10 * rng.randrange(3))
                         for d in range(depth))
        count = rng.randrange(1, 50)
        samples[path] = (rng.randrange(1, 2000000) * count, count)
    return samples


def make(name, rng, deep):
    """Seven folders on three hosts; a process with two images; two ranks with the same values;
    threads without samples; a file without a description of itself."""
    files = []
    for i in range(7):
        folder = "%s/run-%d" % (name, i)
        threads = [(4000 + i * 10 + t, b"worker" if t else b"main") for t in range(3)]
        trees = [(0, 0, random_samples(rng, 30, deep)), (1, 0, random_samples(rng, 10, deep)),
                 (1, 1, random_samples(rng, 3, deep))]
        files.append(File(folder, "main.%d.csp" % i, "host%d" % (i % 3), 100 + i, i, threads,
                          trees))
    files[4].trees = files[3].trees
    files.append(File("%s/run-2" % name, "again.csp", "host2", 102, 2, [(4020, b"main")],
                      [(0, 0, random_samples(rng, 20, deep))]))
    files.append(File("%s/run-5" % name, "lone.csp", "", 555, None, [(1, b"")],
                      [(0, 0, random_samples(rng, 5, deep))]))
    for f in files:
        f.write(rng)
    return files


# ---- units -------------------------------------------------------------------------------

def units_of(files, by):
    """[(name, [samples of the trees and whether they are partial])], in the order of names."""
    units = {}
    for f in files:
        path = os.path.join(f.folder, f.name)
        process = "process %d" % f.pid + (" on " + f.host if f.host else "")
        trees = [(partial, samples) for _, partial, samples in f.trees]
        if by == "thread":
            for t, (tid, name) in enumerate(f.threads):
                label = "thread %d%s of %s" % (tid, (" " + name.decode()) if name else "", process)
                units[(f.host, f.pid, path, t)] = (
                    label, [(partial, s) for thread, partial, s in f.trees if thread == t])
            continue
        key, label = {
            "profile": ((f.folder,), f.folder),
            "process": ((f.host, f.pid, f.folder), process),
            "rank": ((f.rank,), "rank %s" % f.rank),
            "host": ((not f.host, f.host), f.host or "unknown host"),
        }[by]
        if by != "rank" or f.rank is not None:
            units.setdefault(key, (label, []))[1].extend(trees)
    return [units[key] for key in sorted(units)]


def function(place):
    return "%s+0x%x" % (os.path.basename(MODULES[place[0]].decode()), place[1])


def rows_of(trees, samples):
    """{kind: {row: [exclusive, inclusive]}} of one unit."""
    rows = {kind: collections.defaultdict(lambda: [0, 0]) for kind in ("module", "function", "path")}
    for partial, tree in trees:
        for path, values in tree.items():
            value = values[1] if samples else values[0]
            names = [function(place) for place in path]
            modules = [MODULES[place[0]].decode() for place in path]
            for kind, on_path in (("module", modules), ("function", names)):
                for row in set(on_path):
                    rows[kind][row][1] += value
                rows[kind][on_path[-1]][0] += value
            for n in range(1, len(path) + 1):
                rows["path"][(partial,) + tuple(names[:n])][1] += value
            rows["path"][(partial,) + tuple(names)][0] += value
    return rows


def edges_of(trees, samples, of, callees):
    """{row: [exclusive, inclusive]} of one unit: what called a function, or what it called. Each
    row counts once per path; exclusive if the row's call is the leaf."""
    rows = collections.defaultdict(lambda: [0, 0])
    for partial, tree in trees:
        for path, values in tree.items():
            value = values[1] if samples else values[0]
            names = [function(place) for place in path]
            outer = ["(callers not known)" if partial else "(no caller)"] + names[:-1]
            here = [(callee if callees else caller) for caller, callee in zip(outer, names)
                    if (caller if callees else callee) == of]
            here = [row + " [recursion]" if row == of else row for row in here]
            for row in set(here):
                rows[row][1] += value
            if (outer if callees else names)[-1] == of:
                rows[here[-1]][0] += value
    return rows


# ---- what should be printed --------------------------------------------------------------

def show(value, samples):
    value = float(value)
    if samples:
        if value >= 99.95 or value == int(value):
            return "{:,}".format(int(value + 0.5))
        return "%.*f" % (1 if value >= 9.995 else 2, value)
    step, name = 1.0, "ns"
    for size, unit in ((1e3, "us"), (1e6, "ms"), (1e9, "s")):
        if value >= size * 0.9995:
            step, name = size, unit
    x = value / step
    if name == "s" and value >= 120e9:
        return "%.*f min" % (2 if value < 600e9 else 1, value / 60e9)
    return "%.*f %s" % (0 if step == 1 or x >= 99.95 else 1 if x >= 9.995 else 2, x, name)


def line(label, values, names, total, samples):
    """The fields of a line: values of all units in order."""
    n = len(values)
    add = sum(values)
    mean = decimal.Decimal(add) / n
    fields = [label, "%.1f%%" % (100.0 * add / total), show(add, samples),
              show(min(values), samples), show(max(values), samples), show(mean, samples)]
    if n > 1:
        variance = sum((decimal.Decimal(v) - mean) ** 2 for v in values) / (n - 1)
        fields += [show(variance.sqrt(), samples), "%.1f%%" % (100 * variance.sqrt() / mean)]
    else:
        fields += ["-", "-"]
    return fields + [str(sum(v != 0 for v in values)), names[values.index(min(values))],
                     names[values.index(max(values))]]


def expected(files, units, kind, samples):
    """[(row, its lines)], sorted."""
    names = [name for name, _ in units]
    rows = [rows_of(trees, samples) for _, trees in units]
    total = sum(values[samples] for f in files for _, _, tree in f.trees
                for values in tree.values())
    everything = [sum(r["function"][f][0] for f in r["function"]) for r in rows]
    result = [("everything", [line("total", everything, names, total, samples)])]
    if kind != "path" and kind != "bottom-up":
        result = []
    kind = "function" if kind == "bottom-up" else kind
    return sorted(result + lines_of([r[kind] for r in rows], names, total, samples,
                                    lambda row: row[-1] if kind == "path" else row))


def expected_calls(files, units, of, callees, samples):
    """The same for callers, or callees: everything, the function and these rows."""
    names = [name for name, _ in units]
    functions = [rows_of(trees, samples)["function"] for _, trees in units]
    total = sum(values[samples] for f in files for _, _, tree in f.trees
                for values in tree.values())
    everything = [sum(r[f][0] for f in r) for r in functions]
    edges = [edges_of(trees, samples, of, callees) for _, trees in units]
    return sorted([("everything", [line("total", everything, names, total, samples)])] +
                  lines_of([{of: r[of]} for r in functions], names, total, samples, str) +
                  lines_of(edges, names, total, samples, str))


def lines_of(units, names, total, samples, label):
    """[(row's label, its lines)] of {row: [exclusive, inclusive]} for each unit."""
    result = []
    for row in set().union(*units):
        self, inclusive = ([unit.get(row, (0, 0))[i] for unit in units] for i in (0, 1))
        if self == inclusive:
            lines = [line("both", self, names, total, samples)]
        else:
            lines = [line("self", self, names, total, samples)] if any(self) else []
            lines.append(line("total", inclusive, names, total, samples))
        result.append((label(row), lines))
    return result


# ---- what is printed ---------------------------------------------------------------------

WIDTHS = (4, 5, 7, 9, 9, 9, 9, 9, 7, 6)


def run(*arguments):
    environment = dict(os.environ, COLUMNS="400")
    view, rest = ("text", arguments) if arguments[0][0] in "-./" else (arguments[0], arguments[1:])
    all_rows = {"text": ["--all", "-n", "0"], "tree": []}.get(view, ["-n", "0"])
    return subprocess.run([HPCPROF, view, *all_rows, *rest], env=environment, check=True,
                          stdout=subprocess.PIPE, timeout=120).stdout.decode()


def parsed(output, title):
    """[(row, its lines)] below a title, sorted."""
    result, on = [], False
    for text_line in output.split("\n"):
        if not text_line.startswith(" "):
            on = on and text_line != "" or text_line.startswith(title)
            continue
        if on and re.match("    (self|total|both) ", text_line):
            fields, at = [], 0
            for width in WIDTHS:
                fields.append(text_line[at:at + width].strip())
                at += width
            fields = fields[1:] + re.split(" {2,}", text_line[at:].strip())
            result[-1][1].append(fields)
        elif on and re.match("  [^ ]", text_line):
            label = re.sub(r"^\[\d+\] ", "", text_line.strip().split("  ")[0])
            result.append((label, []))
    return sorted(row for row in result if row[1])


def compare(what, found, wanted):
    if found == wanted:
        return
    problems.append("%s: %d rows, expected %d" % (what, len(found), len(wanted)))
    for a, b in zip(found, wanted):
        if a != b:
            problems.append("  printed  %r\n  expected %r" % (a, b))
            break


# ---- the checks --------------------------------------------------------------------------

def check_statistics(files, folders, what):
    for by in ("profile", "process", "thread", "rank", "host"):
        for samples in (False, True):
            units = units_of(files, by)
            options = ["--stats", "--by", by] + (["--samples"] if samples else [])
            output = run(*options, *folders)
            name = "%s by %s%s" % (what, by, ", samples" if samples else "")
            compare(name + ": modules", parsed(output, "Load modules"),
                    expected(files, units, "module", samples))
            compare(name + ": functions", parsed(output, "Functions"),
                    expected(files, units, "function", samples))
            if what == "flat":
                compare(name + ": call paths",
                        sorted(parsed(output, "These calls") + parsed(output, "Statistics")),
                        expected(files, units, "path", samples))
            for of in ("alpha.so+0x1000", "beta.so+0x100", "alpha.so+0x300"):
                for view in ("callers", "callees"):
                    if not any(of in rows_of(trees, samples)["function"] for _, trees in units):
                        continue
                    output = run(view, of, *options, *folders)
                    compare("%s: %s of %s" % (name, view, of), parsed(output, "These " + view),
                            expected_calls(files, units, of, view == "callees", samples))
            output = run("tree", "--all", "--min", "0", *options, *folders)
            compare(name + ": tree", parsed(output, "These functions"),
                    expected(files, units, "path", samples))
            output = run("tree", "--bottom-up", "--depth", "1", "--min", "0", *options, *folders)
            compare(name + ": bottom-up", parsed(output, "These functions"),
                    [row for row in expected(files, units, "bottom-up", samples)
                     if row[1][0][0] != "total" or row[0] == "everything"])


def check_columns(files, folders):
    """The tables' columns of units: common ones, and single ones if there are few units."""
    for count, options in ((7, []), (3, []), (7, ["--collective", "8"]), (2, ["--collective", "2"])):
        some = folders[:count]
        units = units_of([f for f in files if f.folder in some], "profile")
        rows = [rows_of(trees, False) for _, trees in units]
        output = run(*options, *some).split("\n")
        at = next(i for i, l in enumerate(output) if l.startswith("Functions"))
        single = bool(count == 3 or options and options[1] == "8")
        found = {}
        for text_line in output[at + 2:]:
            if not text_line:
                break
            fields = re.split(" {2,}", text_line.strip())
            found[fields[-2]] = fields
        wanted = {}
        for row in set().union(*(r["function"] for r in rows)):
            columns = []
            for i in (0, 1):
                values = [r["function"].get(row, (0, 0))[i] for r in rows]
                if not single:
                    values = [sum(values), min(values), max(values)]
                columns.append([show(v, False) if v else "0" for v in values])
            wanted[row] = columns
        for row, (self, inclusive) in wanted.items():
            fields = found.get(row, [])
            got = fields[1:1 + len(self)], fields[2 + len(self):2 + 2 * len(self)]
            if got != (self, inclusive):
                problems.append("columns of %d %s: %s has %r, expected %r"
                                % (count, options, row, got, (self, inclusive)))
        if set(found) != set(wanted):
            problems.append("columns of %d %s: other functions" % (count, options))


def check_order(folders, rng):
    places = [os.path.join(f, n) for f in folders for n in os.listdir(f)]
    for arguments in (folders, places):
        for options in (["--stats"], [], ["--stats", "--by", "thread"], ["--stats", "--by", "rank"],
                        ["--by", "process"]):
            first = None
            for threads in ("1", "2", "4", "16"):
                order = list(arguments)
                rng.shuffle(order)
                for view in ([], ["tree"] if "--stats" in options else []):
                    output = run(*view, "-j", threads, *options, *order)
                    if view:
                        trees = output
                    else:
                        tables, trees = output, None
                if first is None:
                    first = tables, trees
                if first != (tables, trees):
                    problems.append("%s: another order of files, or %s threads, prints other bytes"
                                    % (options, threads))


def main():
    rng = random.Random(4)
    for what, deep in (("deep", True), ("flat", False)):
        files = make(what, rng, deep)
        folders = sorted({f.folder for f in files})
        check_statistics(files, folders, what)
        check_columns(files, folders)
        check_order(folders, rng)
        alone = [f for f in files if f.folder == folders[0]]
        compare(what + ": one profile alone",
                parsed(run("--stats", folders[0]), "Functions"),
                expected(alone, units_of(alone, "profile"), "function", False))
    print("\n".join(problems[:30]))
    sys.exit(1 if problems else 0)


main()
