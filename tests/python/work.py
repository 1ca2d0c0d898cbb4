"""work.py [ROUNDS]: pure Python of several kinds: numbers, objects with methods, texts, containers, generators."""
import math
import sys


class Body:
    def __init__(self, x, v, mass):
        self.x, self.v, self.mass = list(x), list(v), mass

    def move(self, dt):
        for i in range(3):
            self.x[i] += dt * self.v[i]


def attract(a, b, dt):
    d = [p - q for p, q in zip(a.x, b.x)]
    size = dt / math.sqrt(sum(x * x for x in d)) ** 3
    for i in range(3):
        a.v[i] -= d[i] * b.mass * size
        b.v[i] += d[i] * a.mass * size


def bodies(steps):
    all_bodies = [Body((i, i * i % 7, -i), (0, i % 3, 0.1), 1 + i) for i in range(5)]
    for _ in range(steps):
        for i, a in enumerate(all_bodies):
            for b in all_bodies[i + 1:]:
                attract(a, b, 0.001)
        for body in all_bodies:
            body.move(0.001)
    return sum(body.x[0] for body in all_bodies)


class Task:
    def __init__(self, name, next_task):
        self.name, self.next_task, self.count = name, next_task, 0

    def run(self, packet):
        self.count += 1
        return self.handle(packet)

    def handle(self, packet):
        return self.next_task, packet + 1


class Worker(Task):
    def handle(self, packet):
        return self.next_task, packet * 3 % 1009 if packet % 2 else packet // 2


def schedule(rounds):
    last = Task("last", None)
    task = first = Task("first", Worker("a", Worker("b", last)))
    last.next_task = first
    packet = 1
    for _ in range(rounds):
        task, packet = task.run(packet)
    return first.count + packet


def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


def words(n):
    count = {}
    for word in ("w%d" % (i * 7919 % 1013) for i in range(n)):
        count[word] = count.get(word, 0) + 1
    return sorted(count.items(), key=lambda item: (-item[1], item[0]))[0]


def queens(n, row=0, taken=()):
    if row == n:
        yield taken
    for column in range(n):
        if all(column != c and abs(column - c) != row - r for r, c in enumerate(taken)):
            yield from queens(n, row + 1, taken + (column,))


for _ in range(int(sys.argv[1]) if len(sys.argv) > 1 else 24):
    print(round(bodies(3000), 6), schedule(300000), fibonacci(23), words(100000), sum(1 for _ in queens(7)))
