"""Reads the data of a page of `hpcprof html`, as share/html/README.md describes it, and compares it
with a database of the same measurement, exactly.

    page.py HPCPROF PAGE DATABASE
    page.py HPCPROF PAGE MEASUREMENT MODULE   the instructions in it, beside hpcprof annotate"""

import base64
import html
import json
import os
import re
import sqlite3
import subprocess
import sys
import zlib

import dbtext

wrong = []


def same(what, ours, theirs):
    if ours != theirs:
        wrong.append("%s: %.1000r, expected %.1000r" % (what, ours, theirs))


def varints(data):
    out, value, shift = [], 0, 0
    for byte in data:
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            out.append(value)
            value = shift = 0
    assert shift == 0, "a column ends within an integer"
    return out


class Page:
    def __init__(self, path):
        self.text = text = open(path, encoding="utf-8").read()
        self.columns = {
            name: zlib.decompress(base64.b64decode(data, validate=True), -15)
            for name, data in re.findall(
                r'<script type="text/plain" class="column" id="([a-z0-9-]+)">([^<]*)</script>',
                text)}
        found = re.findall(r'<script type="application/json" id="profile">([^<]*)</script>', text)
        assert len(found) == 1, "the profile: %d" % len(found)
        self.profile = json.loads(found[0])
        self.names = json.loads(self.columns["names"])

    def values(self, k):
        """Exclusive (events, samples) of each node."""
        samples = varints(self.columns["samples-%d" % k])
        metric = self.profile["metrics"][k]
        if "events-%d" % k not in self.columns:
            return [(n, n) for n in samples]
        events = varints(self.columns["events-%d" % k])
        assert len(events) == len(samples)
        return [(((z >> 1) ^ -(z & 1)) + n * metric["mean"], n)
                for z, n in zip(events, samples)]

    def nodes(self):
        """(parent, function, inlined) of each node; the parent of an outermost one is None."""
        path, out = [], []
        for pop, function in zip(varints(self.columns["pops"]),
                                 varints(self.columns["functions"])):
            for _ in range(pop):
                path.pop()
            out.append((path[-1] if path else None, function >> 1, function & 1))
            path.append(len(out) - 1)
        return out


    def row(self, numbers):
        """The next (events, samples) of each metric."""
        row = []
        for k, metric in enumerate(self.profile["metrics"]):
            samples = events = next(numbers)
            if "events-%d" % k in self.columns:
                z = next(numbers)
                events = ((z >> 1) ^ -(z & 1)) + samples * metric["mean"]
            row.append((events, samples))
        return row

    def units(self):
        """{(unit, node): ((events, samples) of each metric)}"""
        numbers, out = iter(varints(self.columns["units"])), {}
        for unit in range(len(self.profile["units"])):
            node = 0
            for _ in range(next(numbers)):
                node += next(numbers)
                row = self.row(numbers)
                same("a node that a unit has twice", (unit, node) in out, False)
                out[unit, node] = tuple(row)
        same("more units", list(numbers), [])
        return out


    def lines(self):
        """{(file, line): (function, [((self events, samples), (total ...)) of each metric])}"""
        numbers, out = iter(varints(self.columns["lines"])), {}
        file = line = 0
        for _ in range(next(numbers)):
            step = next(numbers)
            file, line = file + step, next(numbers) + (0 if step else line)
            function = next(numbers) - 1
            own, all_ = self.row(numbers), self.row(numbers)
            out[self.names["files"][file], line] = function, list(zip(own, all_))
        same("more lines", list(numbers), [])
        return out


    def instructions(self):
        """[(file, line, procedure, module, address, text, [(events, samples) of each metric])]"""
        numbers = iter(varints(self.columns["instructions"]))
        places = list(self.lines())
        modules = [self.names["modules"][next(numbers)] for _ in range(next(numbers))]
        texts = self.columns["instruction-texts"].decode().split("\n")
        names, texts = texts[:len(modules)], texts[len(modules):]
        out, line, address = [], 0, 0
        for i in range(next(numbers)):
            line, procedure = line + next(numbers), next(numbers)
            z = next(numbers)
            address += (z >> 1) ^ -(z & 1)
            out.append((*places[line], names[procedure], modules[procedure], address, texts[i],
                        self.row(numbers)))
        same("more instructions", (list(numbers), texts[len(out):]), ([], [""]))
        return out


def last(path):
    return path.rstrip("/").rpartition("/")[2]


