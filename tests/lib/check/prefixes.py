#!/usr/bin/env python3
"""prefixes.py BUILD FOLDER...: find public names without a prefix, and type names used twice.

The object files of the C files in FOLDER... are below BUILD, in obj and runtime-obj. A public
function or variable begins with the name of one of its folders, of its file or of a header beside
it, or of a type that such a header declares. In the runtime it begins with csprof_, or os_ in the
OS contract, or hpcrun_ if programs use it, or is a libc function that is wrapped. A type is a struct, union or enum with a body,
or a typedef, at the beginning of a line. Prints a line for each problem; exits with 1 if there
are any, 2 if nothing was checked.
"""
import collections
import os
import re
import subprocess
import sys

# Other prefixes that are allowed in a folder and below it: those of the datafile's format and of the
# store's. A command is named after its word on the command line.
BESIDES = {"formats": {"csp", "store"}, "runtime/launcher": {"launch", "main"},
           "runtime/attach": {"attach", "main"}, "runtime/mark": {"main"}, "hpcprof": {"main"}}
COMMAND = re.compile(r"\w+_command$")
BODY = re.compile(r"^(?:typedef )?(?:struct|union|enum) (\w+) \{", re.M)
DECLARED = re.compile(r"^(?:typedef )?(?:struct|union|enum) (\w+)(?: \{|;)", re.M)
TYPEDEF = re.compile(r"^typedef [^;{]*?\b(\w+)(?:\[[^]]*\])?(?:\([^;]*\))?;", re.M)


def sources(folders, *endings):
    for folder in folders:
        for at, _, names in os.walk(folder):
            for name in sorted(names):
                if name.endswith(endings):
                    yield os.path.join(at, name)


def text(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def prefixes(folder):
    """The names of the headers in a folder and of their types."""
    if folder.startswith("runtime/") and not folder.startswith(
            ("runtime/launcher", "runtime/mark", "runtime/attach")):
        return {"csprof", "os"} if folder.startswith("runtime/os") else {"csprof", "hpcrun"}
    out = set(folder.split("/"))
    for above, besides in BESIDES.items():
        if (folder + "/").startswith(above + "/"):
            out |= besides
    for name in os.listdir(folder):
        if name.endswith(".h"):
            out.add(name[:-2])
            out.update(DECLARED.findall(text(os.path.join(folder, name))))
    return out


def defined(paths, *options):
    """(path, name) of the definitions in these files."""
    if not paths:
        return []
    listing = subprocess.run(["nm", "-A", "--defined-only"] + list(options) + paths, check=True,
                             stdout=subprocess.PIPE, universal_newlines=True).stdout
    lines = (line.split(":", 1) for line in listing.splitlines())
    return [(path, rest.split()[-1]) for path, rest in lines]


# Functions that another library asks the program for.
HOOKS = {"__asan_default_options"}


def libc_names():
    path = subprocess.run(["gcc", "-print-file-name=libc.so.6"], check=True,
                          stdout=subprocess.PIPE, universal_newlines=True).stdout.strip()
    return {name.split("@")[0] for _, name in defined([path], "-D")}


def public_names(build, paths):
    """The public definitions in the objects of sources, by source. Not all may be built."""
    objects = {os.path.join(build, kind, path[:-2] + ".o"): path
               for path in paths for kind in ("obj", "runtime-obj")}
    out = collections.defaultdict(set)
    for path, name in defined([o for o in objects if os.path.exists(o)], "-g"):
        out[objects[path]].add(name)
    return out


def main():
    build, folders = sys.argv[1], sys.argv[2:]
    wrong, looked, libc = [], 0, libc_names()
    names = public_names(build, list(sources(folders, ".c")))
    for path in sorted(names):
        folder, stem = os.path.dirname(path), os.path.basename(path)[:-2]
        allowed = prefixes(folder) | (set() if folder.startswith("runtime/") else {stem})
        for name in sorted(names[path]):
            looked += 1
            wrapped = path.startswith("runtime/") and (name in libc or name in HOOKS)
            if not wrapped and not COMMAND.match(name) and not any(
                    name == p or name.startswith(p + "_") for p in allowed):
                wrong.append("%s: %s: none of %s_" % (path, name, "_, ".join(sorted(allowed))))
    types = collections.defaultdict(list)
    for path in sources(folders, ".c", ".h"):
        content = text(path)
        for name in BODY.findall(content) + TYPEDEF.findall(content):
            types[name].append(path)
    for name, paths in sorted(types.items()):
        if len(set(paths)) > 1:
            wrong.append("type %s: %s" % (name, ", ".join(sorted(set(paths)))))
    print("\n".join(wrong))
    if not looked or not types:
        print("nothing to look at")
        return 2
    return 1 if wrong else 0


sys.exit(main())
