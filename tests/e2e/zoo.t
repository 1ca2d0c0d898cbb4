#!/bin/bash
# Ten quick programs of the zoo, at the default rate.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"
. "$top/tests/lib/shell/zoo.sh"

waitcpu=$(program waitcpu)
for name in $(zoo_names); do
	[ -z "$(zoo_says "$name" quick)" ] || zoo_program "$name" ""
done
note "$(cat "$table")"
done_testing
