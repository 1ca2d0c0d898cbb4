# Sourced after tap.sh by the tests that measure programs.

# Not one that a version manager put in front of the system's.
python=/usr/bin/python3
[ -x "$python" ] || python=python3

# program NAME: the path of tests/programs/NAME.c or .cc, built. Optimised and with
# debug information; NAME_plugin.c and the like are built as shared objects.
program() {
	local name=$1 folder=$BUILD/tests/programs source out made
	out=$folder/$name
	if [ -e "$top/tests/programs/$name.cc" ]; then
		source=$top/tests/programs/$name.cc
		set -- g++ -std=c++17
	else
		source=$top/tests/programs/$name.c
		set -- gcc -std=gnu11
	fi
	case $name in
	threads8) set -- "$@" -fopenmp ;;
	*_plugin) set -- "$@" -shared -fPIC ;;
	esac
	mkdir -p "$folder"
	if [ ! "$out" -nt "$source" ]; then
		made=$(mktemp "$folder/.$name.XXXXXX")
		"$@" -D_GNU_SOURCE -O2 -g -Wall -Wextra -pthread -o "$made" "$source" >&2 || return 1
		chmod 755 "$made"
		mv "$made" "$out"
	fi
	echo "$out"
}

# lib SCRIPT ARGUMENT...: one of the Python programs beside this file.
lib() {
	local script=$1
	shift
	"$python" "$top/tests/lib/$script" "$@"
}

# same_with_hpcrun DIR COMMAND...: run the command alone and under hpcrun into DIR,
# standard input from ./input if there is one; 0 if stdout, stderr and exit status are
# the same bytes.
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
