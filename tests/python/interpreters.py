"""Interpreters in one process."""
import threading

from spinning import spin

try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters

CODE = """
import sys
sys.path.insert(0, {!r})
from spinning import spin

def in_{}():
    spin(150)

in_{}()
"""


def runs(name):
    i = interpreters.create()
    interpreters.run_string(i, CODE.format(__file__.rpartition("/")[0] or ".", name, name))
    interpreters.destroy(i)


runs("one")
runs("two")
thread = threading.Thread(target=runs, args=("thread",))
thread.start()
thread.join()
spin(150)
