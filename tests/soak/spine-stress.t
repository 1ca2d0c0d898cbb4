#!/bin/bash
# All that makes stacks hard, sampled ten thousand times a second for five minutes.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"
. "$top/tests/lib/shell/stress.sh"

stress
done_testing
