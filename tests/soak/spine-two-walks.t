#!/bin/bash
# Samples of real programs, walked a second time by libunwind: full inputs, 1000 samples of each process.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"
. "$top/tests/lib/shell/workloads.sh"
. "$top/tests/lib/shell/oracle.sh"

two_walks full 5000
done_testing
