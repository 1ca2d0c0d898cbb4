"""Calls of all kinds, during which a sample is taken after each instruction: tests/stepping. The
calls that are possible are in CALLS of tests/lib/check/stepped_paths.py. Run with a number of rounds."""
import ctypes
import functools
import re
import sys

library = ctypes.CDLL(None)
begin, end = library.stepping_begin, library.stepping_end


class Counts(ctypes.Structure):
    _fields_ = [(name, ctypes.c_ulong) for name in ("steps", "compared", "known", "different")]


end.restype = Counts


def leaf(x):
    return x + 1


def down(n):
    if n == 0:
        return leaf(n)
    return down(n - 1)


def key(x):
    return leaf(x)


def numbers(n):
    for i in range(n):
        yield leaf(i)


def delegated(n):
    yield from numbers(n)


async def awaited(x):
    return leaf(x)


async def awaiting(x):
    return await awaited(x)


def run(coroutine):
    try:
        coroutine.send(None)
    except StopIteration as stopped:
        return stopped.value


class Shape:
    def __init__(self, side):
        self.side = leaf(side)

    @property
    def area(self):
        return leaf(self.side)

    def __lt__(self, other):
        return leaf(self.side) < other.side

    def __enter__(self):
        return leaf(0)

    def __exit__(self, *_):
        leaf(1)


def decorated(function):
    @functools.wraps(function)
    def wrapper(*args):
        return function(*args)
    return wrapper


@decorated
def plain(x):
    return leaf(x)


def fails(x):
    leaf(x)
    raise ValueError(x)


def catches(x):
    try:
        fails(x)
    except ValueError:
        leaf(x)


def add(a, b):
    return leaf(a) + b


def replace(match):
    return str(leaf(len(match.group())))


def one_round():
    down(5)
    sorted([3, 1, 2], key=key)
    list(map(leaf, range(3)))
    sum(numbers(3))
    list(delegated(3))
    run(awaiting(3))
    [leaf(x) for x in range(3)]
    sorted([Shape(3), Shape(1), Shape(2)])
    Shape(1).area
    with Shape(1):
        leaf(1)
    plain(1)
    catches(1)
    functools.reduce(add, range(3))
    re.sub("a+", replace, "aabaab")
    (lambda: leaf(1))()
    exec("leaf(1)", {"leaf": leaf})


def main():
    one_round()
    begin()
    for _ in range(int(sys.argv[1])):
        one_round()
    counts = end()
    print(counts.steps, counts.compared)


main()
