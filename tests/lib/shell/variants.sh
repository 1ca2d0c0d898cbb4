# Sourced by the benchmarks that compare a program alone, under hpcrun and under perf with call
# graphs, all at 1000 samples per CPU second. Given: $pairs, the number of rounds, and $variants,
# if they are others than these three (whole, memo, marks: hpcrun --mark).
#
# The output of a run goes to the folder $run, which is in memory if possible. It is kept until the
# end: for minutes after files were deleted, ext4 skips each of their inodes when it makes a new
# file, which would slow the next run.

waitcpu=$(program waitcpu)
perf_works=$(perf record -q -e cpu-clock -F 1000 -g -o perf.data true 2>/dev/null && echo yes)
runs_folder=$(mktemp -d /dev/shm/hpctest.XXXXXX 2>/dev/null) || runs_folder=$scratch/runs
trap 'rm -rf "$scratch" "$runs_folder"' EXIT
runs_made=0

# variant VARIANT COMMAND...: sets the array `variant` to the command of the variant.
variant() {
	case $1 in
	alone) variant=("${@:2}") ;;
	hpcrun) variant=("$hpcrun" -q -e CPUTIME@f1000 -o "$run/data" "${@:2}") ;;
	whole | memo | marks) variant=("$hpcrun" -q --mark "$1" -e CPUTIME@f1000 -o "$run/data" "${@:2}") ;;
	perf) variant=(perf record -q -e cpu-clock -F 1000 -g -o "$run/perf.data" "${@:2}") ;;
	esac
}

# whole VARIANT COMMAND...: microseconds of CPU and wall time, including hpcrun and perf. The
# command exits with $status (0).
whole() {
	variant "$@"
	"$waitcpu" "$run/one" "${variant[@]}" >/dev/null 2>said
	[ $? = "${status:-0}" ] && cat "$run/one"
}

# inside VARIANT COMMAND...: the same for a command that prints it itself.
inside() {
	variant "$@"
	"${variant[@]}" 2>said
}

# measure NAME whole|inside COMMAND...: rounds of the variants there and back, as alone, hpcrun, perf,
# perf, hpcrun, alone, so that a drift of the machine's speed affects all equally.
measure() {
	local round how took there=${variants:-alone hpcrun perf}
	: >runs
	for round in $(seq "$pairs"); do
		for how in $there $(tr ' ' '\n' <<<"$there" | tac); do
			[ "$how" != perf ] || [ -n "$perf_works" ] || continue
			run=$runs_folder/$((runs_made++))
			mkdir -p "$run"
			took=$("$2" "$how" "${@:3}") || { cat said; exit 1; }
			echo "$how $took" >>runs
		done
	done
	lib overhead.py "$1" runs
}
