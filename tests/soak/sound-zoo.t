#!/bin/bash
# The zoo: foreign programs, alone, at the default rate and at 5 kHz.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"
. "$top/tests/lib/shell/zoo.sh"

waitcpu=$(program waitcpu)
for name in ${ZOO:-$(zoo_names)}; do
	zoo_program "$name" 5000
done
note "$(cat "$table")"
done_testing
