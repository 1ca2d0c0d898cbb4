#!/bin/bash
# The stress of tests/soak, for a few seconds: 200 ms of CPU time at least of each operation,
# of which the deep recursion has the fewest samples, as a walk up 20,000 frames takes most
# of a period of any length: up to 2 ms.
export STRESS_SECONDS=6 STRESS_LEAST=100
. "$(dirname "$0")/../soak/spine-stress.t"
