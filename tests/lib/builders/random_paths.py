"""random_paths.py FOLDER SEED...: FOLDER/SEED.paths for each seed, a datafile as mkcsp --paths reads it.

What people write by hand is what they think of. These have few frames and metrics and small numbers, so that
values tie, paths share parts and rows read alike, but any of them at any place. They measure the library of
outputs.t, whose addresses are CODE. The same seed gives the same text with every version of Python."""

import sys

CODE = [0x1010, 0x1028, 0x102B, 0x1032, 0x1036, 0x1040, 0x1044, 0x1047, 0x1062, 0x107C, 0x109F, 0x10B8, 0x10DC,
        0x10E3, 0x10F0, 0x10F5, 0x10FA, 0x10FE, 0x111C, 0x1121, 0x112A, 0x1143, 0x1153, 0x1160, 0x1171, 0x1189,
        0x119D, 0x11A5, 0x11C9, 0x11DD, 0x1200, 0x1240, 0x1280, 0x12C0, 0x1300, 0x1340, 0x1400]
IDS = ["0123456789abcdef0123456789abcdef01234567", "89abcdef0123456789abcdef0123456789abcdef", "2222", ""]
NAMES = ["/usr/lib/libwork.so", "/usr/lib/libwork.so", "/usr/lib/libplain.so", "/usr/bin/work", "/opt/work", "[vdso]",
         "[anonymous]", "", "work", "lib/relative.so", "/usr/lib/gone.so", "/a/\u202ereversed\u2066.so", "/b/\ufeffmark.so",
         "/c/e\u0301\u4e2d\U0001f600.so", "/d/\u2069isolate.so", "/e/" + 40 * "long" + "/x.so", "/usr/lib/libwork.so "]
THREADS = ["", "work", "helper", "worker/1", "worker/2", "a name\u0085"]
METRICS = [("CPUTIME", "2 1 unit ns"), ("CPUTIME # samples", "6 1000000 unit count"), ("BYTES", "0 1 unit bytes"),
           ("# returns", "8 1 unit count"), ("WALL", "2 3 unit ns source timer requested 100"), ("LOCKS", "0 1"),
           ("LOCKS # samples", "6 5 unit count"), ("KB", "0 1024 unit bytes"), ("Events", "0 1000 unit count"),
           ("returns", "8 1 unit count"), ("activations", "16 1 unit count"), ("L1 cache misses", "2 1000 unit count kernel yes"),
           ("REALTIME", "1 1 unit ns kernel no achieved 99.5"), ("twelve chars", "0 1"), ("of thirteen c", "0 1 unit s"),
           ("of fourteen ch", "0 1")]
OUTCOMES = ["recorded", "partial", "unsafe code", "unwind failed", "own code", "tail", "later", "dropped: x"]
VALUES = [0, 0, 0, 0, 1, 1, 2, 5, 9, 10, 11, 99, 100, 999, 1000, 1001, 9999, 10000, 99999, 100000, 999499, 999500,
          1000000, 1023, 1024, 1048576, 10**9, 10**9, 60 * 10**9, 3600 * 10**9, 10**12, 2**40, 2**53]
MOST = 2**64 - 1
HUGE = [2**32, 2**53 + 1, 2**62, 2**63 - 1, 2**63, MOST]  # a few of them, and all sums are MOST,
TAME = 10  # so seeds up to this have none


class Random:
    """A linear congruential generator (Knuth's MMIX): Python's own may change."""

    def __init__(self, seed):
        self.state = seed
        self.values = VALUES + HUGE if seed > TAME else VALUES
        self.below(2)

    def below(self, n):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self.state >> 33) % n

    def one_of(self, values):
        return values[self.below(len(values))]

    def chance(self, percent):
        return self.below(100) < percent


def word(text):
    return '"%s"' % text if not text or " " in text else text


def process(r):
    facts = [("command", "work\\0%d" % r.below(3)), ("executable", r.one_of(NAMES[:5])), ("host", r.one_of(["alpha", "beta"])),
             ("pid", r.below(4)), ("ppid", r.below(4)), ("start_ns", 1700000000000000000 + r.below(5) * 10**9),
             ("wall_ns", r.one_of(r.values)), ("cpu_ns", r.one_of(r.values)), ("outside_ns", r.one_of(r.values)),
             ("end", r.one_of(["exit 0", "exit 3", "signal 9", "exec", "later"])), ("rank", r.below(6)),
             ("tool", "hpcrun 1.0"), ("store", "recovered")]
    return ["process %s %s" % (key, word(str(value))) for key, value in facts if r.chance(75)]


