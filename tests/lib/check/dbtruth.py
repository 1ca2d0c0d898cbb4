"""Compares results of hpcprof query with the datafiles.

    dbtruth.py QUESTION HPCPROF PROFILE DATABASE PROGRAM [ARGUMENT]

QUESTION is the name of a shipped query. Its result for DATABASE is also computed from the
datafiles of PROFILE as csp.py reads them, with functions and lines of PROGRAM's addresses from
addr2line and functions of other modules from nm. For `grew`, ARGUMENT is the profile of the second
measurement. Prints what was compared; exits with 1 at a difference."""

import json
import os
import re
import subprocess
import sys
from collections import Counter

import csp
import elf


def fail(text):
    sys.exit("dbtruth: " + text)


def asked(hpcprof, database, *query):
    out = subprocess.run([hpcprof, "query", "--format", "json", "-q", *query, database],
                         capture_output=True, check=True).stdout
    return json.loads(out)


def same(what, got, want, maybe_none=False):
    for key in sorted(set(got) | set(want), key=str):
        if got.get(key, 0) != want.get(key, 0):
            fail("%s: %s has %s in the answer, %s in the datafiles"
                 % (what, key, got.get(key, 0), want.get(key, 0)))
    if not want and not maybe_none:
        fail("%s: there is nothing to compare" % what)
    print("%s: %d the same" % (what, len(want)))


def resolved(program, addresses):
    """{address: [(function, file's base name, line)]}, what was inlined there last."""
    addresses = sorted(addresses)
    out = elf.run("addr2line", "-a", "-i", "-f", "-C", "-e", program,
                  given="".join("%#x\n" % a for a in addresses)).splitlines()
    chains, names = {}, []
    for line in out:
        if line.startswith("0x"):
            chains[int(line, 16)] = names = []
        else:
            names.append(line)
    for address, lines in chains.items():
        frames = []
        for function, place in zip(lines[::2], lines[1::2]):
            place = re.sub(r" \(discriminator \d+\)$", "", place)
            file, _, number = place.rpartition(":")
            frames.append((function, os.path.basename(file),
                           int(number) if number.isdigit() else None))
        chains[address] = frames[::-1]
    return chains


class Truth:
    """paths: [(thread, frames, samples, events)]; a frame is (module, function, file, line,
    inlined), the outermost first. Functions of other modules are the names of their symbols."""

    def __init__(self, profile, program):
        self.program = os.path.basename(program)
        datafiles = list(csp.load([profile]))
        raw, addresses = [], set()
        for data in datafiles:
            for metric in data.weights()[:1]:
                for tree, path, samples, events in data.samples(metric):
                    places = [data.locate(tree.epoch, ip) for ip in path]
                    raw.append(((data.path, tree.thread), places, samples, events))
                    addresses |= {a for m, a in places if m and os.path.basename(m) == self.program}
        self.chains = resolved(program, addresses)
        self.symbols = {}
        self.paths = [(thread, [f for place in places for f in self.frames(*place)], samples, events)
                      for thread, places, samples, events in raw]

    def frames(self, module, address):
        base = os.path.basename(module or "")
        if base == self.program:
            chain = [(base, function, file, line, i > 0)
                     for i, (function, file, line) in enumerate(self.chains[address])]
            if chain[-1][1] != "??":
                return chain
        key = module, address
        if key not in self.symbols:
            names = elf.names(module, address) if module and module[0] == "/" else []
            self.symbols[key] = tuple(names)
        return [(base, self.symbols[key], None, None, False)]

    def of_program(self, frame):
        """Whether it is in the program itself, whose functions addr2line finds."""
        return frame[0] == self.program and isinstance(frame[1], str)


def matches(shown, function):
    """Whether a function of the report is that of a frame."""
    if isinstance(function, tuple):
        return any(shown in forms for forms in elf.demangled(set(function)).values())
    return shown == function


def inlined_lines(truth, hpcprof, database, _):
    """The lines of the program's inlined code, by samples."""
    counts = Counter()
    for _, frames, samples, _ in truth.paths:
        _, _, file, line, inlined = frames[-1]
        if inlined and truth.of_program(frames[-1]):
            counts[file, line] += samples
    rows = asked(hpcprof, database, "-n", "0", "inlined-lines")
    got = {(os.path.basename(r["file"]), r["line"]): r["samples"] for r in rows
           if r["module"] == truth.program}
    if len(rows) == 10:
        least = min(r["samples"] for r in rows)
        if any(n > least and key not in got for key, n in counts.items()):
            fail("a line with more samples than %d is missing" % least)
        counts = {key: n for key, n in counts.items() if key in got}
    same("lines of inlined code", got, counts)


