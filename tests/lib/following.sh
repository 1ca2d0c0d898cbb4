# Sourced after measure.sh: rows of the table of ways to start, fork, exec and end.
# $follow is the program, in whatever way it was built.

ulimit -c 0
reaper=$(program reaper)
ms=60

# followed EXPECTED STATUS WAY [OPTION]...: a row: datafiles, the program's exit status, the
# way as follow.c names it, options of hpcrun.
followed() {
	local expected=$1 status=$2 way=$3 name=$3 whole=
	shift 3
	[ $# = 0 ] || name="$way, $*"
	local under=("$reaper" "$scratch/$name.report")
	case " $* " in
	*' -r no '*) whole=--not-all under=() ;;
	*' --only '*) whole=--not-all ;;
	esac
	timeout 60 "$hpcrun" -q "$@" -o "$name" "${under[@]}" \
		"$follow" $ms "$scratch/$name.report" "$way" >"$name.out" 2>&1
	is "$name: ends as it does alone" "$?" "$status"
	# shellcheck disable=SC2086 # nothing, or one word
	check "$name" lib following.py $whole "$name" "$expected" "$name" "$name.report"
	check "$name: the accounts add up" lib account.py "$name"
	[ ! -s "$name.out" ] || note "$(head -5 "$name.out")"
}
