#!/bin/bash
# Some Python programs that exist, measured; tests/soak/python-programs.t has more.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"
. "$top/tests/lib/shell/python-programs.sh"

export PYTHONDONTWRITEBYTECODE=1
# shellcheck disable=SC2086 # words
python_programs "1000 5000" $python_short
done_testing
