"""Compare a profile database with the text view, with XML, and with itself.

    dbcheck.py HPCPROF PROFILE DATABASE PLAIN

Both databases were made of PROFILE, PLAIN with --no-inline; all metrics are compared.

Prints what was compared; exits with 1 at the first difference."""

import os
import re
import sqlite3
import subprocess
import sys
import xml.etree.ElementTree

import textview


def fail(text):
    sys.exit("dbcheck: " + text)


def same(what, got, want):
    if got != want:
        if isinstance(got, dict):
            for key in sorted(set(got) | set(want), key=str):
                if got.get(key) != want.get(key):
                    fail("%s: %s is %s, not %s" % (what, key, got.get(key), want.get(key)))
        fail("%s: %s, not %s" % (what, got, want))
    print("%s: %s" % (what, len(got) if isinstance(got, dict) else got))


def with_text(hpcprof, profile, db, *options):
    """The functions' own samples, as the text view prints them, metric by metric."""
    metrics = db.execute("SELECT id, name FROM metric WHERE samples > 0").fetchall()
    for metric, metric_name in metrics:
        got = {}
        for function, module, samples in db.execute(
                "SELECT f.name, o.base, v.exclusive_samples FROM function_value v JOIN function f ON "
                "f.id = v.function JOIN module o ON o.id = f.module WHERE v.metric = ?", (metric,)):
            key = function, module
            got[key] = got.get(key, 0) + samples
        same("functions of the text view, " + metric_name, got,
             textview.functions(hpcprof, profile, "-m", metric_name, *options))


def with_xml(hpcprof, profile, db):
    """Events of each procedure of a PROFILE, by metric, load module and name."""
    out = subprocess.run([hpcprof, "xml", "--no-inline", "-q", profile], capture_output=True,
                         check=True).stdout
    root = xml.etree.ElementTree.fromstring(out)
    metrics = {m.get("shortName"): m.get("nativeName") for m in root.iter("METRIC")}
    want, totals = {}, {}
    for module in root.iter("LM"):
        for procedure in module.iter("P"):
            for m in procedure.iter("M"):
                name = procedure.get("n").replace("\\\\", "\\")
                key = metrics[m.get("n")], os.path.basename(module.get("n")), name
                want[key] = want.get(key, 0) + int(m.get("v"))
                totals[key[0]] = totals.get(key[0], 0) + int(m.get("v"))
    got = {}
    for metric, module, function, events in db.execute(
            "SELECT m.name, o.base, f.name, v.exclusive_events FROM function_value v JOIN metric m ON "
            "m.id = v.metric JOIN function f ON f.id = v.function JOIN module o ON o.id = f.module"):
        if events:
            key = metric, module, function
            got[key] = got.get(key, 0) + events
    same("functions of the PROFILE", got, want)
    same("totals", {n: e for n, e in db.execute("SELECT name, events FROM metric") if e}, totals)


def itself(db):
    """Totals and functions, computed from contexts and their exclusive values."""
    contexts = db.execute("SELECT id, parent, last, depth, function, first, hash FROM context "
                          "ORDER BY id").fetchall()
    by_id = {c[0]: c for c in contexts}
    for i, (number, parent, last, depth, function, first, _) in enumerate(contexts):
        if first != number or number != contexts[0][0] + i:
            fail("context %d is not numbered in order" % number)
        if parent is None:
            if depth or function is not None:
                fail("root %d" % number)
            continue
        above = by_id[parent]
        if not (parent < number and last <= above[2] and depth == above[3] + 1):
            fail("context %d is not within %d" % (number, parent))
    same("hashes", len({(c[6]) for c in contexts}), len(contexts))
    for metric, events in db.execute("SELECT id, events FROM metric").fetchall():
        one_metric(db, metric, events, contexts)
    differ = db.execute(
        "SELECT count(*) FROM (SELECT metric, context, sum(events) AS e, sum(samples) AS s FROM profile_value "
        "GROUP BY 1, 2) p FULL JOIN exclusive x ON x.metric = p.metric AND x.context = p.context "
        "WHERE p.e IS NOT x.events OR p.s IS NOT x.samples").fetchone()[0]
    same("contexts whose values are not those of the profiles", differ, 0)


def one_metric(db, metric, events, contexts):
    own = dict(db.execute("SELECT context, events FROM exclusive WHERE metric = ?", (metric,)))
    below = {}
    for number, parent, *_ in reversed(contexts):
        below[number] = below.get(number, 0) + own.get(number, 0)
        if parent is not None:
            below[parent] = below.get(parent, 0) + below[number]
    same("total", sum(own.values()), events)
    same("inclusive values", {c: e for c, e in below.items() if e},
         {c: e for c, e in db.execute("SELECT context, events FROM inclusive WHERE metric = ?", (metric,)) if e})
    exclusive, inclusive, calls, path = {}, {}, {}, []
    for number, parent, last, depth, function, *_ in contexts:
        del path[depth:]
        caller = path[depth - 1][0] if depth > 1 else None
        path.append((function, (function, caller)))
        if function is None:
            continue
        exclusive[function] = exclusive.get(function, 0) + own.get(number, 0)
        if all(f != function for f, _ in path[:-1]):
            inclusive[function] = inclusive.get(function, 0) + below[number]
        if all(c != (function, caller) for _, c in path[1:-1]):
            calls[function, caller] = calls.get((function, caller), 0) + below[number]
    stored = db.execute("SELECT function, exclusive_events, inclusive_events FROM function_value "
                        "WHERE metric = ?", (metric,)).fetchall()
    same("functions themselves", {f: e for f, e in exclusive.items() if e}, {f: e for f, e, _ in stored if e})
    same("functions with recursion once", {f: e for f, e in inclusive.items() if e},
         {f: e for f, _, e in stored if e})
    same("calls", {c: e for c, e in calls.items() if e},
         {(f, c): e for f, c, e in db.execute("SELECT callee, caller, inclusive_events FROM call "
                                              "JOIN call_value ON call = id WHERE metric = ?", (metric,)) if e})


if __name__ == "__main__":
    tool, place, with_inlined, without = sys.argv[1:]
    full, plain = sqlite3.connect(with_inlined), sqlite3.connect(without)
    with_text(tool, place, full)
    with_text(tool, place, plain, "--no-inline")
    with_xml(tool, place, plain)
    same("totals with and without inlined code", *[
        {m: (e, n) for m, e, n in db.execute("SELECT name, events, samples FROM metric")}
        for db in (full, plain)])
    itself(full)
    itself(plain)
