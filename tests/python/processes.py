"""processes.py WAY: four processes that compute, started in this way."""
import os
import sys

import spinning


def works(ms):
    return spinning.outer(ms)


def forks():
    for i in range(4):
        if os.fork() == 0:
            works(100)
            os._exit(0)
    for i in range(4):
        os.wait()


def serves():
    """Workers that are forked before there is work, as some servers do."""
    requests, to_send = os.pipe()
    pids = []
    for i in range(4):
        pid = os.fork()
        if pid == 0:
            os.close(to_send)
            while os.read(requests, 1):
                works(20)
            sys.exit(0)
        pids.append(pid)
    os.write(to_send, b"x" * 20)
    os.close(to_send)
    for pid in pids:
        os.waitpid(pid, 0)


def main(way):
    if way == "fork":
        forks()
    elif way == "server":
        serves()
    else:
        import multiprocessing
        context = multiprocessing.get_context(way[3:])
        if way == "mp-fork":
            with context.Pool(4) as pool:
                print(pool.map(works, [100] * 4, 1))
                pool.close()
                pool.join()
        else:
            all_processes = [context.Process(target=works, args=(100,)) for _ in range(4)]
            for process in all_processes:
                process.start()
            for process in all_processes:
                process.join()
                print(process.exitcode)


if __name__ == "__main__":
    main(sys.argv[1])
