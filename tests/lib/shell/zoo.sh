# Sourced after measure.sh: foreign programs, each compared with itself alone.

zoo=$top/tests/zoo
waitcpu=$(program waitcpu)
table=$PWD/table
printf '%-20s %8s %8s %6s %8s %9s %7s  %s\n' program alone measured rate samples agreement paths remarks >"$table"

# zoo_says NAME KEY: the text after "# KEY: " in its script; the key itself if "# KEY" is all.
zoo_says() {
	sed -n "s/^# $2: //p; s/^# \\($2\\)\$/\\1/p" "$zoo/$1"
}

zoo_names() {
	(cd "$zoo" && ls)
}

# zoo_run FILES COMMAND...: as the program is always run; what it does is in FILES.out, .err, .status.
zoo_run() {
	local files=$1
	shift
	timeout -k 5 300 "$@" >"$files.out" 2>"$files.err" </dev/null
	echo $? >"$files.status"
}

# zoo_same A B: the two runs printed the same and ended in the same way.
zoo_same() {
	local what
	for what in status out err; do
		diff -a "$1.$what" "$2.$what" | head -5
		cmp -s "$1.$what" "$2.$what" || return 1
	done
}

# What an image costs changes with the load of the machine: the greater of two, before and after.
zoo_image() {
	local now
	now=$(image_cost)
	[ "${image:-0}" -ge "$now" ] || image=$now
}

# zoo_measure NAME RATE OPTION...: the measurement into data-RATE, and what an image cost meanwhile.
zoo_measure() {
	local name=$1 rate=$2
	shift 2
	rm -rf "data-$rate"
	image=0
	zoo_image
	zoo_run "$rate" "$hpcrun" -q "$@" -o "data-$rate" "$waitcpu" "$rate.total" "$zoo/$name" run
	zoo_image
	rm -f "data-$rate"/waitcpu.*
}

# zoo_measured NAME RATE OPTION...: all checks of one rate.
zoo_measured() {
	local name=$1 rate=$2 data=data-$2 kind image try
	shift 2
	zoo_measure "$name" "$rate" "$@"
	check "$name, $rate: what it prints, and its status" zoo_same alone "$rate"
	is "$name, $rate: no store stays" "$(find "$data" -name '*.stores')" ""
	for kind in unmeasured outside; do
		[ -z "$(zoo_says "$name" $kind)" ] || {
			printf '%-20s %8s %8s %6s %8s %9s %7s  %s\n' "$name" "$(zoo_seconds alone)" "$(zoo_seconds "$rate")" \
				"$rate" - - - "$kind" >>"$table"
			return
		}
	done
	check "$name, $rate: the account adds up" lib account.py "$data"
	# a burst of other work on the machine is in one run, and not in what images cost before and after
	for try in 1 2; do
		row "$name" "$rate" >/dev/null && break
		note "run $try: $(tail -1 row)"
		zoo_measure "$name" "$rate" "$@"
	done
	check "$name, $rate: CPU time is the kernel's, and paths are complete" row "$name" "$rate"
	tail -1 row >>"$table"
}

zoo_seconds() {
	awk '{ printf "%.2f", $1 / 1e6; exit }' "$1.total"
}

row() {
	"$python" "$top/tests/lib/check/zoo.py" "$1" "$2" "$hpcprof" "$image" "$(zoo_says "$1" paths)" \
		"$(zoo_says "$1" ends)" >row
	local status=$?
	cat row
	return $status
}

# zoo_begin NAME: go into a directory of its own, and run it as alone; false if that is not possible.
zoo_begin() {
	local name=$1 packages
	packages=$(zoo_says "$name" packages)
	# shellcheck disable=SC2086 # the words are package names
	if [ -n "$packages" ] && ! dpkg-query -W $packages >/dev/null 2>&1; then
		skip "$name: all of it" "not installed: $packages"
		return 1
	fi
	# others write there, too: servers give up the rights of root
	mkdir -m 777 "$scratch/$name" && cd "$scratch/$name" || return
	export TMPDIR=$PWD
	if ! "$zoo/$name" prepare >prepare 2>&1; then
		not_ok "$name: can be prepared" "$(tail -5 prepare)"
		return 1
	fi
	zoo_run warm "$zoo/$name" run # its files are in memory from here on
	zoo_run alone "$waitcpu" alone.total "$zoo/$name" run
}

# zoo_program NAME RATE: at the rate of the default and, unless it is empty, at RATE.
zoo_program() {
	local name=$1
	zoo_begin "$name" || return
	zoo_measured "$name" default --budget=3
	[ -z "$2" ] || zoo_measured "$name" "$2" -e "CPUTIME@f$2" --budget=100
	cd "$scratch" && rm -rf "${scratch:?}/$name"
}

# all_zoo RATE: those that ZOO names, or all, at the rate of the default and at RATE; then the table.
all_zoo() {
	local name
	for name in ${ZOO:-$(zoo_names)}; do
		zoo_program "$name" "$1"
	done
	note "$(cat "$table")"
}
