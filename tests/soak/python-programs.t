#!/bin/bash
# Python programs of many kinds, measured at 1 kHz and 5 kHz: they print and end as alone, their paths are
# complete, and have Python's functions in place of the interpreter's. PROGRAMS chooses some.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"
. "$top/tests/lib/shell/python-programs.sh"

export PYTHONDONTWRITEBYTECODE=1 OPENBLAS_NUM_THREADS=2
# shellcheck disable=SC2086 # words
python_programs "1000 5000" ${PROGRAMS:-$python_all}
done_testing
