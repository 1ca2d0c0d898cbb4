#!/bin/bash
# What measuring takes and what it is said to take, of more programs than in tests/e2e/budget.t.
export COSTS=all
. "$(dirname "$0")/../e2e/budget.t"
