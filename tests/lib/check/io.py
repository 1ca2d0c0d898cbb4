"""io.py HPCPROF DATA TRUTH: what the driver io has recorded is what tests/programs/io.c says that it has
done, of each function and kind of file: bytes and calls. Paths without such a function must have
nothing."""
import collections
import json
import re
import subprocess
import sys

hpcprof, data, truth = sys.argv[1:]
wanted = collections.Counter()
for line in open(truth):
    kind, function, *numbers = line.split()
    names = ["IO_READ", "IO_READ calls", "IO_WRITE", "IO_WRITE calls", "IO_SYNC calls"]
    for name, number in zip(names, map(int, numbers)):
        wanted[kind, function, name] += number
functions = {function for _, function, _ in wanted}
any_kind = {function for kind, function, _ in wanted if kind == "any"}


got = collections.Counter()
calls = 0
metrics = ["IO_READ", "IO_WRITE", "IO_SYNC", "IO_TIME"]
for options, what in ([], ""), (["--samples"], " calls"):
    out = subprocess.run([hpcprof, "tree", "-q", "--json", "--all", "--min", "0", "--program", "^io$", "--group-by",
                          "file", *[word for metric in metrics for word in ("-m", metric)], *options, data],
                         capture_output=True, text=True)
    where = {None: ("-", "elsewhere")}
    for node in json.loads(out.stdout)["tree"]["nodes"]:
        kind, function = where[node["parent"]]
        label = re.match(r"\[label\] file=(.*)", node["function"] or "")
        kind = label[1] if label else kind
        function = node["function"] if node["function"] in functions else function
        where[node["id"]] = kind, function
        for metric, amount in zip(metrics, node["self"]):
            if metric == "IO_TIME":
                calls += amount if what else 0
            elif metric + what != "IO_SYNC":
                got["any" if function in any_kind else kind, function, metric + what] += amount
bad = [(key, wanted[key], got[key]) for key in sorted(wanted | got) if wanted[key] != got[key]]
for (kind, function, name), want, have in bad[:20]:
    print(f"{function}, {kind}: {name}: {have}, not {want}")
print(f"{len(wanted)} numbers, {calls} calls")
sys.exit(bool(bad) or not calls or not wanted)
