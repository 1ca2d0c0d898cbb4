"""account.py [--total FILE [--image MICROSECONDS] [--cut]] DIR...: check the three equations of
conservation for each datafile.

    clock at end - clock at start = sum of all weights in ACCOUNT
    sum of V over all nodes       = weight of recorded + partial
    sum of N over all nodes       = samples of recorded + partial

per thread and event; the last two for the sum over the threads if these share a tree.
Prints the sums over all datafiles; exits with 1 if an equation is false. With --total, FILE has
microseconds of CPU time as written by waitcpu. The sum of all weights must be the same within
1% or 10 ms per image, plus the time that the host of a virtual machine took, if FILE has a line
"stolen MICROSECONDS". What an image takes before its first instruction and after its last one is
not in its account: --image says what an image that does nothing takes. Where eight times that is
more than 10 ms, it is allowed per image. A line "ends MICROSECONDS" says what a process takes to end that
has as much memory as the largest image; twice that is allowed once. With --cut the program ended without calling libc, as if
it had been killed: the time after each thread's last sample is not known. This is a kernel tick
(at most 10 ms) if a timer on the CPU clock is the source."""

import sys
from collections import Counter

import csp


SHARED = 0xFFFFFFFF  # the thread of trees that several threads share


def allowed_per_image(microseconds):
    """ns by which account and parent may differ per image, where one that does nothing takes so long."""
    return max(10_000_000, 8 * microseconds * 1000)


def thread_sums(data, v):
    """Per thread (sum of V, sum of N) over its trees."""
    sums = {}
    for tree in data.trees:
        weight, samples = sums.get(tree.thread, (0, 0))
        for _, _, values in tree.nodes.values():
            weight += values[v]
            samples += values[v + 1]
        sums[tree.thread] = (weight, samples)
    return sums


def compare(where, rows, in_trees):
    """Messages about the second and the third equation."""
    kept = [r for r in rows if r[2] in ("recorded", "partial")]
    weight, samples = in_trees
    if sum(r[4] for r in kept) != weight:
        yield where + "V sums to %d, account says %d" % (weight, sum(r[4] for r in kept))
    if sum(r[3] for r in kept) != samples:
        yield where + "N sums to %d, account says %d" % (samples, sum(r[3] for r in kept))


def unequal(data, v):
    """Messages, one for each equation that is false."""
    name = data.metrics[v][0]
    in_trees = thread_sums(data, v)
    rows_of = {}
    for row in data.account:
        if row[1] == v:
            rows_of.setdefault(row[0], []).append(row)
    for thread in in_trees:
        if thread != SHARED and thread >= len(data.threads):
            yield "%s: trees of a thread %s that is not in THREADS" % (data.path, thread)
    for thread, (tid, _, _, _, cpu) in enumerate(data.threads):
        rows = rows_of.get(thread, [])
        all_weight = sum(r[4] for r in rows)
        where = "%s: thread %d (tid %d), %s: " % (data.path, thread, tid, name)
        if name == "CPUTIME" and all_weight != cpu:
            yield where + "clock advanced %d, weights sum to %d" % (cpu, all_weight)
        if SHARED not in in_trees:
            yield from compare(where, rows, in_trees.get(thread, (0, 0)))
    if SHARED in in_trees:
        everything = [sum(column) for column in zip(*in_trees.values())]
        rows = [row for rows in rows_of.values() for row in rows]
        yield from compare("%s: all threads, %s: " % (data.path, name), rows, everything)


def main(arguments):
    total, stolen, ends, image, cut = None, 0, 0, 0, False
    if arguments[0] == "--total":
        words = open(arguments[1]).read().split()
        total = int(words[0]) * 1000
        stolen = int(words[words.index("stolen") + 1]) * 1000 if "stolen" in words else 0
        ends = int(words[words.index("ends") + 1]) * 1000 if "ends" in words else 0
        arguments = arguments[2:]
        if arguments[0] == "--image":
            image = int(arguments[1])
            arguments = arguments[2:]
        cut = arguments[0] == "--cut"
        arguments = arguments[cut:]
    unknown = 0
    failures, images, weight, samples = [], 0, Counter(), Counter()
    for data in csp.load(arguments):
        images += 1
        unknown += 10_000_000 * len(data.threads) if cut else 0
        if not data.threads and data.trees:  # killed before its first thread began
            failures.append("%s: trees, but no threads" % data.path)
        for v in data.weights():
            if data.metrics[v][0] == "BLAME":  # of the time of other threads, which have accounts
                continue
            failures.extend(unequal(data, v))
            for _, metric, disposition, n, w in data.account:
                if metric == v:
                    weight[disposition] += w
                    samples[disposition] += n
    for line in failures:
        print(line)
    all_weight = sum(weight.values())
    print("%d images, %.3f s, %d samples recorded, %d partial, %d dropped"
          % (images, all_weight / 1e9, samples["recorded"], samples["partial"],
             sum(samples[d] for d in csp.DROPPED)))
    for disposition in sorted(d for d in weight if weight[d] or samples[d]):
        print("    %-20s %8d samples %12.6f s" % (disposition, samples[disposition],
                                                 weight[disposition] / 1e9))
    if total is not None:
        allowed = max(total // 100, allowed_per_image(image) * images + 2 * ends) + stolen
        print("the parent saw %.3f s" % (total / 1e9))
        if not -allowed <= total - all_weight <= allowed + unknown:
            print("they differ by more than %.3f s" % ((allowed + unknown) / 1e9))
            return 1
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
