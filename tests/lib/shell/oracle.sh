# Sourced after workloads.sh: walks samples of real programs a second time, with libunwind.

# two_walks short|full: for each program, samples of all its processes with both walks.
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

# At most 1 in 1000 may differ. If libunwind gives up, the frames that it lists must be the same. If
# it walks wrongly, which is rare, nothing is checked.
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
