#!/bin/bash
# Samples of real programs, walked a second time by libunwind: short inputs.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"
. "$top/tests/lib/shell/workloads.sh"
. "$top/tests/lib/shell/oracle.sh"

two_walks short 20000
done_testing
