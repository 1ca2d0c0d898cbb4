"""For gdb: programs whose return addresses hpcrun has marked (--mark marks).

    gdb -x hpcrun.py ...

When the program stops, the marks of its threads are taken away, which hpcrun expects at any time, so
that bt, up and finish see what they see without hpcrun. In core dumps, which cannot be changed, bt
leaves out the frames of marks.
"""

import gdb
from gdb.FrameDecorator import FrameDecorator


class Slots:
    """The slots of the program's libhpcrun.so: runtime/cpu/slots.h."""

    SIZE = 16

    def __init__(self):
        self.low = self.address("csprof_trampoline")
        self.high = self.address("csprof_trampoline_end")
        self.targets = self.address("csprof_slot_address")

    @staticmethod
    def address(name):
        return int(gdb.parse_and_eval("(unsigned long) &" + name))

    def target(self, inferior, word):
        """What a return address leads to, or None if it is not a slot."""
        if not self.low <= word < self.high or (word - self.low) % self.SIZE:
            return None
        at = self.targets + (word - self.low) // self.SIZE * 8
        return int.from_bytes(inferior.read_memory(at, 8).tobytes(), "little")


def unmark_stack(inferior, slots, low):
    """Replace the slots on the stack from low on, up to its end."""
    PAGE = 4096
    MOST = 64 << 20
    at = low & ~7
    end = at + MOST
    while at < end:
        n = PAGE - at % PAGE
        try:
            page = inferior.read_memory(at, n).tobytes()
        except gdb.MemoryError:
            return
        for i in range(0, n, 8):
            target = slots.target(inferior, int.from_bytes(page[i : i + 8], "little"))
            if target:
                inferior.write_memory(at + i, target.to_bytes(8, "little"))
        at += n


def unmark(_event=None):
    try:
        slots = Slots()
    except gdb.error:
        return  # the program is not measured
    inferior = gdb.selected_inferior()
    chosen = gdb.selected_thread()
    for thread in inferior.threads():
        try:
            thread.switch()
            unmark_stack(inferior, slots, int(gdb.parse_and_eval("(unsigned long) $sp")))
        except gdb.error:
            pass  # a core dump, or a thread that runs
    if chosen and chosen.is_valid():
        chosen.switch()


class NoSlots:
    """A frame filter: the frames of slots are left out."""

    name = "hpcrun"
    priority = 100
    enabled = True

    def __init__(self):
        gdb.frame_filters[self.name] = self

    def filter(self, frames):
        return (f for f in frames if FrameDecorator(f.inferior_frame()).function() != "csprof_slot")


NoSlots()
gdb.events.stop.connect(unmark)
