"""outcomes.py ROUNDS NAME: compare the outcomes of the tests of a suite alone and measured.

NAME.alone.N and NAME.measured.N, N from 1, contain the suite's own report of each round so
far: XML in JUnit's form (Python's and googletest's), the output of `prove -v`, or that of Tcl's
test suite. NAME.alone.N.status and so on contain the exit status. Prints the number of tests with
each outcome. The outcome of a test that is not in a report is "missing".

A measured outcome that the test had in no run alone is strange. Status 0: no test can be strange
in most of ROUNDS rounds any longer; tests that were sometimes strange are printed. 1: a test was
strange in most of ROUNDS rounds, or no test succeeded. 3: not known yet, run another round."""

import os
import re
import sys
import xml.etree.ElementTree
from collections import Counter


def put(found, name, outcome):
    """A name may occur several times: later ones are numbered."""
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
    """Tests are numbered per file; the outcome of a whole file is also an entry."""
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
        said = re.match(r"(?:====|\+\+\+\+) (\S+) (PASSED|FAILED|SKIPPED\b.*)$", line)
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


def read_all(name, way):
    """The outcomes of all tests, a dictionary for each round."""
    runs = []
    while os.path.exists("%s.%s.%d" % (name, way, len(runs) + 1)):
        path = "%s.%s.%d" % (name, way, len(runs) + 1)
        run = read(path)
        with open(path + ".status", encoding="utf-8") as f:
            run["exit status"] = f.read().strip()
        runs.append(run)
    return runs


def outcomes(runs, test):
    return [run.get(test, "missing") for run in runs]


def strange(alone, measured):
    """The number of measured outcomes that occur in no run alone."""
    return sum(outcome not in alone for outcome in measured)


def main(rounds, name):
    alone, measured = read_all(name, "alone"), read_all(name, "measured")
    counts = Counter(outcome.split(":")[0] for test, outcome in measured[0].items()
                     if test != "exit status")
    print("%d tests: %s" % (sum(counts.values()), ", ".join("%d %s" % (n, outcome)
                                                      for outcome, n in counts.most_common())))
    left, most = int(rounds) - len(alone), int(rounds) // 2 + 1
    worst = 0
    for test in sorted(set().union(*alone, *measured)):
        without, with_us = outcomes(alone, test), outcomes(measured, test)
        times = strange(without, with_us)
        worst = max(worst, times)
        if len(set(without + with_us)) > 1:
            print("%s: %s: alone %s; measured %s" % (
                "DIFFERENT" if times >= most else "%d of %d rounds" % (times, len(alone))
                if times else "not always the same alone",
                test, ", ".join(without), ", ".join(with_us)))
    if worst >= most:
        return 1
    if not counts.get("ok") and not counts.get("PASSED"):
        print("no test succeeded")
        return 1
    return 3 if worst and worst + left >= most else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
