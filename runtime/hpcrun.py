"""What a Python program says of itself in its profile: metrics, regions and labels of its own, and
when it is to be measured.

    import hpcrun

    with hpcrun.region("assembly"):
        ...

    @hpcrun.region("solve")
    def solve(): ...

    with hpcrun.label("request", 17):
        ...
    await hpcrun.labelled(handle(request), request=17)

    parsed = hpcrun.Metric("PARSED", "bytes")
    parsed.record(len(text))

Under hpcrun(1) the region is a frame of its own in call paths, with the number of times it was
entered; what is measured in the thread has the label; and the amount is added at the current call
path. Otherwise nothing happens. A region belongs to the function that runs its "with", and what is
recorded to the one that calls record(); of interpreters whose functions are not seen, to the
interpreter's frame that runs them.

This is one file without dependencies, for Python 3.6 and later, which may be copied into a program.
The names and limits are those of hpcrun.h.
"""

import functools
import operator

__all__ = ["Metric", "label", "label_clear", "label_set", "labelled", "measured", "region",
           "start", "start_thread", "stop", "stop_thread", "stopped"]


def _find():
    """The functions of the measuring library and the interpreter's code, or None."""
    try:
        with open("/proc/self/maps", "rb") as maps:
            if b"libhpcrun" not in maps.read():
                return None
    except OSError:
        return None
    try:
        import ctypes
    except ImportError:
        return None

    text, word, whole = ctypes.c_char_p, ctypes.c_void_p, ctypes.c_uint
    # In the order of struct hpcrun_interface; PYFUNCTYPE: the calls are short and keep the lock.
    members = [("metric_new", ctypes.c_int, text, text),
               ("record", ctypes.c_int, ctypes.c_int, ctypes.c_uint64, whole),
               ("region_begin", None, text, word, word),
               ("region_begin_for", None, text, whole),
               ("region_end", None, text),
               ("label_text", None, text, text, ctypes.c_int),
               ("label_number", None, text, ctypes.c_int64, ctypes.c_int),
               ("stop", None, ctypes.c_int, ctypes.c_int),
               ("upcall_start", word), ("upcall_stop", word), ("upcall_stats", word),
               ("upcall_running", word), ("record_several", word), ("driver_start", word),
               ("region_begin_in", None, text, word, word, whole),
               ("record_in", ctypes.c_int, ctypes.c_int, ctypes.c_uint64, word, word, whole),
               ("frames_in", whole, word, word)]

    class Interface(ctypes.Structure):
        _fields_ = ([("size", ctypes.c_uint32)] +
                    [(name, ctypes.PYFUNCTYPE(*types)) for name, *types in members])

    class Address(ctypes.Structure):  # Dl_info
        _fields_ = [("file", text), ("base", word), ("name", text), ("address", word)]

    class Symbol(ctypes.Structure):  # Elf64_Sym
        _fields_ = [("name", ctypes.c_uint32), ("info", ctypes.c_uint8),
                    ("other", ctypes.c_uint8), ("section", ctypes.c_uint16),
                    ("value", ctypes.c_uint64), ("size", ctypes.c_uint64)]

    everything = ctypes.CDLL(None)
    try:
        found = Interface.in_dll(everything, "hpcrun_interface_1")
    except ValueError:
        return None
    if found.size < ctypes.sizeof(Interface):
        return None  # an older library
    found.code = found.code_end = 0
    try:
        code = ctypes.cast(ctypes.pythonapi._PyEval_EvalFrameDefault, word).value
        address, symbol = Address(), ctypes.POINTER(Symbol)()
        symbol_too = 1  # RTLD_DL_SYMENT
        if (everything.dladdr1(word(code), ctypes.byref(address), ctypes.byref(symbol),
                               symbol_too) and symbol and address.address == code):
            found.code, found.code_end = code, code + symbol[0].size
    except AttributeError:
        pass  # another interpreter: all of the path is in a region
    return found


_library = _find()
measured = _library is not None
"""Whether the library that measures is there."""

_INT64 = range(-2**63, 2**63)


def _bytes(text):
    return str(text).encode("utf-8", "backslashreplace")


def _check(function):
    suspended = 0x20 | 0x80 | 0x200  # co_flags: generators, coroutines, and both
    if getattr(getattr(function, "__code__", None), "co_flags", 0) & suspended:
        raise TypeError("%s() is suspended while it runs: other code runs in its thread meanwhile "
                        "(hpcrun.labelled is for coroutines)" % function.__name__)


class _Nothing:
    """A region or a label, not measured."""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return None

    def __call__(self, function):
        _check(function)
        return function


class _NoRegion(_Nothing):
    def __init__(self, name):
        pass


class _NoLabel(_Nothing):
    def __init__(self, key, value):
        pass


