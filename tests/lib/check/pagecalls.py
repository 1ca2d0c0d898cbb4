"""pagecalls.py PAGE JSON: the activations in a page of `hpcprof html`, and the time of them, are those
of `hpcprof --activations --json -n 0` of the same measurement. (Functions without time are not in the
page.)"""

import json
import sys
from collections import Counter

import page


def of_page(path):
    """(activations, returned, abandoned, total) by function name."""
    p = page.Page(path)
    name = p.names["functions"]["name"]
    pops, code = page.varints(p.columns["pops"]), page.varints(p.columns["functions"])
    counts, values = page.varints(p.columns["activations"]), p.values(0)
    out, open_, before = {}, [], -1
    for i, pop in enumerate(pops):
        del open_[before + 1 - pop:]
        before = len(open_)
        open_.append(None if code[i] & 1 else name[code[i] >> 1])
        for f in filter(None, open_):
            out.setdefault(f, Counter())["total"] += values[i][0]
        if not code[i] & 1:
            out[open_[-1]].update(dict(zip(("activations", "returned", "abandoned"),
                                           counts[3 * i:3 * i + 3])))
        else:
            assert not any(counts[3 * i:3 * i + 3]), "an inlined function has counts"
    return out


def main(page_path, json_path):
    ours = {f: dict(c) for f, c in of_page(page_path).items() if c["activations"]}
    with open(json_path) as f:
        rows = json.load(f)["activations"]["rows"]
    theirs = {}
    for row in rows:
        for key in ("activations", "returned", "abandoned", "total"):
            theirs.setdefault(row["function"], Counter())[key] += row[key]
    theirs = {f: dict(c) for f, c in theirs.items() if c["activations"] and c["total"]}
    print(len(theirs), "functions")
    if ours != theirs or not theirs:
        sys.exit("page %r\njson %r" % (ours, theirs))


main(*sys.argv[1:])
