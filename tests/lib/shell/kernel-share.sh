# Sourced after ordinary-user.sh by the short and the long test of the kernel's part.

modes='faults fills reads forks futexes computes'

prepare_kernel_shares() {
	mkdir tool
	cp -r "$BUILD/bin" "$BUILD/lib" tool/
	cp "$(program modes)" "$(program noperf)" .
}

# one_mode DIR KIND WRAPPER...: a run of $seconds of CPU time.
one_mode() {
	local at=$1/$2
	set -- "$2" "${@:3}"
	"${@:2}" timeout $((seconds * 20)) tool/bin/hpcrun -q -o "$at" sh -c \
		"exec ./modes $1 $seconds >'$at.truth'"
}

# share_is_right KIND DIR...: in the median of the runs in these directories.
share_is_right() {
	local kind=$1 of=() dir
	shift
	for dir; do
		[ "$kind" = computes ] && of+=(none) || of+=("$dir/$kind.truth")
		of+=("$dir/$kind")
	done
	lib modes.py "$points" "${of[@]}"
}

# Beside programs that wake up often the kernel's count may be off by far: where one run differs, the
# median of three counts.
share_is_right_in_median() {
	local who=$1 kind=$2 more
	shift 2
	share_is_right "$kind" "$who" && return
	for more in 2 3; do
		mkdir -p -m 777 "$who-$more"
		one_mode "$who-$more" "$kind" "$@"
	done
	share_is_right "$kind" "$who" "$who-2" "$who-3"
}

# kernel_shares SECONDS POINTS WHO WRAPPER...: each kind of program for that long, one at a time.
kernel_shares() {
	local seconds=$1 points=$2 who=$3 kind
	shift 3
	mkdir -m 777 "$who"
	for kind in $modes; do
		one_mode "$who" "$kind" "$@"
	done
	for kind in $modes; do
		check "$who: $kind: kernel time as getrusage has it" \
			share_is_right_in_median "$who" "$kind" "$@"
	done
}
