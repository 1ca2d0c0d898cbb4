# Sourced by the benchmarks that compare a program alone, under hpcrun and under perf with call
# graphs, all at 1000 samples per CPU second. Given: $pairs, the number of rounds.

waitcpu=$(program waitcpu)
perf_works=$(perf record -q -e cpu-clock -F 1000 -g -o perf.data true 2>/dev/null && echo yes)

# variant VARIANT COMMAND...: sets the array `variant` to the command as it is run then.
variant() {
	case $1 in
	alone) variant=("${@:2}") ;;
	hpcrun) variant=("$hpcrun" -q -e CPUTIME@f1000 -o data "${@:2}") ;;
	perf) variant=(perf record -q -e cpu-clock -F 1000 -g -o perf.data "${@:2}") ;;
	esac
}

# whole VARIANT COMMAND...: microseconds of CPU and wall time, of hpcrun and perf as well.
whole() {
	variant "$@"
	rm -f one
	"$waitcpu" one "${variant[@]}" >/dev/null 2>said # whose status is the command's
	cat one
}

# inside VARIANT COMMAND...: the same of a command that prints it itself.
inside() {
	variant "$@"
	"${variant[@]}" 2>said
}

# measure NAME whole|inside COMMAND...: rounds of alone, hpcrun, perf, perf, hpcrun, alone, so
# that a drift of the machine's speed falls on all alike.
measure() {
	local round how took
	: >runs
	for round in $(seq "$pairs"); do
		for how in alone hpcrun perf perf hpcrun alone; do
			[ "$how" != perf ] || [ -n "$perf_works" ] || continue
			rm -rf data perf.data
			took=$("$2" "$how" "${@:3}") || { cat said; exit 1; }
			echo "$how $took" >>runs
		done
	done
	lib overhead.py "$1" runs
}
