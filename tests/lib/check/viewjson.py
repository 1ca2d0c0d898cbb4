"""Compares the JSON of hpcprof's views with a database of the same measurement, which has values by
other code, exactly.

    viewjson.py HPCPROF PLACE DATABASE [FUNCTION]
        text with all tables, whole and cut off at three rows; groups of code and of threads; tree, top-down and bottom-up; and
        callers and callees of the function, if one is named"""

import json
import re
import sqlite3
import subprocess
import sys

import dbtext

wrong = []


def same(what, ours, theirs):
    if ours != theirs:
        wrong.append("%s: %r, expected %r" % (what, ours, theirs))


def text_of(value):
    """As JSON has it: bytes that are not UTF-8 are U+FFFD."""
    if not isinstance(value, bytes):
        return value
    return re.sub("[\udc80-\udcff]", "\ufffd", dbtext.decoded(value.decode()))


class Database:
    def __init__(self, path):
        self.db = sqlite3.connect(path)
        self.db.text_factory = bytes

    def rows(self, sql, *arguments):
        for row in self.db.execute(sql, arguments):
            yield tuple(text_of(cell) for cell in row)


def add_up(pairs):
    out = {}
    for key, value in pairs:
        out[key] = out.get(key, 0) + value
    return {key: value for key, value in out.items() if value}


def table(db, view, columns, metric, which):
    return add_up((row[:-1], row[-1]) for row in db.rows(
        "SELECT %s, %s FROM %s WHERE metric = ?" % (columns, which, view), metric))


def last(path):
    return path.rstrip("/").rpartition("/")[2] if path else path


# What identifies a row: in the database's view, and in ours.
TABLES = {
    "modules": ("module", lambda r: (r["module"],)),
    "files": ("file, module", lambda r: (r["file"], last(r["module"]))),
    "functions": ("function, module, file, line",
                  lambda r: (r["function"], last(r["module"]), r["file"], r["line"])),
    "lines": ("file, line, module",
              lambda r: (r["file"], r["line"], last(r["module"]))),
}


# The same for groups of code, by the member with their name, and the column of the database.
GROUPS = {"folders": ("folder", "file.folder"), "namespaces": ("namespace", "function.namespace")}


def group_sums(db, column, metric):
    """Self and total of each group and module, from the calling contexts."""
    up, group, own, below = {}, {}, {}, {}
    for context, parent, name, module in db.rows(
            "SELECT c.id, c.parent, %s, CASE WHEN %s IS NULL THEN module.base END "
            "FROM context c LEFT JOIN function ON function.id = c.function "
            "LEFT JOIN module ON module.id = function.module "
            "LEFT JOIN line ON line.id = c.line LEFT JOIN file ON file.id = line.file"
            % (column, column)):
        up[context] = parent
        group[context] = name, module
    for context, events in db.rows("SELECT x.context, x.events FROM exclusive x JOIN metric m "
                                   "ON m.id = x.metric WHERE m.name = ?", metric):
        if up[context] is not None:
            own[group[context]] = own.get(group[context], 0) + events
        path = set()
        while up[context] is not None:
            path.add(group[context])
            context = up[context]
        for key in path:
            below[key] = below.get(key, 0) + events
    return ({k: v for k, v in own.items() if v}, {k: v for k, v in below.items() if v})


def check_groups(run, db):
    found = run("text", "--folders", "--namespaces", "--threads", "-n", "0")
    for k, metric in enumerate(found["metrics"]):
        for name, (member, column) in GROUPS.items():
            sums = group_sums(db, column, metric["name"])
            for which, expected in zip(("self", "total"), sums):
                same("%s by %s" % (which, name),
                     add_up(((r[member], last(r["module"])), r[which][k])
                            for r in found[name]["rows"]), expected)
        threads = db.rows("SELECT name, first_name, last_name, kind = 'main', creator, threads, "
                          "events FROM thread_groups WHERE metric = ?", metric["name"])
        same("threads", sorted(repr((r["name"], r["first_name"], r["last_name"], int(r["main"]),
                                     r["created_by"], r["threads"], r["self"][k]))
                               for r in found["threads"]["rows"] if r["self"][k]),
             sorted(repr(row) for row in threads))
    print("%d folders, %d namespaces, %d groups of threads"
          % tuple(len(found[k]["rows"]) for k in ("folders", "namespaces", "threads")))


