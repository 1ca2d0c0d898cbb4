# Sourced after measure.sh by the tests of the page: programs of node that print TAP.

node=$(command -v node) || skip_all "node is not installed"
version=$("$node" -p 'process.versions.node.split(".")[0]')
[ "$version" -ge 18 ] || skip_all "node is older than 18 ($version)"

# points NAME FILE: a point for each in a file of TAP, with what it said if it failed. Points of
# points come before theirs; one that has some is left out unless it failed.
points() {
	local name=$1 line pending='' said='' deep=0 indent count=0
	local pattern='^( *)(not ok|ok) [0-9]+ ?-? ?(.*)$'
	# point: print the one that is pending.
	point() {
		case $pending in
		'ok '*'# SKIP'*) skip "$name: $(sed 's/^ok //; s/ *# SKIP.*//' <<<"$pending")" "${pending#*# SKIP }" ;;
		'ok '*) ok "$name: ${pending#ok }" ;;
		'not ok '*) not_ok "$name: ${pending#not ok }" "$(head -40 <<<"$said")" ;;
		esac
		[ -z "$pending" ] || count=$((count + 1))
		pending='' said=''
	}
	while IFS= read -r line; do
		if [[ $line =~ $pattern ]]; then
			point
			indent=${#BASH_REMATCH[1]}
			[ "$indent" -lt "$deep" ] && [ "${BASH_REMATCH[2]}" = ok ] ||
				pending="${BASH_REMATCH[2]} ${BASH_REMATCH[3]}"
			deep=$indent
		else
			said+=${line#\# }$'\n'
		fi
	done <"$2"
	point
	[ "$count" != 0 ] || grep -q '^1\.\.0 # SKIP' "$2" || not_ok "$name has points" "$(head -40 "$2")"
}

# taps NAME SECONDS COMMAND...: its points; that it ends in time with a plan for them.
taps() {
	local name=$1 seconds=$2 status before=$tap_failed plan
	shift 2
	timeout -k 20 "$seconds" "$@" >"$name.tap" 2>"$name.err" </dev/null
	status=$?
	plan=$(grep -E '^1\.\.[0-9]+' "$name.tap")
	case $plan in
	'1..0 # SKIP '*) skip "$name" "${plan#*SKIP }" ;;
	*) points "$name" "$name.tap" ;;
	esac
	[ "$status" = 0 ] && [ -n "$plan" ] || [ "$tap_failed" != "$before" ] ||
		not_ok "$name ends well" "status $status, plan: $plan
$(tail -20 "$name.tap" "$name.err")"
}
