"""Check the call paths of tests/python/stepped.py: each call in them is one that the program makes,
on the line on which it makes it.

stepped_paths.py DATAFILE_OR_DIRECTORY PROGRAM: prints the number of paths, of calls in them, of
functions of the program that were seen, and of calls that cannot be; status 1 if there are any."""
import ast
import collections
import sys

import csp

# What calls a function other than by its name on that line: a method by an operation, what is called
# for a comprehension, and what a function of the library calls.
IMPLICIT = {
    "__init__": "Shape(", "area": ".area", "__lt__": "sorted(", "__enter__": "with ", "__exit__": "with Shape",
    "key": "key=key", "numbers": "numbers(", "delegated": "delegated(", "awaited": "await",
    "awaiting": "run(awaiting", "wrapper": "plain(", "plain": "function(", "replace": "re.sub(",
    "add": "reduce(", "<listcomp>": "[leaf", "<lambda>": "(lambda", "<module>": "exec(",
}
# Frames that run on in another function than the one that made them: who resumes them.
RESUMED = {"numbers": ("sum(", "list(", "yield from"), "delegated": ("list(",),
           "awaiting": (".send(",), "awaited": ("await",)}


def is_possible(caller, line, callee, source):
    """Whether that line of the caller can call the callee."""
    text = source[line - 1] if 0 < line <= len(source) else ""
    name = callee.rpartition(".")[2]
    if name == "__exit__" and line > 1 and "with Shape" in source[line - 2]:
        return True  # up to 3.9 it is called on the block's last line
    if name in RESUMED and any(way in text for way in RESUMED[name]):
        return True
    return name + "(" in text or (name in IMPLICIT and IMPLICIT[name] in text) or \
        (name == "leaf" and "leaf" in text)


def functions_of(program):
    """For each line, the names of the functions that have it, the innermost first."""
    tree = ast.parse("".join(program))
    spans = collections.defaultdict(list)
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ListComp)):
            name = getattr(node, "name", {ast.Lambda: "<lambda>", ast.ListComp: "<listcomp>"}
                           .get(type(node)))
            first = min([node.lineno] + [d.lineno for d in getattr(node, "decorator_list", [])])
            for line in range(first, node.end_lineno + 1):
                spans[line].append(name)
    return spans


def main():
    with open(sys.argv[2]) as f:
        source = f.readlines()
    spans = functions_of(source)
    paths = calls = 0
    wrong, seen = collections.Counter(), set()
    for file in csp.load(sys.argv[1:2]):
        for tree in file.trees:
            for node, (parent, ip, values) in tree.nodes.items():
                here = script(file, tree, node)
                paths += any(values)
                if here is None:
                    continue
                name, line, own = here
                if own:
                    seen.add(name)
                    bare = name.rpartition(".")[2]
                    if bare != "<module>" and bare not in spans.get(line, ()):
                        wrong["%s has no line %d" % (name, line)] += 1
                while parent and script(file, tree, parent) is None:
                    parent = tree.nodes[parent][0]
                outer = script(file, tree, parent) if parent else None
                if outer is None or not outer[2] or not own:
                    continue
                calls += 1
                if not is_possible(outer[0], outer[1], name, source):
                    wrong["%s, line %d, calls %s" % (outer[0], outer[1], name)] += 1
    for text, times in wrong.most_common(20):
        print("# %d nodes: %s" % (times, text), file=sys.stderr)
    print(paths, calls, len(seen), sum(wrong.values()))
    return 1 if wrong else 0


def script(file, tree, node):
    """The function and line of a node, and whether it is the program's; None: no interpreter's."""
    _, ip, _ = tree.nodes[node]
    inner = node in parents(tree)
    at = ip - inner
    module = file.locate(tree.epoch, at)[0]
    found = file.function(at)
    return found and found + (module is not None and module.endswith("stepped.py"),)


def parents(tree):
    if not hasattr(tree, "inner"):
        tree.inner = {parent for node, (parent, _, _) in tree.nodes.items() if node}
    return tree.inner


if __name__ == "__main__":
    sys.exit(main())
