#!/usr/bin/env python3
"""Check what `hpcprof export` wrote, without any code of the toolkit.

    exported.py total PLACE METRIC
        print the sum of a metric over the nodes of datafiles
    exported.py alike TOTAL NAME
        read NAME.folded, .pprof, .speedscope, .callgrind, .firefox, .chrome, .otlp, .csv and .json
        (those that exist), check that each is what its format demands and adds up to TOTAL, and that
        they agree on the value of each call path (of each function for callgrind)
    exported.py parts NAME.FORMAT NAME.FORMAT2
        check that two files of any of these formats agree for each thread or process
    exported.py pprof NAME NAME.pprof
        check the output of `pprof -top` (NAME) against the file
    exported.py about NAME.pprof
        print its units, the period, the first mapping and how many locations have an address
    exported.py under FUNCTION WHOLE.folded PART.folded
        check that PART has the paths of WHOLE through the function, from its outermost call on
    exported.py inclusive NAME NAME.json
        check the output of `callgrind_annotate --inclusive=yes` (NAME) against the file

A call path is a tuple of (function, inlined), the outermost first. Exits with 1 and says what
is wrong."""

import collections
import csv
import decimal
import gzip
import json
import os
import re
import sys

import csp

PARTIAL = "[partial call paths]"


def fail(text):
    sys.exit("exported.py: " + text)


def need(condition, text):
    if not condition:
        fail(text)


def load_json(path):
    with open(path, encoding="utf-8") as f:
        return json.load(f, parse_float=decimal.Decimal)


def marked(name):
    """A name of a format that has no place for "inlined"."""
    suffix = " [inlined]"
    return (name[:-len(suffix)], True) if name.endswith(suffix) else (name, False)


# ---- readers: {part: {path: value}} of the first metric ------------------------------------


def read_folded(path):
    out = collections.defaultdict(collections.Counter)
    with open(path, encoding="utf-8") as f:
        for line in f:
            stack, value = line.rstrip("\n").rsplit(" ", 1)
            need(value.isdigit(), "folded: %r is no number" % value)
            frames = tuple((n[:-4], n.endswith("_[i]")) if n.endswith(("_[i]", "_[k]")) else (n, False)
                           for n in stack.split(";"))
            out[None][frames] += int(value)
    return out


