#!/bin/bash
# Killed at a thousand random moments, and ended by a hundred other deaths of each kind.
# KILLS and DEATHS shorten it; LATE is an option of kill.py.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"
. "$top/tests/lib/shell/killed.sh"

killed "${KILLS:-1000}" "${DEATHS:-100}" --late "${LATE:-0.001}"
done_testing
