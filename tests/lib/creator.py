"""creator.py HPCPROF DIR TREE NODE FUNCTION EXECUTABLE: is NODE of TREE of DIR's only
datafile a recorded call in FUNCTION? Its ip - 1, made a file address, must lie in the
function's symbol, by nm."""
import glob
import json
import subprocess
import sys

hpcprof, directory, tree, node, function, executable = sys.argv[1:]
path = glob.glob(directory + "/*.csp")[0]
dump = json.loads(subprocess.check_output([hpcprof, "dump", "--json", path]))
tree = dump["trees"][int(tree)]
modules = dump["epochs"][tree["epoch_number"]]["modules"]
ip = next(int(n["ip"], 16) for n in tree["nodes"] if n["id"] == int(node))
module = next(m for m in modules if m["module_name"] == executable)
address = ip - 1 - int(module["mapped_address"], 16) + int(module["virtual_address"], 16)
for line in subprocess.check_output(["nm", "-S", executable], text=True).splitlines():
    fields = line.split()
    if len(fields) == 4 and fields[3] == function:
        low, size = int(fields[0], 16), int(fields[1], 16)
        print(f"{address:#x} in {low:#x}+{size:#x}")
        sys.exit(0 if low <= address < low + size else 1)
sys.exit(f"no symbol {function}")