class _Scope:
    """With and decorator."""

    def __call__(self, function):
        _check(function)

        @functools.wraps(function)
        def scoped(*args, **kwargs):
            with self:
                return function(*args, **kwargs)
        return scoped


class region(_Scope):
    """A region: with region(name), or a decorator. It must not contain await or yield."""

    __slots__ = ("_name",)

    def __init__(self, name):
        self._name = _bytes(name)

    def __enter__(self):
        _begin(self._name, _code, _code_end, _of_enter)
        return self

    def __exit__(self, *_):
        _end(self._name)


class label(_Scope):
    """A label: with label(key, value), or a decorator. value: an int, or the text of anything else.
    One with this key is there again afterwards. It must not contain await or yield: see labelled.
    """

    __slots__ = ("_key", "_value")

    def __init__(self, key, value):
        self._key = _bytes(key)
        self._value = value if type(value) is int and value in _INT64 else _bytes(value)

    def __enter__(self):
        _put(self._key, self._value, 1)
        return self

    def __exit__(self, *_):
        _label_text(self._key, None, 0)


def _put(key, value, push):
    (_label_number if type(value) is int else _label_text)(key, value, push)


def label_set(key, value):
    """The thread has this label from now on, in place of one with this key."""
    if measured:
        _put(_bytes(key), label(key, value)._value, 0)


def label_clear(key):
    """The thread has the label no more; one that a with has covered is there again."""
    if measured:
        _label_text(_bytes(key), None, 0)


class _Steps:
    """An awaitable's iterator, each step of which has the labels."""

    def __init__(self, awaitable, labels):
        self._steps = awaitable.__await__() if hasattr(awaitable, "__await__") else awaitable
        self._labels = labels

    def __await__(self):
        return self

    __iter__ = __await__

    def _step(self, step, *args):
        for one in self._labels:
            _put(one._key, one._value, 1)
        try:
            return step(*args)
        finally:
            for one in reversed(self._labels):
                _label_text(one._key, None, 0)

    def __next__(self):
        return self._step(next, self._steps)

    def send(self, value):
        if value is None:
            return self._step(next, self._steps)
        return self._step(self._steps.send, value)

    def throw(self, *why):
        if not hasattr(self._steps, "throw"):
            raise why[0] if len(why) == 1 else why[1] or why[0]
        return self._step(self._steps.throw, *why)

    def close(self):
        if hasattr(self._steps, "close"):
            self._step(self._steps.close)


async def labelled(awaitable, **labels):
    """await labelled(coroutine, request=17): it has the labels whenever it runs, and other code
    that runs in the thread meanwhile has not. For create_task, too. What it awaits is in it; a
    task that it creates is not."""
    if not measured:
        return await awaitable
    return await _Steps(awaitable, [label(key, value) for key, value in labels.items()])


class Metric:
    """A metric of the program's own, or the one of that name: the sum of what is recorded at a call
    path, and how often. unit: "bytes", "ns", "count", or another of at most 7 characters."""

    __slots__ = ("_number",)

    def __init__(self, name, unit="count"):
        self._number = _library.metric_new(_bytes(name), _bytes(unit)) if measured else -1

    def record(self, amount=1):
        """Add a whole number, 0 or more. Returns whether it was added."""
        amount = operator.index(amount)
        if not 0 <= amount < 2**64:
            raise ValueError("an amount is 0 or more, of 64 bits, not %s" % amount)
        return (self._number >= 0 and
                _record_in(self._number, amount, _code, _code_end, _of_call) == 0)


def stop():
    """Stop measuring the process."""
    if measured:
        _library.stop(0, 1)


def start():
    """Measure it again."""
    if measured:
        _library.stop(0, 0)


def stop_thread():
    """Stop measuring the calling thread. It is measured if both are."""
    if measured:
        _library.stop(1, 1)


def start_thread():
    """Measure it again."""
    if measured:
        _library.stop(1, 0)


class stopped:
    """The calling thread is not measured: with stopped()."""

    def __enter__(self):
        stop_thread()
        return self

    def __exit__(self, *_):
        start_thread()


class _Probe:
    """How many frames of the interpreter a call and a with add: that depends on its version."""

    def __enter__(self):
        return _frames_in(_code, _code_end)

    def __exit__(self, *_):
        return None

    def call(self):
        return _frames_in(_code, _code_end)


if measured:
    _code, _code_end = _library.code, _library.code_end
    _begin, _end = _library.region_begin_in, _library.region_end
    _label_text, _label_number = _library.label_text, _library.label_number
    _record_in, _frames_in = _library.record_in, _library.frames_in
    _of_enter = _of_call = 0
    _here = _frames_in(_code, _code_end) if _code else 0
    if _here:
        with _Probe() as _entered:
            _of_enter = 1 + _entered - _here
        _of_call = 1 + _Probe().call() - _here
else:
    region, label = _NoRegion, _NoLabel  # noqa
