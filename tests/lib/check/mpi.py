"""mpi.py HPCPROF DATA TRUTH [NO_PARTNERS]: what the driver mpi has recorded is what tests/data/mpi says that it
has done, in each process, function and with each partner: calls and bytes. Other functions must have nothing."""
import collections
import glob
import json
import re
import subprocess
import sys

hpcprof, data, truth, *no_partners = sys.argv[1:]
metrics = ["MPI_CALLS", "MPI_SENT", "MPI_RECEIVED", "MPI_TIME"]
wanted = collections.Counter()
for line in open(truth):
    rank, function, partner, *numbers = line.split()
    for name, number in zip(metrics, map(int, numbers)):
        where = "-" if no_partners or name == "MPI_CALLS" else partner
        wanted[int(rank), function, where, name] += number
functions = {function for _, function, _, _ in wanted}


def run(*arguments):
    return subprocess.run([hpcprof, *arguments], capture_output=True, text=True, check=True).stdout


got = collections.Counter()
took = leaves = 0
for file in glob.glob(f"{data}/*.csp"):
    rank = re.search(r'key "rank"  value "(\d+)"', run("dump", file))
    if not rank:
        continue
    tree = json.loads(run("tree", "-q", "--json", "--all", "--min", "0", "--group-by", "partner",
                          *[word for metric in metrics for word in ("-m", metric)], file))["tree"]
    where = {None: ("-", "elsewhere")}
    for node in tree["nodes"]:
        partner, function = where[node["parent"]]
        label = re.match(r"\[label\] partner=(.*)", node["function"] or "")
        partner = label[1] if label else partner
        function = node["function"] if node["function"] in functions | {"print_all"} else function
        where[node["id"]] = partner, function
        for metric, amount in zip(metrics, node["self"]):
            if metric == "MPI_TIME":
                took += amount
            elif amount and function != "print_all":
                got[int(rank[1]), function, "-" if metric == "MPI_CALLS" else partner, metric] += amount
            leaves += amount and (node["function"] or "").startswith(("MPI_", "PMPI_"))
            if amount and not (node["function"] or "").startswith(("MPI_", "PMPI_")):
                got[int(rank[1]), f"{function} itself", partner, metric] += amount
bad = [(key, wanted[key], got[key]) for key in sorted(wanted | got) if wanted[key] != got[key]]
for (rank, function, partner, name), want, have in bad[:20]:
    print(f"rank {rank}, {function}, {partner}: {name}: {have}, not {want}")
print(f"{len(wanted)} numbers, {took} ns")
sys.exit(bool(bad) or not took or not leaves or not wanted)
