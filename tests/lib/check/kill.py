"""kill.py [OPTION]... HPCRUN VICTIM PLUGIN...: kill measured programs, and weigh what is
recovered of them against the CPU time that the kernel says they had.

    --kills N        how often (30)
    --how WAY        kill (default), term, both, segv, abort, exit_group
    --store PLACE    as hpcrun's option
    --keep DIR       for what a failure left
    --recover HPCPROF    with --how both: makes the datafiles
    --lossy          the store is too small: only the equations must hold
    --seed N         of the random moments
    --late SHARE     of the threads that may be late where the host disturbs the runs (0.001)

VICTIM is tests/programs/victim.c. A quarter of the kills is around its end, where it writes its
datafile. Each time the program is stopped, and each thread's CPU time is read from /proc; then it
is killed (both: its launcher is as well). For segv, abort and exit_group it dies by itself and
leaves its clocks in the page.

For each datafile of the victim the three equations must hold. For each of its threads the weights
must be what it used since the measurement began, less at most two periods, and less what it used
in the system call in which it was killed: at most what it used since it began what it says it is
doing. When the measurement of the main thread began is not known: it was before main(). So its
weights are at least what it used since main(), less those two periods, and at most its whole clock.

A sample that was due may not have been taken for reasons that are the machine's. Where the host of
a virtual machine takes a CPU away, the clock of the thread that had it goes on, and no sample comes;
where it does so in our handler, that sample seems expensive, and the next ones are further apart.
A thread that computes looks at its clock all the time, and may have lost as much as the longest
time between two looks.

What that does not explain counts as late: at most three threads, or one of a thousand. A thread that
computed, with no sample on its way and in no system call, fails at once. But if any thread saw a
gap of a period, the host disturbed the runs, and as many threads as --late says may be late.

Whatever the machine does, the median must be within two periods: of all threads, and of those that
were doing the same (computing, loading and so on). With a period of the kernel's ticks (an ordinary
user's timers) only that holds, as chance decides how many ticks do not expire.

Threads whose measurement had not begun (they wait for our lock, or are short ones without a sample
in a system call, such as those that open its source) are counted apart; few may have used much."""

import argparse
import collections
import glob
import mmap
import os
import random
import shutil
import signal
import statistics
import struct
import subprocess
import sys
import tempfile
import time

import account
import csp

PERIOD_NS = 1_000_000
TICK_NS = int(time.clock_getres(6) * 1e9)  # CLOCK_MONOTONIC_COARSE goes on at each tick
END_RATE = 5000  # for trees that take a while to be written
FEW = 0.001    # of the threads may be late on a machine of its own
ENOUGH = 5     # threads for a median
SLOTS = 8
PAGE = struct.Struct("=IIQII" + "IIQQQQ" * SLOTS)
DOING = ("computing", "loading", "making a thread", "forking", "ending")

Slot = collections.namedtuple("Slot", "tid doing since_ns cpu_ns looked_ns gap_ns")


class Page:
    """The page that a victim writes."""

    def __init__(self, path):
        with open(path, "r+b") as f:
            self.memory = mmap.mmap(f.fileno(), PAGE.size, prot=mmap.PROT_READ)

    def read(self):
        ready, threads, main_cpu, dying, _, *slots = PAGE.unpack(self.memory[:PAGE.size])
        slots = [Slot(*slots[i:i + 6]) for i in range(0, 6 * SLOTS, 6)]
        return ready, threads, main_cpu, dying, slots


def read_text(path):
    try:
        with open(path) as f:
            return f.read()
    except OSError:  # it has ended
        return ""


