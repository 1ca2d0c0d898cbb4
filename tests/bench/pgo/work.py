"""Calls, objects, containers and strings; the argument is how often."""
import sys


class Node:
    def __init__(self, key):
        self.key, self.left, self.right = key, None, None

    def insert(self, key):
        side = "left" if key < self.key else "right"
        child = getattr(self, side)
        if child is None:
            setattr(self, side, Node(key))
        else:
            child.insert(key)

    def walk(self):
        if self.left:
            yield from self.left.walk()
        yield self.key
        if self.right:
            yield from self.right.walk()


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def run():
    total = fib(18)
    root = Node(5000)
    for i in range(1500):
        root.insert(i * 7919 % 10007)
    total += sum(root.walk())
    words = {}
    for i in range(6000):
        word = f"w{i * 31 % 997}"
        words[word] = words.get(word, 0) + 1
    total += sum(n for w, n in sorted(words.items()) if w.endswith("7"))
    grid = [[(x * y) % 7 for x in range(60)] for y in range(60)]
    for y in range(1, 59):
        for x in range(1, 59):
            total += grid[y - 1][x] + grid[y + 1][x] - grid[y][x - 1]
    return total + len(",".join(str(i) for i in range(4000)).split(","))


print(sum(run() for _ in range(int(sys.argv[1]))))