def fields(data):
    """(number, value) of a protobuf message: an int or bytes."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 0x7f) << shift
            shift += 7
            if byte < 0x80:
                return value

    while at < len(data):
        tag = varint()
        need(tag & 7 in (0, 2), "pprof: wire type %d" % (tag & 7))
        value = varint()
        if tag & 7 == 2:
            need(at + value <= len(data), "pprof: a field is cut off")
            at += value
            yield tag >> 3, data[at - value:at]
        else:
            yield tag >> 3, value


def packed(data):
    out, value, shift = [], 0, 0
    for byte in data:
        value |= (byte & 0x7f) << shift
        shift += 7
        if byte < 0x80:
            out.append(value)
            value = shift = 0
    return out


def message(data):
    out = collections.defaultdict(list)
    for number, value in fields(data):
        out[number].append(value)
    return out


def one(m, number):
    need(len(m[number]) <= 1, "pprof: field %d is there twice" % number)
    return m[number][0] if m[number] else 0


def read_pprof(path):
    with gzip.open(path) as f:
        p = message(f.read())
    strings = [s.decode("utf-8") for s in p[6]]
    need(strings[0] == "", "pprof: the first string is not empty")
    types = [tuple(strings[one(message(t), n)] for n in (1, 2)) for t in p[1]]
    wanted = strings[one(p, 14)]
    column = [t[0] for t in types].index(wanted)
    mappings = {one(message(m), 1): message(m) for m in p[3]}
    functions = {}
    for f in map(message, p[5]):
        functions[one(f, 1)] = strings[one(f, 2)]
    need(len(functions) == len(p[5]) and 0 not in functions, "pprof: ids of functions")
    locations = {}
    for l in map(message, p[4]):
        lines = [functions[one(message(x), 1)] for x in l[4]]
        need(lines, "pprof: a location without a line")
        mapping = one(l, 2)
        need(not mapping or one(l, 3) < max(one(mappings[mapping], 3), 1) or
             one(l, 3) == 2 ** 64 - 1, "pprof: an address outside of its mapping")
        locations[one(l, 1)] = [(n, i + 1 < len(lines)) for i, n in enumerate(lines)]
    need(len(locations) == len(p[4]) and 0 not in locations, "pprof: ids of locations")
    out = collections.defaultdict(collections.Counter)
    for s in map(message, p[2]):
        values = packed(one(s, 2))
        need(max(values) < 2 ** 63, "pprof: a negative value")
        need(len(values) == len(types), "pprof: a sample with %d values" % len(values))
        frames = [f for i in packed(one(s, 1)) for f in locations[i]]
        labels = [strings[one(message(x), 2)] for x in s[3]]
        out[labels[0] if labels else None][tuple(reversed(frames))] += values[column]
    return out


def read_speedscope(path):
    p = load_json(path)
    need(p["$schema"] == "https://www.speedscope.app/file-format-schema.json", "no $schema")
    for f in p["shared"]["frames"]:
        need(set(f) <= {"name", "file", "line", "col"} and f["name"], "speedscope: frame %r" % f)
    names = [marked(f["name"]) for f in p["shared"]["frames"]]
    out, first = {}, p["profiles"][0]["unit"] if p["profiles"] else None
    for q in p["profiles"]:
        need(set(q) == {"type", "name", "unit", "startValue", "endValue", "events"} and
             q["type"] == "evented" and q["startValue"] == 0 and
             q["unit"] in ("none", "nanoseconds", "bytes"), "speedscope: profile %r" % q["name"])
        stack, at, paths = [], 0, collections.Counter()
        for e in q["events"]:
            need(e["at"] >= at, "speedscope: events are not in order")
            if stack:
                paths[tuple(names[i] for i in stack)] += e["at"] - at
            else:
                need(e["at"] == at, "speedscope: a gap between frames")
            at = e["at"]
            if e["type"] == "O":
                stack.append(e["frame"])
            else:
                need(stack.pop() == e["frame"], "speedscope: not balanced")
        need(not stack and at == q["endValue"], "speedscope: the end")
        if q["unit"] == first:
            out[q["name"]] = paths
    return out if len(out) > 1 else {None: next(iter(out.values()), {})}


def read_otlp(path):
    """OpenTelemetry's ProfilesData in JSON: the first profile. All indices have to exist."""
    p = load_json(path)
    d = p["dictionary"]
    strings = d["stringTable"]
    need(strings[0] == "" and len(set(strings)) == len(strings), "otlp: the table of strings")
    for table in ("mappingTable", "locationTable", "functionTable", "linkTable", "attributeTable",
                  "stackTable"):
        need(d[table][0] == {}, "otlp: %s does not begin with an empty element" % table)
    need(len(p["resourceProfiles"]) == 1, "otlp: several resources")
    scope = p["resourceProfiles"][0]["scopeProfiles"][0]
    need(scope["scope"]["name"] == "hpcprof" and scope["profiles"], "otlp: no profile")
    types = [tuple(strings[q["sampleType"][k]] for k in ("typeStrindex", "unitStrindex"))
             for q in scope["profiles"]]
    need(len(set(types)) == len(types), "otlp: two profiles of a type")
    need(all(t and u for t, u in types), "otlp: a type without a name or unit")
    frames = []
    for l in d["locationTable"]:
        lines = [strings[d["functionTable"][x["functionIndex"]]["nameStrindex"]]
                 for x in l.get("lines", [])]
        need(not l or lines, "otlp: a location without a line")
        need("mappingIndex" not in l or strings[d["mappingTable"][l["mappingIndex"]]
                                                ["filenameStrindex"]], "otlp: a mapping without a name")
        need(isinstance(l.get("address", "0"), str), "otlp: an address is a string")
        frames.append([(n, i + 1 < len(lines)) for i, n in enumerate(lines)])
    out = collections.defaultdict(collections.Counter)
    for q in scope["profiles"]:
        for s in q["samples"]:
            need(0 < s["stackIndex"] < len(d["stackTable"]), "otlp: a stack")
            need(len(s["values"]) == 1 and isinstance(s["values"][0], str) and
                 0 < int(s["values"][0]) < 2 ** 63, "otlp: values %r" % s["values"])
    for s in scope["profiles"][0]["samples"]:
        stack = d["stackTable"][s["stackIndex"]]["locationIndices"]
        path = [f for i in stack for f in frames[i]]
        part = None
        for i in s.get("attributeIndices", []):
            need(i, "otlp: no attribute")
            part = d["attributeTable"][i]["value"]["stringValue"]
            need(strings[d["attributeTable"][i]["keyStrindex"]], "otlp: an attribute without a key")
        out[part][tuple(reversed(path))] += int(s["values"][0])
    return out


