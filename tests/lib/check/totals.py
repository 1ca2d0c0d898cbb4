"""totals.py TRUTH PER_IMAGE DIR...: compare the totals of events with the truth.

TRUTH has lines `EVENT NUMBER`, what the program counted itself. The sum of all weights in the account of
an event may be 1% less, and 1% plus PER_IMAGE for each image more: it begins earlier. Prints both; exits
with 1 if one is off, or if there are no samples although there were ENOUGH of it."""

import sys

import csp

ENOUGH = 500


def main(truth, per_image, *places):
    found, samples, images = {}, {}, 0
    for data in csp.load(places):
        images += 1
        for v in data.weights():
            name = data.metrics[v][0]
            for _, metric, _, n, weight in data.account:
                if metric == v:
                    found[name] = found.get(name, 0) + weight
                    samples[name] = samples.get(name, 0) + n
    bad = 0
    for line in open(truth):
        name, number = line.split()
        number, got = int(number), found.get(name, 0)
        more = number // 100 + int(per_image) * images
        wrong = (not number - number // 100 <= got <= number + more
                 or number >= ENOUGH and not samples.get(name))
        bad |= wrong
        print("%s: %d, in the profile %d in %d samples%s"
              % (name, number, got, samples.get(name, 0), ": WRONG" if wrong else ""))
    return bad


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
