"""Reads a module with binutils: functions, entry, frames that end a stack."""

import bisect
import functools
import re
import subprocess


def run(*command, given=None):
    return subprocess.run(command, input=given, capture_output=True, text=True,
                          errors="replace", check=False).stdout


@functools.lru_cache(maxsize=None)
def functions(path):
    """Sorted (start, size, name) of .symtab, or of .dynsym if there is none."""
    found = set()
    for line in run("nm", "-S", "--defined-only", path).splitlines() or \
            run("nm", "-S", "-D", "--defined-only", path).splitlines():
        part = line.split()
        if len(part) == 4 and part[2] in "tTwWiu":
            found.add((int(part[0], 16), int(part[1], 16), part[3].split("@")[0]))
    return sorted(found)


@functools.lru_cache(maxsize=None)
def _starts(path):
    return [start for start, _, _ in functions(path)]


def names(path, address):
    """All symbols whose extent contains the address."""
    listed, at = functions(path), bisect.bisect_right(_starts(path), address)
    covering = []
    while at and len(covering) < 64:
        at -= 1
        start, size, name = listed[at]
        if start + size > address:
            covering.append(name)
        elif covering or address - start > 1 << 20:
            break
    return covering


def addr2line(path, addresses):
    """{address: the function's symbol according to addr2line}, without inlined functions.
    Only if it also knows the line: else the name may be that of a function far above."""
    out = run("addr2line", "-a", "-i", "-f", "-e", path,
              given="".join("%#x\n" % a for a in addresses)).splitlines()
    blocks = []
    for line in out:
        if line.startswith("0x"):
            blocks.append([])
        else:
            blocks[-1].append(line)
    return {address: block[-2] for address, block in zip(addresses, blocks)
            if not block[-1].startswith("?")}


def all_names(places):
    """{(module, address): names}: of the symbols that contain the address, according to nm and
    to addr2line, which also reads the separate debug file."""
    named = {}
    for module in {module for module, _ in places}:
        addresses = [address for where, address in places if where == module]
        real = module is not None and module[0] == "/"
        more = addr2line(module, addresses) if real else {}
        for address in addresses:
            listed = names(module, address) if real else []
            named[module, address] = tuple(listed + ([more[address]] if address in more else []))
    return named


def demangled(names):
    """{mangled: the forms in a report}: with and without parameters, with std::string or its
    definition, and without the suffixes of parts and clones of a function."""
    names = sorted(names)
    plain = {name: re.sub(r"(\.(cold|part|constprop|isra|lto_priv)(\.\d+)?)+$", "", name)
             for name in names}
    forms = {name: {name, plain[name]} for name in names}
    for options in ((), ("-p",), ("-i",), ("-i", "-p")):
        for source in (names, [plain[name] for name in names]):
            out = run("c++filt", *options, given="\n".join(source) + "\n").splitlines()
            for name, shown in zip(names, out):
                forms[name].add(shown)
    return forms


@functools.lru_cache(maxsize=None)
def entry(path):
    found = re.search(r"Entry point address:\s+0x([0-9a-f]+)", run("readelf", "-hW", path))
    return int(found.group(1), 16) if found else 0


@functools.lru_cache(maxsize=None)
def _stack_ends(path):
    """Sorted (start, end) of the functions whose return address is undefined according to the
    unwind information: nothing called them."""
    ends, pc = [], None
    for line in run("readelf", "--debug-dump=frames", path).splitlines():
        found = re.search(r"FDE .*pc=([0-9a-f]+)\.\.([0-9a-f]+)", line)
        if found:
            pc = int(found.group(1), 16), int(found.group(2), 16)
        elif pc and re.search(r"DW_CFA_undefined: r16\b", line):
            ends.append(pc)
            pc = None
    return sorted(ends)


def ends_stack(path, address):
    return any(start <= address < end for start, end in _stack_ends(path))
