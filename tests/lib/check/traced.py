"""traced.py FILE: what the calls in FILE, which is from strace -f -y, have moved: bytes read and
written, calls that read and that wrote. What the loader reads of libraries is left out."""
import re
import sys

READS = "read pread64 readv preadv preadv2 recvfrom recvmsg".split()
WRITES = "write pwrite64 writev pwritev pwritev2 sendto sendmsg vmsplice".split()
BOTH = "sendfile copy_file_range splice tee".split()
total = [0, 0, 0, 0]
unfinished = {}
for line in open(sys.argv[1], errors="replace"):
    process, line = re.match(r"(\d+) +(.*)", line).groups()
    if line.endswith("<unfinished ...>"):
        unfinished[process] = line[: -len("<unfinished ...>")]
        continue
    resumed = re.match(r"<\.\.\. \w+ resumed>(.*)", line)
    if resumed:
        line = unfinished.pop(process, "") + resumed[1]
    call = re.match(r"(\w+)\(\d+(<[^>]*>)?.*\) += (-?\d+)", line)
    if not call:
        continue
    name, path, moved = call[1], call[2] or "", max(int(call[3]), 0)
    if name in ("read", "pread64") and re.search(r"\.so[.0-9]*>", path):
        continue
    if name in READS + BOTH:
        total[0] += moved
        total[1] += 1
    if name in WRITES + BOTH:
        total[2] += moved
        total[3] += 1
print(total[0], total[2], total[1], total[3])
