#!/bin/bash
# The stress of tests/soak, for a few seconds.
export STRESS_SECONDS=6 STRESS_LEAST=200
. "$(dirname "$0")/../soak/spine-stress.t"
