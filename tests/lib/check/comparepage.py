"""Reads the data of a page of `hpcprof diff --html`, as share/html/README.md describes it, and
compares it with what `hpcprof diff --json` says of the same profiles. NORMAL is an argument of
--normalize with which the factors of all rows are those of their runs.

    comparepage.py HPCPROF PAGE NORMAL PROFILE..."""

import json
import subprocess
import sys

import page
from page import same, varints

SELF_BEYOND, TOTAL_BEYOND = 1, 2
LINE_BEYOND, LINE_GONE = 1, 2


def close(what, ours, theirs, least=0):
    if abs(ours - theirs) > max(1e-9 * abs(theirs), least):
        page.wrong.append("%s: %r, expected %r" % (what, ours, theirs))


def collapsed(names):
    """The name of a call path, on which a function that calls itself is once."""
    path = []
    for name in names:
        if not path or path[-1] != name:
            path.append(name)
    return " > ".join(path)


def main(hpcprof, path, normal, *profiles):
    def told(*options):
        return json.loads(subprocess.run(
            [hpcprof, "diff", "-q", "--json", "--all", "--normalize", normal, *options,
             *profiles], capture_output=True, check=True).stdout)

    p = page.Page(path)
    compare, names = p.profile["compare"], p.names["functions"]["name"]
    functions, totals = told("--functions", "--lines", "--calls"), told("--total", "--functions")
    runs = compare["runs"]
    nodes = p.nodes()

    same("the runs", [(r["name"], r["factor"]) for r in runs if r["after"]],
         [(r["profile"], r["factor"]) for r in functions["after"]["runs"]])
    same("those before", [(r["name"], r["factor"]) for r in runs if not r["after"]],
         [(r["profile"], r["factor"]) for r in functions["before"]["runs"]])
    same("the units are the runs", [u["name"] for u in p.profile["units"]],
         [r["name"] for r in runs])
    for side in ("before", "after"):
        same(side, compare[side], functions[side]["events"])
    same("common factor", compare["factor"], functions["common_factor"])
    same("beyond noise", compare["beyond"], functions["total"]["beyond_noise"])

    # ---- functions
    own = [[0.0, 0.0] for _ in nodes]
    for (unit, node), row in p.units().items():
        r = runs[unit]
        count = sum(x["after"] == r["after"] for x in runs)
        own[node][r["after"]] += row[0][0] / r["factor"] / count
    total = [list(v) for v in own]
    for i in reversed(range(len(nodes))):
        if nodes[i][0] is not None:
            for side in range(2):
                total[nodes[i][0]][side] += total[i][side]
    marks = varints(p.columns["compare-functions"])
    same("marks", len(marks), 2 * len(names))
    ours = {f: [[0.0, 0.0], [0.0, 0.0]] for f in range(len(names))}
    above = [set() for _ in nodes]
    for i, (parent, f, inlined) in enumerate(nodes):
        same("inlined", inlined, 0)
        above[i] = (above[parent] | {nodes[parent][1]}) if parent is not None else set()
        for side in range(2):
            ours[f][0][side] += own[i][side]
            if f not in above[i]:
                ours[f][1][side] += total[i][side]

    def by_name(rows):
        """The load module of a row may be that of either side."""
        out = {}
        for row in rows:
            out.setdefault(row["name"], []).append(row)
        return out

    seen = 0
    for kind, bit, found in ((0, SELF_BEYOND, functions), (1, TOTAL_BEYOND, totals)):
        theirs = by_name(found["functions"])
        for f, values in ours.items():
            module = p.names["functions"]["module"][f]
            if module < 0 or not sum(values[kind]):
                continue
            rows = theirs.get(names[f], [])
            same("rows of %s" % names[f], len(rows) >= 1, True)
            if len(rows) != 1:
                continue  # functions of one name
            seen += 1
            for side, member in enumerate(("before", "after")):
                close("%s of %s" % (member, names[f]), values[kind][side], rows[0][member], 1e-3)
            same("mark of %s" % names[f], bool(marks[2 * f] & bit), rows[0]["beyond_noise"])
            if not kind:
                moved = marks[2 * f + 1]
                same("moved with", names[(moved >> 1) - 1] if moved else None,
                     rows[0].get("moved_with"))

    # ---- paths
    beyond = {row["name"]: row["beyond_noise"] for row in functions["calls"]}
    flags, paths = varints(p.columns["compare-nodes"]), []
    same("flags", len(flags), len(nodes))
    for i, (parent, f, _) in enumerate(nodes):
        paths.append((paths[parent] if parent is not None else []) + [names[f]])
        if p.names["functions"]["module"][f] >= 0 and len(paths[i]) < 60 and \
                paths[i][0] != "[partial call paths]":
            same("path %s" % collapsed(paths[i]), bool(flags[i]), beyond.get(collapsed(paths[i])))

    # ---- lines
    numbers, gone = iter(varints(p.columns["compare-lines"])), 0
    seen_lines = 0
    theirs = {row["name"]: row for row in functions["lines"]}
    for (file, line), _ in p.lines().items():
        values = [next(numbers) for _ in range(5)]
        name = "%s:%d" % (file, line)
        row = theirs.get(name)
        gone += bool(values[4] & LINE_GONE)
        if row:
            seen_lines += 1
            close("before at %s" % name, values[0], row["before"], 1)
            close("after at %s" % name, values[1], row["after"], 1)
            same("mark of %s" % name, bool(values[4] & LINE_BEYOND), row["beyond_noise"])
            same("gone %s" % name, bool(values[4] & LINE_GONE) and row["after"] > 0, False)
    same("more lines", list(numbers), [])
    same("lines that were compared", seen_lines > 0 or not any(":" in name for name in theirs), True)
    print("%d values of functions, %d nodes, %d lines, %d gone lines" % (
        seen, len(nodes), seen_lines, gone))
    for text in page.wrong[:30]:
        print(text)
    return 1 if page.wrong or not seen else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
