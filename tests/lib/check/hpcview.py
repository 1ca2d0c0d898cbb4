"""Reads a PROFILE as HPCView of 2003 did, and compares what it gets with the database.

    hpcview.py PROFILE DATABASE

It knows n, v and b only. It has one table of load modules and one of files for the whole program,
each by n; a file stands in the load module where it was first seen. A file has one table of
procedures, by n, and a procedure one of lines. Values of one line are added up. M outside of S are
ignored, and so are G and L. An S has at most three attributes and is in no other S."""

import sqlite3
import sys
import xml.parsers.expat


class View:
    def __init__(self, path):
        self.metrics, self.modules, self.files, self.lost = {}, {}, {}, 0
        self.module = self.file = self.procedure = self.line = None
        parser = xml.parsers.expat.ParserCreate()
        parser.StartElementHandler, parser.EndElementHandler = self.start, self.end
        with open(path, "rb") as f:
            parser.ParseFile(f)

    def start(self, element, a):
        if element == "METRIC":
            self.metrics[a["shortName"]] = a["nativeName"]
        elif element == "LM":
            assert self.module is None
            self.module = self.modules.setdefault(a["n"], a["n"])
        elif element == "F":
            assert self.file is None
            module, self.file = self.files.setdefault(a["n"], (self.module, {}))
            self.note(module != self.module, "F %r stands in %r and %r", a["n"], module, self.module)
        elif element == "P":
            assert self.procedure is None
            self.note(a["n"] in self.file, "two P %r in an F", a["n"])
            self.procedure = self.file.setdefault(a["n"], {})
        elif element == "S":
            assert self.line is None and 1 <= len(a) <= 3
            self.line = int(a["b"])
            self.note(self.line < 1, "an S on line %d", self.line)
        elif element == "M":
            if self.line is None:
                self.lost += int(a["v"])
            else:
                values = self.procedure.setdefault(self.line, {})
                values[a["n"]] = values.get(a["n"], 0) + int(a["v"])

    def end(self, element):
        if element in ("LM", "F", "P", "S"):
            setattr(self, {"LM": "module", "F": "file", "P": "procedure", "S": "line"}[element], None)

    wrong = []

    def note(self, is_wrong, text, *arguments):
        if is_wrong:
            self.wrong.append(text % arguments)

    def sums(self):
        """{(metric, load module): events}"""
        out = {}
        for module, procedures in self.files.values():
            for values in (v for lines in procedures.values() for v in lines.values()):
                for short, events in values.items():
                    key = self.metrics[short], module
                    out[key] = out.get(key, 0) + events
        return out


def main(profile, database):
    view, db = View(profile), sqlite3.connect(database)
    print("%d load modules, %d files, %d procedures"
          % (len(view.modules), len(view.files), sum(len(p) for _, p in view.files.values())))
    wrong = list(view.wrong)
    wrong += ["%d events in M outside of S" % view.lost] if view.lost else []
    sums = view.sums()
    rows = db.execute("SELECT metric, module, sum(self) FROM modules GROUP BY 1, 2 HAVING sum(self)")
    truth = {(metric, decoded(module)): events for metric, module, events in rows}
    for key in set(sums) | set(truth):
        if sums.get(key) != truth.get(key):
            wrong.append("%r: HPCView has %r, the database %r" % (key, sums.get(key), truth.get(key)))
    for metric, events in db.execute("SELECT name, sum(events) FROM metric GROUP BY 1"):
        total = sum(v for (m, _), v in sums.items() if m == metric)
        if total != events:
            wrong.append("%s: HPCView has %d in all, the database %d" % (metric, total, events))
    return wrong


def decoded(name):
    return name.decode("utf-8", "surrogateescape") if isinstance(name, bytes) else name


if __name__ == "__main__":
    found = main(*sys.argv[1:])
    print("\n".join(found[:20]))
    sys.exit(len(found) > 0)
