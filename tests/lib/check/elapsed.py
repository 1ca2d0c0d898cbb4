"""elapsed.py TRUTH DIR...: compare where threads spent their time with what they said.

TRUTH has the lines of tests/programs/elapsed.c. Of each thread with a line `thread NAME NS`: CPUTIME,
BLOCKED and RUNNABLE add up to its life, as the datafile gives it and as it said, within 1% or 20 ms: it
begins before and ends after it looks at the clock. `in NAME FUNCTION NS`: the function's share of
BLOCKED in the functions of that thread is that of its time within 2 points. `runnable NAME NS`: RUNNABLE
is that within 2% of the thread's life. Exits with 1 if something is off."""

import sys
from collections import defaultdict

import csp
import elf

EVENTS = ("CPUTIME", "BLOCKED", "RUNNABLE")
START_NS = 20_000_000
POINTS = 2


def read_truth(path):
    lives, functions, runnable = {}, defaultdict(dict), {}
    for words in map(str.split, open(path)):
        if words[0] == "thread":
            lives[words[1]] = int(words[2])
        elif words[0] == "in":
            functions[words[1]][words[2]] = int(words[3])
        elif words[0] == "runnable":
            runnable[words[1]] = int(words[2])
    return lives, functions, runnable


def columns(data):
    names = [name for name, _, _ in data.metrics]
    return [names.index(e) for e in EVENTS]


def in_functions(data, thread, column, wanted):
    """BLOCKED of that thread in each of the functions."""
    found = dict.fromkeys(wanted, 0)
    for tree, path, _, weight in data.samples(column):
        if tree.thread != thread:
            continue
        seen = set()
        for ip in path:
            module, address = data.locate(tree.epoch, ip)
            if module and module[0] == "/":
                seen.update(n for n in elf.names(module, address) if n in wanted)
        for name in seen:
            found[name] += weight
    return found


def main(truth, *places):
    lives, functions, runnable = read_truth(truth)
    good, missing = True, set(lives)

    def say(right, text):
        nonlocal good
        good &= right
        print(text + ("" if right else ": WRONG"))

    for data in csp.load(places):
        v = columns(data)
        for row, (tid, name, start, end, _) in enumerate(data.threads):
            if name not in missing:
                continue
            missing.remove(name)
            spent = [sum(w for t, m, _, _, w in data.account if t == row and m == c) for c in v]
            life = lives[name]
            margin = life // 100
            say(abs(sum(spent) - (end - start)) <= margin and
                -margin <= sum(spent) - life <= margin + START_NS,
                "%s: %s: %.1f ms, life %.1f, it says %.1f" %
                (name, " + ".join("%.1f" % (s / 1e6) for s in spent), sum(spent) / 1e6,
                 (end - start) / 1e6, life / 1e6))
            if name in runnable:
                say(abs(spent[2] - runnable[name]) <= life * POINTS / 100,
                    "%s: runnable %.1f ms, the scheduler's count %.1f" %
                    (name, spent[2] / 1e6, runnable[name] / 1e6))
            known = functions[name]
            found = in_functions(data, row, v[1], known)
            for f, ns in known.items():
                share = 100 * found[f] / (sum(found.values()) or 1)
                due = 100 * ns / sum(known.values())
                say(abs(share - due) <= POINTS,
                    "%s: %.1f ms BLOCKED, %.1f%%, of the time %.1f%%" % (f, found[f] / 1e6, share, due))
    say(not missing, "threads without a row: %s" % (", ".join(sorted(missing)) or "none"))
    return not good


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
