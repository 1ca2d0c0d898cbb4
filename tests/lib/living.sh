# Sourced after measure.sh by the tests of programs that see the same measured as alone.

waitcpu=$(program waitcpu)
rate=CPUTIME@f5000
ulimit -c 0

# lives STATUS WHAT [OPTION...] COMMAND...: alone and measured it writes the same and ends
# with STATUS. What hpcrun says of it is in said; datafiles are in data.
lives() {
	local expected=$1 what=$2 options=()
	shift 2
	while [[ $1 = -* ]]; do
		options+=("$1")
		shift
	done
	rm -rf data alone measured said
	# within another command, or this shell would have something to say of an end by a signal
	(timeout 100 "$@"; exit $?) >alone 2>alone.err
	is "$what alone" $? "$expected"
	timeout 100 "$hpcrun" -q -e $rate "${options[@]}" -o data "$waitcpu" total "$@" >measured 2>said
	is "$what measured" $? "$expected"
	is "$what: sees the same" "$(cat measured)" "$(cat alone)"
	rm -f data/waitcpu.*
}

# all_of_it WHAT: the weights are all the CPU time that the parent saw.
all_of_it() {
	check "$1: the account is the parent's" lib account.py --total total data
}

# all_but_the_last WHAT: the program ended past libc, and what came after each thread's last
# sample is not known.
all_but_the_last() {
	check "$1: the account is the parent's, but for what came after the last samples" \
		lib account.py --total total --cut data
}

# part_of_it WHAT: the account holds, for the time until we had to stop.
part_of_it() {
	check "$1: the account holds" lib account.py data
}

# until_it_began WHAT: the weights are what the program had used when it left its mark.
until_it_began() {
	check "$1: the account is what was used until it began" lib account.py --total mark data
}

# at_least WHAT DISPOSITION MILLISECONDS: in all of data. The bounds lie well below what
# the program burns, by far more than a tick of the kernel's a thread, and well above what
# is left if sampling stops where it could; as the account is the parent's, a bound above
# would say no more.
at_least() {
	local ms
	ms=$(lib account.py data | awk -v d="$2" 'index($0, d " ") { n = int($(NF - 1) * 1000) } END { print n + 0 }')
	if [ "$ms" -ge "$3" ]; then
		ok "$1: $ms ms"
	else
		not_ok "$1: $ms ms, not $3"
	fi
}
