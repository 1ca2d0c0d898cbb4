# Sourced after tap.sh by the tests that measure programs.

# Not one that a version manager put before the system's.
python=/usr/bin/python3
[ -x "$python" ] || python=python3

# Stores are in memory, so that data of killed processes is kept; if /dev/shm is not writable, in
# $scratch.
if probe=$(mktemp /dev/shm/hpctest.XXXXXX 2>/dev/null); then
	rm -f "$probe"
else
	mkdir -m 777 "$scratch/memory"
	export HPCRUN_STORE=$scratch/memory
fi

# program NAME: the path of the built tests/programs/NAME (`make programs`).
program() {
	echo "$BUILD/programs/$1"
}

# lib SCRIPT ARGUMENT...: one of the Python programs in tests/lib/check.
lib() {
	local script=$1
	shift
	"$python" "$top/tests/lib/check/$script" "$@"
}

# image_cost [PROGRAM]: microseconds of CPU time that a process which does nothing takes from fork to
# its end, alone; the median of five.
image_cost() {
	local i
	for i in 1 2 3 4 5; do
		"$(program waitcpu)" image "${1:-$(program nothing)}"
		cut -d' ' -f1 image
	done | sort -n | sed -n 3p
}

# measure_cost: let hpcrun measure what sampling costs now, and not again while the test runs.
measure_cost() {
	export XDG_CACHE_HOME=$PWD/cache
	mkdir cache
	"$hpcrun" -q -o first true
	sed -i 's/ busy$//' cache/hpcrun/cost
}

# sources_named DIR: the sources that its datafiles name. A datafile names them in the order in which
# threads were first sampled by them, which is the scheduler's; here they are sorted.
sources_named() {
	"$hpcprof" dump "$1"/*.csp | sed -n 's/.*key "source"  value "\(.*\)"/\1/p' |
		sed 's/ + /\n/g' | sort -u | paste -sd+ | sed 's/+/ + /g'
}

# same_with_hpcrun DIR COMMAND...: run the command alone and under hpcrun into DIR, with standard
# input from ./input if it exists. 0 if stdout, stderr and exit status are the same.
same_with_hpcrun() {
	local dir=$1 input=/dev/null alone measured
	shift
	[ ! -e input ] || input=input
	timeout 600 "$@" <"$input" >alone.out 2>alone.err
	alone=$?
	timeout 600 "$hpcrun" -q -o "$dir" "$@" <"$input" >measured.out 2>measured.err
	measured=$?
	[ "$alone" = "$measured" ] || {
		echo "exit status $alone alone, $measured measured"
		head -5 measured.err
		return 1
	}
	cmp alone.out measured.out && cmp alone.err measured.err
}

# until_true COMMAND...: for at most 20 s.
until_true() {
	for _ in $(seq 400); do
		"$@" && return
		sleep 0.05
	done
	return 1
}
