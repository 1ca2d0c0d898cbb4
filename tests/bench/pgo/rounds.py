"""rounds.py NAME FOLDER RUNS ARGUMENTS SMALL: the user CPU time of the builds in FOLDER with ARGUMENTS, each
round in another order, and the instructions that Valgrind counts with SMALL. Also FOLDER/result. Of a build of
which there are BUILD+1, BUILD+2, ... rounds take these in turn. A build is compared with the plain one of the
same round, as there are minutes in which the machine takes half as long again.
rounds.py summary FOLDER: of the results below it."""
import glob
import operator
import os
import random
import re
import shlex
import statistics
import subprocess
import sys

BUILDS = "plain", "ours-1000", "ours-4000", "contexts-1000", "instrumented"


def user_time(program, arguments):
    null = [(os.POSIX_SPAWN_OPEN, fd, "/dev/null", os.O_WRONLY, 0) for fd in (1, 2)]
    child = os.posix_spawn(program, [program] + arguments, os.environ, file_actions=null)
    _, status, usage = os.wait4(child, 0)
    if status:
        sys.exit(f"{program}: status {status}")
    return usage.ru_utime


def instructions(program, arguments):
    """Without debug information, of which Valgrind does not know all forms."""
    bare = program + ".bare"
    if subprocess.run(["strip", "-o", bare, program], stderr=subprocess.DEVNULL).returncode:
        return None
    command = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null", bare]
    said = subprocess.run(command + arguments, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True).stderr
    os.remove(bare)
    count = re.search(r"I\s+refs:\s+([\d,]+)", said)
    return int(count[1].replace(",", "")) if count else None


def found(folder, build):
    """The paths of its layouts."""
    paths = [os.path.join(folder, build)]
    while os.path.exists(f"{paths[0]}+{len(paths)}"):
        paths.append(f"{paths[0]}+{len(paths)}")
    return paths


def share(of, gain):
    return 100 * (1 - of) / (1 - gain) if gain < 1 else float("nan")


def measure(name, folder, runs, arguments, small):
    builds = [build for build in BUILDS if os.path.exists(os.path.join(folder, build))]
    layouts = {build: found(folder, build) for build in builds}
    times = {build: [] for build in builds}
    order = list(builds)
    for n in range(runs + 1):  # the first is to warm up
        random.shuffle(order)
        for build in order:
            taken = user_time(layouts[build][n % len(layouts[build])], arguments)
            if n:
                times[build].append(taken)
    medians = {build: statistics.median(times[build]) for build in builds}
    counts = {build: instructions(os.path.join(folder, build), small) for build in builds}
    print(f"{name:<16}{'user s':>9}{'of plain':>10}{'least to most':>18}{'% of the gain':>15}{'instructions':>14}")
    ratio = {build: statistics.median(map(operator.truediv, times[build], times["plain"])) for build in builds}
    for build in builds:
        part = f"{share(ratio[build], ratio['instrumented']):.0f}" if build != "plain" else ""
        count = f"{counts[build] / counts['plain']:.3f}" if counts[build] and counts["plain"] else "-"
        least, most = min(times[build]), max(times[build])
        print(f"{build:<16}{medians[build]:>9.3f}{ratio[build]:>10.3f}{f'{least:.3f} to {most:.3f}':>18}{part:>15}{count:>14}", flush=True)
    with open(os.path.join(folder, "result"), "w") as out:
        print(name, *(ratio.get(build, "") for build in BUILDS[1:]), sep="\t", file=out)


def summary(folder):
    rows = [open(path).read().rstrip().split("\t") for path in glob.glob(os.path.join(folder, "*", "result"))]
    for at, build in enumerate(BUILDS[1:-1], 1):
        built = [row for row in rows if row[at]]
        shares = [share(float(row[at]), float(row[-1])) for row in built if float(row[-1]) < 0.99]
        worst = max(((float(row[at]), row[0]) for row in built), default=(0, "nothing"))
        print(f"{build}: {statistics.median(shares) if shares else 0:.0f}% of what instrumentation gains, on the median "
              f"program (goal: 60%); the slowest is {worst[1]}, {worst[0]:.3f} of plain (goal: 1.01)")


if sys.argv[1] == "summary":
    summary(sys.argv[2])
else:
    measure(sys.argv[1], sys.argv[2], int(sys.argv[3]), shlex.split(sys.argv[4]), shlex.split(sys.argv[5]))
