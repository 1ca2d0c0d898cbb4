# What was measured by its labels (tests/e2e/labels.t and otel.t), after tap.sh and measure.sh.

# by KEY DATA [OPTIONS]: "VALUE SHARE", per cent, of the labels with that key, and of none.
by() {
	local key=$1
	"$hpcprof" export -q --format folded -m "${metric:-CPUTIME}" --group-by "$key" "${@:2}" |
		awk -v prefix="[label] $key=" '{ n = $NF; t += n; sub(/;.*/, "")
			if (index($0, prefix) == 1) of[substr($0, length(prefix) + 1)] += n; else of["-"] += n }
			END { for (v in of) if (v != "-" || of[v] > 0.02 * t) printf "%s %.0f\n", v, t ? 100 * of[v] / t : 0 }' | sort
}
# is_by NAME KEY DATA "VALUE SHARE"...: within 4.
is_by() {
	by "$2" "$3" >got
	check "$1" awk -v want="$(printf '%s\n' "${@:4}")" 'BEGIN { n = split(want, row, "\n")
			for (i = 1; i <= n; i++) { split(row[i], f, " "); of[f[1]] = f[2] } left = n }
		{ left--; if (!($1 in of) || $2 < of[$1] - 4 || $2 > of[$1] + 4) exit bad = 1 }
		END { exit bad || left != 0 }' got
	note "$(paste -sd, got)"
}
