#!/bin/bash
# Killed at a thousand random moments, and ended by a hundred other deaths of each kind.
# KILLS and DEATHS shorten it.
. "$(dirname "$0")/../lib/tap.sh"
. "$top/tests/lib/measure.sh"
. "$top/tests/lib/killed.sh"

killed "${KILLS:-1000}" "${DEATHS:-100}"
done_testing
