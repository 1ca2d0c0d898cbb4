"""lines.py TRUTH: lines that take time: `#= N` says how many units, with what the line calls, `#+` that it
takes some. No other line does. TRUTH gets lines `line nanoseconds`, by the program's own clock."""
import contextlib
import sys
import time

UNIT = 0.03
truth = {}


def note(frame, begin):
    """The time since then is that of the lines that are running."""
    ns, lines = time.thread_time_ns() - begin, set()
    while frame:
        lines.add(frame.f_lineno if frame.f_code.co_filename == __file__ else 0)
        frame = frame.f_back
    for line in lines:
        truth[line] = truth.get(line, 0) + ns


def spin(units):
    begin = time.thread_time_ns()  #?
    while time.thread_time_ns() < begin + units * UNIT * 1e9:  #?
        for i in range(200):  #?
            i * i  #?
    note(sys._getframe(1), begin)  #?
    return units  #?


def add(x, y):
    return x + y + spin(1)  #= 1


def plain():
    spin(1)  #= 1
    x = 1
    y = 2
    spin(3)  #= 3

    # a comment, and a text
    """with
    several lines"""
    z = x + y
    spin(2)  #= 2
    return z


def expression():
    total = add(  #= 1
        spin(2),  #= 2
        1 +
        spin(3),  #= 3
    )
    names = {
        "a": total,
        "b": spin(1),  #= 1
        "c": [
            spin(2),  #= 2
        ],
    }
    return (names["a"] and
            spin(1) and  #= 1
            not
            spin(2))  #= 2


def loop():
    for i in range(10):
        if i % 2:
            spin(0.2)  #= 1
        else:
            spin(0.4)  #= 2
    while i > 5:
        i -= spin(1)  #= 4
    else:
        spin(1)  #= 1


def decorator(units):
    spin(units)  #= 3

    def decorate(function):
        return function
    return decorate


def define():
    @decorator(1)  #= 1
    @decorator(2)  #= 2
    def decorated(x,
                  y=spin(1)):  #= 1
        x = 1
        spin(3)  #= 3
        return x

    decorated(1)  #= 3


@contextlib.contextmanager
def context(units):
    spin(units)  #= 2
    yield units


def withs():
    with context(1) as x:  #= 1
        spin(2)  #= 2
    with context(x):  #= 1
        pass
    spin(2)  #= 2


def comprehends():
    return [  #?
        spin(x)  #= 2
        for x in (0.5, 0.5, 1)
        if x and spin(0.5)  #= 1.5
    ]


def excepts():
    for i in range(4):
        try:
            spin(0.25)  #= 1
            if i % 2:
                raise ValueError(i)
            spin(0.5)  #= 1
        except ValueError:
            spin(1)  #= 2
        finally:
            spin(0.25)  #= 1


def far():
    spin(1)  #= 1












































































































































    spin(2)  #= 2


def generator():
    yield spin(1)  #= 1
    for i in range(2):
        spin(0.5)  #= 1
        yield i


def itself():
    n, begin = 0, time.thread_time_ns()
    while time.thread_time_ns() < begin + 10 * UNIT * 1e9:  #?
        sum(i for i in range(5000))  #+
        sorted(range(3000, 0, -1), key=lambda x: -x)  #+
        n += 1
        for i in range(10000):  #+
            n = n * 3 % 1001  #+
    note(sys._getframe(1), begin)
    return n


def main():
    plain()  #= 6
    expression()  #= 12
    loop()  #= 8
    define()  #= 7
    withs()  #= 6
    comprehends()  #= 3.5
    excepts()  #= 5
    far()  #= 3
    list(generator())  #= 2
    itself()  #= 10


main()  #= 62.5
with open(sys.argv[1], "w") as f:
    for line, ns in sorted(truth.items()):
        f.write("%d %d\n" % (line, ns))
