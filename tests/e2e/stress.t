#!/bin/bash
# The stress of tests/soak, for a few seconds: 200 ms of CPU time at least of each operation.
# The deep recursion has 400 and the fewest samples: a walk up 20,000 frames, and the rest after
# it, take 1 to 2 ms here, up to 4 where the caches are shared with others.
export STRESS_SECONDS=6 STRESS_LEAST=100
. "$(dirname "$0")/../soak/spine-stress.t"
