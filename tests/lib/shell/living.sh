# Sourced after measure.sh by the tests of programs that must behave the same alone and measured.

waitcpu=$(program waitcpu)
image=$(image_cost)
rate=CPUTIME@f5000
ulimit -c 0

# lives STATUS WHAT [OPTION...] COMMAND...: alone and measured it writes the same and exits with
# STATUS. Messages of hpcrun are in said; datafiles are in data.
lives() {
	local expected=$1 what=$2 options=()
	shift 2
	while [[ $1 = -* ]]; do
		options+=("$1")
		shift
	done
	rm -rf data alone measured said
	# inside another command, or this shell would print a message if the program is killed
	(timeout 100 "$@"; exit $?) >alone 2>alone.err
	is "$what alone" $? "$expected"
	timeout 100 "$hpcrun" -q -e $rate "${options[@]}" -o data "$waitcpu" total "$@" >measured 2>said
	is "$what measured" $? "$expected"
	is "$what: sees the same" "$(cat measured)" "$(cat alone)"
	rm -f data/waitcpu.*
}

# all_of_it WHAT: the weights are all of the CPU time that the parent saw.
all_of_it() {
	check "$1: the account is the parent's" lib account.py --total total --image "$image" data
}

# all_but_the_last WHAT: the program ended without calling libc, and the time after
# each thread's last sample is not known.
all_but_the_last() {
	check "$1: the account is the parent's, but for what came after the last samples" \
		lib account.py --total total --image "$image" --cut data
}

# part_of_it WHAT: the account is right for the time until sampling had to stop.
part_of_it() {
	check "$1: the account holds" lib account.py data
}

# until_it_began WHAT: the weights are the CPU time that the program had used when it wrote its
# mark.
until_it_began() {
	check "$1: the account is what was used until it began" \
		lib account.py --total mark --image "$image" data
}

# at_least WHAT DISPOSITION MILLISECONDS: in all of data. The bounds are far below what the program
# burns, by much more than a kernel tick per thread, and far above what is left if sampling stops
# where it could. The account is that of the parent, so an upper bound would check nothing more.
at_least() {
	local ms
	ms=$(lib account.py data | awk -v d="$2" 'index($0, d " ") { n = int($(NF - 1) * 1000) } END { print n + 0 }')
	if [ "$ms" -ge "$3" ]; then
		ok "$1: $ms ms"
	else
		not_ok "$1: $ms ms, not $3"
	fi
}
