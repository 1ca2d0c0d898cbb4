#!/bin/bash
# Programs that confine themselves to some system calls: each sees what it sees alone, and
# its account holds, until the end or until sampling would have killed it.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"
. "$top/tests/lib/shell/living.sh"

confined=$(program confined)

# strict WHAT [OPTION...]: from a filter, such as a container's, nothing leads to strict mode.
strict() {
	if grep -q '^Seccomp:.*2' /proc/self/status; then
		skip "$1" "these tests run under a filter themselves"
		return
	fi
	lives 7 "$@" "$confined" strict
	until_it_began "$1"
}

strict "strict mode"
lives 0 "a filter that allows next to nothing" "$confined" confined
until_it_began "a filter that allows next to nothing"
"$hpcrun" -v source -o said-data "$confined" confined >/dev/null 2>said
check "which -v says" grep -q 'hpcrun: .*sampling stops here' said
lives 3 "a filter that stops the end" "$confined" no_files
all_of_it "a filter that stops the end"
at_least "samples to the end" recorded 250
lives 4 "a filter that answers with an errno" "$confined" refused
all_of_it "a filter that answers with an errno"
at_least "samples to the end" recorded 250
lives 5 "a filter that stops the handler" "$confined" no_samples
all_of_it "a filter that stops the handler"
at_least "what came before" recorded 50
at_least "what came after" 'measuring off' 150
lives 6 "a filter that stops another source" "$confined" no_limits
all_of_it "a filter that stops another source"
at_least "samples to the end" recorded 250
lives 0 "a filter that is refused" "$confined" no_filter
all_of_it "a filter that is refused"
at_least "samples to the end" recorded 250
for how in refused killed; do
	lives 0 "a filter without the process's clock, $how" "$confined" "clock_$how"
	all_of_it "a filter without the process's clock, $how"
	is "what no thread saw is not known then" "$("$hpcprof" dump data/confined.*.csp | grep -c process_ns)" 0
done
strict "strict mode, and a store that dies with it" --store=private
done_testing
