# Sourced after measure.sh: all that makes stacks hard, sampled ten thousand times a second.
# STRESS_SECONDS is how long, STRESS_LEAST how many samples of each operation there must be, and
# STRESS_RECURSION how many of the deep recursion, if not as many.

stress() {
	local copy seconds=${STRESS_SECONDS:-300}
	for copy in 1 2 3; do
		cp "$(program stress_plugin)" "plugin-$copy.so"
	done

	timeout $((seconds + 120)) "$hpcrun" -e CPUTIME@f10000 -o data "$(program stress)" \
		"$seconds" ./plugin-1.so ./plugin-2.so ./plugin-3.so >operations 2>said
	is "the program ends by itself and its own checks pass" "$?" 0
	note "$(cat said operations)"
	is "each operation was done" "$(awk '$NF > 20' operations | wc -l)" 7
	check "samples enough of each operation" lib counts.py "${STRESS_LEAST:-2000}" data 10exceptionsEj 5jumpsEj \
		9callbacksEj 15alternate_stackEj "9recursionEj${STRESS_RECURSION:+=$STRESS_RECURSION}" 5forksEj 7loadingEj
	check "the accounts of all processes add up" lib account.py data
}
