# Sourced after workloads.sh by the short and the full test of real programs.

# real_programs short|full: for each program its output, its paths, its account.
real_programs() {
	local name
	for name in $workloads; do
		workload "$name" "$1"
		check "$name: stdout, stderr and exit status are its own" \
			same_with_hpcrun "data-$name" "${command[@]}"
		check "$name: 99% of the paths are complete" lib paths.py "data-$name"
		check "$name: the account adds up" lib account.py "data-$name"
		check "$name: names are those of the symbol tables" \
			lib names.py "$hpcprof" "data-$name"
	done
}
