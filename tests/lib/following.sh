# Sourced after measure.sh: rows of the table of ways to start, fork, exec and end.
# $follow is the program, in whatever way it was built.

ulimit -c 0
reaper=$(program reaper)
ms=60

# Another run, in folders of the same names.
follow_again() {
	rm -rf "$name" "$name.report"
	timeout 60 "$hpcrun" -q "$@" >"$name.out" 2>&1
	ended=$?
}

# followed EXPECTED STATUS WAY [OPTION]...: a row: datafiles, the program's exit status, the
# way as follow.c names it, options of hpcrun. What a process used before our library began and
# after it ended is not measured: milliseconds where a machine's host takes the CPU away just
# then. So where the times are apart there are two more runs; to miss time is no accident.
followed() {
	local expected=$1 status=$2 way=$3 name=$3 whole= ended
	shift 3
	[ $# = 0 ] || name="$way, $*"
	local under=("$reaper" "$scratch/$name.report")
	case " $* " in
	*' -r no '*) whole=--not-all under=() ;;
	*' --only '*) whole=--not-all ;;
	esac
	for _ in 1 2 3; do
		follow_again "$@" -o "$name" "${under[@]}" "$follow" $ms "$scratch/$name.report" "$way"
		[ "$ended" = "$status" ] || break
		# shellcheck disable=SC2086 # nothing, or one word
		! lib following.py $whole "$name" "$expected" "$name" "$name.report" >/dev/null 2>&1 || break
	done
	is "$name: ends as it does alone" "$ended" "$status"
	# shellcheck disable=SC2086 # nothing, or one word
	check "$name" lib following.py $whole "$name" "$expected" "$name" "$name.report"
	check "$name: the accounts add up" lib account.py "$name"
	[ ! -s "$name.out" ] || note "$(head -5 "$name.out")"
}
