#!/bin/bash
# Samples of real programs, walked a second time by libunwind: short inputs.
. "$(dirname "$0")/../lib/tap.sh"
. "$top/tests/lib/measure.sh"
. "$top/tests/lib/workloads.sh"
. "$top/tests/lib/oracle.sh"

two_walks short 20000
done_testing
