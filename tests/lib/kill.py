"""kill.py [OPTION]... HPCRUN VICTIM PLUGIN...: kill measured programs, and weigh what is
recovered of them against the CPU time that the kernel says they had.

    --kills N        how often (30)
    --how WAY        kill (default), term, both, segv, abort, exit_group
    --store PLACE    as hpcrun's option
    --keep DIR       for what a failure left
    --recover HPCPROF    with --how both: makes the datafiles
    --lossy          the store is too small: only the equations must hold
    --seed N         of the random moments

VICTIM is tests/programs/victim.c. Of the kills, a quarter falls around its end, where it
writes its datafile. Each time the program is stopped, and each thread's CPU time is read
from /proc; then it is killed (both: its launcher is as well). For segv, abort and
exit_group it dies by itself and leaves its clocks behind.

What must hold, for each datafile of the victim: the three equations; and for each of its
threads, that the weights are what it used since the measurement began, less at most two
periods, and less what it used in the system call in which it was killed; that is at most
what it used since it began what it says it is doing. Where a machine's host takes a CPU away,
a clock of the thread that had it goes on, and no sample comes: the victim looks at its clock
all the while, and may have lost as much as lay between two looks at the most. An ordinary user's timers expire when
a tick of the kernel meets the thread, and chance has it how many do not: there the median
must be within two ticks. Threads whose measurement had not begun (they wait for our lock, or
are short ones without a sample in a system call, as those that open its source) are counted
apart; few may have used much.

A sample may be due and on its way. Where its signal is pending and not blocked, nothing of
ours stood in its way: the timer, the kernel or what is beneath it was late, and so much may be
lost as they were; such threads are named. Where our handler is at work, or libc
blocks all around a fork (of one that dies by itself nobody knows), or the thread is in a system
call, where it does not see that the host has taken its CPU away, it may have lost up to ten
periods: so may three threads, or one of each thousand, and each is named.

What the main thread uses between the measurement's beginning and main(), where it looks
at its clock, is told from runs that end at once: so much at least, and so much at most."""

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
        self.undelivered = bool(pending and not blocked)
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
        self.data = os.path.join(folder, "data")
        page = os.path.join(folder, "page")
        rate = END_RATE if way == "end" else 10**9 // PERIOD_NS
        command = [options.hpcrun, "-q", "-e", "CPUTIME@f%d" % rate, "-o", self.data]
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

    def datafiles(self):
        """(of the victim itself, all)"""
        paths = glob.glob(os.path.join(self.data, "*.csp"))
        mine = [p for p in paths if p.split(".")[-3] == str(self.pid)]
        return mine, paths


def until_main(options):
    """What the main thread uses from the measurement's beginning to main()."""
    found = []
    for _ in range(15):
        with tempfile.TemporaryDirectory() as folder:
            r = Round(options, folder, "nothing", 0)
            r.end()
            data = next(csp.load([r.data]))
            found.append(sum(row[4] for row in data.account))
    return min(found), max(found)


class Verdict:
    def __init__(self):
        self.failures, self.losses, self.late = [], [], []
        self.beyond, self.undelivered = [], []  # texts on those that lost more than two periods
        self.counts = collections.Counter()
        self.doing, self.samples, self.ticking = collections.Counter(), 0, False

    def fail(self, text):
        self.failures.append(text)


def mean_period(data):
    """Of its samples: the one asked for, or longer where a sample is dear; four times as long
    at the most, as more would be samples that are missing."""
    rows = [row for row in data.account if row[2] != "own code"]
    samples = sum(row[3] for row in rows)
    mean = sum(row[4] for row in rows) / samples if samples else 0
    return min(max(PERIOD_NS, mean), 4 * PERIOD_NS)