def columns_of(table, name):
    for column, values in table.items():
        need(column in ("length", "weightType") or len(values) == table["length"],
             "firefox: %s.%s has not %d rows" % (name, column, table["length"]))


def read_firefox(path):
    p = load_json(path)
    meta = p["meta"]
    need(meta["preprocessedProfileVersion"] == 54 and meta["version"] == 24 and
         meta["symbolicated"] is True, "firefox: meta")
    out, first = {}, p["threads"][0]["samples"]["weightType"] if p["threads"] else None
    for t in p["threads"]:
        tables = {n: t[n] for n in ("samples", "stackTable", "frameTable", "funcTable",
                                    "resourceTable", "nativeSymbols", "markers")}
        for name, table in tables.items():
            columns_of(table, name)
        for lib in tables["resourceTable"]["lib"]:
            need(0 <= lib < len(p["libs"]), "firefox: a library")
        stack, frame, func = (tables[n] for n in ("stackTable", "frameTable", "funcTable"))
        paths, symbols = [], 0
        for i in range(stack["length"]):
            f, up = stack["frame"][i], stack["prefix"][i]
            need(up is None or up < i, "firefox: a prefix is not before its stack")
            name = t["stringArray"][func["name"][frame["func"][f]]]
            need(frame["category"][f] < len(meta["categories"]), "firefox: a category")
            depth = frame["inlineDepth"][f]
            need(not depth or up is not None and
                 frame["inlineDepth"][stack["frame"][up]] == depth - 1, "firefox: inlineDepth")
            paths.append((paths[up] if up is not None else ()) + ((name, depth > 0),))
            symbol = frame["nativeSymbol"][f]
            if symbol is not None:
                outer = [n for n, inlined in paths[i] if not inlined][-1]
                need(t["stringArray"][tables["nativeSymbols"]["name"][symbol]] == outer,
                     "firefox: %s is not within its symbol" % name)
                symbols += 1
        need(symbols or tables["nativeSymbols"]["length"] == 0, "firefox: symbols without code")
        values = collections.Counter()
        samples = tables["samples"]
        scale = 10 ** 6 if samples["weightType"] == "tracing-ms" else 1
        for i in range(samples["length"]):
            value = samples["weight"][i] * scale
            need(value == int(value), "firefox: a weight is not whole")
            values[paths[samples["stack"][i]]] += int(value)
        if samples["weightType"] == first:
            out[t["name"]] = values
    return out if len(out) > 1 else {None: next(iter(out.values()), {})}


def read_chrome(path):
    p = load_json(path)
    titles, threads = {}, collections.defaultdict(list)
    for e in p["traceEvents"]:
        if e["ph"] == "M" and e["name"] == "thread_name":
            titles[e["pid"], e["tid"]] = e["args"]["name"]
        elif e["ph"] == "X":
            threads[e["pid"], e["tid"]].append(e)
    out = {}
    for key, events in threads.items():
        if key[0] != 1:
            continue
        whole = all(isinstance(e["ts"], int) for e in events)
        scale = 1 if whole else 1000
        paths, stack = collections.Counter(), []
        for e in events:
            begin, length = e["ts"] * scale, e["dur"] * scale
            while stack and begin >= stack[-1][1]:
                stack.pop()
            need(not stack or begin + length <= stack[-1][1], "chrome: a frame ends too late")
            frames = (stack[-1][0] if stack else ()) + (marked(e["name"]),)
            if stack:
                paths[stack[-1][0]] -= int(length)
            paths[frames] += int(length)
            stack.append((frames, begin + length))
        for e in events:
            need(e["args"]["self"] <= e["dur"] * scale, "chrome: self")
        out[titles.get(key)] = +paths
    return out


