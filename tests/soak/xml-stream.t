#!/bin/bash
# A PROFILE of 1 GB streams: memory follows what is distinct in it, not its size.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"

[ "$(df --output=avail -m . | tail -1)" -gt 1500 ] || skip_all "less than 1.5 GB free in $PWD"

# taken MEGABYTES: read such a PROFILE; prints the most memory that took, in kB.
taken() {
	lib bigxml.py "$1" >big.xml
	"$python" -c '
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)' \
		"$hpcprof" xml -q -o "small-$1.xml" big.xml
}

sum() {
	sed -n 's/.* v="\([0-9]*\)".*/\1/p' "$1" | awk '{ sum += $1 } END { printf "%.0f", sum }'
}

little=$(taken 10)
begin=$SECONDS
much=$(taken 1000)
note "10 MB: $little kB; 1 GB: $much kB, written and read in $((SECONDS - begin)) s"
check "1 GB takes hardly more memory than 10 MB" test "$much" -le $((little * 13 / 10))
check "which is little" test "$much" -le 60000
is "nothing of it is lost" "$(sum small-1000.xml)" "$(($(grep -c '<S ' big.xml) * 1000))"
done_testing
