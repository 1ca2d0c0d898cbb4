"""Two threads that compute, so that each waits half of the time for the other."""
import threading
import time


def computes(end):
    while time.monotonic() < end:
        for i in range(1000):
            i * i


def sleeps(end):
    while time.monotonic() < end:
        time.sleep(0.05)


end = time.monotonic() + 1
threads = [threading.Thread(target=computes, args=(end,)) for _ in range(2)]
threads.append(threading.Thread(target=sleeps, args=(end,)))
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
