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

# Not more than 1 in 1000 different; where libunwind gives up, what it lists is the same, and
# where it loses its way, which is seldom, nothing is learned.
two_walks_agree() {
	cat walks.* | awk '
		/^compared/ { c += $2; s += $4; f += $6; n += $8; d += $10 }
		/^#/ { print }
		END {
			printf "%d compared, %d the same, %d where ours goes on, ", c, s, f
			printf "%d where libunwind is lost, %d different\n", n, d
			exit !(c > 0 && d * 1000 <= c && n * 50 <= c)
		}'
}
