#!/bin/bash
# All that makes stacks hard, sampled ten thousand times a second for five minutes, with marks.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"
. "$top/tests/lib/shell/stress.sh"

export HPCRUN_MARK=marks
stress
done_testing
