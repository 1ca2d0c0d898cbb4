#!/bin/bash
# tests/machine/rates.t in a machine that may freeze.
exec "$(dirname "$0")/../machine/machine" -t 3600 "$(dirname "$0")/../machine/rates.t"
