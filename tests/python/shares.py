"""shares.py TRUTH [SCALE]: functions of many kinds, of which each takes a known share. TRUTH gets lines
`function nanoseconds`: the CPU time of its thread within it, with what it called, by its own clock. "all"
is what the process took. SCALE is that of the times, 1 if it is not given."""
import asyncio
import ctypes
import functools
import json
import re
import sys
import threading
import time

UNIT = 0.1 * float(sys.argv[2] if len(sys.argv) > 2 else 1)  # seconds
truth = {}
lock = threading.Lock()


def burn(units):
    end = time.thread_time() + units * UNIT
    while time.thread_time() < end:
        x = 0
        for i in range(200):
            x += i * i


def name_of(function):
    return getattr(function, "__qualname__" if sys.version_info >= (3, 11) else "__name__")


def add(function, ns):
    with lock:
        name = function if isinstance(function, str) else name_of(function)
        truth[name] = truth.get(name, 0) + ns


class of:
    """The time in a block is that of the function."""

    def __init__(self, *functions):
        self.functions = functions

    def __enter__(self):
        self.begin = time.thread_time_ns()

    def __exit__(self, *_):
        ns = time.thread_time_ns() - self.begin
        for function in self.functions:
            add(function, ns)


# ---- recursion

def recurse(n):
    if n:
        return recurse(n - 1)
    burn(2)


def even(n):
    return odd(n - 1) if n else burn(1.5)


def odd(n):
    return even(n - 1)


# ---- generators: their time is between next and yield

def generate(n):
    for i in range(n):
        with of(generate):
            burn(0.05)
        yield i


def delegate(n):
    yield from generate(n)


def consume():
    for _ in delegate(30):
        burn(0.02)


# ---- coroutines

async def awaited(units):
    with of(awaited, task):
        burn(units)


async def task(units):
    for _ in range(5):
        await asyncio.sleep(0)
        await awaited(units / 5)


async def tasks():
    await asyncio.gather(task(1), task(1.5))


async def produce():
    for i in range(5):
        with of(produce):
            burn(0.2)
        yield i


async def drain():
    async for _ in produce():
        await asyncio.sleep(0)


def coroutines():
    loop = asyncio.new_event_loop()
    loop.run_until_complete(tasks())
    loop.run_until_complete(drain())
    loop.close()


# ---- called by C

def sort_key(x):
    burn(0.1)
    return -x


def mapped(x):
    burn(0.1)
    return x


def reduced(x, y):
    burn(0.1)
    return x + y


def hook(pairs):
    burn(0.1)
    return dict(pairs)


def substituted(match):
    burn(0.1)
    return match.group(0)


def compared(x, y):
    burn(0.1)
    return (x > y) - (x < y)


def by_ctypes(x):
    burn(0.1)
    return x


def callbacks():
    with of(sort_key):
        sorted(range(10), key=sort_key)
    with of(mapped):
        list(map(mapped, range(10)))
    with of(reduced):
        functools.reduce(reduced, range(11))
    with of(hook):
        json.loads("[%s]" % ",".join(['{"a": 1}'] * 10), object_pairs_hook=hook)
    with of(substituted):
        re.sub("a", substituted, "a" * 10)
    with of(compared):
        sorted(range(10), key=functools.cmp_to_key(compared))
    call = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)(by_ctypes)
    with of(by_ctypes):
        for i in range(10):
            call(i)


# ---- classes, and what they have

class Outer:
    class Inner:
        def method(self):
            burn(1)

        def __add__(self, other):
            burn(1)
            return self

        @staticmethod
        def static():
            burn(1)

        @classmethod
        def made(cls):
            burn(1)
            return cls()

    def __init__(self):
        self.lambda_ = lambda: burn(1)

    @property
    def value(self):
        burn(1)
        return 1

    def __getattr__(self, name):
        burn(1)
        return name

    def __del__(self):
        burn(1)


def classes():
    inner = Outer.Inner()
    outer = Outer()
    with of(inner.method):
        inner.method()
    with of(Outer.Inner.__add__):
        inner + inner
    with of(inner.static):
        inner.static()
    with of(inner.made):
        inner.made()
    with of(outer.lambda_):
        outer.lambda_()
    with of(Outer.value.fget):
        outer.value
    with of(Outer.__getattr__):
        outer.not_there
    with of(Outer.__del__):
        del outer


# ---- decorators, comprehensions, made code, exceptions

def decorate(function):
    @functools.wraps(function)
    def wrapper(*args):
        burn(0.5)
        return function(*args)
    return wrapper


@decorate
def decorated(units):
    burn(units)


@functools.lru_cache(None)
def cached(x):
    burn(0.5)
    return x


def item(x):
    burn(0.1)
    return x


def comprehends():
    return [item(x) for x in range(5)] + list({item(x) for x in range(5)}) + list(item(x) for x in range(5))


made = {"burn": burn}
exec(compile("def executed():\n    burn(1)\n", "<made>", "exec"), made)


def evaluates():
    eval("executed()", made)


def raises(n):
    if n:
        raises(n - 1)
    burn(0.1)
    raise ValueError


def catches():
    for _ in range(10):
        try:
            raises(20)
        except ValueError:
            continue
        finally:
            burn(0.05)


def others():
    with of(decorate(decorated).__code__.co_name if sys.version_info < (3, 11) else "decorate.<locals>.wrapper"):
        with of(decorated):
            decorated(1)
        # what is before it, in the wrapper alone
        truth[name_of(decorated)] -= int(0.5 * UNIT * 1e9)
    with of(cached):
        cached(1), cached(1), cached(2)
    with of(comprehends, item):
        comprehends()
    with of(evaluates, made["executed"]):
        evaluates()
    with of(catches):
        catches()
    add(raises, truth[name_of(catches)] - int(10 * 0.05 * UNIT * 1e9))


# ---- threads

def worker(units):
    with of(worker):
        burn(units)


def threads():
    all_threads = [threading.Thread(target=worker, args=(u,)) for u in (1, 2)]
    for thread in all_threads:
        thread.start()
    for thread in all_threads:
        thread.join()


def main():
    with of(recurse):
        recurse(100)
    with of(even, odd):
        even(40)
    with of(consume, delegate):
        consume()
    truth["delegate"] = truth["generate"]
    coroutines()
    callbacks()
    classes()
    others()


with of(main):
    main()
threads()
add("all", time.process_time_ns())
print(sum(map(ord, "".join(sorted(truth)))))
with open(sys.argv[1], "w") as f:
    for name, ns in truth.items():
        f.write("%s %d\n" % (name.replace(" ", "_"), ns))
