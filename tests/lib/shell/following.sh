# Sourced after measure.sh: rows of the table of ways to start, fork, exec and end. $follow is the
# program; the caller chooses how it was built.

ulimit -c 0
reaper=$(program reaper)
image=$(image_cost)
ms=60

# Run it again, in folders with the same names.
follow_again() {
	rm -rf "$name" "$name.report"
	timeout 60 "$hpcrun" -q "$@" >"$name.out" 2>&1
	ended=$?
}

# followed EXPECTED STATUS WAY [OPTION]...: a row: number of datafiles, the program's exit status,
# the way as named in follow.c, options of hpcrun. Time before our library began and after it ended
# is not measured: this can be milliseconds if the host of a virtual machine takes the CPU away. So
# if the times differ there are two more runs; time that is really missed will be missed each time.
followed() {
	local expected=$1 status=$2 way=$3 name=$3 whole= ended fits=
	shift 3
	[ $# = 0 ] || name="$way, $*"
	local under=("$reaper" "$scratch/$name.report")
	case " $* " in
	*' -r no '*) whole=--not-all under=() ;;
	*' --only '*) whole=--not-all ;;
	esac
	for _ in 1 2 3; do
		follow_again "$@" -o "$name" "${under[@]}" "$follow" $ms "$scratch/$name.report" "$way"
		# shellcheck disable=SC2086 # nothing, or one word
		lib following.py --image "$image" $whole "$name" "$expected" "$name" "$name.report" >"$name.row" 2>&1
		fits=$?
		[ "$ended" = "$status" ] && [ $fits = 1 ] || break
	done
	is "$name: ends as it does alone" "$ended" "$status"
	check "$name: times and accounts" row "$name.row" $fits
	[ ! -s "$name.out" ] || note "$(head -5 "$name.out")"
}
row() { # row FILE STATUS: what following.py printed, and its exit status
	cat "$1"
	return "$2"
}
