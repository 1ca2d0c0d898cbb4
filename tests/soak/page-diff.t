#!/bin/bash
# The pages of all comparisons of tests/e2e/diff-page.t, with both ways to normalize.
export NORMALIZE=all
. "$(dirname "$0")/../e2e/diff-page.t"
