"""Looks up recorded calls in DIR's only datafile in EXECUTABLE's symbols with nm: the ip - 1 of a
node, as a file address, must be in FUNCTION.

    recorded.py HPCPROF DIR EXECUTABLE node TREE NODE FUNCTION
    recorded.py HPCPROF DIR EXECUTABLE amount VALUE FUNCTION

The first checks this node of this tree, the second the only node with VALUE in a column."""
import glob
import json
import subprocess
import sys


def find(dump, kind, arguments):
    if kind == "node":
        tree = dump["trees"][int(arguments[0])]
        return tree, [n for n in tree["nodes"] if n["id"] == int(arguments[1])]
    for tree in dump["trees"]:
        nodes = [n for n in tree["nodes"] if int(arguments[0]) in n["metrics"]]
        if nodes:
            return tree, nodes
    sys.exit("no node has the value " + arguments[0])


def main(hpcprof, directory, executable, kind, *arguments):
    path = glob.glob(directory + "/*.csp")[0]
    dump = json.loads(subprocess.check_output([hpcprof, "dump", "--json", path]))
    tree, nodes = find(dump, kind, arguments)
    if len(nodes) != 1:
        sys.exit("%d nodes in place of one" % len(nodes))
    modules = dump["epochs"][tree["epoch_number"]]["modules"]
    module = next(m for m in modules if m["module_name"] == executable)
    address = (int(nodes[0]["ip"], 16) - 1 - int(module["mapped_address"], 16)
               + int(module["virtual_address"], 16))
    for line in subprocess.check_output(["nm", "-S", executable], text=True).splitlines():
        fields = line.split()
        if len(fields) == 4 and fields[3] == arguments[-1]:
            low, size = int(fields[0], 16), int(fields[1], 16)
            print(f"{address:#x} in {low:#x}+{size:#x}")
            return 0 if low <= address < low + size else 1
    sys.exit("no symbol " + arguments[-1])


sys.exit(main(*sys.argv[1:]))