def weigh(r, path, before_main, verdict, lossy):
    """Equations, and each thread against its clock."""
    data = csp.Datafile(path)
    verdict.failures.extend(account.unequal(data, 0))
    verdict.samples += sum(row[3] for row in data.account)
    ended = data.process.get("end", "")
    verdict.counts["datafile says %s" % ended] += 1
    if r.threads is None or lossy:
        return
    ticking = "timer" in data.about[data.weights()[0]]["source"]
    period = mean_period(data)
    if ticking:
        period = max(period, TICK_NS)
    verdict.ticking |= ticking
    weights, own = collections.Counter(), collections.Counter()
    for thread, _, name, _, weight in data.account:
        weights[data.threads[thread][0]] += weight
        own[data.threads[thread][0]] += weight * (name == "own code")
    # whoever dies by itself does so a little after it has told its clocks; and a thread that
    # blocks SIGTERM, as around a fork, runs on until another one has been given a CPU to take it
    runs_on = not r.frozen or r.options.how == "term"
    least = -float("inf") if runs_on else -period // 4
    begun = {thread[0] for thread in data.threads}
    for thread in r.threads:
        verdict.counts["threads"] += 1
        opening = thread.doing == "?" and thread.in_call and not weights[thread.tid]
        if thread.tid != r.pid and (thread.tid not in begun or opening):
            verdict.late.append(thread.cpu / PERIOD_NS)
            continue
        used, doubt = thread.cpu, 0
        if thread.tid == r.pid:
            used -= r.page.read()[2] - before_main[0]
            doubt = before_main[1] - before_main[0]
        lost = used - weights[thread.tid]
        verdict.losses.append(lost / period)
        verdict.counts["threads in a system call"] += thread.in_call
        most = 2 * period + max(thread.in_call_ns, thread.gap_ns)
        if lost + doubt < least or lost > most and not ticking:
            unknown = thread.sample_on_its_way or thread.in_call or not r.frozen
            late = unknown and most < lost <= 5 * most
            where = verdict.beyond if late else verdict.failures
            if r.frozen and thread.undelivered and lost > most:
                where = verdict.undelivered
            where.append(
                "%s: thread %d (%s for %.3f ms, system call %s, %s) used %.3f ms, %.3f ms of it recovered, %.3f in our own code"
                % (os.path.basename(path), thread.tid, thread.doing, thread.since_ns / 1e6,
                   thread.call, "sample on its way" if thread.sample_on_its_way else "no sample due",
                   used / 1e6, weights[thread.tid] / 1e6, own[thread.tid] / 1e6))


def kill_once(options, folder, number, before_main, verdict):
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
        verdict.fail("%d datafiles of the victim: %s" % (len(mine), all_files))
    for path in all_files:
        if path not in mine:
            verdict.failures.extend(account.unequal(csp.Datafile(path), 0))
    for path in mine:
        weigh(r, path, before_main, verdict, options.lossy)


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=30)
    parser.add_argument("--how", default="kill")
    parser.add_argument("--store")
    parser.add_argument("--keep")
    parser.add_argument("--recover")
    parser.add_argument("--lossy", action="store_true")
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
    before_main = until_main(options)
    for number in range(options.kills):
        folder = tempfile.mkdtemp()
        before = len(verdict.failures)
        kill_once(options, folder, number, before_main, verdict)
        if options.keep and len(verdict.failures) > before:
            shutil.copytree(folder, os.path.join(options.keep, str(number)))
        shutil.rmtree(folder)
    print("seed %d; %.3f to %.3f ms are measured before main()"
          % (seed, before_main[0] / 1e6, before_main[1] / 1e6))
    for name, n in sorted(verdict.counts.items()):
        print("%6d %s" % (n, name))
    print("threads at the kill: %s" % ", ".join("%d %s" % (n, d)
                                                 for d, n in verdict.doing.most_common()))
    if verdict.losses:
        losses = sorted(verdict.losses)
        print("%d threads, %d samples; lost, in periods: least %.3f, median %.3f, 99%% %.3f, most %.3f"
              % (len(losses), verdict.samples, losses[0], statistics.median(losses),
                 losses[len(losses) * 99 // 100], losses[-1]))
        if verdict.ticking and statistics.median(losses) > 2:
            verdict.fail("half of the threads lost more than two ticks")
    if verdict.late:
        print("%d threads were not measured yet; the longest had used %.3f periods"
              % (len(verdict.late), max(verdict.late)))
        long = sum(used > 2 for used in verdict.late)
        if long > 1 and long * 500 > verdict.counts["threads"]:
            verdict.fail("%d of those had used more than two periods" % long)
    for text in verdict.undelivered:
        print("more than two periods, signal not delivered: " + text)
    for text in verdict.beyond:
        print("more than two periods: " + text)
    if len(verdict.beyond) > max(3, len(verdict.losses) // 1000):
        verdict.fail("those are %d of %d threads" % (len(verdict.beyond), len(verdict.losses)))
    for text in verdict.failures[:20]:
        print(text)
    print("%d failures" % len(verdict.failures))
    return 1 if verdict.failures else 0


if __name__ == "__main__":
    sys.exit(main())
