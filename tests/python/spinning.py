"""Functions that take known CPU time, for programs that are about something else."""
import time


def spin(ms):
    end = time.thread_time() + ms / 1000
    while time.thread_time() < end:
        x = 0
        for i in range(200):
            x += i
    return ms


def outer(ms):
    return inner(ms)


def inner(ms):
    return spin(ms)


if __name__ == "__main__":
    outer(300)
