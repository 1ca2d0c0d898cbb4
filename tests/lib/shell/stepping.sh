# Sourced after measure.sh: operations of tests/programs/stepped.cc, with the library that takes samples
# between instructions (tests/stepping).

export STEPPED_PLUGIN=$(program unwind_plugin)

way=memo # of --mark

# stepping GAP WITHOUT OPERATION...: run them; a line for each, as the program prints it.
stepping() {
	local status
	STEPPING_GAP=$1 STEPPING_WITHOUT=$2 timeout 3600 "$BUILD/stepping/bin/hpcrun" -q -e CPUTIME@f1 \
		--mark $way -o "stepped-$1-$2" "$(program stepped)" "${@:3}"
	status=$?
	rm -rf "stepped-$1-$2"
	return $status
}

# stepped GAP OPERATION...: none finds a difference, and most walks end at remembered frames.
stepped() {
	local name steps compared known different wrong done=0 walks=0 ended=0
	while read -r name steps compared known different wrong; do
		is "$name, a sample after up to $1 instructions: no difference" "$different$wrong" 0
		[ "$different" = 0 ] || echo "# $steps instructions, $compared compared, $known known"
		instructions=$((${instructions:-0} + steps))
		[ "$1" -gt 1 ] || is "$name: most samples are compared" "$((compared * 5 > steps * 2))" 1
		walks=$((walks + compared)) ended=$((ended + known))
		done=$((done + 1))
	done < <(stepping "$1" '' "${@:2}")
	is "each of them, with $1 ($way)" "$done" "$(($# - 1))"
	is "with $1, $ended of $walks walks end at remembered frames" "$((ended * 2 > walks))" 1
}

# stepped_without RULE OPERATION: it then finds differences.
stepped_without() {
	local name steps compared known different rest
	read -r name steps compared known different rest < <(stepping 60 "$1" "$2")
	check "$2: without comparing $1 there are differences" test "${different:-0}" -gt 0
}

# marked_without RULE OPERATION GAP: with marks it then finds differences, or the program fails.
marked_without() {
	local name steps compared known different wrong status
	way=marks
	ulimit -S -c 0
	stepping "$3" "$1" "$2" >without 2>/dev/null
	status=$?
	read -r name steps compared known different wrong <without
	check "$2: without the rule '$1' it goes wrong (status $status, ${different:-no} differences)" \
		test "$status" != 0 -o "${different:-0}" != 0
}
