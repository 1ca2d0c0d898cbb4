"""Greenlets, each with functions of its own that run in turn; exceptions and what is thrown into them."""
import sys

import greenlet
from spinning import spin


def deep(n, ms, other):
    if n:
        return deep(n - 1, ms, other)
    for _ in range(10):
        spin(ms)
        if other() is not None:
            other().switch()


def first():
    deep(10, 10, lambda: g2)


def second():
    deep(30, 20, lambda: g1 if not g1.dead else None)


def waits():
    try:
        greenlet.getcurrent().parent.switch()
    except KeyError:
        spin(100)
        raise


g1, g2 = greenlet.greenlet(first), greenlet.greenlet(second)
g1.switch()
g3 = greenlet.greenlet(waits)
g3.switch()
try:
    g3.throw(KeyError)
except KeyError:
    spin(100)
print(greenlet.getcurrent().parent, g1.dead, g3.dead)