def stolen_ns():
    """What the host of a virtual machine has taken of its CPUs so far: a thread that had one has
    it on its clock, and no sample can come meanwhile."""
    for line in read_text("/proc/stat").splitlines():
        if line.startswith("cpu ") and len(line.split()) > 8:
            return int(line.split()[8]) * (10**9 // os.sysconf("SC_CLK_TCK"))
    return 0


def fields(path):
    """Of /proc/.../stat, from the state on."""
    return read_text(path).rpartition(")")[2].split()


def set_of(status, key):
    """A set of signals in the text of /proc/.../status."""
    for line in status.splitlines():
        if line.startswith(key + ":"):
            return int(line.split()[1], 16)
    return 0


class Thread:
    """A stopped thread: its CPU time, and whether it is in a system call."""

    def __init__(self, task):
        self.tid = int(os.path.basename(task))
        schedule = read_text(task + "/schedstat").split()
        self.cpu = int(schedule[0]) if schedule else 0
        call = read_text(task + "/syscall").split()
        self.in_call = bool(call) and call[0].isdigit()
        self.call = call[0] if call else "?"
        self.in_call_ns = 0  # at most so long
        self.gap_ns = 0  # the longest time, while it computed, in which it did not run
        status = read_text(task + "/status")
        pending, blocked = (set_of(status, key) >> signal.SIGURG - 1 & 1
                            for key in ("SigPnd", "SigBlk"))
        self.sample_on_its_way = bool(pending or blocked)
        self.doing = "?"
        self.since_ns = 0


def stop(pid):
    """Stop a process and wait until all its threads have: False if it has ended."""
    try:
        os.kill(pid, signal.SIGSTOP)
    except ProcessLookupError:
        return False
    for _ in range(5000):
        states = [fields(path)[:1] for path in glob.glob("/proc/%d/task/*/stat" % pid)]
        if not states or any(s in (["Z"], ["X"]) for s in states) and len(states) == 1:
            return False
        if all(s and s[0] in "TtZX" for s in states):
            return True
        time.sleep(0.0002)
    raise SystemExit("%d does not stop" % pid)


class Round:
    """One run of the victim, from start to datafile."""

    def __init__(self, options, folder, way, ms):
        self.options, self.folder = options, folder
        self.stolen_before = stolen_ns()
        self.data = os.path.join(folder, "data")
        page = os.path.join(folder, "page")
        rate = END_RATE if way == "end" else 10**9 // PERIOD_NS
        # As it was asked: what a budget makes of it others test.
        command = [options.hpcrun, "-q", "--budget", "100", "-e", "CPUTIME@f%d" % rate, "-o", self.data]
        if options.store:
            command += ["--store", options.store]
        self.launcher = subprocess.Popen(
            command + [options.victim, page, way, str(ms)] + options.plugins,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        self.pid = self.threads = self.page = None
        self.doing, self.frozen = [], False
        while self.page is None:
            ended = self.launcher.poll() is not None
            if os.path.exists(page) and os.path.getsize(page) == PAGE.size:
                self.page = Page(page)
            elif ended:
                raise SystemExit("the victim did not start: %s" % self.launcher.stderr.read())
            else:
                time.sleep(0.0005)

    def wait_ready(self):
        while not self.page.read()[0] and self.launcher.poll() is None:
            time.sleep(0.0005)
        self.pid = self.page.read()[4][0].tid
        if self.pid <= 1:  # to which no signal is to be sent
            raise SystemExit("the victim has ended: %s" % self.launcher.stderr.read())

    def freeze(self):
        """Stop it and take its clocks; False if it was faster."""
        if not stop(self.pid):
            return False
        tasks = sorted(glob.glob("/proc/%d/task/*" % self.pid))
        self.threads, self.frozen = [Thread(task) for task in tasks], True
        _, count, _, _, slots = self.page.read()
        self.doing = [DOING[slot.doing] for slot in slots[:count]]
        slot_of = {slot.tid: slot for slot in slots[:count]}
        for thread in self.threads:
            slot = slot_of.get(thread.tid)
            if not slot:
                continue
            thread.doing = DOING[slot.doing]
            thread.since_ns = max(0, thread.cpu - slot.since_ns)
            thread.gap_ns = slot.gap_ns
            if slot.doing == DOING.index("computing") and slot.looked_ns:
                thread.gap_ns = max(slot.gap_ns, thread.cpu - slot.looked_ns)
            if thread.in_call and slot.doing:
                thread.in_call_ns = thread.since_ns
        return True

    def told(self):
        """The threads' clocks as the program told them before it died."""
        _, count, _, dying, slots = self.page.read()
        self.threads, self.frozen = [], False
        for slot in slots[:count] if dying else []:
            thread = Thread("/proc/0/task/%d" % slot.tid)
            thread.cpu = slot.cpu_ns
            thread.gap_ns = slot.gap_ns
            self.threads.append(thread)
        return bool(dying)

    def end(self):
        """Wait for the launcher: its status."""
        _, self.said = self.launcher.communicate(timeout=60)
        return self.launcher.returncode

    def stolen(self):
        """What the host took during this round; the kernel counts it in ticks."""
        took = stolen_ns() - self.stolen_before
        return took + 10**9 // os.sysconf("SC_CLK_TCK") if took else 0

    def datafiles(self):
        """(of the victim itself, all)"""
        paths = glob.glob(os.path.join(self.data, "*.csp"))
        mine = [p for p in paths if p.split(".")[-3] == str(self.pid)]
        return mine, paths


class Verdict:
    def __init__(self):
        self.failures, self.losses, self.unmeasured = [], [], []
        self.late, self.unexplained = [], []  # texts
        self.by_doing = collections.defaultdict(list)  # losses beyond what is explained, in periods
        self.gap_ns = 0  # the longest that a thread saw
        self.counts = collections.Counter()
        self.doing, self.samples, self.ticking = collections.Counter(), 0, False

    def fail(self, text):
        self.failures.append(text)


def mean_period(data):
    """Of its samples: the one asked for, or longer where a sample is expensive. The runtime keeps
    the mean at 8 times the cost of a sample at least (runtime/sample/pace.h); what is beyond twice
    that would be samples that are missing."""
    rows = [row for row in data.account if row[2] != "own code"]
    samples = sum(row[3] for row in rows)
    if not samples:
        return PERIOD_NS
    cost = int(data.about[data.weights()[0]].get("cost_ns", 0)) / samples
    return min(max(PERIOD_NS, sum(row[4] for row in rows) / samples), max(PERIOD_NS, 16 * cost))


def weigh(r, path, verdict, lossy):
    """Equations, and each thread against its clock."""
    data = csp.Datafile(path)
    verdict.failures.extend(account.unequal(data, 0))
    verdict.samples += sum(row[3] for row in data.account)
    ended = data.process.get("end", "")
    verdict.counts["datafile says %s" % ended] += 1
    if r.threads is None or lossy:
        return
    ticking = "timer" in data.about[data.weights()[0]]["source"]
    period, stolen = mean_period(data), r.stolen()
    if ticking:
        period = max(period, TICK_NS)
    verdict.ticking |= ticking
    weights, own = collections.Counter(), collections.Counter()
    for thread, _, name, _, weight in data.account:
        weights[data.threads[thread][0]] += weight
        own[data.threads[thread][0]] += weight * (name == "own code")
    # One that dies by itself does so a little after it has left its clocks; and a thread that
    # blocks SIGTERM, as around a fork, runs on until another one has been given a CPU to take it.
    runs_on = not r.frozen or r.options.how == "term"
    begun = {thread[0] for thread in data.threads}
    for thread in r.threads:
        verdict.counts["threads"] += 1
        opening = thread.doing == "?" and thread.in_call and not weights[thread.tid]
        if thread.tid != r.pid and (thread.tid not in begun or opening):
            verdict.unmeasured.append(thread.cpu / PERIOD_NS)
            continue
        used = thread.cpu
        if thread.tid == r.pid:
            used -= r.page.read()[2]
        lost = used - weights[thread.tid]
        verdict.losses.append(lost / period)
        verdict.counts["threads in a system call"] += thread.in_call
        explained = max(thread.in_call_ns, thread.gap_ns, stolen)
        verdict.gap_ns = max(verdict.gap_ns, thread.gap_ns)
        verdict.by_doing[thread.doing].append((lost - explained) / period)
        text = ("%s: thread %d (%s for %.3f ms, system call %s, %s) used %.3f ms, %.3f ms of it recovered, %.3f in our own code, period %.3f"
                % (os.path.basename(path), thread.tid, thread.doing, thread.since_ns / 1e6, thread.call,
                   "sample on its way" if thread.sample_on_its_way else "no sample due", used / 1e6,
                   weights[thread.tid] / 1e6, own[thread.tid] / 1e6, period / 1e6))
        if weights[thread.tid] > thread.cpu + period / 4 and not runs_on:
            verdict.fail("more than it used: " + text)
        most = 2 * period + explained
        if lost > most and not ticking:
            due = thread.sample_on_its_way or thread.in_call or thread.doing != "computing"
            (verdict.late if due and lost <= 5 * most else verdict.unexplained).append(text)


def kill_once(options, folder, number, verdict):
    by_itself = options.how in ("segv", "abort", "exit_group")
    at_end = not by_itself and number % 4 == 3
    ms = random.randint(3, 60) + 150 * at_end
    r = Round(options, folder, options.how if by_itself else "end" if at_end else "run",
              ms if by_itself or at_end else 0)
    r.wait_ready()
    if by_itself:
        r.end()
        if not r.told():
            verdict.fail("it did not die as told: %s" % r.said)
    else:
        if at_end:
            while r.page.read()[4][0].doing != DOING.index("ending") and r.launcher.poll() is None:
                pass
            time.sleep(random.random() * options.end_ms / 1000)
        else:
            time.sleep(random.random() * 0.12)
        frozen = r.freeze()
        verdict.doing.update(r.doing)
        if options.how == "both":
            r.launcher.kill()
        if frozen:
            os.kill(r.pid, signal.SIGTERM if options.how == "term" else signal.SIGKILL)
            if options.how == "term":
                os.kill(r.pid, signal.SIGCONT)
        verdict.counts["killed" if frozen else "had ended"] += 1
        if at_end:
            r.told()  # what it used since, it used for the datafile
        r.end()
    if options.recover:
        while os.path.exists("/proc/%d" % r.pid):
            time.sleep(0.001)
        done = subprocess.run([options.recover, "recover", r.data], capture_output=True)
        if done.returncode:
            verdict.fail("recover: status %d: %s" % (done.returncode, done.stderr))
    mine, all_files = r.datafiles()
    verdict.counts["datafiles"] += len(all_files)
    if len(mine) != 1:
        verdict.fail("%d datafiles of the victim, %d in all" % (len(mine), len(all_files)))
    for path in all_files:
        if path not in mine:
            verdict.failures.extend(account.unequal(csp.Datafile(path), 0))
    for path in mine:
        weigh(r, path, verdict, options.lossy)


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=30)
    parser.add_argument("--how", default="kill")
    parser.add_argument("--store")
    parser.add_argument("--keep")
    parser.add_argument("--recover")
    parser.add_argument("--lossy", action="store_true")
    parser.add_argument("--late", type=float, default=FEW)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--end-ms", type=float, default=3)
    parser.add_argument("hpcrun")
    parser.add_argument("victim")
    parser.add_argument("plugins", nargs="*")
    return parser.parse_args()


def main():
    options = parse()
    seed = options.seed if options.seed is not None else random.randrange(1 << 32)
    random.seed(seed)
    verdict = Verdict()
    for number in range(options.kills):
        folder = tempfile.mkdtemp()
        before = len(verdict.failures)
        kill_once(options, folder, number, verdict)
        if options.keep and len(verdict.failures) > before:
            shutil.copytree(folder, os.path.join(options.keep, str(number)))
        shutil.rmtree(folder)
    print("seed %d" % seed)
    for name, n in sorted(verdict.counts.items()):
        print("%6d %s" % (n, name))
    print("threads at the kill: %s" % ", ".join("%d %s" % (n, d)
                                                 for d, n in verdict.doing.most_common()))
    if verdict.losses:
        losses = sorted(verdict.losses)
        print("%d threads, %d samples; lost, in periods: least %.3f, median %.3f, 99%% %.3f, most %.3f"
              % (len(losses), verdict.samples, losses[0], statistics.median(losses),
                 losses[len(losses) * 99 // 100], losses[-1]))
        if statistics.median(losses) > 2:
            verdict.fail("half of the threads lost more than two periods")
    for doing, losses in verdict.by_doing.items():
        if len(losses) >= ENOUGH and statistics.median(losses) > 2:
            verdict.fail("half of the %d threads that were %s lost more than two periods" % (len(losses), doing))
    disturbed = verdict.gap_ns > PERIOD_NS
    print("the longest gap that a thread saw: %.3f ms" % (verdict.gap_ns / 1e6))
    few = max(3, (options.late if disturbed else FEW) * verdict.counts["threads"])
    if verdict.unmeasured:
        print("%d threads were not measured yet; the longest had used %.3f periods"
              % (len(verdict.unmeasured), max(verdict.unmeasured)))
        long = sum(used > 2 for used in verdict.unmeasured)
        if long > few:
            verdict.fail("%d of those had used more than two periods" % long)
    for text in verdict.late + verdict.unexplained:
        print("late: " + text)
    if verdict.unexplained and not disturbed:
        verdict.fail("%d of these are not explained" % len(verdict.unexplained))
    if len(verdict.late + verdict.unexplained) > few:
        verdict.fail("%d of %d threads were late" % (len(verdict.late + verdict.unexplained), len(verdict.losses)))
    for text in verdict.failures[:20]:
        print(text)
    print("%d failures" % len(verdict.failures))
    return 1 if verdict.failures else 0


if __name__ == "__main__":
    sys.exit(main())