def tree_paths(rows):
    """{path: self} of (id, parent, function, inlined, self, total), parents first."""
    paths, children, totals, values = {}, collections.Counter(), {}, collections.Counter()
    for i, parent, function, inlined, self, total in rows:
        need(i not in paths and (parent is None or parent in paths), "a row before its parent")
        paths[i] = (paths[parent] if parent is not None else ()) + ((function, inlined),)
        totals[i] = (self, total)
        values[paths[i]] += self
        if parent is not None:
            children[parent] += total
    for i, (self, total) in totals.items():
        need(self + children[i] == total, "the total of row %s" % i)
    return +values


def read_csv(path):
    with open(path, encoding="utf-8", newline="") as f:
        rows = list(csv.DictReader(f))
    names = list(rows[0])
    at = names.index("inlined") + 1
    part = names[0] if names[0] != "id" else None
    parts = collections.defaultdict(list)
    for r in rows:
        parts[r[part] if part else None].append(
            (r["id"], r["parent"] or None, r["function"], r["inlined"] == "1",
             int(r[names[at]]), int(r[names[at + 1]])))
    return {name: tree_paths(some) for name, some in parts.items()}


def read_json(path):
    p = load_json(path)
    need(p["version"] == 1, "json: version")
    rows = [(n["id"], n["parent"], n["function"], n["inlined"], n["self"][0], n["total"][0])
            for n in p["nodes"]]
    if p["left_out"]["nodes"]:
        whole = sum(r[4] for r in rows) + p["left_out"]["self"][0]
        need(whole == p["metrics"][0]["total"], "json: what is left out does not make the total")
    return {None: tree_paths(rows)}


READERS = {"folded": read_folded, "pprof": read_pprof, "speedscope": read_speedscope,
           "firefox": read_firefox, "otlp": read_otlp, "chrome": read_chrome, "csv": read_csv, "json": read_json}


def read(path):
    return READERS[path.rsplit(".", 1)[1]](path)


def read_callgrind(path):
    """{function: self value} of the first event."""
    names, values, head, skip, function = {}, collections.Counter(), {}, False, None
    with open(path, encoding="utf-8") as f:
        for line in f:
            line = line.rstrip("\n")
            m = re.match(r"(c?)(ob|fl|fi|fn)=\((\d+)\)(?: (.*))?$", line)
            if m:
                kind = "fl" if m[2] == "fi" else m[2]
                if m[4] is not None:
                    need((kind, m[3]) not in names, "callgrind: %s is named twice" % line)
                    names[kind, m[3]] = m[4]
                if line.startswith("fn="):
                    function = names["fn", m[3]]
                need((kind, m[3]) in names, "callgrind: %s has no name" % line)
            elif line.startswith("calls="):
                skip = True
            elif re.match(r"\d", line):
                if not skip:
                    values[function] += int(line.split()[1])
                skip = False
            elif ":" in line:
                key, value = line.split(":", 1)
                head[key] = value.split()
    need(head["totals"] == head["summary"], "callgrind: totals are not the summary")
    need(int(head["totals"][0]) == sum(values.values()), "callgrind: the sum is not the total")
    return +values


# ---- comparisons --------------------------------------------------------------------------


def loose(paths):
    """Semicolons cannot be in a folded name."""
    out = collections.Counter()
    for path, value in paths.items():
        out[tuple((n.replace(";", ":"), i) for n, i in path)] += value
    return +out


def differ(what, a, b):
    if a != b:
        keys = [k for k in set(a) | set(b) if a.get(k) != b.get(k)]
        fail("%s: %d of %d differ, as %r: %s and %s"
             % (what, len(keys), len(a), keys[0], a.get(keys[0]), b.get(keys[0])))


def alike(total, name):
    base, found = None, 0
    for format in READERS:
        path = name + "." + format
        if not os.path.exists(path):
            continue
        parts = read(path)
        need(set(parts) <= {None}, "%s: parts %r" % (path, list(parts)))
        paths = loose(parts.get(None, {}))
        need(sum(paths.values()) == total,
             "%s: the sum is %d and not %d" % (path, sum(paths.values()), total))
        base = base or paths
        differ(path, base, paths)
        found += 1
    need(found and base is not None, "%s: nothing to read" % name)
    if os.path.exists(name + ".callgrind"):
        functions = collections.Counter()
        for path, value in base.items():
            functions[path[-1][0]] += value
        called = collections.Counter()
        for function, value in read_callgrind(name + ".callgrind").items():
            called[function.replace(";", ":")] += value
        differ(name + ".callgrind", functions, called)
    print("%d formats, %d call paths, %d inlined frames" %
          (found, len(base), sum(i for path in base for _, i in path)))


