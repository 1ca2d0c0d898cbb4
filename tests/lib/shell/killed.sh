# Sourced after measure.sh by the short and the long test of programs that are killed.

# killed KILLS OTHERS [OPTION]...: this many kill -9, and this many deaths of each other kind, with
# these options of kill.py.
killed() {
	local copy how recover number=$1 others=$2
	shift 2
	local options=("$@")
	for copy in 1 2 3; do
		cp "$(program stress_plugin)" "plugin-$copy.so"
	done
	mkdir keep
	kills() { # kills NUMBER OPTION...: check what is recovered
		timeout 3600 "$python" "$top/tests/lib/check/kill.py" "${options[@]}" --kills "$@" \
			"$hpcrun" "$(program victim)" ./plugin-1.so ./plugin-2.so ./plugin-3.so
	}
	check "$number times kill -9: all is recovered but two periods a thread" kills "$number"
	check "$others times SIGTERM" kills "$others" --how term
	for how in segv abort exit_group; do
		check "$others times death by $how" kills "$others" --how "$how"
	done
	check "$others times the launcher killed as well: hpcprof recover" \
		kills "$others" --how both --recover "$hpcprof"
	check "$others times kill -9 with the store on a disk" kills "$others" --store "$scratch/stores"
	check "no store is left on the disk" rmdir "$scratch/stores"
	mkdir full
	if mount -t tmpfs -o size=64k tmpfs full 2>mount.err; then
		check "$others times kill -9 with a store that is too small" \
			kills "$others" --store "$scratch/full" --lossy
		"$hpcrun" -e CPUTIME@f9000 -o data --store "$scratch/full" "$(program victim)" page end 200 2>said
		is "the program does not mind" "$?" 0
		note "$(cat said)"
		check "the accounts add up" lib account.py data
		umount full
	else
		skip "a store that is too small" "$(cat mount.err)"
	fi
	kills 4 --store private >private.out 2>&1
	check "a store that does not outlive its process is told from one that does" \
		grep '^0 datafiles of the victim' private.out
}

# killed_merging TREES SECONDS: a program whose threads end, and are merged, all the time, is killed
# then; all that was counted is there.
killed_merging() {
	local dir=killed-$1-$2
	timeout 60 "$hpcrun" -q -e CPUTIME@f5000 -t "$1" -o "$dir" sh -c \
		'"$@" & sleep "$0"; kill -9 $!; wait' "$2" \
		"$(program manythreads)" run 1000000 20000 4 >/dev/null 2>&1
	is "$dir: a datafile" "$(echo "$dir"/manythreads.*.csp | wc -w)" 1
	check "$dir: the equations hold" lib account.py "$dir"
}
