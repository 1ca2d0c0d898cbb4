"""transcripts.py FOLDER FRESH NAME...: runs the commands of FOLDER/NAME.txt... in the working
directory and compares their output with the file. Before each NAME, the files of FRESH are copied
there. Prints TAP without a plan, and "# compared" at the end.

A line that begins with "$ " is a command; the lines up to the next are its output, then its
messages, each after "! ", and its exit status, if it is not 0. The working directory is written
SCRATCH.

`each N COMMAND...` runs it on each of random/*.csp and the N - 1 after it, and prints the number of
the first, the exit status, and the checksum and length of output and messages. These are kept in
the folder OUTPUTS_KEEP, if that is set.

See outputs.t for the other environment variables."""

import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import zlib

LIMIT = 60  # seconds for a command
SHOWN = 40  # lines of a difference


def point(good, description, explanation=b""):
    sys.stdout.buffer.write(b"%s - %s\n" % (b"ok" if good else b"not ok", description))
    sys.stdout.flush()
    for line in explanation.splitlines():
        sys.stderr.buffer.write(b"# %s\n" % line)
    sys.stderr.flush()
    if not good and os.environ.get("TAP_STOP"):
        end()


def end():
    print("# compared")
    sys.exit(0)


def run(command, out, err):
    """Returns the exit status as a shell has it; 124 after LIMIT seconds."""
    words = ["bash", "-c", command]
    if re.match("(hpcprof|env) ", command) and not re.search(r"[][!$&()*;<>?\\`{|}~]", command):
        words = shlex.split(command)  # the same, sooner
    with subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                          start_new_session=True) as process:
        try:
            status = process.wait(LIMIT)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            return 124
    return 128 - status if status < 0 else status


def content(file):
    file.seek(0)
    return file.read().replace(os.fsencode(os.getcwd()), b"SCRATCH")


def each(count, command):
    files = sorted(os.listdir("random"), key=lambda name: int(name.split(".")[0]))
    lines = []
    for first in range(len(files) - count + 1):
        chosen = " ".join("random/" + name for name in files[first:first + count])
        with tempfile.TemporaryFile() as both:
            status = run(command + " " + chosen, both, both)
            said = content(both)
        if os.environ.get("OUTPUTS_KEEP"):
            with open("%s/%s-%d" % (os.environ["OUTPUTS_KEEP"], os.environ["OUTPUTS_COMMAND"], first + 1), "wb") as f:
                f.write(said)
        lines.append(b"%d %d %08x %d\n" % (first + 1, status, zlib.crc32(said), len(said)))
    return b"".join(lines)


def transcript(command):
    shown = b"$ %s\n" % os.fsencode(command)
    repeated = re.fullmatch(r"each (\d+) (.*)", command)
    if repeated:
        return shown + each(int(repeated[1]), repeated[2])
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        status = run(command, out, err)
        shown += content(out)
        shown += b"".join(b"! " + line for line in content(err).splitlines(keepends=True))
    return shown + (b"[status %d]\n" % status if status else b"")


def state():
    """What changes if a command writes, adds or removes a file."""
    found = set()
    for folder, _, names in os.walk("."):
        found.add(folder)
        for name in names:
            path = os.path.join(folder, name)
            info = os.lstat(path)
            found.add((path, info.st_ino, info.st_size, info.st_mtime_ns))
    return found


def begin(fresh):
    for entry in os.scandir("."):
        if entry.is_dir(follow_symlinks=False):
            shutil.rmtree(entry)
        else:
            os.unlink(entry)
    subprocess.run(["cp", "-aT", fresh, "."], check=True)


def difference(want, got):
    with tempfile.NamedTemporaryFile() as a, tempfile.NamedTemporaryFile() as b:
        a.write(want)
        b.write(got)
        a.flush()
        b.flush()
        lines = subprocess.run(["diff", a.name, b.name], stdout=subprocess.PIPE, check=False).stdout.splitlines(True)
    return b"".join(lines[:SHOWN])


def compare(name, path, only, wrote):
    with open(path, "rb") as f:
        wanted = re.findall(rb"^\$ .*\n(?:(?!\$ ).*\n)*", f.read(), re.M)
    for number, want in enumerate(wanted, 1):
        command = want[2:want.index(b"\n")]
        which = os.environ["OUTPUTS_COMMAND"] = "%s.%d" % (name, number)
        if only is not None and which not in only:
            continue
        before = state() if wrote else None
        got = transcript(os.fsdecode(command))
        if wrote and state() != before:
            with open(wrote, "a") as f:
                f.write(which + "\n")
        good = got == want
        point(good, b"%s: %s" % (os.fsencode(name), command), b"" if good else difference(want, got))
    point(wanted, b"%s has commands" % os.fsencode(name))


def main(folder, fresh, *names):
    only = None
    if os.environ.get("OUTPUTS_ONLY"):
        with open(os.environ["OUTPUTS_ONLY"]) as f:
            only = set(f.read().split())
    for name in names:
        begin(fresh)
        path = os.path.join(folder, name + ".txt")
        if not os.environ.get("GOLDEN_WRITE"):
            compare(name, path, only, os.environ.get("OUTPUTS_WROTE"))
            continue
        with open(path, "rb") as f:
            commands = re.findall(rb"^\$ (.*)", f.read(), re.M)
        with open(path + ".new", "wb") as f:
            for number, command in enumerate(commands, 1):
                os.environ["OUTPUTS_COMMAND"] = "%s.%d" % (name, number)
                f.write(transcript(os.fsdecode(command)))
        os.replace(path + ".new", path)
    end()


main(*sys.argv[1:])
