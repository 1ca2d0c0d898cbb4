# Sourced after workloads.sh: a second walk, by libunwind, of samples of real programs.

# two_walks short|full: per program, samples of all its processes by both walks.
two_walks() {
	local name
	for name in $workloads; do
		[ "$name" != constructor ] || continue # it ends before the second walk begins
		workload "$name" "$1"
		rm -f walks.*
		[ -e input ] || : >input
		ORACLE_OUT=$scratch/walks timeout 600 "$BUILD/oracle/bin/hpcrun" -q -e CPUTIME@f"$2" \
			-o "walked-$name" "${command[@]}" <input >/dev/null 2>&1
		check "$name: both walks list the same frames" two_walks_agree
	done
}

# At least 99.5% the same (where libunwind gives up, what it lists is the same), and not
# more than 1 in 1000 different.
two_walks_agree() {
	cat walks.* | awk '
		/^compared/ { c += $2; s += $4; f += $6; d += $8 }
		/^#/ { print }
		END {
			printf "%d compared, %d the same, %d where ours goes on, %d different\n", c, s, f, d
			exit !(c > 0 && d * 1000 <= c && s + f >= 0.995 * c)
		}'
}