def clean(name):
    """A text of the database as the page has it: what a terminal would obey is spelled."""
    def spelled(m):
        c = ord(m[0])
        return "\\x%02x" % (c & 0xff) if c < 0x80 or c >= 0xdc80 else "\\u{%x}" % c
    return name and re.sub("[\0-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\udc80-\udcff]",
                           spelled, dbtext.decoded(name))


def paths_of_page(page):
    """For each call path of functions, the values of all metrics."""
    names = page.names["functions"]
    modules, files = page.names["modules"], page.names["files"]
    out, paths = {}, []
    values = [page.values(k) for k in range(len(page.profile["metrics"]))]
    for i, (parent, f, inlined) in enumerate(page.nodes()):
        frame = (names["name"][f], inlined, last(modules[names["module"][f]]),
                 files[names["file"][f]] if names["file"][f] >= 0 else None,
                 names["line"][f]) if names["module"][f] >= 0 else "partial"
        paths.append(hash((paths[parent] if parent is not None else 0, frame)))
        if any(v[i] != (0, 0) for v in values):
            same("a path that occurs twice", paths[-1] in out, False)
            out[paths[-1]] = tuple(v[i] for v in values)
    return out


def paths_of_database(path, metrics):
    db = sqlite3.connect(path)
    frames, out = {}, {}
    for context, parent, name, inlined, module, file, line in db.execute(
            "SELECT c.id, c.parent, f.name, c.inlined, module.base, file.name, f.line "
            "FROM context c LEFT JOIN function f ON f.id = c.function "
            "LEFT JOIN module ON module.id = f.module LEFT JOIN file ON file.id = f.file "
            "ORDER BY c.id"):
        if parent is None:
            # the roots: of complete paths, and of partial ones
            partial, = db.execute("SELECT count(*) FROM context WHERE parent IS NULL AND id < ?",
                                  (context,)).fetchone()
            frames[context] = hash((0, "partial")) if partial else 0
        else:
            frames[context] = hash((frames[parent], (
                clean(name), inlined, last(clean(module)), clean(file), line or 0)))
    for k, metric in enumerate(metrics):
        for context, events, samples in db.execute(
                "SELECT x.context, x.events, x.samples FROM exclusive x JOIN metric m "
                "ON m.id = x.metric WHERE m.name = ?", (metric,)):
            row = out.setdefault(frames[context], [(0, 0)] * len(metrics))
            row[k] = (row[k][0] + events, row[k][1] + samples)
    return {key: tuple(row) for key, row in out.items() if any(v != (0, 0) for v in row)}


def check_order(page):
    """Siblings stand in falling order of inclusive events, but partial paths come last."""
    nodes = page.nodes()
    total = [v[0] for v in page.values(0)]
    for i in reversed(range(len(nodes))):
        if nodes[i][0] is not None:
            total[nodes[i][0]] += total[i]
    before = {}
    for i, (parent, function, _) in enumerate(nodes):
        if page.names["functions"]["module"][function] >= 0:
            same("order of node %d" % i, total[i] <= before.get(parent, total[i]), True)
            before[parent] = total[i]


def check_units(page, hpcprof, database):
    """The units' values add up to those of the nodes, and of the processes."""
    units, metrics = page.units(), range(len(page.profile["metrics"]))
    for k in metrics:
        sums = [(0, 0)] * page.profile["nodes"]
        for (_, node), row in units.items():
            sums[node] = tuple(a + b for a, b in zip(sums[node], row[k]))
        same("values of the units", sums, page.values(k))
    found = json.loads(subprocess.run(
        [hpcprof, "--json", "-q", "--processes", "-n", "0", database], capture_output=True,
        check=True).stdout)
    for k in metrics:
        ours, theirs = {}, {}
        for (unit, _), row in units.items():
            u = page.profile["units"][unit]
            key = u.get("process"), u.get("command"), u.get("host"), u.get("rank")
            ours[key] = ours.get(key, 0) + row[k][0]
        for row in found["processes"]["rows"]:
            key = tuple(row[m] for m in ("pid", "command", "host", "rank"))
            if row["self"][k]:
                theirs[key] = theirs.get(key, 0) + row["self"][k]
        same("processes", {k: v for k, v in ours.items() if v}, theirs)
    print("%d units" % len(page.profile["units"]))