def modules(r):
    lines, bases = [], []
    at = 0x10000000
    for _ in range(1 + r.below(6)):
        extent = r.one_of([0x1000, 0x2000, 0x4000])
        lines.append("module %s %#x %#x %s" % (word(r.one_of(NAMES)), at, extent, word(r.one_of(IDS))))
        bases.append(at)
        at += extent if r.chance(40) else 0x100000
    return lines, bases


def address(r, bases):
    return "%#x" % (r.one_of(bases) + r.one_of(CODE)) if r.chance(96) else "%#x" % r.one_of([1, 0xFFF, 2**63, 2**64 - 1])


def paths(r, bases, sums):
    """Of one tree; adds the values to sums, a list with a sum for each metric."""
    known = [[address(r, bases)]]
    lines = []
    for _ in range(r.below(14)):
        frames = list(r.one_of(known))
        for _ in range(r.below(1 + r.one_of([1, 3, 12]))):
            frames.append(r.one_of(frames) if r.chance(30) else address(r, bases))
        known.append(frames)
        values = [r.one_of(r.values) for _ in sums]
        for i, value in enumerate(values):
            sums[i] = min(sums[i] + value, MOST)
        lines.append("path %s : %s" % (" ".join(map(str, values)), " ".join(frames)))
    return lines


def account(r, thread, metrics, sums, agrees):
    """Rows for a thread; if it agrees, with the sums of its trees."""
    lines = []
    for metric, (name, _) in enumerate(metrics):
        for outcome in OUTCOMES[2 if agrees else 0:]:
            if r.chance(25):
                lines.append("account %d %d %s %d %d" % (thread, metric, word(outcome), r.below(200), r.one_of(r.values)))
        if agrees:
            samples, weight = r.below(5000), sums[metric]
            if metric + 1 < len(metrics) and metrics[metric + 1][0] == name + " # samples":
                samples = sums[metric + 1]
            part = r.one_of([1, 1, 3])
            lines.append("account %d %d partial %d %d" % (thread, metric, samples - samples // part, weight - weight // part))
            lines.append("account %d %d recorded %d %d" % (thread, metric, samples // part, weight // part))
    return lines


def datafile(seed):
    r = Random(seed)
    metrics = [m for m in METRICS if r.chance(90 if m == METRICS[0] else 25)] or METRICS[1:2]
    num_threads = r.one_of([0, 1, 1, 1, 2, 2, 3, 4])
    sums = [[0] * len(metrics) for _ in range(num_threads or 1)]
    lines = ["target %s" % word(r.one_of(["work", "", "work -n 7", "/usr/bin/work", 30 * "target "]))]
    lines += ["metric %s %s" % (word(name), rest) for name, rest in metrics]
    lines += process(r)
    lengths = []  # of the trees so far
    for epoch in range(1 + r.below(2)):
        lines += ["epoch"] if epoch else []
        more, bases = modules(r)
        lines += more
        for _ in range(r.below(4)):
            thread = r.below(num_threads or 1)
            creator = " %d 1" % r.below(len(lengths)) if lengths and lengths[0] and r.chance(40) else ""
            lines.append("tree %d %d%s" % (thread, r.below(2), creator))
            found = paths(r, bases, sums[thread])
            lines += found
            lengths.append(len(found))
    agrees = r.chance(80)
    for t in range(num_threads):
        accounts = account(r, t, metrics, sums[t], agrees)
        cpu = min(sum(int(a.split()[-1]) for a in accounts if a.split()[2] == "0"), MOST) if metrics[0][0] == "CPUTIME" else 0
        lines.append("thread %d %s %d %d %d" % (r.below(9), word(r.one_of(THREADS)), r.below(1000), r.one_of(r.values),
                                                cpu if agrees else r.one_of(r.values)))
        lines += accounts
    if lengths and lengths[0]:
        lines += ["trace %d 0 0 1 %d" % (r.below(9), r.one_of(r.values)) for _ in range(r.below(4))]
    return "\n".join(lines) + "\n"


def main():
    for seed in sys.argv[2:]:
        with open("%s/%s.paths" % (sys.argv[1], seed), "w", encoding="utf-8") as f:
            f.write(datafile(int(seed)))


if __name__ == "__main__":
    main()
