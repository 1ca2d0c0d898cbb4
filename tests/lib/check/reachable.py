#!/usr/bin/env python3
"""Finds what the functions of some objects can reach, from the objects themselves.

    reachable.py --root NAME... [--allow NAME...] [--not NAME...] OBJECT...

Starts at the roots (functions, or tables of functions) and follows: calls and jumps; every
function whose address is taken; every function whose address is stored in a data object that
is referred to; and, for a variable, the tables of functions that are referred to by any function
that also refers to the variable (it may store their address there). So all possible targets of
an indirect call are found.

Exits with 1 and prints a chain of calls for each symbol that is reached, is defined in none of
the objects, and is not allowed. --not excludes a function from the search: for members of a table
that are never called on this path. A function that is local to UNIT.o is named UNIT:NAME.
"""
import argparse
import bisect
import re
import subprocess
import sys


def lines(*command):
    result = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return result.stdout.splitlines()


class Object:
    """Symbols of one object file, and what each refers to."""

    def __init__(self, path):
        self.path = path
        self.sections = {}   # number -> name
        self.symbols = []    # (value, size, kind, binding, section number or None, name)
        self.places = {}     # section name -> sorted [(value, size, name, kind)]
        self.refers = {}     # node -> set of targets
        self.read_symbols()
        self.read_relocations()
        self.read_local_jumps()

    def read_symbols(self):
        for line in lines('readelf', '-SW', self.path):
            found = re.match(r'\s*\[\s*(\d+)\]\s+(\S+)\s+[A-Z]', line)
            if found:
                self.sections[int(found[1])] = found[2]
        for line in lines('readelf', '-sW', self.path):
            part = line.split()
            if len(part) < 7 or not part[0].rstrip(':').isdigit():
                continue
            value, size, kind, binding, index = int(part[1], 16), int(part[2], 0), part[3], part[4], part[6]
            name = part[7] if len(part) > 7 else ''
            section = self.sections.get(int(index)) if index.isdigit() else None
            self.symbols.append((value, size, kind, binding, section, name))
            if section and kind in ('FUNC', 'OBJECT', 'TLS', 'NOTYPE', 'GNU_IFUNC') and name:
                self.places.setdefault(section, []).append((value, size, name, kind))
        for place in self.places.values():
            place.sort()

    def is_global(self, name):
        return any(s[5] == name and s[3] != 'LOCAL' and s[4] for s in self.symbols)

    def node(self, name):
        """Global names are shared by all objects, local ones belong to theirs."""
        return name if self.is_global(name) else (self.path, name)

    def at(self, section, offset):
        """The symbol that contains an offset of a section, or None."""
        place = self.places.get(section, [])
        index = bisect.bisect_right(place, (offset, float('inf'))) - 1
        while index >= 0:
            value, size, name, _ = place[index]
            if value <= offset < value + max(size, 1):
                return self.node(name)
            index -= 1
        return None

    def refer(self, source, target):
        if source is not None and target is not None and source != target:
            self.refers.setdefault(source, set()).add(target)

    def read_relocations(self):
        section = None
        local = {s[5]: s for s in self.symbols if s[4] and s[5] and s[3] == 'LOCAL'}
        for line in lines('readelf', '-rW', self.path):
            found = re.match(r"Relocation section '\.rela(\S+)'", line)
            if found:
                section = found[1]
                continue
            found = re.match(r'([0-9a-f]{16})\s+[0-9a-f]{16}\s+R_X86_64_(\S+)\s+[0-9a-f]{16}\s+(\S+)(?:\s+([+-])\s+([0-9a-f]+))?', line)
            if not found or section is None or section.startswith(('.debug', '.eh_frame')):
                continue
            offset, kind, name = int(found[1], 16), found[2], found[3]
            addend = int(found[5] or '0', 16) * (-1 if found[4] == '-' else 1)
            name = name.split('@')[0]
            source = self.at(section, offset)
            if name in self.places or name in self.sections.values():
                # relative to a section; a field relative to the pc ends 4 bytes on
                target = self.at(name, addend + (4 if kind.startswith(('PC', 'PLT')) else 0))
            elif name in local:
                target = self.at(local[name][4], local[name][0]) or self.node(name)
            else:
                target = name
            self.refer(source, target)

    def read_local_jumps(self):
        """Branches inside a section, which the assembler has resolved."""
        section = None
        for line in lines('objdump', '-d', '--no-show-raw-insn', self.path):
            found = re.match(r'Disassembly of section (\S+):', line)
            if found:
                section = found[1]
                continue
            found = re.match(r'\s*([0-9a-f]+):\s+(?:notrack |bnd )?(?:call|j[a-z]+|lea)\S*\s.*?([0-9a-f]+) <', line)
            if found and section:
                self.refer(self.at(section, int(found[1], 16)), self.at(section, int(found[2], 16)))

    def kinds(self):
        for place, entries in self.places.items():
            for _, _, name, kind in entries:
                yield self.node(name), kind, place


