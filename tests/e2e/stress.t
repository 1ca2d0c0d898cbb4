#!/bin/bash
# The stress of tests/soak, for a few seconds: 270 ms of CPU time at least of each operation.
# The deep recursion has 540 and the fewest samples: a walk up 20,000 frames, and the rest after
# it, take 1 to 2 ms on a fast machine, 10 where page faults are dear, more beside other tests.
export STRESS_SECONDS=8 STRESS_LEAST=100 STRESS_RECURSION=20
. "$(dirname "$0")/../soak/spine-stress.t"
