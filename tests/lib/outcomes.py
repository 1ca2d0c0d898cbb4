"""outcomes.py ALONE MEASURED ALONE: what each test of a suite came to in three runs.

A file holds the suite's own report: XML as JUnit's (Python's and googletest's), the
output of `prove -v`, or that of Tcl's test suite. Prints how many tests came to what.
Exits with 1 where a test came to something else in the measured run, or is in one of
the two only; tests that differ between the two runs alone are named and set aside."""

import re
import sys
import xml.etree.ElementTree
from collections import Counter


def put(found, name, outcome):
    """A name may come several times: later ones are numbered."""
    unique, n = name, 1
    while unique in found:
        n += 1
        unique = "%s (%d)" % (name, n)
    found[unique] = outcome


def from_xml(text):
    found = {}
    for case in xml.etree.ElementTree.fromstring(text).iter("testcase"):
        outcome = "ok"
        for child in case:
            if child.tag in ("failure", "error", "skipped"):
                outcome = child.tag
        if case.get("status") == "notrun":
            outcome = "skipped"
        put(found, ("%s %s" % (case.get("classname", ""), case.get("name"))).strip(), outcome)
    return found


def from_tap(text):
    """Per file, numbers of tests; what a file says as a whole ends with its status."""
    found, file = {}, ""
    for line in text.splitlines():
        header = re.match(r"(\S+\.t) \.\.+", line)
        if header:
            file = header[1]
        point = re.match(r"(not )?ok (\d+)\b(.*)", line)
        if point:
            mark = re.search(r"# *(skip|todo)", point[3], re.I)
            outcome = ("not ok" if point[1] else "ok") + (" " + mark[1].lower() if mark else "")
            put(found, "%s %s" % (file, point[2]), outcome)
        whole = re.match(r"(ok|skipped|Dubious|Failed|All \d+ subtests passed)\b", line)
        if whole and not point:
            put(found, "%s as a whole" % file, whole[1])
    return found


def from_tcl(text):
    found = {}
    for line in text.splitlines():
        said = re.match(r"(?:====|\+\+\+\+) (\S+)(?: .*)? (PASSED|FAILED|SKIPPED\b.*)$", line)
        if said:
            put(found, said[1], said[2])
    return found


def read(path):
    with open(path, encoding="utf-8", errors="replace") as f:
        text = f.read()
    if text.startswith("<"):
        return from_xml(text)
    if re.search(r"^(====|\+\+\+\+) ", text, re.M):
        return from_tcl(text)
    return from_tap(text)


def main(alone, measured, again):
    first, found, second = read(alone), read(measured), read(again)
    moody = {name for name in first.keys() | second.keys() if first.get(name) != second.get(name)}
    counts = Counter(outcome.split(":")[0] for outcome in found.values())
    print("%d tests: %s" % (len(found), ", ".join("%d %s" % (n, outcome)
                                                   for outcome, n in counts.most_common())))
    for name in sorted(moody):
        print("set aside, not the same twice alone: %s (%s, %s; measured %s)"
              % (name, first.get(name), second.get(name), found.get(name)))
    failed = 0
    for name in sorted((first.keys() | found.keys()) - moody):
        if first.get(name) != found.get(name):
            print("%s: %s alone, %s measured" % (name, first.get(name), found.get(name)))
            failed = 1
    if not counts.get("ok") and not counts.get("PASSED"):
        print("no test succeeded")
        failed = 1
    return failed


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
