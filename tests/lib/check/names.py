"""names.py HPCPROF DIR: check the names and the numbers of hpcprof's functions.

Each sampled instruction in a symbol, according to nm, must count for a function with that name
or with the name of another symbol at the same address; and each such function must have exactly
the samples that the datafiles have for it. Where gcc gives a function no linkage name, hpcprof's
name has no parameters but the same scopes, which only one such function may have. Exits
with 1 if this is not so."""

import os
import re
import sys
from collections import Counter

import csp
import elf
import textview


def sampled(place):
    """{(module's path, names of symbols that contain an instruction): its samples}. Names are
    from nm and from addr2line, which also reads the separate debug file."""
    leaves = Counter()
    for data in csp.load([place]):
        for tree, path, samples, _ in data.samples(data.weights()[0]):
            leaves[data.locate(tree.epoch, path[-1])] += samples
    counts = Counter()
    for (module, address), names in elf.all_names(leaves).items():
        counts[os.path.basename(module or "?"), names] += leaves[module, address]
    return counts


def outline(name):
    """The name without parameters, arguments of templates and what comes before or after."""
    name = name.replace("(anonymous namespace)", "{anonymous}").split(" [")[0]
    name = re.sub(r"\{(lambda|unnamed type)[^}]*\}", r"{\1}", name).replace("{unnamed type}", "{type}")
    kept, depth = "", 0
    for c in name.replace("operator()", "operator{}"):
        depth += c in "<("
        kept += c if not depth else "*"
        depth -= c in ">)"
    return re.sub(r"\*+", "", re.sub(r"( const)?$", "", kept)).split(" ")[-1]


def has_parameters(name):
    return bool(re.search(r"\)( const)?$", name.split(" [")[0].replace("operator()", "operator{}")))


def forms_of(name, forms):
    """What hpcprof may call the function with this symbol."""
    if re.search("D0Ev", name):
        return {form + " [deleting]" for form in forms if "~" in form}
    return forms


def main(hpcprof, place):
    rows = textview.functions(hpcprof, place, "--no-inline", "--interpreter")
    counts = sampled(place)
    forms = elf.demangled({name for _, names in counts for name in names})
    due, covered, wrong = Counter(), 0, []
    uncovered = {module for module, names in counts if not names}
    for (module, names), samples in counts.items():
        if not names or not samples:
            continue
        covered += samples
        shown = {form for name in names for form in forms_of(name, forms[name])}
        match = [row for row in rows if row[1] == module and row[0] in shown]
        if not match:
            outlines = {outline(form) for form in shown}
            match = [row for row in rows if row[1] == module and outline(row[0]) in outlines
                     and not has_parameters(row[0])]
            match = match if len(match) == 1 else []
        if match:
            due[match[0]] += samples
        else:
            wrong.append("%d samples in %s of %s have another name" % (samples, names, module))
    for row, samples in due.items():
        if rows[row] != samples and not (row[1] in uncovered and rows[row] > samples):
            wrong.append("%s of %s: %d samples shown, %d are there" % (*row, rows[row], samples))
    print("%d of %d samples lie in %d functions that symbols cover"
          % (covered, sum(counts.values()), len(due)))
    print("\n".join(wrong[:20]))
    return 1 if wrong or not sum(counts.values()) else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
