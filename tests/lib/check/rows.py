"""The rows of hpcprof --json or hpcprof diff --json.

rows.py TABLE CONDITION <JSON: the names of the rows f for which the Python expression holds, sorted,
separated by blanks.
rows.py --inverse FILE FILE: exit 0 if what the rows have in common is the inverse, in two files that
compare the same in both directions.
"""
import json
import sys


def main(arguments):
    if arguments[0] == "--inverse":
        factors = []
        for name in arguments[1:]:
            with open(name) as file:
                factors.append(json.load(file)["common_factor"])
        print("%.6f %.6f" % tuple(factors))
        return abs(factors[0] * factors[1] - 1) > 1e-9
    rows = json.load(sys.stdin)[arguments[0]]
    rows = rows["rows"] if isinstance(rows, dict) else rows
    print(*sorted(row.get("name") or row["function"] for row in rows if eval("(%s)" % arguments[1], {}, {"f": row})))
    return 0


sys.exit(main(sys.argv[1:]))