def readable(node):
    """A global name, or unit:name."""
    if isinstance(node, str):
        return node
    return node[0].rsplit('/', 1)[-1].rsplit('.', 1)[0] + ':' + node[1]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--root', action='append', required=True)
    parser.add_argument('--allow', action='append', default=[])
    parser.add_argument('--not', dest='excluded', action='append', default=[])
    parser.add_argument('objects', nargs='+')
    options = parser.parse_args()

    refers, kind_of, place_of = {}, {}, {}
    for path in options.objects:
        unit = Object(path)
        for source, targets in unit.refers.items():
            refers.setdefault(source, set()).update(targets)
        for node, kind, place in unit.kinds():
            kind_of[node], place_of[node] = kind, place

    def is_function(node):
        return kind_of.get(node) in ('FUNC', 'GNU_IFUNC', 'NOTYPE')

    def is_variable(node):
        return kind_of.get(node) in ('OBJECT', 'TLS') and not place_of[node].startswith(('.rodata', '.data.rel.ro'))

    tables = {n for n, targets in refers.items()
              if kind_of.get(n) == 'OBJECT' and any(is_function(t) for t in targets)}
    users = {}
    for source, targets in refers.items():
        for target in targets:
            if is_function(source) and is_variable(target):
                users.setdefault(target, set()).add(source)

    roots = [n for n in kind_of if readable(n) in options.root]
    missing = set(options.root) - {readable(n) for n in roots}
    if missing:
        sys.exit('not in the objects: ' + ' '.join(sorted(missing)))
    unknown = [n for n in options.excluded if not any(readable(k) == n for k in kind_of)]
    if unknown:
        sys.exit('excluded, but not in the objects: ' + ' '.join(unknown))

    came_from = {r: None for r in roots}
    todo = roots
    while todo:
        node = todo.pop()
        targets = set(refers.get(node, ()))
        if is_variable(node):
            for user in users.get(node, ()):
                targets |= refers[user] & tables
        for target in sorted(targets, key=str):
            if target not in came_from and readable(target) not in options.excluded:
                came_from[target] = node
                todo.append(target)

    bad = sorted(n for n in came_from if n not in kind_of and isinstance(n, str)
                 and n not in options.allow and n != '_GLOBAL_OFFSET_TABLE_')
    for name in bad:
        chain, node = [], name
        while node is not None:
            chain.append(readable(node))
            node = came_from[node]
        print('not allowed: ' + ' -> '.join(reversed(chain)))
    print('%d functions and %d data objects reached, %d symbols outside not allowed' % (
        sum(1 for n in came_from if is_function(n)),
        sum(1 for n in came_from if kind_of.get(n) in ('OBJECT', 'TLS')), len(bad)))
    sys.exit(1 if bad else 0)


if __name__ == '__main__':
    main()
