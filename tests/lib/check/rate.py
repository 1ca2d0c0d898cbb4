"""rate.py LEAST DIR...: samples per CPU second, taken or dropped. Exits with 1 below LEAST."""

import sys

import csp


def main(arguments):
    samples, nanoseconds, sources = 0, 0, set()
    for data in csp.load(arguments[1:]):
        for v in data.weights():
            samples += sum(r[3] for r in data.account if r[1] == v)
            nanoseconds += sum(r[4] for r in data.account if r[1] == v)
            sources.add("%(source)s, requested %(requested)s, achieved %(achieved)s, "
                        "kernel %(kernel)s" % data.about[v])
    rate = samples * 1e9 / nanoseconds if nanoseconds else 0
    print("%d samples in %.3f s: %.0f/s; source %s"
          % (samples, nanoseconds / 1e9, rate, "; ".join(sorted(sources))))
    return 0 if rate >= float(arguments[0]) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
