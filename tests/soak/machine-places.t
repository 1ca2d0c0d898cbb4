#!/bin/bash
# tests/machine/places.t in a machine that may freeze.
exec "$(dirname "$0")/../machine/machine" -t 3000 "$(dirname "$0")/../machine/places.t"
