"""Read the table of functions that hpcprof's text view prints."""

import os
import re
import subprocess


def functions(hpcprof, place, *options):
    """{(function, module's base name): exclusive samples}. Without options inlined code is
    folded."""
    return _column(1, hpcprof, place, *(options or ["--no-inline"]))


def totals(hpcprof, place, *options):
    """{(function, module's base name): inclusive samples}, each inlined function for itself."""
    return _column(2, hpcprof, place, *options)


def _column(number, hpcprof, place, *options):
    out = subprocess.run([hpcprof, "--functions", "--samples", *options, "-n", "0", "-q", place],
                         env=dict(os.environ, COLUMNS="4000"), capture_output=True, text=True,
                         check=True).stdout
    rows, inside = {}, False
    for line in out.splitlines():
        if line.startswith("Functions ("):
            inside = True
        elif not line.strip():
            inside = False
        elif inside:
            found = re.match(r"\s*[0-9.]+%\s+([0-9,]+)\s+[0-9.]+%\s+([0-9,]+)\s\s+"
                             r"(?:[0-9.]+%\s\s+)?(.*\S)\s\s+(\S.*)$", line)
            if found:
                name = re.sub(r" \[(partly )?inlined\]$", "", found.group(3))
                key = name, os.path.basename(found.group(4))
                rows[key] = rows.get(key, 0) + int(found.group(number).replace(",", ""))
    if not rows:
        raise SystemExit("%s printed no table of functions for %s" % (hpcprof, place))
    return rows