def check_text(run, db):
    whole, part = run("text", "--all", "-n", "0"), run("text", "--all", "-n", "3")
    for k, metric in enumerate(whole["metrics"]):
        events, samples = next(db.rows(
            "SELECT sum(events), sum(samples) FROM metric WHERE name = ?", metric["name"]))
        same("total", metric["total"], events)
        same("samples", metric["total_samples"], samples)
        for name, (columns, key) in TABLES.items():
            rows = whole[name]["rows"]
            for which in "self", "total":
                same("%s by %s" % (which, name),
                     add_up((key(r), r[which][k]) for r in rows),
                     table(db, name, columns, metric["name"], which))
            same("left out of all " + name, whole[name]["left_out"]["rows"], 0)
            cut = part[name]
            same("rows of " + name, cut["rows"], rows[:3])
            same("left out of " + name,
                 (cut["left_out"]["rows"], cut["left_out"]["self"][k]),
                 (max(len(rows) - 3, 0), sum(r["self"][k] for r in rows[3:])))
            for r in rows:
                interval = r["self_interval"][k]
                if metric["sampled"]:
                    share = r["self"][k] / metric["total"] if metric["total"] else 0
                    if not interval[0] - 1e-5 <= share <= interval[1] + 1e-5:
                        wrong.append("%r is not in %r" % (share, interval))
                else:
                    same("interval of an exact value", interval, None)
        for calls in (whole["calls"], part["calls"]) if k == 0 else ():
            nodes = calls["nodes"]
            same("calls and what is left out", sum(n["self"][0] for n in nodes)
                 + calls["left_out"]["self"][0], metric["total"])
            check_nodes(nodes)
    images, = next(db.rows("SELECT count(*) FROM process"))
    same("images", whole["run"]["images"], images)
    print("%d functions, %d lines" % (len(whole["functions"]["rows"]), len(whole["lines"]["rows"])))


def check_nodes(nodes):
    ids = set()
    for n in nodes:
        if n["parent"] is not None and n["parent"] not in ids:
            wrong.append("node %d is before its parent" % n["id"])
        ids.add(n["id"])


def check_tree(run, db):
    whole = run("tree", "--min", "0")
    total = [m["total"] for m in whole["metrics"]]
    for options in ("--min", "0"), ("--min", "5"), ("--depth", "4"):
        tree = run("tree", *options)["tree"]
        check_nodes(tree["nodes"])
        for k in range(len(total)):
            same("tree %s" % (options,), sum(n["self"][k] for n in tree["nodes"])
                 + tree["left_out"]["self"][k], total[k])
    up = run("tree", "--bottom-up", "--min", "1")["tree"]
    for k, metric in enumerate(whole["metrics"]):
        functions = table(db, "functions", "function, module", metric["name"], "self")
        same("self of the tree's functions",
             add_up(((n["function"], last(n["module"])), n["self"][k])
                    for n in whole["tree"]["nodes"]), functions)
        tops = [n for n in up["nodes"] if n["parent"] is None]
        same("bottom-up", sum(n["self"][k] for n in tops) + up["left_out"]["self"][k], total[k])
    print("%d nodes" % len(whole["tree"]["nodes"]))


def check_function(run, db, function):
    callers, callees = (run(v, "-n", "0", function) for v in ("callers", "callees"))
    cut = run("callers", "-n", "1", function)["callers"]
    for k, metric in enumerate(callers["metrics"]):
        for which in "self", "total":
            expected = sum(v for key, v in table(db, "functions", "function", metric["name"],
                                                 which).items()
                           if key[0] == callers["of"]["function"])
            same("%s of %s" % (which, function), callers["of"][which][k], expected)
        rows = callers["callers"]["rows"]
        same("self of the callers", sum(r["self"][k] for r in rows), callers["of"]["self"][k])
        same("left out of the callers", cut["left_out"],
             {"rows": len(rows) - 1, "self": [sum(r["self"][i] for r in rows[1:])
                                              for i in range(len(callers["metrics"]))]})
        same("self", callees["of"]["self"][k], callers["of"]["self"][k])
    print("%d callers, %d callees" % (len(rows), len(callees["callees"]["rows"])))


def main(hpcprof, place, database, function=None):
    def run(view, *arguments):
        out = subprocess.run([hpcprof, view, "--json", "-q", *arguments, place],
                             capture_output=True, check=True).stdout
        found = json.loads(out.decode("utf-8"))
        same("version", found["version"], 1)
        same("view", found["view"], view)
        return found

    db = Database(database)
    check_text(run, db)
    check_groups(run, db)
    check_tree(run, db)
    if function:
        check_function(run, db, function)
    print("\n".join(w[:2000] for w in wrong[:20]))
    return len(wrong) > 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