def parts_alike(a, b):
    pa, pb = read(a), read(b)
    need(len(pa) > 1, "%s: one part" % a)
    need(not b.endswith(".speedscope") or all(sum(p.values()) for p in pb.values()),
         "%s: a profile has nothing" % b)
    for name in set(pa) | set(pb):
        differ("%s, %s: %s" % (a, b, name), +pa.get(name, collections.Counter()),
               +pb.get(name, collections.Counter()))
    print("%d parts" % len(pa))


def about(path):
    with gzip.open(path) as f:
        p = message(f.read())
    strings = [s.decode("utf-8") for s in p[6]]
    types = [message(t) for t in p[1] + p[11]]
    print("; ".join("%s %s" % (strings[one(t, 1)], strings[one(t, 2)]) for t in types))
    print("period %d" % one(p, 12))
    print("first %s" % strings[one(message(p[3][0]), 5)] if p[3] else "no mapping")
    print("addresses %d of %d" % (sum(1 for l in p[4] if one(message(l), 3)), len(p[4])))


def check_top(text, path):
    """The flat values of `pprof -top -unit=ns -nodefraction=0 -nodecount=0`. It shows a function
    that is inlined everywhere as NAME (inline), one that is in part as (partial-inline)."""
    wanted = collections.Counter()
    for frames, value in read_pprof(path)[None].items():
        wanted[frames[-1][0]] += value
    got, total = collections.Counter(), None
    with open(text, encoding="utf-8") as f:
        for line in f:
            m = re.search(r"Total samples ?= ?(\d+)ns", line)
            total = int(m[1]) if m else total
            m = re.match(r" *(\d+)(?:ns)? +[\d.]+% +[\d.]+% +\d+(?:ns)? +[\d.]+%  (.*)$", line)
            if m:
                got[re.sub(r" \((partial-)?inline\)$", "", m[2])] += int(m[1])
    need(total == sum(wanted.values()), "pprof says %s in total, not %d"
         % (total, sum(wanted.values())))
    differ("pprof -top", wanted, +got)
    print("%d functions" % len(wanted))


def check_inclusive(text, path):
    """Each path counts once for each function with code in a file."""
    p = load_json(path)
    paths, wanted = {}, collections.Counter()
    for n in p["nodes"]:
        key = "%s:%s" % (n["file"] or "???", n["function"])
        up = paths.get(n["parent"], frozenset())
        paths[n["id"]] = up | {key}
        if key not in up:
            wanted[key] += n["total"][0]
    got = collections.Counter()
    with open(text, encoding="utf-8") as f:
        for line in f:
            m = re.match(r" *([\d,]+) +\( *[\d.]+%\)  (.*?)(?: \[(?:[^][]*|\[[^][]*\])\])?$",
                         line.rstrip("\n"))
            if m and m[2] != "PROGRAM TOTALS":
                got[m[2]] += int(m[1].replace(",", ""))
    differ("callgrind_annotate --inclusive", +wanted, +got)
    print("%d functions" % len(wanted))


def under(function, whole, part):
    wanted = collections.Counter()
    for path, value in read_folded(whole)[None].items():
        names = [name for name, _ in path]
        if function in names:
            at = names.index(function)
            wanted[((function, False), *path[at + 1:])] += value
    need(wanted, "no path of %s is through %s" % (whole, function))
    differ("the paths under %s" % function, wanted, read_folded(part)[None])
    print("%d paths" % len(wanted))


def sum_of(place, metric):
    total = 0
    for d in csp.load([place]):
        column = [name for name, _, _ in d.metrics].index(metric)
        total += sum(values[column] for t in d.trees for _, _, values in t.nodes.values())
    return total


def main(arguments):
    command, *rest = arguments
    if command == "total":
        print(sum_of(rest[0], rest[1]))
    elif command == "alike":
        alike(int(rest[0]), rest[1])
    elif command == "parts":
        parts_alike(*rest)
    elif command == "pprof":
        check_top(*rest)
    elif command == "about":
        about(*rest)
    elif command == "under":
        under(*rest)
    elif command == "inclusive":
        check_inclusive(*rest)
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
