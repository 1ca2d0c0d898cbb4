"""attach_often.py HPCRUN DATA ROUNDS FILES COMMAND...: run COMMAND, and meanwhile attach to its process
that has used most CPU time, and detach, at most ROUNDS times. What COMMAND does is in FILES.out, .err
and .status; the number of rounds is printed, and after it what hpcrun said when it could not."""

import os
import random
import subprocess
import sys
import time

PAUSES = (0, 0.005, 0.02)
PATIENCE = 300


def processes():
    """pid -> (parent, CPU time)."""
    found = {}
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/stat", encoding="latin-1") as f:
                fields = f.read().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if fields[0] not in "ZX":
            found[int(name)] = (int(fields[1]), int(fields[11]) + int(fields[12]))
    return found


def busiest(root, without):
    """Of root and all below it."""
    all_of_them = processes()
    best = None
    for pid, (_, used) in all_of_them.items():
        above = pid
        while above not in (root, 0, 1) and above in all_of_them:
            above = all_of_them[above][0]
        if above == root and pid not in without and (best is None or used > all_of_them[best][1]):
            best = pid
    return best


def main():
    hpcrun, data, rounds, files = sys.argv[1:5]
    done, cannot, without = 0, {}, set()
    until = time.monotonic() + PATIENCE
    with open(files + ".out", "wb") as out, open(files + ".err", "wb") as err:
        command = subprocess.Popen(sys.argv[5:], stdin=subprocess.DEVNULL, stdout=out, stderr=err)
    while command.poll() is None and time.monotonic() < until:
        pid = busiest(command.pid, without) if done < int(rounds) else None
        if pid is None:
            time.sleep(0.01)
            continue
        said = subprocess.run(
            [hpcrun, "attach", "-q", "-o", data, "--for", f"{random.randint(5, 40)}ms", str(pid)],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False)
        text = said.stderr.strip().replace(str(pid), "N")
        if said.returncode == 0 and not text:
            done += 1
        elif os.path.exists(f"/proc/{pid}") or said.returncode not in (0, 125):
            cannot[text] = cannot.get(text, 0) + 1
            if said.returncode == 125:
                without.add(pid)
        time.sleep(random.choice(PAUSES))
    if command.poll() is None:
        command.kill()
    with open(files + ".status", "w", encoding="ascii") as f:
        print(command.wait(), file=f)
    print(done)
    for text, times in cannot.items():
        print(f"{times} times: {text}")


main()