def check_lines(page, database):
    """Own and all values of the lines are those of the database."""
    db, lines = sqlite3.connect(database), page.lines()
    for k, metric in enumerate(page.profile["metrics"]):
        expected = {}
        for file, line, own, all_ in db.execute(
                "SELECT file, line, self, total FROM lines WHERE metric = ? AND file IS NOT NULL",
                (metric["name"],)):
            expected.setdefault((clean(file), line or 0), []).append((own, all_))
        same("lines", sorted(key for key in lines if lines[key][1][k][1][0]), sorted(expected))
        for key, rows in expected.items():
            if key in lines:
                same("self of %s:%d" % key, lines[key][1][k][0][0], sum(own for own, _ in rows))
                if len(rows) == 1:
                    same("total of %s:%d" % key, lines[key][1][k][1][0], rows[0][1])
    sources = [name for name in page.columns if name.startswith("source-")]
    for name in sources:
        file = page.names["files"][int(name[len("source-"):])]
        same(file, page.columns[name].splitlines(), open(file, "rb").read().splitlines())
    print("%d lines, %d sources" % (len(lines), len(sources)))


def check_instructions(page, hpcprof, measurement, module):
    """Those of a module's lines add up to the lines, and are what annotate shows."""
    lines, found = page.lines(), page.instructions()
    same("order", [i[:2] for i in found],
         [key for key in lines for _ in range(sum(i[:2] == key for i in found))])
    for k in range(len(page.profile["metrics"])):
        sums = {}
        for file, line, _, _, _, _, row in found:
            sums[file, line] = tuple(a + b for a, b in zip(sums.get((file, line), (0, 0)), row[k]))
        own = {key: values[k][0] for key, (_, values) in lines.items()}
        same("lines with instructions", sorted(sums),
             sorted(key for key in own if own[key][1] and key in sums))
        for key in sums:
            same("the instructions of %s:%d" % key, sums[key], own[key])
    shown = {}
    for name in {i[2] for i in found if last(i[3]) == module}:
        text = subprocess.run([hpcprof, "annotate", "--object", "--all", "-q", "-n", "0", name,
                               measurement], capture_output=True, check=True,
                              env=dict(os.environ, COLUMNS="100000")).stdout.decode()
        for line in text.splitlines():
            m = re.match(r"[^;]*?\s([0-9a-f]{3,})  (\S.*)$", line)
            if m:
                shown[int(m[1], 16)] = m[2]
    ours = {i[4]: i[5] for i in found if last(i[3]) == module}
    same("they are as annotate shows them", ours, {at: shown.get(at) for at in ours})
    print("%d instructions" % len(found))
    return len(ours)


def main_instructions(hpcprof, path, measurement, module):
    count = check_instructions(Page(path), hpcprof, measurement, module)
    same("there are some", count > 20, True)
    print("\n".join(wrong[:20]))
    return len(wrong) > 0


def main(hpcprof, path, database):
    page = Page(path)
    metrics = page.profile["metrics"]
    ours, theirs = paths_of_page(page), paths_of_database(database, [m["name"] for m in metrics])
    same("call paths", len(ours), len(theirs))
    same("values", {k: v for k, v in ours.items() if theirs.get(k) != v}, {})
    check_order(page)
    nodes = page.nodes()
    same("nodes", page.profile["nodes"], len(nodes))
    used = {}
    for _, function, _ in nodes:
        used[function] = used.get(function, 0) + 1
    same("numbers of functions", sorted(used), list(range(len(page.names["functions"]["name"]))))
    same("their order", [used[f] for f in sorted(used)], sorted(used.values(), reverse=True))
    for k, metric in enumerate(metrics):
        same("quantum", metric["quantum"], 1)
        same("total", (metric["events"], metric["samples"]),
             tuple(sum(v[i] for v in page.values(k)) for i in (0, 1)))
    same("there are units", bool(page.profile["units"]), "units" in page.columns)
    if "units" in page.columns:
        check_units(page, hpcprof, database)
    check_lines(page, database)
    report = json.loads(subprocess.run([hpcprof, "--json", "-q", database], capture_output=True,
                                       check=True).stdout)
    for found in report, page.profile["report"]:
        for metric in found["metrics"]:
            del metric["effective_samples"]  # an estimate from single contexts, which differ
    for name in "metrics", "quality":
        same(name, page.profile["report"][name], report[name])
    same("title", page.profile["title"],
         html.unescape(re.search("<title>([^<]*)</title>", page.text)[1].strip()))
    summary = subprocess.run([hpcprof, "-q", database], capture_output=True, check=True,
                             env=dict(os.environ, COLUMNS="120")).stdout.decode()
    same("the text report is in it", html.escape(summary, quote=False) in page.text, True)
    print("%d nodes, %d functions, %d bytes" % (len(nodes), len(used), len(page.text)))
    print("\n".join(wrong[:20]))
    return len(wrong) > 0


if __name__ == "__main__":
    sys.exit((main_instructions if len(sys.argv) > 4 else main)(*sys.argv[1:]))
