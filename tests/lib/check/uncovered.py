"""uncovered.py IMAGE REPORT: check that no vdso address in a report is in a function of its image.

Exits with 1 if one is, and prints it."""

import re
import subprocess
import sys


def functions(image):
    """The first address and the one after the last of each function with a dynamic symbol."""
    listing = subprocess.run(["readelf", "-sW", "--dyn-syms", image], check=True, text=True,
                             capture_output=True).stdout
    found = re.findall(r"^ *\d+: ([0-9a-f]+) +(\d+) FUNC .* (\S+)$", listing, re.M)
    return [(int(value, 16), int(value, 16) + int(size), name) for value, size, name in found]


def main():
    covers = functions(sys.argv[1])
    with open(sys.argv[2]) as report:
        shown = {int(a, 16) for a in re.findall(r"\[vdso\]\+0x([0-9a-f]+)", report.read())}
    bad = [(a, name) for a in shown for low, high, name in covers if low <= a < high]
    for address, name in bad:
        print("[vdso]+%#x is in %s" % (address, name))
    sys.exit(1 if bad or not covers else 0)


if __name__ == "__main__":
    main()
