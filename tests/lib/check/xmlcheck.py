"""Checks PROFILE and CSPROFILE with an independent parser.

    xmlcheck.py text HPCPROF DIR PROFILE [OPTION...]
        for each metric: values by load module, file, function and line are what the
        text view shows (which rounds to three digits), with the options given
    xmlcheck.py data DIR PROFILE
        the total of each metric is that of the datafiles' nodes, exactly
    xmlcheck.py alike PROFILE CSPROFILE
        values by file, procedure and line are the same, exactly
    xmlcheck.py all HPCPROF DIR PROFILE CSPROFILE
        the three above
    xmlcheck.py names XML
        print the names of the scopes, decoded, one per line, in Python's form of bytes"""

import os
import re
import subprocess
import sys
import xml.parsers.expat

UNKNOWN_FILE = b"[unknown file]"


def decode(name):
    return re.sub(rb"\\(\\|x[0-9a-f]{2})",
                  lambda m: b"\\" if m[1] == b"\\" else bytes([int(m[1][1:], 16)]),
                  name.encode())


class Profile:
    """values: [(metric, LM, F, P, line, events)]; None for a missing line or name."""

    def __init__(self, path):
        self.metrics, self.values, self.names, self.stack = {}, [], set(), []
        parser = xml.parsers.expat.ParserCreate()
        parser.StartElementHandler = self.start
        parser.EndElementHandler = lambda name: self.stack.pop()
        with open(path, "rb") as f:
            parser.ParseFile(f)

    def start(self, element, a):
        module, file, function, line = self.stack[-1] if self.stack else (None,) * 4
        # what n has more than the name only tells it from others
        own = a.get({"F": "path", "P": "name"}.get(element), a.get("n"))
        name = decode(own) if own is not None and element != "M" else None
        if element == "LM":
            module = name
        elif element == "F":
            file = self.file(own)
        elif element == "P":
            function, line = name, None
        elif element == "CALLSITE" or "p" in a:
            file, function, line = self.file(a["f"]), decode(a["p"]), int(a["l"]) or None
        elif element == "S":
            line = int(a["b"]) if a.get("id") != "?" else None
        elif element == "METRIC":
            self.metrics[a["shortName"]] = decode(a["nativeName"])
        for key in set(a) & {"p", "f", "ln"}:
            self.names.add(decode(a[key]))
        if name is not None:
            self.names.add(name)
        self.stack.append((module, file, function, line))
        if element == "M":
            self.values.append((a["n"],) + self.stack[-1] + (int(a["v"]),))
        elif "c" in a:
            self.values.append(("0",) + self.stack[-1] + (int(a["c"]),))

    @staticmethod
    def file(name):
        return None if name.encode() == UNKNOWN_FILE else decode(name)

    def totals(self):
        out = dict.fromkeys(self.metrics.values(), 0)
        for metric, *_, events in self.values:
            out[self.metrics[metric]] += events
        return out


def add_up(pairs):
    out = {}
    for key, value in pairs:
        out[key] = out.get(key, 0) + value
    return out


# ---- the text view ------------------------------------------------------------------

UNITS = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9, "min": 60e9, "h": 3600e9, "B": 1,
         "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40, "PiB": 2**50,
         "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "": 1}
VALUE = r"(?:[0-9.]+%|-)\s+([0-9.,]+)((?: (?:ns|us|ms|s|min|h|B|[KMGTP]iB|[kMGT])\b)?)"
ROW = re.compile(r"\s*" + VALUE + r"\s+" + VALUE + r"\s\s+(?:[0-9.]+%\s\s+)?(\S.*)$")


def tables(hpcprof, place, metric, options):
    """{title: {label: (value, half a step of its last digit)}}"""
    out = subprocess.run([hpcprof, "text", "--all", "-q", "-n", "0", "-m", metric, *options, place],
                         env=dict(os.environ, COLUMNS="8000"), capture_output=True, check=True)
    found, title = {}, None
    for line in out.stdout.decode().splitlines():
        if re.match(r"(Load modules|Files|Functions|Lines) \(", line):
            title = line.split(" (")[0]
            found[title] = {}
        elif not line.strip():
            title = None
        elif title and ROW.match(line):
            digits, unit, _, _, label = ROW.match(line).groups()
            scale = UNITS[unit.strip()]
            step = 10.0 ** -len(digits.partition(".")[2]) * scale if scale > 1 else 0
            key = label_of(title, re.split(r"\s\s+", label))
            value, slack = found[title].get(key, (0, 0))
            found[title][key] = value + float(digits.replace(",", "")) * scale, slack + step / 2
    return found


def label_of(title, cells):
    if title == "Functions":
        return re.sub(r" \[(partly )?inlined\]$", "", cells[0]), cells[1]
    return cells[0]


def text_labels(module, file, function, line):
    base = os.path.basename(module.decode()) or module.decode()
    source = file.decode() if file else "(no source) " + base
    place = source
    if file:
        place = "%s:%s" % (source, line if line else "?")
    return {"Load modules": module.decode(), "Files": source,
            "Functions": (function.decode(), base), "Lines": place}


def compare_text(hpcprof, place, path, *options):
    profile, wrong, rows = Profile(path), [], 0
    for short, metric in profile.metrics.items():
        ours = {}
        for m, *where, events in profile.values:
            for title, label in (text_labels(*where) if m == short else {}).items():
                ours.setdefault(title, {}).setdefault(label, 0)
                ours[title][label] += events
        for title, shown in tables(hpcprof, place, metric.decode(), options).items():
            for label in set(shown) | set(ours.get(title, {})):
                value, slack = shown.get(label, (0, 0))
                mine = ours.get(title, {}).get(label, 0)
                rows += 1
                if abs(value - mine) > slack * 1.001 + 1e-9 * mine:
                    wrong.append("%s %s: the text view has %r, the XML %r"
                                 % (title, label, value, mine))
    print("%d rows" % rows)
    return wrong


# ---- the datafiles --------------------------------------------------------------------

def compare_data(place, path):
    from csp import load
    sums = {}
    for data in load([place]):
        for i, (name, flags, period) in enumerate(data.metrics):
            if flags & 4:
                continue
            total = sum(values[i] for tree in data.trees
                        for _, _, values in tree.nodes.values())
            sums[name.encode()] = sums.get(name.encode(), 0) + total * period
    ours = Profile(path).totals()
    return [] if ours == sums else ["the datafiles have %r, the XML %r" % (sums, ours)]


def compare_alike(profile, csprofile):
    sums = []
    for path in profile, csprofile:
        p = Profile(path)
        sums.append(add_up(((p.metrics[m], file, function, line), events)
                           for m, _, file, function, line, events in p.values))
    return ["%r: %r and %r" % (key, sums[0].get(key), sums[1].get(key))
            for key in set(sums[0]) | set(sums[1]) if sums[0].get(key) != sums[1].get(key)]


def compare_all(hpcprof, place, profile, csprofile):
    return (compare_data(place, profile) + compare_text(hpcprof, place, profile)
            + compare_alike(profile, csprofile))


def main(what, *arguments):
    if what == "names":
        for name in sorted(Profile(*arguments).names):
            print(name)
        return 0
    wrong = {"text": compare_text, "data": compare_data, "alike": compare_alike,
             "all": compare_all}[what](*arguments)
    print("\n".join(wrong[:20]))
    return len(wrong) > 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