def threads(truth, hpcprof, database, _):
    counts = Counter()
    for (_, thread), frames, _, events in truth.paths:
        counts[thread, frames[-1][0]] += events
    got = Counter()
    for r in asked(hpcprof, database, "SELECT p.thread, t.module, t.self FROM (%s) t JOIN profile p ON p.id = t.profile"
                   % shipped("threads")):
        got[r["thread"], r["module"]] += r["self"]
    same("threads and load modules", got, {k: v for k, v in counts.items() if v})


def shipped(name):
    """The SQL of a shipped query, without the semicolon."""
    text = open(os.path.join(os.path.dirname(__file__), "../../../share/hpcprof/queries.sql")).read()
    found = re.search(r"\n-- name: %s\b.*\n-- .*\n([^;]*);" % re.escape(name), text)
    return found.group(1)


def deep(truth, hpcprof, database, depth):
    """All contexts that are deeper; only one path is above those of the program."""
    found = set()
    for _, frames, _, events in truth.paths:
        path = tuple(frames)
        for end in range(int(depth) + 1, len(path) + 1):
            found.add(path[:end])
    rows = asked(hpcprof, database, "SELECT count(*) AS n, max(depth) AS d FROM context WHERE depth > %d" % int(depth))
    same("contexts deeper than %s" % depth, {"n": rows[0]["n"], "d": rows[0]["d"]},
         {"n": len(found), "d": max(map(len, found))})
    got = asked(hpcprof, database, "-n", "0", "deep", depth)
    same("rows", {"n": len({r["context"] for r in got}), "d": max(r["depth"] for r in got)},
         {"n": min(100, len(found)), "d": max(map(len, found))})


def only_beneath(truth, hpcprof, database, above):
    """Functions of the program that are always beneath another."""
    ever, never = set(), set()
    for _, frames, _, _ in truth.paths:
        seen = False
        for frame in frames:
            if truth.of_program(frame):
                (ever if seen else never).add(frame[1])
            seen |= frame[1] == above
    rows = asked(hpcprof, database, "-n", "0", "only-beneath", above)
    same("functions only beneath " + above, {r["function"]: 1 for r in rows
                                            if r["module"] == truth.program and "@plt" not in r["function"]},
         {f: 1 for f in ever - never}, True)


def matching(truth, hpcprof, database, expression):
    """The program's functions. The expression must not match functions of other modules."""
    total = sum(events for _, _, _, events in truth.paths)
    found = sum(events for _, frames, _, events in truth.paths
                if any(truth.of_program(f) and re.search(expression, f[1]) for f in frames))
    rows = asked(hpcprof, database, "matching", expression)
    same("share beneath " + expression, {"events": rows[0]["total"], "share": rows[0]["share"]},
         {"events": found, "share": round(100 * found / total, 3)})


def callers(truth, hpcprof, database, function):
    counts, total = Counter(), 0
    for _, frames, _, events in truth.paths:
        pairs = set()
        for above, frame in zip([None] + frames, frames):
            if frame[1] == function or isinstance(frame[1], tuple) and function in frame[1]:
                pairs.add(above and above[1])
        for pair in pairs:
            counts[pair] += events
        total += events if pairs else 0
    rows = asked(hpcprof, database, "callers", function)
    got = Counter()
    for r in rows:
        match = [c for c in counts if c and matches(r["caller"], c)]
        got[match[0] if match else r["caller"]] += r["total"]
        if abs(r["share"] - 100 * r["total"] / total) > 0.0006:
            fail("%s has a share of %s, not of %s" % (r["caller"], r["share"], 100 * r["total"] / total))
    same("callers of " + function, got, {c: n for c, n in counts.items() if n})


def grew(truth, hpcprof, database, after):
    """Own values of the program's functions, from the first measurement to the second."""
    change = Counter()
    for sign, t in (-1, truth), (1, Truth(after, truth.program_path)):
        for _, frames, _, events in t.paths:
            if t.of_program(frames[-1]):
                change[frames[-1][1]] += sign * events
    got = {r["function"]: r["self_change"] for r in asked(hpcprof, database, "grew", "1", "2")
           if r["module"] == truth.program and "@plt" not in r["function"]}
    same("functions that grew", got, {f: n for f, n in change.items() if n > 0})


QUESTIONS = {"inlined-lines": inlined_lines, "threads": threads, "deep": deep, "only-beneath": only_beneath,
             "matching": matching, "callers": callers, "grew": grew}

if __name__ == "__main__":
    question, tool, place, db, binary = sys.argv[1:6]
    weighed = Truth(place, binary)
    weighed.program_path = binary
    QUESTIONS[question](weighed, tool, db, sys.argv[6] if len(sys.argv) > 6 else None)
