# Sourced by the benchmarks that compare a program alone, under hpcrun and under perf with call
# graphs, all at 1000 samples per CPU second. Given: $pairs, the number of rounds.
#
# Runs write to the memory, where there is a place for it, and what they wrote stays until the
# end, in run.N: for minutes after files were deleted, ext4 searches past each of their inodes to
# make a new file, and the next run would pay for it.

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

memory=$(mktemp -d /dev/shm/hpctest.XXXXXX 2>/dev/null) || memory=
trap 'rm -rf "$scratch" ${memory:+"$memory"}' EXIT
[ -z "$memory" ] || cd "$memory" || exit 1

runs_made=0
# in_new_folder COMMAND...
in_new_folder() {
	while [ -e "run.$runs_made" ]; do runs_made=$((runs_made + 1)); done
	mkdir "run.$runs_made" && cd "run.$runs_made" && { "$@" || { cat said >&2; return 1; }; }
}

# whole VARIANT COMMAND...: microseconds of CPU and wall time, of hpcrun and perf as well.
whole() {
	variant "$@"
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
			took=$(in_new_folder "$2" "$how" "${@:3}") || exit 1
			echo "$how $took" >>runs
		done
	done
	lib overhead.py "$1" runs
}
