# Sourced after measure.sh by the short and the long test of programs that are killed.

# killed KILLS OTHERS: so many kill -9, and so many deaths of each other kind.
killed() {
	local copy how recover
	for copy in 1 2 3; do
		cp "$(program stress_plugin)" "plugin-$copy.so"
	done
	mkdir keep
	kills() { # kills NUMBER OPTION...: what was recovered
		timeout 3600 "$python" "$top/tests/lib/kill.py" --kills "$@" "$hpcrun" "$(program victim)" \
			./plugin-1.so ./plugin-2.so ./plugin-3.so
	}
	check "$1 times kill -9: all is recovered but two periods a thread" kills "$1"
	check "$2 times SIGTERM" kills "$2" --how term
	for how in segv abort exit_group; do
		check "$2 times death by $how" kills "$2" --how "$how"
	done
	check "$2 times the launcher killed as well: hpcprof recover" \
		kills "$2" --how both --recover "$hpcprof"
	check "$2 times kill -9 with the store on a disk" kills "$2" --store "$scratch/stores"
	check "no store is left on the disk" rmdir "$scratch/stores"
	mkdir full
	if mount -t tmpfs -o size=64k tmpfs full 2>mount.err; then
		check "$2 times kill -9 with a store that is too small" \
			kills "$2" --store "$scratch/full" --lossy
		"$hpcrun" -e CPUTIME@f9000 -o data --store "$scratch/full" "$(program victim)" page end 200 2>said
		is "the program does not mind" "$?" 0
		note "$(cat said)"
		check "the accounts add up" lib account.py data
		umount full
	else
		skip "a store that is too small" "$(cat mount.err)"
	fi
	if kills 4 --store private >private.out 2>&1; then
		not_ok "a store that does not outlive its process is told from one that does" "$(cat private.out)"
	else
		ok "a store that does not outlive its process is told from one that does"
	fi
}
